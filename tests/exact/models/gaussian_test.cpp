// Machines with Gaussian units against what follows from their energy by elimination and quadrature.
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/estimators/log_partition/exact.hpp>
#include <harmonium/estimators/phases/exact_phase.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/models/gaussian_conventions.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/tests/exact/transition.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/golden.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace gaussian_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
const Execution execution{executor, RandomSource{1, 0}};

struct Elimination {
  double log_determinant = 0.0;
  std::vector<double> solution;
};
/// P x = f by Gauss's elimination; P positive definite.
Elimination eliminate(std::vector<double> p, std::vector<double> f) {
  const Index n = f.size();
  Elimination result;
  for (Index k = 0; k < n; ++k) {
    result.log_determinant += std::log(p[k * n + k]);
    for (Index i = k + 1; i < n; ++i) {
      const double ratio = p[i * n + k] / p[k * n + k];
      for (Index j = k; j < n; ++j) p[i * n + j] -= ratio * p[k * n + j];
      f[i] -= ratio * f[k];
    }
  }
  for (Index k = n; k-- > 0;) {
    for (Index j = k + 1; j < n; ++j) f[k] -= p[k * n + j] * f[j];
    f[k] /= p[k * n + k];
  }
  result.solution = f;
  return result;
}

bool is_real(const Layer& layer) { return layer.unit->num_states() == 0; }

/// −log ∫Σ exp(−β E) over the layers of `run`, the others being those of `x`: the discrete ones are enumerated, the
/// Gaussian ones integrated with the determinant of their precision.
double log_sum(const Oracle& oracle, LayerSet run, const Oracle::State& x, double beta) {
  const Layout& layout = oracle.layout();
  LayerSet discrete;
  std::vector<Index> real;
  for (const LayerId l : layout.ids()) {
    if (!run.contains(l)) continue;
    if (!is_real(layout[l])) discrete.add(l);
    for (Index c = 0; is_real(layout[l]) && c < layout[l].columns(); ++c) real.push_back(oracle.first(l) + c);
  }
  const Index n = real.size();
  std::vector<double> p(n * n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      p[i * n + j] = (i == j ? oracle.gamma[real[i]] : 0.0) - oracle.coupling(real[i], real[j]);
  std::vector<double> terms;
  oracle.for_each(discrete, x, [&](Oracle::State s) {
    for (const Index c : real) s[c] = 0.0;
    std::vector<double> f(n);
    for (Index i = 0; i < n; ++i) {
      f[i] = oracle.bias[real[i]];
      for (Index k = 0; k < oracle.columns(); ++k) f[i] += oracle.coupling(real[i], k) * s[k];
    }
    const Elimination e = eliminate(p, f);
    double form = 0.0;
    for (Index i = 0; i < n; ++i) form += f[i] * e.solution[i];
    terms.push_back(-beta * oracle.energy(s) + 0.5 * beta * form - 0.5 * e.log_determinant +
                    0.5 * static_cast<double>(n) * std::log(2.0 * std::numbers::pi / beta));
  });
  double top = -INFINITY, sum = 0.0;
  for (const double t : terms) top = std::max(top, t);
  for (const double t : terms) sum += std::exp(t - top);
  return top + std::log(sum);
}

struct Machine {
  std::string name;
  std::unique_ptr<LayeredModel> model;
};

std::vector<Machine> machines() {
  const auto normal = std::make_shared<GaussianUnit>();
  const auto seen = [&](std::string name, Index size) { return Layer{std::move(name), size, normal, Role::observed}; };
  const auto hidden = [&](std::string name, Index size) { return Layer{std::move(name), size, normal, Role::latent}; };
  std::vector<Machine> all;
  const auto add = [&](std::string name, const LayerGraph& graph) {
    auto model = std::make_unique<LayeredModel>(graph);
    const ParameterLayout& p = model->parameter_layout();
    model->update_parameters([&](std::span<Real> theta) {
      for (Index k = 0; k < p.blocks().size(); ++k) {
        const ParameterBlock& b = p[k];
        const MatrixRef t = p.view(k, theta.data());
        for (Index i = 0; i < t.rows; ++i) {
          for (Index j = 0; j < t.cols; ++j) {
            const bool symmetric = b.symmetry != Symmetry::none;
            const auto low = static_cast<double>(symmetric ? std::min(i, j) : i),
                       high = static_cast<double>(symmetric ? std::max(i, j) : j);
            const double v = std::sin(1.0 + 2.0 * low + 5.0 * high + 3.0 * static_cast<double>(k));
            const double size = b.role == ParameterRole::coupling ? 0.35 : b.role == ParameterRole::bias ? 0.8 : 0.3;
            t(i, j) = symmetric && i == j ? Real{0} : static_cast<Real>(std::round(size * v * 256) / 256);
          }
        }
      }
    });
    all.push_back({std::move(name), std::move(model)});
  };
  add("Gaussian-binary", {{seen("v", 3), latent("h", 3)}, {{0, 1}}, {0}});
  add("binary-Gaussian", {{observed("v", 3), hidden("h", 2)}, {{0, 1}}, {1}});
  add("Gaussian-Gaussian", {{seen("v", 3), hidden("h", 2)}, {{0, 1}}, {0, 1}});
  add("Gaussian with U, binary", {{seen("v", 3), latent("h", 3)}, {{0, 1}, {0, 0}}, {0}});
  add("Gaussian with U, binary with V", {{seen("v", 2), latent("h", 3)}, {{0, 1}, {0, 0}, {1, 1}}, {0}});
  add("binary, Gaussian with V", {{observed("v", 3), hidden("h", 3)}, {{0, 1}, {1, 1}}, {1}});
  add("Gaussian-Gaussian with U and V", {{seen("v", 2), hidden("h", 3)}, {{0, 1}, {0, 0}, {1, 1}}, {0, 1}});
  add("Gaussian alone", {{seen("v", 4)}, {{0, 0}}, {0}});
  add("mixed layers", {{seen("v", 2), observed("y", 2), hidden("g", 2), latent("h", 2)},
                       {{0, 2}, {0, 3}, {1, 3}, {2, 2}, {2, 3}},
                       {0}});
  return all;
}

bool coupled(const Oracle& oracle, LayerId a, LayerId b) {
  for (Index i = 0; i < oracle.layout()[a].columns(); ++i)
    for (Index j = 0; j < oracle.layout()[b].columns(); ++j)
      if (oracle.coupling(oracle.first(a) + i, oracle.first(b) + j) != 0.0) return true;
  return false;
}

double tolerance(const Oracle& oracle) { return rounding<double>(100.0, oracle.scale()); }

Oracle::State some_state(const Oracle& oracle, double shift) {
  Oracle::State x(oracle.columns());
  for (const LayerId l : oracle.layout().ids()) {
    for (Index c = 0; c < oracle.layout()[l].columns(); ++c) {
      const double v = std::sin(shift + 2.0 * static_cast<double>(oracle.first(l) + c));
      x[oracle.first(l) + c] = is_real(oracle.layout()[l]) ? std::round(64 * v) / 64 : v > 0 ? 1.0 : 0.0;
    }
  }
  return x;
}

std::vector<Oracle::State> some_states(const Oracle& oracle) {
  std::vector<Oracle::State> rows;
  rows.reserve(5);
  for (int r = 0; r < 5; ++r) rows.push_back(some_state(oracle, 0.3 + r));
  return rows;
}

}  // namespace

