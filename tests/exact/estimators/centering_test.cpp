#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/estimators/gradients/contrastive.hpp>
#include <harmonium/estimators/phases/exact_phase.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace centering_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
const Execution execution{executor, RandomSource{1, 0}};
constexpr double rate = 0.25;

Contrastive centered_estimator() {
  ContrastiveOptions options;
  options.positive = std::make_unique<ExactPhase>();
  options.negative = std::make_unique<ExactPhase>();
  options.centering = true;
  options.offset_rate = rate;
  return Contrastive(std::move(options));
}

std::vector<double> offsets_of(Contrastive& estimator) {
  StateArchive archive;
  estimator.state(archive);
  return std::get<std::vector<double>>(archive.fields().at("centering/offsets"));
}

/// Rows with weights, their means for offsets to start at, and both phases as laws over all configurations.
struct Setting {
  explicit Setting(const LayeredModel& model) : oracle(model) {
    const Layout& layout = model.layout();
    const auto all = oracle.states(layout.observed());
    for (Index i = 0; i < 4; ++i) data.push_back(all[(i * i + 2 * i + 1) % all.size()]);
    for (const LayerId l : layout.ids()) {
      if (layout[l].role == Role::latent) continue;
      for (Index c = 0; c < layout[l].columns(); ++c) {
        double mean = 0.0;
        for (const auto& row : data) mean += row[oracle.first(l) + c] / static_cast<double>(data.size());
        marginals.push_back(mean);
      }
    }
    states = oracle.states(layout.all());
    const double log_z = oracle.log_z();
    for (const Oracle::State& x : states) {
      negative.push_back(total * std::exp(-oracle.energy(x) - log_z));
      double p = 0.0;
      for (Index r = 0; r < data.size(); ++r) {
        bool agrees = true;
        for (const LayerId l : layout.ids())
          for (Index c = 0; layout[l].role == Role::observed && c < layout[l].columns(); ++c)
            agrees = agrees && x[oracle.first(l) + c] == data[r][oracle.first(l) + c];
        if (agrees) p += weights[r] * std::exp(-oracle.energy(x) + oracle.free_energy(layout.observed(), x));
      }
      positive.push_back(p);
    }
  }
  DataBatch batch(const Chains& rows, Posterior& posterior) const {
    return {rows, weights, posterior, nullptr, marginals};
  }

  /// ⟨f⟩₊ − ⟨f⟩₋
  template <class F>
  double difference(const F& f) const {
    double sum = 0.0;
    for (Index s = 0; s < states.size(); ++s) sum += (positive[s] - negative[s]) * f(states[s]);
    return sum;
  }
  double positive_mean(Index column) const {
    double sum = 0.0;
    for (Index s = 0; s < states.size(); ++s) sum += positive[s] * states[s][column];
    return sum / total;
  }
  /// Offsets before the first batch.
  std::vector<double> first_offsets(const Layout& layout) const {
    std::vector<double> mu(oracle.columns());
    Index at = 0;
    for (const LayerId l : layout.ids()) {
      const Index width = layout[l].unit->width();
      for (Index c = 0; c < layout[l].columns(); ++c) {
        const double without_field = layout[l].unit->has_curvature() ? 0.0 : 1.0 / (width == 1 ? 2.0 : 3.0);
        mu[oracle.first(l) + c] = layout[l].role == Role::observed ? marginals[at++] : without_field;
      }
    }
    return mu;
  }

  Oracle oracle;
  std::vector<Oracle::State> data, states;
  std::vector<double> weights{0.5, 0.25, 1.0, 0.125}, marginals, positive, negative;
  double total = 1.875;
};

}  // namespace

