// Noise-contrastive estimation against its definition: sums over all states of data and noise.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <boost/math/distributions/students_t.hpp>
#include <doctest/doctest.h>

#include <harmonium/estimators/gradients/noise_contrastive.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/data/generators.hpp>
#include <harmonium/framework/run/train.hpp>
#include <harmonium/framework/testing/small_batch.hpp>
#include <harmonium/framework/training/sgd.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/tests/exact/estimators/repeats.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace noise_contrastive_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);

/// A possible row of noise: a state of the visible units, and its probability.
struct NoiseRow {
  Oracle::State x;
  double q;
};

/// All that the estimator's expectation is made of, by sums over every row of noise.
class Definition {
 public:
  Definition(const EnergyModel& model, SmallBatch& batch, Index noise_rows, double shift_of_mean = 0.0)
      : model_(model), oracle_(model), batch_(batch), noise_rows_(noise_rows) {
    for (const double m : batch.view().marginals) means_.push_back(m + shift_of_mean);
    list_noise();
  }

  double log_z() const { return oracle_.log_z(); }
  const std::vector<NoiseRow>& noise() const { return noise_; }

  /// ∂L/∂θ, ∂L/∂c and L at this c, the mean over all noise.
  std::vector<double> expectation(double c) const {
    const Layout& layout = model_.layout();
    std::vector<double> of_data, of_noise;
    double loss = 0.0, of_c = 0.0, total = 0.0;
    const ConstMatrixRef x = batch_.rows().read(LayerId{0});
    for (Index r = 0; r < x.rows; ++r) {
      Oracle::State row(oracle_.columns(), 0.0);
      std::copy(x.row(r), x.row(r) + x.cols, row.begin());
      const double g = log_odds(row, c), w = batch_.weights()[r];
      loss += w * std::log1p(std::exp(-g));
      of_c += of_data.emplace_back(w / (1.0 + std::exp(g)));
      total += w;
    }
    Chains all(layout, noise_.size());
    for (Index j = 0; j < noise_.size(); ++j) {
      const double g = log_odds(noise_[j].x, c), w = total * static_cast<double>(noise_rows_) * noise_[j].q;
      loss += w * std::log1p(std::exp(g));
      of_c += of_noise.emplace_back(-w / (1.0 + std::exp(-g)));
      const std::span<Real> to = all.write(LayerId{0})[j];
      std::transform(noise_[j].x.begin(), noise_[j].x.begin() + static_cast<std::ptrdiff_t>(to.size()), to.begin(),
                     [](double v) { return static_cast<Real>(v); });
    }
    std::vector<Real> gradient(model_.parameters().size(), Real{0});
    model_.free_energy()->add_gradient(layout.observed(), batch_.rows(), of_data, gradient, executor);
    model_.free_energy()->add_gradient(layout.observed(), all, of_noise, gradient, executor);
    std::vector<double> expected(gradient.begin(), gradient.end());
    expected.push_back(of_c);
    expected.push_back(loss);
    return expected;
  }

 private:
  double log_odds(const Oracle::State& x, double c) const {
    const double f = oracle_.free_energy(model_.layout().observed(), x);
    return -f - c - std::log(static_cast<double>(noise_rows_) * density(x));
  }
  /// q: of a unit of two states, its mean in the data and half a row of each state beside the 20 rows that a mean counts for;
  /// of a Gaussian one its mean and variance in the data.
  double density(const Oracle::State& x) const {
    const Layer& layer = model_.layout()[LayerId{0}];
    double q = 1.0;
    for (Index u = 0; u < layer.size; ++u) {
      if (layer.unit->num_states() == 0) {
        q *= std::exp(-0.5 * (x[u] - means_[u]) * (x[u] - means_[u]) / variance()) / std::sqrt(2.0 * M_PI * variance());
        continue;
      }
      const double low = layer.unit->min(), high = layer.unit->max();
      const double up = (20.0 * (means_[u] - low) / (high - low) + 0.5) / 21.0;
      q *= x[u] > 0.5 * (low + high) ? up : 1.0 - up;
    }
    return q;
  }
  double variance() const {
    const ConstMatrixRef x = batch_.rows().read(LayerId{0});
    double sum = 0.0;
    for (Index r = 0; r < x.rows; ++r)
      sum += (static_cast<double>(x(r, 0)) - means_[0]) * (static_cast<double>(x(r, 0)) - means_[0]);
    return sum / static_cast<double>(x.rows);
  }
  void list_noise() {
    const Layout& layout = model_.layout();
    const Oracle::State zero(oracle_.columns(), 0.0);
    if (layout[LayerId{0}].unit->num_states() > 0)
      return oracle_.for_each(layout.observed(), zero, [&](const Oracle::State& x) {
        noise_.push_back({x, density(x)});
      });
    constexpr double step = 0x1p-6;  // of the midpoint rule: exact to rounding for what is as smooth as a Gaussian
    const double reach = 9.0 * std::sqrt(variance());
    for (double v = means_[0] - reach; v < means_[0] + reach; v += step) {
      Oracle::State x = zero;
      x[0] = v;
      noise_.push_back({x, step * density(x)});
    }
  }

