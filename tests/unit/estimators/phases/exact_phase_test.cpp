#include <doctest/doctest.h>

#include <harmonium/estimators/phases/exact_phase.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace exact_phase_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

class WithoutFreeEnergy final : public Forwarding {
 public:
  using Forwarding::Forwarding;
  const FreeEnergy* free_energy() const override { return nullptr; }
};

}  // namespace

TEST_CASE("an exact phase refuses what is too large, in the phase where it is") {
  const auto model = random_rbm(12, 9, 1);
  const ExactPhase small({.max_bits = 8});
  CHECK_NOTHROW(small.check(*model, Phase::positive));  // in closed form
  CHECK(message_of<CapabilityError>([&] { small.check(*model, Phase::negative); }) ==
        "phase 'exact': enumeration would take 2^9 states, more than the limit of 2^8 (option max_bits). Raise it "
        "where time allows, or take a "
        "smaller model. Try 'chains'.");
  const auto lateral = random_model({{observed("v", 2), latent("h", 9)}, {{0, 1}, {1, 1}}, {}}, 1);
  CHECK(message_of<CapabilityError>([&] {
          small.check(*lateral, Phase::positive);
        }).starts_with("phase 'exact': enumeration would take 2^9"));
  const WithoutFreeEnergy bare(*model);
  CHECK(message_of<CapabilityError>([&] {
          ExactPhase().check(bare, Phase::negative);
        }).starts_with("phase 'exact': the model cannot be enumerated"));
}

}  // namespace exact_phase_test
