// Negative controls of the exact-start tests of tempering along a trajectory.

#include <doctest/doctest.h>

#include <harmonium/framework/inference/machine_ladder.hpp>
#include <harmonium/tests/controls/wrong_trajectory.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/tempering.hpp>
#include <harmonium/tests/support/trajectories.hpp>

namespace trajectory_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

using Exchange = OtherTrajectory::Exchange;

Findings along_trajectory(const LayeredModel& model, Exchange exchange, Index draws = 200'000) {
  const std::vector<double> places{1.0, 0.6, 0.2};
  const MachineRungs rungs(model, MachinePath(model, made_trajectory(model, 3, 5)), places);
  OtherTrajectory sampler(rungs.with(model), exchange);
  return examine_ladder(sampler,
                        {.model = model, .betas = {1.0, 1.0, 1.0}, .machines = rungs.with(model), .draws = draws});
}

}  // namespace

TEST_CASE("wrong exchanges of machines are rejected where the right one passes" * doctest::test_suite("slow")) {
  for (const auto& model : {small_rbm(), small_semi_restricted()}) {
    CHECK(along_trajectory(*model, Exchange::right).complaint() == "");
    for (const Exchange wrong : {Exchange::one_sided, Exchange::wrong_sign, Exchange::stale_latent}) {
      const Findings findings = along_trajectory(*model, wrong, wrong == Exchange::one_sided ? 900'000 : 200'000);
      CAPTURE(static_cast<int>(wrong));
      INFO(findings.law.summary());
      CHECK(findings.law.rejected());
      CHECK(findings.law.seen_margin() > 6.0);
    }
  }
}

}  // namespace trajectory_test
