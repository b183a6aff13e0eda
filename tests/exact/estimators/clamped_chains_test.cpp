// The positive phase from clamped chains against its exact expectation: of k sweeps over the units that were not seen
// from its start, by exact heat baths on the enumerated law. Every comparison is a normal score with the exact variance;
// the false-alarm rate of all of them together is below 1e-9.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/estimators/phases/chain_phase.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/law.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/missing.hpp>

namespace clamped_chains_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
constexpr double threshold = 8.5;  // 2 Φ(−8.5) = 2e-17, for fewer than 1e5 comparisons
constexpr Index copies = 40'000;

/// A law of the whole machine for each of a few rows, and the mean and variance of −∂E/∂θ under their mixture of equal
/// numbers of chains.
class Clamped {
 public:
  Clamped(const EnergyModel& model, std::vector<std::vector<std::uint8_t>> seen)
      : space_(model.layout()), energy_(energies(model, space_)), seen_(std::move(seen)) {
    for (std::size_t s = 0; s < space_.size(); ++s) {
      Chains row(model.layout(), 1);
      space_.put(std::span(&s, 1), row);
      std::vector<Real> gradient(model.parameters().size(), Real{0});
      const double one = -1.0;
      model.add_gradient(row, {&one, 1}, gradient, executor);
      statistics_.emplace_back(gradient.begin(), gradient.end());
    }
  }

  const StateSpace& space() const { return space_; }

  /// Seen units as in `state`, the others uniform.
  Law start(std::size_t state, Index row) const {
    Law law(space_.size(), 0.0);
    double total = 0.0;
    for (std::size_t s = 0; s < law.size(); ++s) {
      bool agrees = true;
      for (std::size_t u = 0; u < space_.num_units(); ++u)
        agrees = agrees && (!seen_[row][u] || space_.digit(s, u) == space_.digit(state, u));
      law[s] = agrees ? 1.0 : 0.0;
      total += law[s];
    }
    for (double& p : law) p /= total;
    return law;
  }
  /// Sweeps over what was not seen; over everything with `forgetful`.
  Law sweeps(Law law, Index row, Index count, bool forgetful = false) const {
    for (Index k = 0; k < count; ++k)
      for (std::size_t u = 0; u < space_.num_units(); ++u)
        if (forgetful || !seen_[row][u]) redraw_unit(law, energy_, space_, u);
    return law;
  }

  /// The largest score of a mean over `copies` chains of each law.
  double worst(const std::vector<double>& mean, const std::vector<Law>& laws) const {
    double worst = 0.0;
    for (Index i = 0; i < mean.size(); ++i) {
      double expected = 0.0, variance = 0.0;
      for (const Law& law : laws) {
        double first = 0.0, second = 0.0;
        for (std::size_t s = 0; s < law.size(); ++s) {
          first += law[s] * statistics_[s][i];
          second += law[s] * statistics_[s][i] * statistics_[s][i];
        }
        expected += first / static_cast<double>(laws.size());
        variance += (second - first * first) / std::pow(static_cast<double>(laws.size()), 2.0) / copies;
      }
      const double off = std::max(0.0, std::abs(mean[i] - expected) - rounding(2000.0));
      if (off > 0.0) worst = std::max(worst, variance > 1e-12 ? off / std::sqrt(variance) : INFINITY);
    }
    return worst;
  }

 private:
  StateSpace space_;
  std::vector<double> energy_;
  std::vector<std::vector<std::uint8_t>> seen_;
  std::vector<std::vector<double>> statistics_;
};

/// `copies` of each of a few rows, in turn, as the batches of a data set of them.
struct Data {
  Data(const EnergyModel& model, const StateSpace& space, std::vector<std::size_t> row_states,
       const std::vector<std::vector<std::uint8_t>>& seen)
      : rows(model.layout(), copies * row_states.size()),
        weights(rows.size(), 1.0 / static_cast<double>(rows.size())),
        indices(rows.size()) {
    std::vector<std::size_t> states;
    for (Index c = 0; c < copies; ++c) states.insert(states.end(), row_states.begin(), row_states.end());
    space.put(states, rows);
    std::iota(indices.begin(), indices.end(), Index{0});
    PartlySeen partly{model, {}, {}, {}};
    for (Index c = 0; c < copies; ++c) partly.seen.insert(partly.seen.end(), seen.begin(), seen.end());
    mask = partly.mask();
  }
  /// The same rows, the last first.
  void reverse(const EnergyModel& model, const StateSpace& space, std::vector<std::size_t> row_states,
               std::vector<std::vector<std::uint8_t>> seen) {
    std::ranges::reverse(row_states);
    std::ranges::reverse(seen);
    *this = Data(model, space, std::move(row_states), seen);
    std::ranges::reverse(indices);
  }
  DataBatch batch(bool masked) { return {rows, weights, posterior, masked ? &mask : nullptr, {}, indices}; }

