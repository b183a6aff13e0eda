// What invariance alone cannot see: that chains move at all, and as they should.

#include <doctest/doctest.h>

#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/stationarity.hpp>

namespace transitions_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

void check_matrix(const EnergyModel& model, double beta, Index steps, Index batch, Index tile = 0) {
  CAPTURE(steps);
  CAPTURE(batch);
  CAPTURE(beta);
  Gibbs gibbs({tile});
  const TransitionFindings findings = examine_transitions(gibbs, model, beta, steps, batch, 400'000);
  CHECK_MESSAGE(!findings.matrix.rejected(), findings.matrix.summary());
  // The rarest transition of these machines has a probability above 1e-3: none of its 25,000 chances taken means that
  // it cannot happen (e^-25).
  if (steps > 1) CHECK(findings.reaches_everything);
}

}  // namespace

TEST_CASE("the matrix of transitions of Gibbs sampling is that of a systematic scan") {
  const auto rbm = random_machine(binary_layers({2, 2}, {true, false}, {{0, 1}}), 1.0, 11);
  const auto general = random_machine(binary_layers({2, 2}, {true, false}, {{0, 1}, {0, 0}, {1, 1}}), 0.8, 12);
  const auto visible = random_machine(binary_layers({4}, {true}, {{0, 0}}), 0.8, 13);
  const auto deep = random_machine(binary_layers({1, 2, 1}, {true, false, false}, {{0, 1}, {1, 2}}), 1.0, 14);
  for (const EnergyModel* model :
       {static_cast<const EnergyModel*>(rbm.get()), static_cast<const EnergyModel*>(general.get()),
        static_cast<const EnergyModel*>(visible.get()), static_cast<const EnergyModel*>(deep.get())}) {
    check_matrix(*model, 1.0, 1, 130);
    check_matrix(*model, 1.0, 2, 100);
    check_matrix(*model, 0.5, 1, 37);
    check_matrix(*model, 1.5, 3, 1000, 64);
    const WithoutKernel plain(*model);
    check_matrix(plain, 1.0, 2, 131);
  }
}

}  // namespace transitions_test