  const EnergyModel& model_;
  Oracle oracle_;
  SmallBatch& batch_;
  Index noise_rows_;
  std::vector<double> means_;
  std::vector<NoiseRow> noise_;
};

/// 24 rows, all of one weight: the noise is made after rows, whatever their weights.
SmallBatch even_batch(const EnergyModel& model) {
  std::mt19937_64 words(5);
  std::normal_distribution<double> normal(0.5, 1.0);
  constexpr Index rows = 24;
  Chains x(model.layout(), rows);
  const Layer& layer = model.layout()[LayerId{0}];
  const MatrixRef v = x.write(LayerId{0});
  for (Index r = 0; r < rows; ++r)
    for (Index u = 0; u < v.cols; ++u)
      v(r, u) = layer.unit->num_states() == 0 ? static_cast<Real>(std::round(64.0 * normal(words)) / 64.0)
                : words() % 3 == 0            ? static_cast<Real>(layer.unit->max())
                                              : static_cast<Real>(layer.unit->min());
  return {model.layout(), std::move(x), std::vector<double>(rows, 1.0 / rows)};
}

std::vector<Example> models() {
  std::vector<Example> all;
  all.push_back({"bits", random_rbm(4, 3, 71)});
  all.push_back(
      {"spins", random_model({{observed("v", 3, std::make_shared<SpinUnit>()), latent("h", 3)}, {{0, 1}}, {}}, 72)});
  all.push_back({"nothing latent", random_model({{observed("v", 4)}, {{0, 0}}, {}}, 73)});
  all.push_back(
      {"one Gaussian unit",
       random_model({{observed("v", 1, std::make_shared<GaussianUnit>()), latent("h", 3)}, {{0, 1}}, {0}}, 74, 0.5)});
  return all;
}

/// The mean of many estimates of gradient and loss, one after another, at this log Z.
Repeats repeated(const EnergyModel& model, SmallBatch& batch, Index noise_rows, double c) {
  NoiseContrastive estimator({.noise_rows = noise_rows});
  estimator.check(model);
  estimator.begin(model, batch.outline());
  estimator.own_values()[0] = static_cast<Real>(c);
  return Repeats(4000, [&](std::vector<Real>& gradient) {
    gradient.assign(model.parameters().size() + 1, Real{7});
    const auto report = estimator.estimate(model, batch.view(), gradient, {executor, {81, 83}});
    gradient.push_back(static_cast<Real>(*report.loss));
  });
}

}  // namespace

TEST_CASE("the mean of noise-contrastive estimates and of their loss is that over all noise") {
  for (const Example& example : models()) {
    CAPTURE(example.name);
    SmallBatch batch = even_batch(*example.model);
    const Index noise_rows = 3;
    const Definition right(*example.model, batch, noise_rows);
    double mass = 0.0;
    for (const NoiseRow& row : right.noise()) mass += row.q;
    CHECK(mass == doctest::Approx(1.0).epsilon(1e-9));
    const double c = static_cast<double>(static_cast<Real>(2.0));
    const Repeats repeats = repeated(*example.model, batch, noise_rows, c);
    CHECK(repeats.worst(right.expectation(c)) < repeats.threshold());
    // Controls: the means of the noise off by 0.05, one row of noise more or less, log Z off by 0.1.
    CHECK(repeats.worst(Definition(*example.model, batch, noise_rows, 0.05).expectation(c)) > repeats.threshold());
    CHECK(repeats.worst(Definition(*example.model, batch, noise_rows + 1).expectation(c)) > repeats.threshold());
    CHECK(repeats.worst(right.expectation(c + 0.1)) > repeats.threshold());
  }
}