  Chains rows;
  std::vector<double> weights;
  std::vector<Index> indices;
  Posterior posterior;
  HeldMask mask;
};

ChainPhase phase(ChainStart start, Index steps, bool rao_blackwell, std::unique_ptr<Sampler> sampler) {
  ChainPhaseOptions options;
  options.start = start;
  options.gibbs_steps = steps;
  options.rao_blackwell = rao_blackwell;
  options.sampler = std::move(sampler);
  return ChainPhase(std::move(options));
}

std::vector<double> ascent(ChainPhase& p, const EnergyModel& model, const DataBatch& batch, std::uint64_t seed) {
  std::vector<Real> gradient(model.parameters().size(), Real{0});
  const PhaseReport report =
      p.accumulate(model, batch, Phase::positive, 1.0, gradient, {executor, RandomSource{seed, 0}});
  CHECK_FALSE(report.exact);
  std::vector<double> result;
  result.reserve(gradient.size());
  for (const Real g : gradient) result.push_back(-static_cast<double>(g));
  return result;
}

/// Takes what is held for free.
class Unclamped final : public Sampler {
 public:
  void check(const Target&) const override {}
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans* last) override {
    return gibbs_.advance(Target{target.model}, chains, steps, execution, last);
  }

 private:
  Gibbs gibbs_;
};

/// Two rows' patterns: all of the observed layers, or with holes that differ.
std::vector<std::vector<std::uint8_t>> patterns(const Layout& layout, bool missing) {
  std::vector<std::vector<std::uint8_t>> seen(2);
  for (Index r = 0; r < 2; ++r) {
    Index unit = 0;
    for (const Layer& layer : layout.layers())
      for (Index u = 0; u < layer.size; ++u, ++unit)
        seen[r].push_back(layer.role == Role::observed && (!missing || (unit + r) % 2 == 0) ? 1 : 0);
  }
  return seen;
}

std::vector<std::unique_ptr<LayeredModel>> machines() {
  std::vector<std::unique_ptr<LayeredModel>> all;
  all.push_back(small_general());
  all.push_back(small_deep());
  all.push_back(small_triangle());
  return all;
}

}  // namespace

TEST_CASE("clamped chains have the expectation of their sweeps, and others are found out") {
  std::uint64_t seed = 100;
  for (const auto& machine : machines()) {
    const EnergyModel& model = *machine;
    for (const bool missing : {false, true}) {
      CAPTURE(missing);
      const auto seen = patterns(model.layout(), missing);
      const Clamped exact(model, seen);
      const std::vector<std::size_t> states{exact.space().size() / 3, exact.space().size() - 2};
      Data data(model, exact.space(), states, seen);
      for (const Index k : {Index{1}, Index{3}}) {
        CAPTURE(k);
        const auto laws = [&](Index steps, bool forgetful) {
          return std::vector<Law>{exact.sweeps(exact.start(states[0], 0), 0, steps, forgetful),
                                  exact.sweeps(exact.start(states[1], 1), 1, steps, forgetful)};
        };
        ChainPhase right = phase(ChainStart::uniform, k, false, std::make_unique<Gibbs>());
        right.check(model, Phase::positive);
        const std::vector<double> mean = ascent(right, model, data.batch(missing), ++seed);
        CHECK(exact.worst(mean, laws(k, false)) < threshold);
        if (k == 1) CHECK(exact.worst(mean, laws(3, false)) > threshold);
        CHECK(exact.worst(mean, laws(k, true)) > threshold);
        ChainPhase wrong = phase(ChainStart::uniform, k, false, std::make_unique<Unclamped>());
        CHECK(exact.worst(ascent(wrong, model, data.batch(missing), ++seed), laws(k, false)) > threshold);
      }
    }
  }
}