TEST_CASE("Gaussian units: log Z is a sum over the discrete units of integrals by determinants") {
  for (const Machine& m : machines()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    ExactLogPartition exact;
    exact.check(*m.model);
    for (const double beta : {1.0, 0.4, 1.7})
      CHECK(std::abs(exact.estimate(*m.model, beta, execution).log_z -
                     log_sum(oracle, m.model->layout().all(), Oracle::State(oracle.columns(), 0.0), beta)) <=
            beta * tolerance(oracle));
  }
}

TEST_CASE("Gaussian units: free energies of any layers are offered where the rest is independent or jointly normal") {
  for (const Machine& m : machines()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const Layout& layout = m.model->layout();
    const auto states = some_states(oracle);
    const Chains rows = oracle.chains(states);
    int offered = 0;
    for (const LayerSet kept : oracle.sets()) {
      const LayerSet rest = oracle.without(kept);
      bool closed = true;
      for (const LayerId a : layout.ids())
        for (const LayerId b : layout.ids())
          if (rest.contains(a) && rest.contains(b) && coupled(oracle, a, b))
            closed = closed && is_real(layout[a]) && is_real(layout[b]);
      CHECK(m.model->free_energy()->closed(kept) == closed);
      if (!closed) continue;
      ++offered;
      std::vector<double> f(rows.size());
      for (const double beta : {1.0, 0.6}) {
        m.model->free_energy()->evaluate(kept, beta, rows, f);
        for (Index r = 0; r < rows.size(); ++r)
          CHECK(std::abs(f[r] + log_sum(oracle, rest, states[r], beta)) <= tolerance(oracle));
      }
    }
    CHECK(offered > 0);
  }
}