TEST_CASE("the centered gradient is its definition in terms of both phases' expectations") {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Setting s(*m.model);
    const ParameterLayout& p = m.model->parameter_layout();
    Contrastive estimator = centered_estimator();
    estimator.check(*m.model);
    const Chains rows = s.oracle.chains(s.data);
    Posterior posterior;
    std::vector<Real> gradient(p.size());
    estimator.estimate(*m.model, s.batch(rows, posterior), gradient, execution);

    std::vector<double> mu = s.first_offsets(m.model->layout());
    for (Index c = 0; c < mu.size(); ++c) mu[c] += rate * (s.positive_mean(c) - mu[c]);
    const std::vector<double> offsets = offsets_of(estimator);
    for (Index c = 0; c < mu.size(); ++c) CHECK(std::abs(offsets[c] - mu[c]) <= rounding(64.0));

    // ∇̃W between any two coupled columns; zero where nothing couples them.
    const Index n = s.oracle.columns();
    std::vector<double> centered(n * n, 0.0);
    for (const ParameterBlock& b : p.blocks()) {
      if (b.role != ParameterRole::coupling) continue;
      const bool lateral = b.layers[0] == b.layers[1];
      const Index width = m.model->layout()[b.layers[0]].unit->width();
      for (Index i = 0; i < b.rows; ++i) {
        for (Index j = 0; j < b.cols; ++j) {
          if (lateral && i / width == j / width) continue;
          if (b.mask && (*b.mask)[i * b.cols + j] == 0) continue;
          const Index ci = s.oracle.first(b.layers[0]) + i, cj = s.oracle.first(b.layers[1]) + j;
          centered[ci * n + cj] = centered[cj * n + ci] =
              s.difference([&](const Oracle::State& x) { return (x[ci] - mu[ci]) * (x[cj] - mu[cj]); });
        }
      }
    }
    for (const ParameterBlock& b : p.blocks()) {
      CAPTURE(b.name);
      const Index a = s.oracle.first(b.layers[0]);
      for (Index i = 0; i < b.rows; ++i) {
        for (Index j = 0; j < b.cols; ++j) {
          double expected = 0.0;
          if (b.role == ParameterRole::coupling) {
            expected = centered[(a + i) * n + s.oracle.first(b.layers[1]) + j];
          } else if (b.role == ParameterRole::bias) {
            expected = s.difference([&](const Oracle::State& x) { return x[a + i]; });
            for (Index c = 0; c < n; ++c) expected -= centered[(a + i) * n + c] * mu[c];
          } else if (b.learned) {  // a log precision, or a crystal field D = γ/2, stays uncentered
            const double slope = b.role == ParameterRole::crystal_field ? 2.0 : s.oracle.gamma[a + i];
            expected = -s.difference([&](const Oracle::State& x) { return 0.5 * slope * x[a + i] * x[a + i]; });
          }
          CHECK(std::abs(-static_cast<double>(gradient[b.offset + i * b.cols + j]) - expected) <=
                rounding(1024.0, 4.0));
        }
      }
    }
  }
}

TEST_CASE("a centered step is the plain gradient step of the centered machine") {
  // The centered machine (Melchior, Fischer & Wiskott 2016) has the energy −c·(x−μ) − ½ (x−μ)ᵀ J (x−μ) + ½ Σ γ x²: the
  // same law with b = c − J μ. Its derivatives by J and c are taken by differences of its exact log likelihood; a step
  // along them is carried back to b.
  constexpr double eta = 0.5, h = 0x1p-9;
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Setting s(*m.model);
    const ParameterLayout& p = m.model->parameter_layout();
    const LayerSet visible = m.model->layout().observed();
    Contrastive estimator = centered_estimator();
    const Chains rows = s.oracle.chains(s.data);
    Posterior posterior;
    std::vector<Real> gradient(p.size());
    estimator.estimate(*m.model, s.batch(rows, posterior), gradient, execution);
    const std::vector<double> mu = offsets_of(estimator);
    const Index n = s.oracle.columns();

    const auto log_likelihood = [&](const Oracle& o) {
      double sum = -s.total * o.log_z();
      for (Index r = 0; r < s.data.size(); ++r) sum -= s.weights[r] * o.free_energy(visible, s.data[r]);
      return sum;
    };
    const auto slope = [&](auto&& moved) {
      const auto at = [&](double t) {
        Oracle o = s.oracle;
        moved(o, t);
        return log_likelihood(o);
      };
      return (8.0 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12.0 * h);
    };
    Oracle stepped = s.oracle;
    std::vector<double> c = s.oracle.bias;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) c[i] += s.oracle.coupling(i, j) * mu[j];
      c[i] += eta * slope([&](Oracle& o, double t) { o.bias[i] += t; });
    }
    for (const std::vector<Index>& entries : free_parameters(*m.model)) {
      for (const ParameterBlock& b : p.blocks()) {
        if (b.role != ParameterRole::coupling || entries[0] < b.offset || entries[0] >= b.offset + b.size()) continue;
        const Index at = entries[0] - b.offset;
        const Index i = s.oracle.first(b.layers[0]) + at / b.cols, j = s.oracle.first(b.layers[1]) + at % b.cols;
        const double d = slope([&](Oracle& o, double t) {
          o.coupling(i, j) += t;
          o.coupling(j, i) += t;
          o.bias[i] -= t * mu[j];
          o.bias[j] -= t * mu[i];
        });
        stepped.coupling(i, j) += eta * d;
        stepped.coupling(j, i) += eta * d;
      }
    }
    for (Index i = 0; i < n; ++i) {
      stepped.bias[i] = c[i];
      for (Index j = 0; j < n; ++j) stepped.bias[i] -= stepped.coupling(i, j) * mu[j];
    }

    const double of_slope = 1.5 * rounding<double>(4.0 * static_cast<double>(n), s.total * s.oracle.scale()) / h +
                            50.0 * std::pow(h, 4) / 30.0;
    const double bound = static_cast<double>(n) * eta * (of_slope + rounding(1024.0, 4.0));
    for (const ParameterBlock& b : p.blocks()) {
      if (b.role != ParameterRole::coupling && b.role != ParameterRole::bias) continue;
      CAPTURE(b.name);
      for (Index i = 0; i < b.size(); ++i) {
        const double after = static_cast<double>(m.model->parameters()[b.offset + i]) -
                             eta * static_cast<double>(gradient[b.offset + i]);
        const Index a = s.oracle.first(b.layers[0]);
        const double expected = b.role == ParameterRole::bias
                                    ? stepped.bias[a + i]
                                    : stepped.coupling(a + i / b.cols, s.oracle.first(b.layers[1]) + i % b.cols);
        CHECK(std::abs(after - expected) <= bound);
      }
    }
  }
}

