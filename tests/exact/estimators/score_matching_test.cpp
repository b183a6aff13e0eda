// Score matching against its definition: scores and their divergences by sums over all latent states, gradients by
// differences of the loss; its denoising kind by quadrature over the noise.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/estimators/gradients/score_matching.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/tests/exact/estimators/repeats.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace score_matching_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
const Execution execution{executor, RandomSource{1, 0}};

std::vector<Example> models() {
  const auto gaussian = std::make_shared<GaussianUnit>();
  const auto potts = std::make_shared<CategoricalUnit>(CategoricalUnit::Options{3});
  std::vector<Example> all;
  const auto add = [&](const char* name, LayerGraph graph, double spread) {
    all.push_back({name, random_model(std::move(graph), 30 + all.size(), spread)});
  };
  add("hidden bits", {{observed("v", 3, gaussian), latent("h", 4)}, {{0, 1}}, {0}}, 1.0);
  add("hidden spins, precisions not learned",
      {{observed("v", 3, gaussian), latent("h", 3, std::make_shared<SpinUnit>())}, {{0, 1}}, {}}, 1.0);
  add("hidden units of three states", {{observed("v", 3, gaussian), latent("h", 2, potts)}, {{0, 1}}, {0}}, 1.0);
  add("lateral visible units", {{observed("v", 3, gaussian), latent("h", 3)}, {{0, 0}, {0, 1}}, {0}}, 0.3);
  add("latent units first, two observed layers",
      {{latent("h", 3), observed("v", 2, gaussian), observed("w", 2, gaussian)}, {{0, 1}, {0, 2}, {1, 2}}, {1, 2}},
      0.3);
  add("none hidden", {{observed("v", 4, gaussian)}, {{0, 0}}, {0}}, 0.2);
  add("hidden units with a curvature",
      {{observed("v", 3, gaussian), latent("h", 3, std::make_shared<TernaryUnit>())}, {{0, 1}}, {0, 1}}, 1.0);
  add("couplings of which half exist", {{observed("v", 3, gaussian), latent("h", 3)}, {{0, 0}, {0, 1}}, {0}}, 0.3);
  mask_couplings(*all.back().model);
  return all;
}

std::vector<Oracle::State> rows_for(const Oracle& oracle, Index number) {
  std::mt19937_64 words(17);
  std::normal_distribution<double> normal;
  std::vector<Oracle::State> rows(number, Oracle::State(oracle.columns(), 0.0));
  for (Oracle::State& x : rows)
    for (const LayerId l : oracle.layout().ids())
      for (Index c = 0; oracle.layout()[l].role == Role::observed && c < oracle.layout()[l].columns(); ++c)
        x[oracle.first(l) + c] = std::round(64.0 * normal(words)) / 64.0;
  return rows;
}

/// ψ and Σ_j ∂ψ_j/∂x_j, the mean and the variance over latent states of −∂E/∂x_j.
struct ScoreOf {
  ScoreOf(const Oracle& oracle, const Oracle::State& x) : psi(oracle.columns(), 0.0) {
    const LayerSet visible = oracle.layout().observed();
    const double log_sum = oracle.log_sum(oracle.without(visible), x);
    std::vector<double> square(oracle.columns(), 0.0);
    oracle.for_each(oracle.without(visible), x, [&](const Oracle::State& s) {
      const double p = std::exp(-oracle.energy(s) - log_sum);
      for (const LayerId l : oracle.layout().ids()) {
        for (Index j = oracle.first(l); visible.contains(l) && j < oracle.first(l) + oracle.layout()[l].columns();
             ++j) {
          double slope = oracle.bias[j] - oracle.gamma[j] * s[j];
          for (Index k = 0; k < oracle.columns(); ++k) slope += oracle.coupling(j, k) * s[k];
          psi[j] += p * slope;
          square[j] += p * slope * slope;
        }
      }
    });
    for (const LayerId l : oracle.layout().ids())
      for (Index j = oracle.first(l); visible.contains(l) && j < oracle.first(l) + oracle.layout()[l].columns(); ++j)
        divergence += square[j] - psi[j] * psi[j] - oracle.gamma[j];
  }
  double loss() const {
    double sum = divergence;
    for (const double p : psi) sum += 0.5 * p * p;
    return sum;
  }
  std::vector<double> psi;
  double divergence = 0.0;
};

}  // namespace