TEST_CASE("persistent clamped chains go on where the same row was left, whatever its place in the batch") {
  std::uint64_t seed = 300;
  for (const auto& machine : machines()) {
    const EnergyModel& model = *machine;
    for (const bool missing : {false, true}) {
      CAPTURE(missing);
      const auto seen = patterns(model.layout(), missing);
      const Clamped exact(model, seen);
      const std::vector<std::size_t> states{exact.space().size() / 3, exact.space().size() - 2};
      Data data(model, exact.space(), states, seen);
      ChainPhase p = phase(ChainStart::persistent, 1, false, std::make_unique<Gibbs>());
      const auto laws = [&](Index visits) {
        return std::vector<Law>{exact.sweeps(exact.start(states[0], 0), 0, visits),
                                exact.sweeps(exact.start(states[1], 1), 1, visits)};
      };
      CHECK(exact.worst(ascent(p, model, data.batch(missing), ++seed), laws(1)) < threshold);
      data.reverse(model, exact.space(), states, seen);
      const std::vector<double> second = ascent(p, model, data.batch(missing), ++seed);
      CHECK(exact.worst(second, laws(2)) < threshold);
      CHECK(exact.worst(second, laws(1)) > threshold);
    }
  }
}

TEST_CASE("with the last layer by its means the expectation stays and the noise shrinks") {
  const auto machine = small_deep();
  const EnergyModel& model = *machine;
  const auto seen = patterns(model.layout(), false);
  const Clamped exact(model, seen);
  const std::vector<std::size_t> states{exact.space().size() / 3, exact.space().size() - 2};
  Data data(model, exact.space(), states, seen);
  const std::vector<Law> laws{exact.sweeps(exact.start(states[0], 0), 0, 2),
                              exact.sweeps(exact.start(states[1], 1), 1, 2)};
  ChainPhase means = phase(ChainStart::uniform, 2, true, std::make_unique<Gibbs>());
  // Scores by the variance of states, which is the larger one.
  CHECK(exact.worst(ascent(means, model, data.batch(false), 500), laws) < threshold);
}

TEST_CASE("clamped chains of enough steps are the exact positive phase, with and without missing entries") {
  const auto machine = small_general();
  const EnergyModel& model = *machine;
  const Oracle oracle(model);
  for (const bool missing : {false, true}) {
    const auto seen = patterns(model.layout(), missing);
    const Clamped exact(model, seen);
    const std::vector<std::size_t> states{exact.space().size() / 3, exact.space().size() - 2};
    Data data(model, exact.space(), states, seen);
    PartlySeen partly{model, {}, {0.5, 0.5}, seen};
    for (Index r = 0; r < 2; ++r) partly.rows.push_back(oracle.state(data.rows, r));
    // What 60 sweeps leave of the start is nothing that the scores could see: the laws say so.
    const std::vector<Law> laws{exact.sweeps(exact.start(states[0], 0), 0, 60),
                                exact.sweeps(exact.start(states[1], 1), 1, 60)};
    std::vector<double> expected = partly.positive_phase();
    for (double& e : expected) e = -e;
    CHECK(exact.worst(expected, laws) < 0.1);
    ChainPhase p = phase(ChainStart::uniform, 60, false, std::make_unique<Gibbs>());
    CHECK(exact.worst(ascent(p, model, data.batch(missing), 600), laws) < threshold);
  }
}

TEST_CASE("contrastive divergence starts coupled latent units and missing entries by its clamped steps") {
  std::uint64_t seed = 700;
  constexpr Index clamped_steps = 2;
  for (const auto& machine : machines()) {
    const EnergyModel& model = *machine;
    for (const bool missing : {false, true}) {
      CAPTURE(missing);
      const auto seen = patterns(model.layout(), missing);
      const Clamped exact(model, seen);
      const std::vector<std::size_t> states{exact.space().size() / 3, exact.space().size() - 2};
      Data data(model, exact.space(), states, seen);
      const auto laws = [&](Index clamped, Index free) {
        std::vector<Law> both;
        for (Index r = 0; r < 2; ++r)
          both.push_back(exact.sweeps(exact.sweeps(exact.start(states[r], r), r, clamped), r, free, true));
        return both;
      };
      ChainPhaseOptions options;
      options.start = ChainStart::data;
      options.clamped_steps = clamped_steps;
      options.rao_blackwell = false;
      options.sampler = std::make_unique<Gibbs>();
      ChainPhase p(std::move(options));
      p.check(model, Phase::negative);
      std::vector<Real> gradient(model.parameters().size(), Real{0});
      p.accumulate(model, data.batch(missing), Phase::negative, -1.0, gradient, {executor, RandomSource{++seed, 0}});
      const std::vector<double> mean(gradient.begin(), gradient.end());
      CHECK(exact.worst(mean, laws(clamped_steps, 1)) < threshold);
      CHECK(exact.worst(mean, laws(clamped_steps, 0)) > threshold);
      CHECK(exact.worst(mean, laws(0, 1)) > threshold);
    }
  }
}

}  // namespace clamped_chains_test
