// Machines of counts and of positive numbers against sums and integrals of their energy and their base measures.
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include <boost/math/quadrature/exp_sinh.hpp>
#include <doctest/doctest.h>

#include <harmonium/estimators/gradients/contrastive.hpp>
#include <harmonium/estimators/log_partition/exact.hpp>
#include <harmonium/estimators/phases/exact_phase.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/gamma.hpp>
#include <harmonium/models/units/poisson.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace base_measure_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
const Execution execution{executor, RandomSource{1, 0}};

using Numbers = std::vector<double>;

/// θ of an RBM by name.
struct Parameters {
  Numbers b, c, w;
  explicit Parameters(const EnergyModel& model) {
    for (const ParameterBlock& block : model.parameter_layout().blocks()) {
      const auto values = model.parameters().subspan(block.offset, block.size());
      (block.name == "bias.visible" ? b : block.name == "bias.hidden" ? c : w).assign(values.begin(), values.end());
    }
  }
  double minus_energy(const Numbers& v, const Numbers& h) const {
    double sum = 0.0;
    for (Index i = 0; i < v.size(); ++i) sum += b[i] * v[i];
    for (Index j = 0; j < h.size(); ++j) sum += c[j] * h[j];
    for (Index i = 0; i < v.size(); ++i)
      for (Index j = 0; j < h.size(); ++j) sum += v[i] * w[i * h.size() + j] * h[j];
    return sum;
  }
};

void for_each_bits(Index n, const std::function<void(const Numbers&)>& body) {
  for (Index s = 0; s < (Index{1} << n); ++s) {
    Numbers bits(n);
    for (Index i = 0; i < n; ++i) bits[i] = static_cast<double>(s >> i & 1);
    body(bits);
  }
}

std::unique_ptr<LayeredModel> counts() {
  auto model = make_rbm({.num_visible = 2, .num_hidden = 3, .visible_units = std::make_unique<PoissonUnit>()});
  conformance::randomize(*model, 4, 0.75);
  return model;
}

std::unique_ptr<LayeredModel> positive() {
  auto model = make_rbm({.num_visible = 3,
                         .num_hidden = 2,
                         .hidden_units = std::make_unique<GammaUnit>(GammaUnit::Options{.shape = 1.5, .rate = 4.0})});
  conformance::randomize(*model, 5, 0.75);
  return model;
}

/// p(v) of counts before it is divided by Z, h summed one by one.
double weight_of_counts(const EnergyModel& model, const Numbers& v) {
  const Parameters p(model);
  double sum = 0.0;
  for_each_bits(3, [&](const Numbers& h) { sum += std::exp(p.minus_energy(v, h)); });
  return sum / std::tgamma(v[0] + 1.0) / std::tgamma(v[1] + 1.0);
}

double log_z_of_counts(const EnergyModel& model) {
  double sum = 0.0;
  for (int a = 0; a < 80; ++a)
    for (int b = 0; b < 80; ++b) sum += weight_of_counts(model, {static_cast<double>(a), static_cast<double>(b)});
  return std::log(sum);
}

/// Of bits under gamma units, whose integrals are done one by one.
double weight_of_bits(const EnergyModel& model, const Numbers& v) {
  const Parameters p(model);
  double product = std::exp(p.minus_energy(v, {0.0, 0.0}));
  boost::math::quadrature::exp_sinh<double> rule;
  for (Index j = 0; j < 2; ++j) {
    Numbers h(2, 0.0);
    h[j] = 1.0;
    const double field = p.minus_energy(v, h) - p.minus_energy(v, {0.0, 0.0});
    product *= rule.integrate(
        [&](double x) { return std::pow(4.0, 1.5) * std::sqrt(x) * std::exp(-(4.0 - field) * x) / std::tgamma(1.5); });
  }
  return product;
}

double log_z_of_bits(const EnergyModel& model) {
  double sum = 0.0;
  for_each_bits(3, [&](const Numbers& v) { sum += weight_of_bits(model, v); });
  return std::log(sum);
}

Chains rows_of(const EnergyModel& model, const std::vector<Numbers>& rows) {
  Chains x(model.layout(), rows.size());
  const MatrixRef v = x.write(LayerId{0});
  for (Index r = 0; r < rows.size(); ++r)
    for (Index i = 0; i < v.cols; ++i) v(r, i) = static_cast<Real>(rows[r][i]);
  return x;
}

const std::vector<Numbers> rows_of_counts{{0, 0}, {3, 1}, {1, 0}, {7, 2}},
    rows_of_bits{{0, 1, 0}, {1, 1, 1}, {0, 0, 1}};

double log_z(const EnergyModel& model) { return ExactLogPartition().estimate(model, 1.0, execution).log_z; }

double log_likelihood(const EnergyModel& model, const Chains& rows, double log_z) {
  return -mean_free_energy(model, rows, 1.0, executor) - log_z;
}

