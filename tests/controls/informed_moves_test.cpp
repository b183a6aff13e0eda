// Negative controls of samplers whose proposals know the law: what they are told of it is wrong in one place.
// "margin > 6": were the seeds drawn anew, the wrong kernel would pass with probability below 1e-9.

#include <doctest/doctest.h>

#include <harmonium/samplers/hmc.hpp>
#include <harmonium/samplers/locally_balanced.hpp>
#include <harmonium/tests/support/continuous.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/stationarity.hpp>

namespace informed_moves_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// A model whose energies, free energies, ratios of neighbors, slopes or scores are off by a factor.
struct Factors {
  double energy = 1.0, free_energy = 1.0, slope = 1.0, score = 1.0;
};

class Misinformed final : public Forwarding, private FreeEnergy, private StateGradient, private Score {
 public:
  Misinformed(const EnergyModel& inner, Factors factors) : Forwarding(inner), by_(factors) {}
  const FreeEnergy* free_energy() const override { return this; }
  const StateGradient* state_gradient() const override { return this; }
  const Score* score() const override { return this; }
  void energy(ConstChainView x, std::span<double> out) const override {
    inner_.energy(x, out);
    for (double& e : out) e *= by_.energy;
  }
  void add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override {
    inner_.add_gradient(x, weights, gradient, executor);
  }

 private:
  bool closed(LayerSet kept) const override { return inner_.free_energy()->closed(kept); }
  void evaluate(LayerSet kept, double beta, ConstChainView x, std::span<double> out) const override {
    inner_.free_energy()->evaluate(kept, beta, x, out);
    for (double& f : out) f *= by_.free_energy;
  }
  void add_gradient(LayerSet kept, ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override {
    inner_.free_energy()->add_gradient(kept, x, weights, gradient, executor);
  }
  double operations(LayerSet kept) const override { return inner_.free_energy()->operations(kept); }
  void evaluate(ConstChainView x, std::span<const MatrixRef> out) const override {
    inner_.state_gradient()->evaluate(x, out);
    scale(out, by_.slope);
  }
  bool offered(LayerSet kept) const override { return inner_.score()->offered(kept); }
  void evaluate(LayerSet kept, ConstChainView x, std::span<const MatrixRef> score,
                std::span<double> divergence) const override {
    inner_.score()->evaluate(kept, x, score, divergence);
    scale(score, by_.score);
  }
  void add_gradient(LayerSet, ConstChainView, std::span<const ConstMatrixRef>, std::span<const double>, double,
                    std::span<Real>, const Executor&) const override {}
  static void scale(std::span<const MatrixRef> all, double factor) {
    for (const MatrixRef& m : all)
      for (Index r = 0; r < m.rows; ++r)
        for (Index c = 0; c < m.cols; ++c) m(r, c) *= static_cast<Real>(factor);
  }

  Factors by_;
};

void check_law_rejected(const Findings& findings) {
  INFO(findings.law.summary());
  CHECK(findings.law.rejected());
  CHECK(findings.law.seen_margin() > 6.0);
}

}  // namespace

TEST_CASE("Hamiltonian Monte Carlo makes up for a wrong slope but not for a wrong energy, marginal or not") {
  const auto model = small_gaussian(3, true, false, 1);
  const LawMaker law = gaussian_binary_law(*model);
  const Misinformed slope(*model, {.slope = 0.7, .score = 0.7});
  const Misinformed energy(*model, {.energy = 1.1, .free_energy = 1.1});
  for (const bool marginal : {false, true}) {
    CAPTURE(marginal);
    Hmc hmc({.step_size = 0.4, .leapfrog_steps = 4, .adapt_steps = 0, .marginal = marginal});
    CHECK(examine_continuous(hmc, {.model = *model, .law = law}).complaint() == "");
    CHECK(examine_continuous(hmc, {.model = slope, .law = law}).complaint() == "");
    check_law_rejected(examine_continuous(hmc, {.model = energy, .law = law, .steps = 3, .draws = 300'000}));
  }
}

// That right ones pass on many models is in tests/conformance.
TEST_CASE(
    "locally balanced moves are rejected where ratios of neighbors are a little off, and pass where they are right" *
    doctest::test_suite("slow")) {
  struct Try {
    std::unique_ptr<EnergyModel> model;
    LocallyBalancedOptions options;
  };
  std::vector<Try> tries;
  tries.push_back({small_general(), {.moves = 2, .balance = Balance::barker}});
  tries.push_back({small_visible(), {.moves = 2, .balance = Balance::sqrt}});
  tries.push_back({small_rbm(), {.moves = 2, .marginal = true}});
  for (const Try& t : tries) {
    const Misinformed wrong(*t.model, {.free_energy = 1.1});
    LocallyBalanced sampler(t.options);
    CHECK(examine(sampler, {.model = *t.model}).complaint() == "");
    check_law_rejected(examine(sampler, {.model = wrong, .steps = 2}));
  }
}

}  // namespace informed_moves_test