TEST_CASE("offsets follow the data phase's means as a moving average, batch by batch, and are saved") {
  const auto model = random_rbm(3, 2, 8);
  const Oracle oracle(*model);
  const LayerSet visible = model->layout().observed();
  Contrastive estimator = centered_estimator();
  const std::vector<double> marginals{0.75, 0.25, 0.5};
  std::vector<double> expected{0.75, 0.25, 0.5, 0.5, 0.5};
  std::vector<Real> gradient(model->parameters().size());
  const auto all = oracle.states(visible);
  std::vector<double> weights{0.5, 1.5};
  for (Index batch = 0; batch < 6; ++batch) {
    const std::vector<Oracle::State> states{all[(3 * batch) % 8], all[(5 * batch + 2) % 8]};
    std::vector<double> mean(5, 0.0);
    for (Index r = 0; r < 2; ++r) {
      oracle.for_each(model->layout().latent(), states[r], [&](const Oracle::State& x) {
        const double p = std::exp(-oracle.energy(x) + oracle.free_energy(visible, x));
        for (Index c = 0; c < 5; ++c) mean[c] += weights[r] / 2.0 * p * x[c];
      });
    }
    for (Index c = 0; c < 5; ++c) expected[c] += rate * (mean[c] - expected[c]);
    const Chains rows = oracle.chains(states);
    Posterior posterior;
    estimator.estimate(*model, {rows, weights, posterior, nullptr, marginals}, gradient, execution);
    const std::vector<double> offsets = offsets_of(estimator);
    for (Index c = 0; c < 5; ++c) CHECK(std::abs(offsets[c] - expected[c]) <= rounding(64.0));
    if (batch == 2) {  // a second estimator goes on from the state of the first
      StateArchive saved;
      estimator.state(saved);
      estimator = centered_estimator();
      StateArchive loading(saved.fields(), state_sizes(*model));
      estimator.state(loading);
    }
  }
}

TEST_CASE("without the data's means every offset starts at the mean without a field") {
  const auto model = random_rbm(3, 2, 8);
  const Oracle oracle(*model);
  ContrastiveOptions options;
  options.positive = std::make_unique<ExactPhase>();
  options.negative = std::make_unique<ExactPhase>();
  options.centering = true;
  options.offset_rate = 0.0;
  Contrastive estimator(std::move(options));
  const Chains rows = oracle.chains({{1, 1, 0, 0, 0}});
  const std::vector<double> weights{1.0};
  Posterior posterior;
  std::vector<Real> gradient(model->parameters().size());
  estimator.estimate(*model, {rows, weights, posterior}, gradient, execution);
  CHECK(offsets_of(estimator) == std::vector<double>(5, 0.5));
}

}  // namespace centering_test
