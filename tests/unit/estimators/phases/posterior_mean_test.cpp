#include <vector>

#include <doctest/doctest.h>

#include <harmonium/estimators/phases/posterior_mean.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace posterior_mean_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE("posterior means are no negative phase") {
  const auto model = random_rbm(3, 2, 1);
  CHECK(message_of<CapabilityError>([&] { PosteriorMean().check(*model, Phase::negative); }) ==
        "phase 'posterior_mean': it averages over the data's posterior, which is the positive phase; in the negative "
        "phase "
        "its sign would drive the model away from what it assumes. Try 'chains' or 'exact'.");
}

TEST_CASE("sampled latent units are drawn anew for each batch, and go on from the state") {
  const auto model = random_rbm(3, 40, 1);
  const Oracle oracle(*model);
  const Executor executor(1);
  const Chains rows = oracle.chains({Oracle::State(43, 1.0)});
  const std::vector<double> weights{1.0};
  const auto run = [&](PosteriorMean& phase) {
    Posterior posterior;
    std::vector<Real> gradient(model->parameters().size(), Real{0});
    const PhaseReport report = phase.accumulate(*model, {rows, weights, posterior}, Phase::positive, 1.0, gradient,
                                                {executor, RandomSource{1, 1}});
    CHECK_FALSE(report.exact);
    // Hidden biases have minus the states.
    for (Index i = 3; i < 43; ++i) CHECK((gradient[i] == 0 || gradient[i] == -1));
    return gradient;
  };
  PosteriorMean whole({.sampled = true});
  const std::vector<Real> first = run(whole);
  StateArchive saving;
  whole.state(saving);
  const std::vector<Real> second = run(whole);
  CHECK(first != second);
  PosteriorMean again({.sampled = true});
  StateArchive loading(saving.fields(), {});
  again.state(loading);
  CHECK(run(again) == second);
}

}  // namespace posterior_mean_test
