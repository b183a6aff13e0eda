#include <cmath>
#include <limits>

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

class WithoutExpectation final : public Forwarding {
 public:
  using Forwarding::Forwarding;
  const FactorizedExpectation* factorized_expectation() const override { return nullptr; }
};

}  // namespace

TEST_CASE("an exact phase refuses what is too large, in the phase where it is") {
  const auto model = random_rbm(12, 9, 1);
  const ExactPhase small({.max_bits = 8});
  CHECK_NOTHROW(small.check(*model, Phase::positive));  // in closed form
  CHECK(message_of<CapabilityError>([&] { small.check(*model, Phase::negative); }) ==
        "phase 'exact': enumeration would take 2^9 states, more than the limit of 2^8 (option max_bits). Raise it "
        "where time allows, or take a "
        "smaller model. Try 'chains', as the estimators 'pcd' and 'cd' have it; 'pseudo_likelihood' needs none.");
  const auto lateral = random_model({{observed("v", 2), latent("h", 9)}, {{0, 1}, {1, 1}}, {}}, 1);
  CHECK(message_of<CapabilityError>([&] {
          small.check(*lateral, Phase::positive);
        }).starts_with("phase 'exact': enumeration would take 2^9"));
  const WithoutFreeEnergy bare(*model);
  CHECK(message_of<CapabilityError>([&] {
          ExactPhase().check(bare, Phase::negative);
        }).starts_with("phase 'exact': the model cannot be enumerated"));
}

TEST_CASE("an exact positive phase serves models that offer no expectation for laws that factorize") {
  const auto rbm = random_rbm(4, 3, 1), visible = random_model({{observed("v", 4)}, {{0, 0}}, {}}, 2);
  for (const EnergyModel* model :
       {static_cast<const EnergyModel*>(rbm.get()), static_cast<const EnergyModel*>(visible.get())}) {
    CAPTURE(model->layout().size());
    const Chains rows = random_rows(model->layout(), 3, 5);
    const std::vector<double> weights{0.5, 0.25, 0.25};
    const Executor executor(1);
    const auto gradient_of = [&](const EnergyModel& of) {
      Posterior posterior;
      std::vector<Real> gradient(of.parameters().size());
      CHECK(ExactPhase()
                .accumulate(of, {rows, weights, posterior}, Phase::positive, 1.0, gradient, {executor, {1, 1}})
                .exact);
      return gradient;
    };
    const std::vector<Real> offered = gradient_of(*model), summed = gradient_of(WithoutExpectation(*model));
    for (Index t = 0; t < offered.size(); ++t)
      CHECK(std::abs(static_cast<double>(offered[t] - summed[t])) <= 64.0 * std::numeric_limits<Real>::epsilon());
  }
}

}  // namespace exact_phase_test