TEST_CASE("Gaussian units: the gradient of a free energy is its central difference") {
  if constexpr (!in_double) return;
  for (const Machine& m : machines()) {
    CAPTURE(m.name);
    LayeredModel& model = *m.model;
    const Oracle oracle(model);
    const Chains rows = oracle.chains(some_states(oracle));
    const std::vector<double> weights{0.5, 0.25, -1.0, 1.0, 0.125};
    for (const LayerSet kept : oracle.sets()) {
      if (!model.free_energy()->closed(kept)) continue;
      std::vector<Real> gradient(model.parameters().size(), Real{0});
      model.free_energy()->add_gradient(kept, rows, weights, gradient, executor);
      const auto sum = [&] {
        std::vector<double> f(rows.size());
        model.free_energy()->evaluate(kept, 1.0, rows, f);
        double total = 0.0;
        for (Index r = 0; r < f.size(); ++r) total += weights[r] * f[r];
        return std::vector<double>{total};
      };
      for (const std::vector<Index>& entries : free_parameters(model)) {
        const double slope = derivative(model, entries, 1e-3, sum)[0];
        double total = 0.0;
        bool learned = true;
        for (const ParameterBlock& b : model.parameter_layout().blocks())
          if (entries[0] >= b.offset && entries[0] < b.offset + b.size()) learned = b.learned;
        total = static_cast<double>(gradient[entries[0]]);
        for (const Index i : entries) CHECK(gradient[i] == gradient[entries[0]]);
        // h⁴/30 of a fifth derivative of order 10, and rounding over h.
        CHECK(std::abs(total - (learned ? slope : 0.0)) <= 1e-9);
      }
    }
  }
}

TEST_CASE("Gaussian units: the exact phases give the gradient of the log likelihood") {
  if constexpr (!in_double) return;
  for (const Machine& m : machines()) {
    CAPTURE(m.name);
    LayeredModel& model = *m.model;
    const Oracle oracle(model);
    Batch batch(model.layout(), [&] {
      std::vector<std::vector<double>> rows;
      for (const Oracle::State& x : some_states(oracle)) {
        std::vector<double> row;
        for (const LayerId l : model.layout().ids())
          if (model.layout()[l].role == Role::observed)
            row.insert(row.end(), x.begin() + static_cast<std::ptrdiff_t>(oracle.first(l)),
                       x.begin() + static_cast<std::ptrdiff_t>(oracle.first(l) + model.layout()[l].columns()));
        rows.push_back(row);
      }
      return rows;
    }());
    ExactPhase exact;
    exact.check(model, Phase::positive);
    exact.check(model, Phase::negative);
    std::vector<Real> gradient(model.parameters().size(), Real{0});
    exact.accumulate(model, batch.view(), Phase::positive, 1.0, gradient, execution);
    exact.accumulate(model, batch.view(), Phase::negative, -1.0, gradient, execution);
    CHECK(offers_free_energy(model));
    const auto loss = [&] {
      const double log_z = ExactLogPartition().estimate(model, 1.0, execution).log_z;
      return std::vector<double>{mean_free_energy(model, batch.rows, 1.0, executor) + log_z};
    };
    for (const std::vector<Index>& entries : free_parameters(model)) {
      bool learned = true;
      for (const ParameterBlock& b : model.parameter_layout().blocks())
        if (entries[0] >= b.offset && entries[0] < b.offset + b.size()) learned = b.learned;
      if (learned)
        CHECK(std::abs(static_cast<double>(gradient[entries[0]]) - derivative(model, entries, 1e-3, loss)[0]) <= 1e-9);
    }
  }
}