TEST_CASE("the score is the slope of the free energy, and its divergence the slope of that") {
  for (const Example& m : models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const Layout& layout = m.model->layout();
    const auto states = rows_for(oracle, 6);
    REQUIRE(m.model->score());
    REQUIRE(m.model->score()->offered(layout.observed()));
    const Chains rows = oracle.chains(states);
    std::vector<std::vector<Real>> values(layout.size());
    std::vector<MatrixRef> out(layout.size());
    for (const LayerId l : layout.ids()) {
      if (layout[l].role == Role::latent) continue;
      const auto i = static_cast<Index>(l);
      values[i].resize(states.size() * layout[l].columns());
      out[i] = {values[i].data(), states.size(), layout[l].columns(), layout[l].columns()};
    }
    std::vector<double> divergence(states.size());
    m.model->score()->evaluate(layout.observed(), rows, out, divergence);
    for (Index r = 0; r < states.size(); ++r) {
      const ScoreOf right(oracle, states[r]);
      const double size = 16.0 * oracle.scale();
      CHECK(std::abs(divergence[r] - right.divergence) <= rounding(32.0, size * oracle.scale()));
      for (const LayerId l : layout.ids()) {
        for (Index c = 0; layout[l].role == Role::observed && c < layout[l].columns(); ++c) {
          const Index j = oracle.first(l) + c;
          CHECK(std::abs(static_cast<double>(out[static_cast<Index>(l)](r, c)) - right.psi[j]) <= rounding(32.0, size));
          // What the oracle has is the slope of its free energy: differences of fourth order.
          const auto f = [&](double by) {
            Oracle::State x = states[r];
            x[j] += by;
            return oracle.free_energy(layout.observed(), x);
          };
          const double h = 0x1p-8;
          const double slope = (8.0 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12.0 * h);
          CHECK(std::abs(right.psi[j] + slope) <= 1.5 * rounding<double>(64.0, size) / h + 100.0 * std::pow(h, 4));
        }
      }
    }
  }
}

TEST_CASE("score matching is its definition, and its gradient the derivative") {
  const std::vector<double> weights{0.5, 0.125, 0.0, 1.0, 0.25, 0.125};
  for (const Example& m : models()) {
    CAPTURE(m.name);
    LayeredModel& model = *m.model;
    const auto states = rows_for(Oracle(model), weights.size());
    const auto loss_of = [&] {
      const Oracle oracle(model);
      double sum = 0.0;
      for (Index r = 0; r < states.size(); ++r) sum += weights[r] * ScoreOf(oracle, states[r]).loss();
      return std::vector<double>{sum};
    };
    const Oracle oracle(model);
    const Chains rows = oracle.chains(states);
    ScoreMatching estimator({});
    estimator.check(model);
    Posterior posterior;
    std::vector<Real> gradient(model.parameters().size(), Real{-5});
    const auto report = estimator.estimate(model, {rows, weights, posterior}, gradient, execution);
    // Squares of sums of some 10 terms of at most 16.
    const double size = std::pow(4.0 * oracle.scale(), 2);
    REQUIRE(report.loss);
    CHECK(std::abs(*report.loss - loss_of()[0]) <= rounding(32.0, size));
    const double h = 0x1p-8;
    const double bound = 1.5 * rounding<double>(16.0, size) / h + size * std::pow(h, 4) + rounding(128.0, size);
    for (const std::vector<Index>& entries : free_parameters(model)) {
      const double slope = derivative(model, entries, h, loss_of)[0];
      for (const Index i : entries) {
        CAPTURE(i);
        CHECK(std::abs(static_cast<double>(gradient[i]) - (learned(model, i) ? slope : 0.0)) <= bound);
      }
    }
  }
}

