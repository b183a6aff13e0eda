// The exact chain against the transition matrix that tests build from the model's conditionals, against heat baths of one
// unit after another from loops over the energy's terms, and against powers of itself.
#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/exact_chain.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/tests/exact/transition.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace exact_chain_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// Of a table of probabilities that are made of energies of `columns` terms.
double tolerance(const Oracle& oracle) {
  return rounding<double>(64.0 * static_cast<double>(oracle.columns()), oracle.scale());
}

/// The law after each block is drawn anew, in order, from exp(−energy) given all others: sums over states, unit by unit of
/// each block by itself where its units are independent, all at once.
std::vector<double> swept(const Oracle& oracle, const EnergyModel& model, std::vector<double> law) {
  const auto states = oracle.states(model.layout().all());
  std::vector<double> weight;
  weight.reserve(states.size());
  for (const auto& s : states) weight.push_back(std::exp(-oracle.energy(s)));
  for (const Block& block : model.block_conditionals()->blocks()) {
    const Index width = model.layout()[block.layer].unit->width();
    std::vector<bool> drawn(oracle.columns(), false);
    for (Index i = 0; i < block.size; ++i)
      for (Index c = 0; c < width; ++c)
        drawn[oracle.first(block.layer) + (block.whole() ? i : block.units[i]) * width + c] = true;
    const auto same_rest = [&](Index a, Index b) {
      for (Index c = 0; c < drawn.size(); ++c)
        if (!drawn[c] && states[a][c] != states[b][c]) return false;
      return true;
    };
    std::vector<double> next(law.size(), 0.0);
    for (Index from = 0; from < law.size(); ++from) {
      double sum = 0.0;
      for (Index to = 0; to < law.size(); ++to)
        if (same_rest(from, to)) sum += weight[to];
      for (Index to = 0; to < law.size(); ++to)
        if (same_rest(from, to)) next[to] += law[from] * weight[to] / sum;
    }
    law = next;
  }
  return law;
}

/// The rate at which K shrinks what is orthogonal to the constants, by powers.
double rate_of_powers(const ExactChain& chain) {
  Matrix<double> law = zeros<double>(1, chain.num_states());
  law(0, 0) = 1.0;
  for (Index s = 0; s < law.shape(1); ++s) law(0, s) -= chain.stationary()[s];
  double rate = 0.0;
  for (int i = 0; i < 3000; ++i) {
    double before = 0.0, after = 0.0, sum = 0.0;
    for (const double v : law) before += v * v;
    chain.advance(law);
    for (const double v : law) sum += v;
    for (Index s = 0; s < law.shape(1); ++s) law(0, s) -= sum * chain.stationary()[s];  // rounding brings some back
    for (const double v : law) after += v * v;
    rate = std::sqrt(after / before);
    for (double& v : law) v /= std::sqrt(after);
  }
  return rate;
}

}  // namespace

TEST_CASE("the exact chain of the golden RBM has the transitions of its conditionals") {
  const auto model = golden_model(false);
  const Transition reference(*model);
  const ExactChain chain(*model);
  REQUIRE(chain.has_halves());
  CHECK(std::abs(chain.log_z() - golden::rbm::log_z) <= (in_double ? 1e-12 : 1e-5));
  const Matrix<double> matrix = chain.transition_matrix();
  // The reference computes fields and means in Real.
  const double bound = tolerance(reference.oracle()) + rounding(7 * 5);
  for (Index v = 0; v < matrix.shape(0); ++v) {
    const auto visible = reference.visible_states[v];
    const Law row = reference.step(reference.at({visible.begin(), visible.begin() + golden::num_visible}));
    for (Index x = 0; x < matrix.shape(1); ++x) CHECK(std::abs(matrix(v, x) - row[x]) <= bound);
  }
}