/// The exact gradient against differences of the log likelihood, whose log Z is the oracle's.
void check_gradient(EnergyModel& model, const Chains& rows, const std::function<double()>& oracle) {
  ContrastiveOptions options;
  options.positive = std::make_unique<ExactPhase>();
  options.negative = std::make_unique<ExactPhase>();
  Contrastive estimator(std::move(options));
  estimator.check(model);
  Posterior posterior;
  const Numbers weights(rows.size(), 1.0 / static_cast<double>(rows.size()));
  std::vector<Real> gradient(model.parameters().size());
  estimator.estimate(model, {rows, weights, posterior}, gradient, execution);
  for (const std::vector<Index>& entries : conformance::free_parameters(model)) {
    const double slope = conformance::derivative(model, entries, 0x1p-8,
                                                 [&] { return Numbers{log_likelihood(model, rows, oracle())}; })[0];
    // Of minus the log likelihood; differences, and the rounding of means of some numbers.
    const double bound = 1e-7 + 64.0 * std::numeric_limits<Real>::epsilon() * (1.0 + std::abs(slope));
    CHECK(std::abs(static_cast<double>(gradient[entries[0]]) + slope) < bound);
  }
}

}  // namespace

TEST_CASE("likelihoods of counts and under positive units are those of sums and integrals") {
  const auto of_counts = counts();
  CHECK(std::abs(log_z(*of_counts) - log_z_of_counts(*of_counts)) < 1e-10);
  for (const Numbers& v : rows_of_counts) {
    const double own = -free_energies(*of_counts, rows_of(*of_counts, {v}), 1.0, executor)[0];
    CHECK(std::abs(own - std::log(weight_of_counts(*of_counts, v))) < 1e-10);
  }
  const auto of_bits = positive();
  CHECK(std::abs(log_z(*of_bits) - log_z_of_bits(*of_bits)) < 1e-9);
  for (const Numbers& v : rows_of_bits) {
    const double own = -free_energies(*of_bits, rows_of(*of_bits, {v}), 1.0, executor)[0];
    CHECK(std::abs(own - std::log(weight_of_bits(*of_bits, v))) < 1e-9);
  }
}

TEST_CASE("the exact gradient of machines of counts and of positive units is the derivative of their likelihood") {
  const auto of_counts = counts();
  check_gradient(*of_counts, rows_of(*of_counts, rows_of_counts), [&] { return log_z_of_counts(*of_counts); });
  const auto of_bits = positive();
  check_gradient(*of_bits, rows_of(*of_bits, rows_of_bits), [&] { return log_z_of_bits(*of_bits); });
}

TEST_CASE("annealing finds log Z of counts coupled with exponential units, which no enumeration has") {
  const auto model =
      make_rbm({.num_visible = 1,
                .num_hidden = 1,
                .visible_units = std::make_unique<PoissonUnit>(),
                .hidden_units = std::make_unique<ExponentialUnit>(ExponentialUnit::Options{.rate = 2.0})});
  model->update_parameters([&](std::span<Real> theta) {
    for (const ParameterBlock& block : model->parameter_layout().blocks())
      theta[block.offset] = Real(block.name == "bias.visible" ? 1.5 : block.name == "bias.hidden" ? 0.75 : -0.5);
  });
  boost::math::quadrature::exp_sinh<double> rule;
  const double exact =
      std::log(rule.integrate([](double y) { return 2.0 * std::exp(std::exp(1.5 - 0.5 * y) + (0.75 - 2.0) * y); }));
  const LogPartitionEstimate found = make<LogPartition>("type = 'ais'")->estimate(*model, 1.0, execution);
  CAPTURE(found.why);
  CHECK(found.agree);
  CHECK(found.high - found.low < 0.3);
  CHECK(found.low < exact);
  CHECK(found.high > exact);
}

TEST_CASE("parameters under which a unit of some field has no law are refused, to the number") {
  auto model = positive();
  const auto set = [&](Real bias, const std::vector<Real>& w) {
    model->update_parameters([&](std::span<Real> theta) {
      for (const ParameterBlock& block : model->parameter_layout().blocks()) {
        if (block.name == "bias.hidden") theta[block.offset] = bias;
        for (Index i = 0; block.name == "weight.visible.hidden" && i < 3; ++i) theta[block.offset + 2 * i] = w[i];
      }
    });
  };
  CHECK_NOTHROW(set(Real(1), {Real(1), Real(-5), Real(1.9375)}));  // 3.9375 at most
  CHECK_THROWS_WITH_AS(set(Real(1), {Real(1), Real(-5), Real(2)}),
                       "the field of unit 0 of layer 'hidden' may be 4, and gamma units have a law below 4 only: no "
                       "density exists",
                       NumericalError);
  const auto of_both = make_rbm({.num_visible = 1,
                                 .num_hidden = 1,
                                 .visible_units = std::make_unique<PoissonUnit>(),
                                 .hidden_units = std::make_unique<PoissonUnit>()});
  const auto couple = [&](Real w) {
    of_both->update_parameters([&](std::span<Real> theta) {
      for (const ParameterBlock& block : of_both->parameter_layout().blocks())
        if (block.name == "weight.visible.hidden") theta[block.offset] = w;
    });
  };
  CHECK_NOTHROW(couple(Real(-0.25)));
  CHECK_THROWS_WITH_AS(couple(Real(0.25)),
                       "the field of unit 0 of layer 'visible' may be inf, and poisson units have a law below a finite "
                       "one only: no density exists",
                       NumericalError);
}

}  // namespace base_measure_test
