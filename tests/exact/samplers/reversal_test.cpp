// The reversal of a systematic scan, from transition matrices: π(x) T(x, x') = π(x') R(x', x). False alarms: chi_square.hpp.

#include <doctest/doctest.h>

#include <harmonium/framework/testing/reversal.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/stationarity.hpp>
#include <harmonium/tests/support/tempered_law.hpp>
#include <harmonium/tests/support/wrong_reversal.hpp>

namespace reversal_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

using Reversal = GibbsWithReversal::Reversal;

std::vector<std::unique_ptr<LayeredModel>> machines() {
  std::vector<std::unique_ptr<LayeredModel>> all;
  all.push_back(random_machine(binary_layers({2, 2}, {true, false}, {{0, 1}}), 1.5, 11));
  all.push_back(random_machine(binary_layers({2, 2}, {true, false}, {{0, 1}, {0, 0}, {1, 1}}), 1.5, 12));
  all.push_back(random_machine(binary_layers({4}, {true}, {{0, 0}}), 1.5, 13));
  all.push_back(random_machine(binary_layers({2, 1, 1}, {true, false, false}, {{0, 1}, {1, 2}}), 1.5, 14));
  return all;
}

TransitionFindings transitions_of_reversal(Reversal which, const LayeredModel& model, double beta) {
  const StateSpace space(model.layout());
  const std::vector<double> energy = energies(model, space), betas{beta};
  const std::unique_ptr<Sampler> reversal = GibbsWithReversal(which).reversal();
  return examine_transitions(*reversal, model, beta, backward_scans(energy, space, betas)[0], 1, 1000, 400'000);
}

}  // namespace

TEST_CASE("the scan in the opposite order is the reversal of a scan, as an identity of matrices") {
  for (const auto& model : machines()) {
    const StateSpace space(model->layout());
    const std::vector<double> energy = energies(*model, space), betas{1.0};
    const Law law = law_of(energy);
    const std::vector<Law> forward = scans(energy, space, betas)[0], backward = backward_scans(energy, space, betas)[0];
    double worst = 0.0, asymmetry = 0.0;
    for (std::size_t s = 0; s < space.size(); ++s)
      for (std::size_t t = 0; t < space.size(); ++t) {
        worst = std::max(worst, std::abs(law[s] * forward[s][t] - law[t] * backward[t][s]));
        asymmetry = std::max(asymmetry, std::abs(law[s] * forward[s][t] - law[t] * forward[t][s]));
      }
    CHECK(worst < 1e-15);
    CHECK(asymmetry > 1e-3);  // the forward scan is none
  }
}

TEST_CASE("the reversal of Gibbs sampling makes the transitions of the scan in the opposite order") {
  for (const auto& model : machines())
    for (const double beta : {1.0, 0.4}) {
      const TransitionFindings right = transitions_of_reversal(Reversal::right, *model, beta);
      INFO(right.matrix.summary());
      CHECK_FALSE(right.matrix.rejected());
    }
}

TEST_CASE("the forward scan given for the reversal is rejected by its transitions, and by the flow between states") {
  for (const auto& model : machines()) {
    CHECK(transitions_of_reversal(Reversal::forward_scan, *model, 1.0).matrix.seen_margin() > 6.0);
    GibbsWithReversal wrong(Reversal::forward_scan), right(Reversal::right);
    const auto findings = [&](GibbsWithReversal& sampler) {
      return examine_reversal(sampler, *sampler.reversal(), *model, 1.0, {}, 60'000);
    };
    CHECK(findings(right).complaint() == "");
    const ReversalFindings seen = findings(wrong);
    INFO(seen.complaint());
    CHECK(seen.moments.margin() > 6.0);
    CHECK(seen.pairs.seen_margin() > 6.0);
  }
}

}  // namespace reversal_test
