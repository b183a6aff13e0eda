#include <vector>

#include <doctest/doctest.h>

#include <harmonium/estimators/phases/automatic_phase.hpp>
#include <harmonium/estimators/phases/exact_phase.hpp>
#include <harmonium/estimators/phases/mean_field.hpp>
#include <harmonium/estimators/phases/posterior_mean.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace mean_field_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

class WithoutExpectation final : public Forwarding {
 public:
  using Forwarding::Forwarding;
  const FactorizedExpectation* factorized_expectation() const override { return nullptr; }
};

struct Setting {
  std::unique_ptr<LayeredModel> model = small_general();
  Oracle oracle{*model};
  Chains rows = oracle.chains({{1, 0, 1, 0, 0, 0, 0, 0}, {0, 1, 1, 1, 0, 0, 0, 0}, {0, 0, 0, 1, 0, 0, 0, 0}});
  std::vector<double> weights = std::vector<double>(3, 1.0 / 3.0);

  PhaseReport run(MeanField& phase, std::vector<Index> indices, std::vector<Real>& gradient, int threads = 1) const {
    Posterior posterior;
    gradient.assign(model->parameters().size(), Real{0});
    const Executor executor(threads);
    return phase.accumulate(*model, {rows, weights, posterior, nullptr, {}, indices}, Phase::positive, 1.0, gradient,
                            {executor, RandomSource{1, 1}});
  }
};

}  // namespace

TEST_CASE("mean field says why it is no negative phase, and what it needs") {
  const auto model = small_general();
  CHECK(
      message_of<CapabilityError>([&] { MeanField().check(*model, Phase::negative); }) ==
      "phase 'mean_field': it is a positive phase. In the negative one its bound on the likelihood has the wrong sign, "
      "and learning would loosen it. Try 'chains' or 'exact'.");
  CHECK(message_of<CapabilityError>([&] { MeanField().check(WithoutExpectation(*model), Phase::positive); }) ==
        "phase 'mean_field': the model offers no conditionals, or no expectation of its gradient, for laws that "
        "factorize. Try 'chains'.");
  CHECK_NOTHROW(MeanField().check(*model, Phase::positive));
}

TEST_CASE("persistent means shorten the way to where the same row was, and go on from their state bit by bit") {
  const Setting s;
  std::vector<Real> a, b;
  MeanField whole({.start = MeanFieldStart::persistent, .tolerance = 1e-6, .max_iterations = 1000});
  const Index first = s.run(whole, {4, 0, 7}, a).iterations;
  StateArchive saving;
  whole.state(saving);
  MeanField again({.start = MeanFieldStart::persistent, .tolerance = 1e-6, .max_iterations = 1000});
  again.begin(*s.model, Phase::positive, {.rows = 8});
  StateArchive loading(saving.fields(), state_sizes(*s.model, 8));
  again.state(loading);
  const Index second = s.run(whole, {4, 0, 7}, a).iterations;
  CHECK(first > 2);
  CHECK(second <= 2);
  CHECK(s.run(again, {4, 0, 7}, b).iterations == second);
  CHECK(a == b);
  CHECK(message_of<CapabilityError>([&] { s.run(again, {}, b); }) ==
        "phase 'mean_field': persistent means belong to rows of the data, and the batch does not say which these are. "
        "Fill DataBatch::indices, or try start = \"fresh\".");
}

TEST_CASE("what did not settle is told") {
  const Setting s;
  std::vector<Real> gradient;
  MeanField one({.tolerance = 0.0, .max_iterations = 1}), enough({.max_iterations = 1000});
  CHECK(s.run(one, {}, gradient).method == "mean field, 1 iterations (3 of 3 rows not within tolerance)");
  CHECK(s.run(enough, {}, gradient).method.find("not within") == std::string::npos);
}

TEST_CASE("rows that all weigh nothing have the bound of rows that weigh alike, and no gradient") {
  Setting s;
  std::vector<Real> gradient;
  MeanField alike, nothing;
  const std::optional<double> bound = s.run(alike, {}, gradient).bound;
  s.weights.assign(3, 0.0);
  const std::optional<double> told = s.run(nothing, {}, gradient).bound;
  REQUIRE(told);
  CHECK(*told == doctest::Approx(*bound).epsilon(1e-12));
  CHECK(*told != 0.0);
  for (const Real g : gradient) CHECK(g == 0);
}

TEST_CASE("the phases that need complete rows refuse others when the run begins, and in any case later") {
  const auto rbm = small_rbm();
  const DataOutline holed{.rows = 3, .missing = true};
  CHECK(message_of<CapabilityError>([&] { PosteriorMean().begin(*rbm, Phase::positive, holed); }) ==
        "phase 'posterior_mean': entries of the data are missing, and the latent units are coupled with these. Try "
        "'mean_field' or 'chains'.");
  const std::string of_exact =
      "phase 'exact': entries of the data are missing, others in each row, and enumeration takes whole layers. Try "
      "'mean_field' or 'chains'.";
  CHECK(message_of<CapabilityError>([&] { ExactPhase().begin(*rbm, Phase::positive, holed); }) == of_exact);
  CHECK_NOTHROW(ExactPhase().begin(*rbm, Phase::negative, holed));
  HeldMask mask;
  Chains rows(rbm->layout(), 1);
  const std::vector<double> weights{1.0};
  Posterior posterior;
  std::vector<Real> gradient(rbm->parameters().size());
  const Executor executor(1);
  CHECK(message_of<CapabilityError>([&] {
          ExactPhase().accumulate(*rbm, {rows, weights, posterior, &mask}, Phase::positive, 1.0, gradient,
                                  {executor, {}});
        }) == of_exact);
}

TEST_CASE("an automatic phase asks for a name where draws are wanted that it cannot have") {
  const auto automatic = [](bool sampled) {
    AutomaticPhaseOptions options;
    options.sampled = sampled;
    options.coupled = std::make_unique<MeanField>();
    return AutomaticPhase(std::move(options));
  };
  const std::string message =
      "phase 'automatic': independent draws of the latent units are asked for, and the units that were not seen are "
      "coupled given those that were. Name the positive phase: try 'chains', with rao_blackwell = false.";
  CHECK(message_of<CapabilityError>([&] { automatic(true).check(*small_deep(), Phase::positive); }) == message);
  CHECK_NOTHROW(automatic(true).check(*small_rbm(), Phase::positive));
  CHECK(message_of<CapabilityError>(
            [&] { automatic(true).begin(*small_rbm(), Phase::positive, {.rows = 1, .missing = true}); }) == message);
  CHECK(message_of<CapabilityError>([&] { automatic(false).check(*small_rbm(), Phase::negative); }) ==
        "phase 'automatic': it is a positive phase. Try 'chains' or 'exact'.");
}

}  // namespace mean_field_test