TEST_CASE("two coupled Gaussian units agree with quadrature on a grid") {
  if constexpr (!in_double) return;
  const auto model = make_fully_visible(
      {.num_visible = 2, .visible_units = std::make_unique<GaussianUnit>(), .learn_precision = true});
  const double gamma[] = {1.25, 0.8}, bias[] = {0.4, -0.3}, coupling = 0.55;
  model->update_parameters([&](std::span<Real> theta) {
    for (int i = 0; i < 2; ++i) theta[i] = static_cast<Real>(bias[i]);
    theta[3] = theta[4] = static_cast<Real>(coupling);
    for (int i = 0; i < 2; ++i) theta[6 + i] = static_cast<Real>(std::log(gamma[i]));
  });
  // The trapezium rule on a smooth function that has died down at the ends converges faster than any power.
  constexpr double step = 0.05;
  double sum = 0.0;
  std::array<double, 2> mean{};
  for (int i = -400; i <= 400; ++i) {
    for (int j = -400; j <= 400; ++j) {
      const double x = step * i, y = step * j;
      const double p =
          std::exp(bias[0] * x + bias[1] * y - 0.5 * gamma[0] * x * x - 0.5 * gamma[1] * y * y + coupling * x * y);
      sum += p;
      mean[0] += p * x;
      mean[1] += p * y;
    }
  }
  CHECK(ExactLogPartition().estimate(*model, 1.0, execution).log_z ==
        doctest::Approx(std::log(sum * step * step)).epsilon(1e-11));
  std::vector<Real> gradient(model->parameters().size(), Real{0});
  Batch batch(model->layout(), {{0.0, 0.0}});
  ExactPhase().accumulate(*model, batch.view(), Phase::negative, 1.0, gradient, execution);
  for (int i = 0; i < 2; ++i) CHECK(-gradient[i] == doctest::Approx(mean[i] / sum).epsilon(1e-10));
}

TEST_CASE("parameters without a density are refused with the reason, and the model is as it was") {
  for (const Machine& m : machines()) {
    CAPTURE(m.name);
    LayeredModel& model = *m.model;
    const std::vector<Real> before(model.parameters().begin(), model.parameters().end());
    const ParameterLayout& p = model.parameter_layout();
    const auto try_with = [&](ParameterRole role, Real value) {
      return message_of<NumericalError>([&] {
        model.update_parameters([&](std::span<Real> theta) {
          for (Index k = 0; k < p.blocks().size(); ++k) {
            if (p[k].role != role) continue;
            const MatrixRef t = p.view(k, theta.data());
            for (Index i = 0; i < t.rows; ++i)
              for (Index j = 0; j < t.cols; ++j)
                if (p[k].symmetry == Symmetry::none || i != j) t(i, j) = value;
          }
        });
      });
    };
    const std::string precision = try_with(ParameterRole::log_precision, -2000);
    CHECK(precision.find("makes a precision of 0, but it must be positive and finite") != std::string::npos);
    CHECK(std::equal(before.begin(), before.end(), model.parameters().begin()));
    bool coupled = false;
    for (const ParameterBlock& b : p.blocks())
      coupled = coupled || (b.role == ParameterRole::coupling && is_real(model.layout()[b.layers[0]]) &&
                            is_real(model.layout()[b.layers[1]]));
    if (!coupled) continue;
    const std::string indefinite = try_with(ParameterRole::coupling, 3);
    CHECK(indefinite.find("is not positive definite") != std::string::npos);
    CHECK(std::equal(before.begin(), before.end(), model.parameters().begin()));
  }
}