TEST_CASE("score matching of a Gaussian machine vanishes at the moments of its own law") {
  // One layer, density exp(b·x − ½ xᵀPx): L = ½ E|b − Px|² − tr P. With rows of the model's own mean and covariance the
  // gradient is 0; the covariance of rows m ± √n L e_i is P⁻¹ = LLᵀ.
  const auto model = random_model(
      {{observed("v", 2, std::make_shared<GaussianUnit>()), latent("g", 2, std::make_shared<GaussianUnit>())},
       {{0, 1}},
       {0, 1}},
      4, 0.25);
  const Oracle oracle(*model);
  // Integrating g out: precision Γ − W Γ_g⁻¹ Wᵀ, linear term b + W Γ_g⁻¹ c.
  double p[2][2], linear[2];
  for (Index i = 0; i < 2; ++i) {
    linear[i] = oracle.bias[i];
    for (Index k = 2; k < 4; ++k) linear[i] += oracle.coupling(i, k) * oracle.bias[k] / oracle.gamma[k];
    for (Index j = 0; j < 2; ++j) {
      p[i][j] = i == j ? oracle.gamma[i] : 0.0;
      for (Index k = 2; k < 4; ++k) p[i][j] -= oracle.coupling(i, k) * oracle.coupling(j, k) / oracle.gamma[k];
    }
  }
  const double det = p[0][0] * p[1][1] - p[0][1] * p[1][0];
  const double c00 = p[1][1] / det, c01 = -p[0][1] / det, c11 = p[0][0] / det;
  const double l00 = std::sqrt(c00), l10 = c01 / l00, l11 = std::sqrt(c11 - l10 * l10);
  const double m0 = c00 * linear[0] + c01 * linear[1], m1 = c01 * linear[0] + c11 * linear[1];
  std::vector<Oracle::State> states;
  for (const double sign : {1.0, -1.0}) {
    const double s = sign * std::sqrt(2.0);
    states.push_back({m0 + s * l00, m1 + s * l10, 0, 0});
    states.push_back({m0, m1 + s * l11, 0, 0});
  }
  const Chains rows = oracle.chains(states);
  const std::vector<double> weights(4, 0.25);
  Posterior posterior;
  std::vector<Real> gradient(model->parameters().size());
  ScoreMatching estimator({});
  estimator.check(*model);
  estimator.estimate(*model, {rows, weights, posterior}, gradient, execution);
  for (const Real g : gradient) CHECK(std::abs(static_cast<double>(g)) <= rounding(128.0, 16.0));
  // And not elsewhere: rows of twice the spread.
  for (Oracle::State& x : states) x = {2.0 * x[0] - m0, 2.0 * x[1] - m1, 0, 0};
  const Chains wider = oracle.chains(states);
  estimator.estimate(*model, {wider, weights, posterior}, gradient, execution);
  CHECK(std::ranges::any_of(gradient, [](Real g) { return std::abs(g) > Real(0.1); }));
}