TEST_CASE("at the model's own law and its log Z nothing moves") {
  for (const Example& example : models()) {
    if (example.model->layout()[LayerId{0}].unit->num_states() == 0) continue;  // their law cannot be listed
    CAPTURE(example.name);
    SmallBatch batch = SmallBatch::of_law(*example.model);
    const double log_z = Oracle(*example.model).log_z();
    const auto at = [&](double c) {
      Repeats repeats = repeated(*example.model, batch, 4, c);
      std::vector<double> none(example.model->parameters().size() + 1, 0.0);
      none.push_back(repeats.mean().back());  // the loss is not 0
      return std::pair(repeats.worst(none), repeats.threshold());
    };
    const auto [right, limit] = at(log_z);
    CHECK(right < limit);
    const auto [wrong, same_limit] = at(log_z + 0.1);
    CHECK(wrong > same_limit);
  }
}

TEST_CASE("log Z is learned beside the parameters, and by itself where they are held still" *
          doctest::test_suite("slow")) {
  // θ stands still, and the step falls as 1/t: c comes to where its expected slope is 0, found by bisection.
  const auto model = random_rbm(4, 3, 75);
  const Index rows = 500, noise_rows = 5;
  const SmallBatch law = SmallBatch::of_law(*model);
  std::mt19937_64 words(3);
  std::vector<std::uint8_t> values;
  const ConstMatrixRef states = law.rows().read(LayerId{0});
  std::discrete_distribution<std::size_t> draw(law.weights().begin(), law.weights().end());
  for (Index r = 0; r < rows; ++r) {
    const std::size_t s = draw(words);
    for (const Real x : states[s]) values.push_back(x > Real(0.5) ? 1 : 0);
  }
  const Dataset data(Table{rows, 4, std::move(values), {rows, 4}}, "draws");
  SmallBatch batch(model->layout(), rows_of(data, model->layout(), 0, rows, 0),
                   std::vector<double>(rows, 1.0 / static_cast<double>(rows)));
  const Definition definition(*model, batch, noise_rows);
  const auto slope = [&](double c) { return *(definition.expectation(c).end() - 2); };
  double low = 0.0, high = 20.0;  // the slope grows with c
  for (int i = 0; i < 60; ++i) (slope(0.5 * (low + high)) < 0.0 ? low : high) = 0.5 * (low + high);
  CHECK(std::abs(low - definition.log_z()) < 0.5);

  std::vector<double> learned;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    NoiseContrastive estimator({.noise_rows = noise_rows});
    std::vector<ParameterFactor> factors;
    for (const ParameterBlock& b : model->parameter_layout().blocks()) factors.push_back({b.name, 0.0});
    Sgd sgd({.rate = {.learning_rate = 0.5,
                      .schedule = std::make_unique<PowerSchedule>(PowerSchedule::Options{}),
                      .factors = std::move(factors)}});
    const std::vector<Real> before(model->parameters().begin(), model->parameters().end());
    train(*model, data, estimator, sgd, {.num_updates = 2000, .batch_size = 50}, {executor, {seed, 0}});
    CHECK(std::ranges::equal(before, model->parameters()));
    learned.push_back(static_cast<double>(estimator.own_values()[0]));
  }
  const auto n = static_cast<double>(learned.size());
  const double mean = std::accumulate(learned.begin(), learned.end(), 0.0) / n;
  double square = 0.0;
  for (const double c : learned) square += (c - mean) * (c - mean);
  const double error = std::sqrt(square / (n - 1.0) / n);
  const double far_out = boost::math::quantile(boost::math::complement(boost::math::students_t(n - 1.0), 1e-6));
  CAPTURE(mean);
  CAPTURE(low);
  CAPTURE(error);
  CHECK(std::abs(mean - low) < far_out * error);
  CHECK(far_out * error < 0.1);  // what would be seen
}