TEST_CASE("the golden Gaussian-binary RBM, through the convention of variances") {
  const std::array<std::array<double, 4>, 3> weight_gradient{
      {{-0.9396290440262539, -1.415699695990881, -0.6955235053063749, -0.35252438900999084},
       {-0.028960677687369166, 0.2814506882904839, 0.0046537606613003685, 0.0735335748787392},
       {-1.0181449134411475, -1.349023027794925, -0.7797205375339727, -0.31540129471339623}}};
  const std::array<double, 4> bias_gradient{-1.0074378737416392, -1.1096757405797009, -0.732086663380975,
                                            -0.26611596788399};
  const std::array<double, 3> hidden_gradient{-0.3082132180225729, 0.2709992528002942, -0.2582024510770151};
  const std::array<double, 4> log_variance_gradient{0.7054585241029675, 1.6812977981504793, 0.4276122107338368,
                                                    0.08049576022948896};
  const std::array<double, 3> log_likelihood{-7.482689403386999, -6.019491167654561, -9.797657760259215},
      free_energy{0.11874101978606344, -1.3444572159463746, 2.433709376658279};
  const double log_z = 7.363948383600936;

  const auto model = make_rbm(
      {.num_visible = 4, .num_hidden = 3, .visible_units = std::make_unique<GaussianUnit>(), .learn_precision = true});
  GaussianRbm golden;
  for (Index j = 0; j < 4; ++j) {
    golden.visible_bias.push_back(golden::visible_bias(j));
    golden.sigma.push_back(std::exp(0.5 * (0.1 * static_cast<double>(j) - 0.15)));
    for (Index i = 0; i < 3; ++i) golden.weight.push_back(golden::weight(j, i));
  }
  for (Index i = 0; i < 3; ++i) golden.hidden_bias.push_back(golden::hidden_bias(i));
  const double constant = set_from(*model, golden, GaussianConvention::variance);
  const double bound = in_double ? 1e-12 : 1e-5;

  std::vector<std::vector<double>> data(3, std::vector<double>(4));
  for (Index n = 0; n < 3; ++n)
    for (Index j = 0; j < 4; ++j)
      data[n][j] = 1.5 * std::sin(1.0 + 2.0 * static_cast<double>(n) + 3.0 * static_cast<double>(j));
  Batch batch(model->layout(), data);
  const double z = ExactLogPartition().estimate(*model, 1.0, execution).log_z;
  CHECK(std::abs(z - constant - log_z) <= bound);
  const std::vector<double> f = free_energies(*model, batch.rows, 1.0, executor);
  for (Index r = 0; r < 3; ++r) {
    CHECK(std::abs(f[r] + constant - free_energy[r]) <= bound);
    CHECK(std::abs(-f[r] - z - log_likelihood[r]) <= bound);
  }

  // Ascent of the mean log likelihood, by the chain rule: γ = e^−z, g = b e^−z, W_natural = W e^−z.
  std::vector<Real> descent(model->parameters().size(), Real{0});
  ExactPhase exact;
  exact.accumulate(*model, batch.view(), Phase::positive, 1.0, descent, execution);
  exact.accumulate(*model, batch.view(), Phase::negative, -1.0, descent, execution);
  const ParameterLayout& p = model->parameter_layout();
  const auto ascent = [&](const char* name, Index i, Index j) {
    return -static_cast<double>(p.view(p.find(name), descent.data())(i, j));
  };
  const auto theta = [&](const char* name, Index i, Index j) {
    return static_cast<double>(p.view(p.find(name), model->parameters().data())(i, j));
  };
  for (Index i = 0; i < 3; ++i) CHECK(std::abs(ascent("bias.hidden", i, 0) - hidden_gradient[i]) <= bound);
  for (Index j = 0; j < 4; ++j) {
    const double precision = 1.0 / (golden.sigma[j] * golden.sigma[j]);
    CHECK(std::abs(ascent("bias.visible", j, 0) * precision - bias_gradient[j]) <= bound);
    double by_z = -theta("bias.visible", j, 0) * ascent("bias.visible", j, 0) - ascent("log_precision.visible", j, 0);
    for (Index i = 0; i < 3; ++i) {
      const double w = ascent("weight.visible.hidden", j, i);
      CHECK(std::abs(w * precision - weight_gradient[i][j]) <= bound);
      by_z -= theta("weight.visible.hidden", j, i) * w;
    }
    CHECK(std::abs(by_z - log_variance_gradient[j]) <= bound);
  }
}

TEST_CASE("both conventions of a Gaussian-binary RBM are read back as they were written") {
  const auto model = make_rbm(
      {.num_visible = 2, .num_hidden = 3, .visible_units = std::make_unique<GaussianUnit>(), .learn_precision = true});
  const GaussianRbm rbm{{0.5, -0.25}, {2.0, 0.5}, {1, 2, 3, 4, 5, 6}, {0.1, 0.2, 0.3}};
  for (const GaussianConvention convention : {GaussianConvention::variance, GaussianConvention::standard_deviation}) {
    CHECK(set_from(*model, rbm, convention) == doctest::Approx(0.03125 + 0.125));
    const GaussianRbm back = written_as(*model, convention);
    const double epsilon = in_double ? 1e-14 : 1e-6;
    for (Index i = 0; i < 6; ++i) CHECK(back.weight[i] == doctest::Approx(rbm.weight[i]).epsilon(epsilon));
    for (Index j = 0; j < 2; ++j) {
      CHECK(back.visible_bias[j] == doctest::Approx(rbm.visible_bias[j]).epsilon(epsilon));
      CHECK(back.sigma[j] == doctest::Approx(rbm.sigma[j]).epsilon(epsilon));
    }
    for (Index i = 0; i < 3; ++i) CHECK(back.hidden_bias[i] == doctest::Approx(rbm.hidden_bias[i]).epsilon(epsilon));
  }
  CHECK_THROWS_AS(set_from(*model, GaussianRbm{{0.5}, {1}, {1}, {1}}, GaussianConvention::variance), ConfigError);
  GaussianRbm bad = rbm;
  bad.sigma[1] = 0;
  CHECK_THROWS_AS(set_from(*model, bad, GaussianConvention::variance), ConfigError);
  CHECK_THROWS_AS(written_as(*make_rbm({.num_visible = 2, .num_hidden = 3}), GaussianConvention::variance),
                  ConfigError);
}

}  // namespace gaussian_test