TEST_CASE("a transition of the exact chain draws every block in order, and leaves the model's law alone") {
  for (const Example& example : example_models()) {
    CAPTURE(example.name);
    const EnergyModel& model = *example.model;
    const Oracle oracle(model);
    const double bound = tolerance(oracle) + (in_double ? 0.0 : 1e-5);
    const ExactChain chain(model);
    CHECK(std::abs(chain.log_z() - oracle.log_z()) <= bound);
    Matrix<double> law = zeros<double>(1, chain.num_states());
    std::ranges::copy(chain.stationary(), row_of(law, 0).data());
    chain.advance(law);
    for (Index s = 0; s < law.shape(1); ++s) CHECK(std::abs(law(0, s) - chain.stationary()[s]) <= bound);
    const Matrix<double> matrix = chain.transition_matrix();
    for (Index s = 0; s < matrix.shape(0); ++s) {
      double sum = 0.0;
      for (Index to = 0; to < matrix.shape(1); ++to) sum += matrix(s, to);
      CHECK(std::abs(sum - 1.0) <= bound);
    }
    // From an observed state, latent units by their posterior: the marginal law one sweep later.
    const auto joint = oracle.states(model.layout().all());
    const std::vector<LayerId> ids = model.layout().ids();
    const auto same_observed = [&](const Oracle::State& a, const Oracle::State& b) {
      for (const LayerId l : ids) {
        if (model.layout()[l].role != Role::observed) continue;
        for (Index c = 0; c < model.layout()[l].columns(); ++c)
          if (a[oracle.first(l) + c] != b[oracle.first(l) + c]) return false;
      }
      return true;
    };
    const Oracle::State& seen = joint[joint.size() / 3];
    std::vector<double> start(joint.size(), 0.0);
    double mass = 0.0;
    for (Index s = 0; s < joint.size(); ++s)
      if (same_observed(joint[s], seen)) mass += start[s] = std::exp(-oracle.energy(joint[s]));
    for (double& p : start) p /= mass;
    const std::vector<double> reference = swept(oracle, model, start);
    const Matrix<double> after = chain.laws(oracle.chains({seen}), 2);
    const Chains& states = chain.states();
    for (Index s = 0; s < chain.num_states(); ++s) {
      // With halves the chain's states are of the observed layers alone.
      double expected = 0.0;
      const Oracle::State own = oracle.state(states, s);
      for (Index j = 0; j < joint.size(); ++j)
        if (chain.has_halves() ? same_observed(joint[j], own) : joint[j] == own) expected += reference[j];
      CHECK(std::abs(after(0, s) - expected) <= bound);
    }
  }
}

TEST_CASE("the second eigenvalue is the rate at which the chain forgets") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    CAPTURE(seed);
    const auto rbm = random_rbm(5, 3, seed, 1.5);
    const ExactChain chain(*rbm);
    const double value = chain.second_eigenvalue();
    CHECK(std::abs(value - rate_of_powers(chain)) <= 1e-9);
    CHECK(value > 0.05);
  }
  // Two units and one visible state at a time: K is 2 × 2, and its trace is 1 + λ₂.
  const auto pair = random_rbm(1, 1, 4, 3.0);
  const ExactChain two(*pair);
  const Matrix<double> matrix = two.transition_matrix();
  CHECK(std::abs(two.second_eigenvalue() - (matrix(0, 0) + matrix(1, 1) - 1.0)) <= 1e-14);
  // A sweep over coupled units: two of them, K = K₁ K₂.
  const auto coupled = random_model({{observed("v", 2)}, {{0, 0}}, {}}, 5, 2.0);
  const ExactChain sweep(*coupled);
  CHECK(!sweep.has_halves());
  CHECK(std::abs(sweep.second_eigenvalue() - rate_of_powers(sweep)) <= 1e-9);
}

TEST_CASE("the exact chain refuses what it cannot count") {
  const auto large = make_rbm({.num_visible = 13, .num_hidden = 12});
  CHECK(ExactChain::log2_entries(*large) == 25.0);
  CHECK_THROWS_WITH_AS(ExactChain{*large},
                       "the transitions of the model's chain are a table of 2^25 numbers, more than the limit of 2^24. "
                       "Take a smaller model.",
                       CapabilityError);
  const auto coupled = make_boltzmann_machine({.num_visible = 3, .num_hidden = 2});
  CHECK(ExactChain::log2_entries(*coupled) == 10.0);
  const auto continuous =
      make_rbm({.num_visible = 2, .num_hidden = 2, .visible_units = std::make_unique<GaussianUnit>()});
  CHECK_THROWS_WITH_AS(ExactChain{*continuous}, "a layer of the model is continuous, and its states cannot be counted.",
                       CapabilityError);
  const auto small = make_rbm({.num_visible = 2, .num_hidden = 2});
  Chains gray(small->layout(), 1);
  gray.write(small->layout().find("visible"))(0, 1) = Real{0.5};
  CHECK_THROWS_WITH_AS(ExactChain(*small).start(gray), "row 0 holds 0.5, which is no state of its unit.",
                       CapabilityError);
}

}  // namespace exact_chain_test