TEST_CASE("a run that diverges gives the estimator's own parameters back, too") {
  const auto model = random_rbm(9, 4, 78);
  NoiseContrastive estimator;
  Sgd sgd({.rate = {.learning_rate = 0.1, .factors = {{"log_z", 1e9}}}});
  CHECK_THROWS_AS(
      train(*model, Dataset(bars_and_stripes(3), "bars"), estimator, sgd, {.num_updates = 5}, {executor, {1, 0}}),
      Diverged);
  CHECK(std::abs(static_cast<double>(estimator.own_values()[0]) - Oracle(*model).log_z()) < 10.0);
}

TEST_CASE("noise-contrastive estimation refuses what it cannot serve, and tells what it learns") {
  const auto coupled = random_model({{observed("v", 3), latent("h", 3)}, {{0, 1}, {1, 1}}, {}}, 76);
  CHECK_THROWS_AS(NoiseContrastive().check(*coupled), CapabilityError);
  const auto model = random_rbm(4, 3, 77);
  CHECK_THROWS_AS(NoiseContrastive().begin(*model, {.rows = 3, .missing = true}), CapabilityError);
  SmallBatch batch = SmallBatch::random(model->layout(), 6);
  NoiseContrastive estimator;
  estimator.begin(*model, batch.outline());
  estimator.start(*model, {executor, {9, 9}});
  std::vector<Real> gradient(model->parameters().size() + 1);
  const auto report = estimator.estimate(*model, batch.view(), gradient, {executor, {1, 2}});
  REQUIRE(report.own.size() == 3);
  CHECK(report.own[0] == std::pair<std::string, double>{"log_z", static_cast<double>(estimator.own_values()[0])});
  // Everything taken for noise, and everything for data.
  for (const auto& [shift, data_told, noise_told] : {std::tuple{1e3, 0.0, 1.0}, {-1e3, 1.0, 0.0}}) {
    estimator.own_values()[0] = static_cast<Real>(shift);
    const auto told = estimator.estimate(*model, batch.view(), gradient, {executor, {1, 2}}).own;
    CHECK(told[1].second == doctest::Approx(data_told));
    CHECK(told[2].second == doctest::Approx(noise_told));
  }
  // Rows that all weigh nothing are told from noise as often as if they weighed alike, and teach nothing.
  Chains copy = batch.rows();
  const Index num = copy.size();
  std::vector<double> even(num, 1.0 / static_cast<double>(num)), none(num, 0.0);
  SmallBatch alike_weighed(model->layout(), Chains(copy), std::move(even)),
      weightless(model->layout(), std::move(copy), std::move(none));
  const auto told_of = [&](SmallBatch& rows, double log_z) {
    NoiseContrastive fresh;
    fresh.begin(*model, batch.outline());
    fresh.own_values()[0] = static_cast<Real>(log_z);
    return fresh.estimate(*model, rows.view(), gradient, {executor, {1, 2}}).own;
  };
  for (const double log_z : {1e3, 2.0, -1e3}) {  // all for noise, some for each, all for data
    const auto usual = told_of(alike_weighed, log_z), of_none = told_of(weightless, log_z);
    CHECK(usual[1].second + usual[2].second > 0.0);
    for (Index k = 1; k < 3; ++k) CHECK(of_none[k].second == doctest::Approx(usual[k].second).epsilon(1e-12));
  }
  for (const Real g : gradient) CHECK(g == 0);
  // Noise of no width.
  const auto gaussian =
      random_model({{observed("v", 1, std::make_shared<GaussianUnit>()), latent("h", 3)}, {{0, 1}}, {}}, 79);
  Chains alike(gaussian->layout(), 30);
  const MatrixRef fives = alike.write(LayerId{0});
  for (Index r = 0; r < fives.rows; ++r) fives(r, 0) = Real{5};
  const SmallBatch constant(gaussian->layout(), std::move(alike), std::vector<double>(30, 1.0 / 30.0));
  CHECK_THROWS_WITH_AS(NoiseContrastive().begin(*gaussian, constant.outline()),
                       doctest::Contains("column 0 of layer 'v' hardly varies"), CapabilityError);
  Chains gray = batch.rows();
  gray.write(LayerId{0})(2, 1) = Real(0.5);
  SmallBatch between(model->layout(), std::move(gray), batch.weights());
  CHECK_THROWS_WITH_AS(estimator.estimate(*model, between.view(), gradient, {executor, {1, 2}}),
                       doctest::Contains("values between the states of the units of layer 'visible' (row 2 of"),
                       CapabilityError);
}

}  // namespace noise_contrastive_test