TEST_CASE("the mean of denoising gradients is their integral over the noise, and another noise is found out") {
  auto model = random_model({{observed("v", 2, std::make_shared<GaussianUnit>()), latent("h", 2)}, {{0, 1}}, {0}}, 12);
  const std::vector<Oracle::State> data{{0.5, -0.25, 0, 0}, {-1.0, 0.75, 0, 0}};
  const double noise = 0.5;
  constexpr Index copies = 1000, repeats = 100;

  // E ½|ψ(x̃) + ε/s|² by the trapezoidal rule, whose error for such functions is below 1e-12 at this step, and its slope.
  const auto losses = [&](double s) {
    return [&, s] {
      const Oracle oracle(*model);
      const double step = 0.25, far = 8.0;
      double sum = 0.0;
      for (const Oracle::State& x : data) {
        for (double a = -far; a <= far; a += step) {
          for (double b = -far; b <= far; b += step) {
            const ScoreOf score(oracle, {x[0] + s * a, x[1] + s * b, 0, 0});
            const double density = std::exp(-0.5 * (a * a + b * b)) / (2.0 * std::numbers::pi);
            sum +=
                0.25 * step * step * density * (std::pow(score.psi[0] + a / s, 2) + std::pow(score.psi[1] + b / s, 2));
          }
        }
      }
      return std::vector<double>{sum};
    };
  };
  std::vector<double> right, wrong;
  for (const std::vector<Index>& entries : free_parameters(*model)) {
    right.push_back(derivative(*model, entries, 0x1p-7, losses(noise))[0]);
    wrong.push_back(derivative(*model, entries, 0x1p-7, losses(1.1 * noise))[0]);
  }
  const Oracle oracle(*model);
  std::vector<Oracle::State> states;
  for (Index i = 0; i < copies; ++i) states.insert(states.end(), data.begin(), data.end());
  const Chains rows = oracle.chains(states);
  const std::vector<double> weights(states.size(), 1.0 / static_cast<double>(states.size()));
  DenoisingScoreMatching estimator({noise});
  estimator.check(*model);
  const Repeats mean(repeats, [&](std::vector<Real>& gradient) {
    Posterior posterior;
    gradient.resize(model->parameters().size());
    estimator.estimate(*model, {rows, weights, posterior}, gradient, execution);
  });
  CHECK(mean.worst(right) < mean.threshold());
  CHECK(mean.worst(wrong) > mean.threshold());
}

TEST_CASE("denoising draws other words at each batch, the same on any number of threads and after a restart") {
  const auto model =
      random_model({{observed("v", 3, std::make_shared<GaussianUnit>()), latent("h", 2)}, {{0, 1}}, {0}}, 3);
  const Oracle oracle(*model);
  const Chains rows = oracle.chains(rows_for(oracle, 150));
  const std::vector<double> weights(150, 1.0 / 150.0);
  const auto estimate = [&](DenoisingScoreMatching& estimator, int threads) {
    const Executor work(threads);
    Posterior posterior;
    std::vector<Real> gradient(model->parameters().size());
    estimator.estimate(*model, {rows, weights, posterior}, gradient, {work, RandomSource{5, 0}});
    return gradient;
  };
  DenoisingScoreMatching one({0.3}), three({0.3});
  const auto first = estimate(one, 1);
  CHECK(first == estimate(three, 3));
  StateArchive saved;
  one.state(saved);
  DenoisingScoreMatching restored({0.3});
  StateArchive loaded(saved.fields(), {});
  restored.state(loaded);
  const auto second = estimate(one, 1);
  CHECK(second != first);
  CHECK(second == estimate(restored, 2));
}

TEST_CASE("what score matching cannot serve is refused") {
  CHECK(
      message_of<CapabilityError>([] { ScoreMatching({}).check(*random_rbm(3, 2, 1)); }) ==
      "estimator 'score_matching': it follows the density along continuous units, and those of layer 'visible' have 2 "
      "states. Try 'ratio_matching' or 'pseudo_likelihood'.");
  const auto coupled =
      random_model({{observed("v", 3, std::make_shared<GaussianUnit>()), latent("h", 2)}, {{0, 1}, {1, 1}}, {0}}, 3);
  CHECK(
      message_of<CapabilityError>([&] { DenoisingScoreMatching().check(*coupled); }) ==
      "estimator 'denoising_score_matching': the model offers no score of its observed units: these must be Gaussian, "
      "and the latent ones discrete or Gaussian, and independent given them. Try 'pcd' or 'cd'.");
  CHECK(message_of<CapabilityError>([&] { ScoreMatching({}).begin(*coupled, {.rows = 2, .missing = true}); }) ==
        "estimator 'score_matching': it needs complete rows, and entries of the data are missing. Try 'pcd', whose "
        "positive phase takes them as latent units.");
}

}  // namespace score_matching_test
