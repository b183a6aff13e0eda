#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/training/adam.hpp>
#include <harmonium/framework/training/sgd.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace optimizer_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);

ParameterLayout example() {
  ParameterLayout layout;
  layout.add({.name = "bias.v", .rows = 2, .role = ParameterRole::bias});
  layout.add({.name = "bias.h", .rows = 1, .role = ParameterRole::bias});
  layout.add({.name = "weight.v.h", .rows = 2, .cols = 1, .role = ParameterRole::coupling});
  layout.add({.name = "fixed", .rows = 1, .role = ParameterRole::other, .learned = false});
  return layout;
}

RateOptions rates(std::vector<ParameterFactor> factors) {
  RateOptions options;
  options.learning_rate = 1.0;
  options.factors = std::move(factors);
  return options;
}

/// What one step of descent takes from θ where every gradient is 1.
std::vector<Real> taken(std::vector<ParameterFactor> factors) {
  SgdOptions options;
  options.rate = rates(std::move(factors));
  std::vector<Real> theta(6, Real{0}), gradient(6, Real{1});
  Sgd(std::move(options)).step(theta, gradient, example(), {}, executor);
  for (Real& t : theta) t = -t;
  return theta;
}

}  // namespace

TEST_CASE("factors go by the name of a tensor or by its role, and multiply") {
  CHECK(taken({}) == std::vector<Real>{1, 1, 1, 1, 1, 0});
  CHECK(taken({{"bias", 0.5}}) == std::vector<Real>{0.5, 0.5, 0.5, 1, 1, 0});
  CHECK(taken({{"bias", 0.5}, {"bias.h", 4.0}}) == std::vector<Real>{0.5, 0.5, 2, 1, 1, 0});
  CHECK(taken({{"weight.v.h", 0.0}}) == std::vector<Real>{1, 1, 1, 0, 0, 0});
}

TEST_CASE("what is not learned stays, whatever its factor") {
  CHECK(taken({{"fixed", 5.0}, {"other", 5.0}})[5] == 0);
  AdamOptions options;
  std::vector<Real> theta(6, Real{2}), gradient(6, Real{1});
  Adam(std::move(options)).step(theta, gradient, example(), {}, executor);
  CHECK(theta[5] == 2);
  CHECK(theta[4] != 2);
}

TEST_CASE("a factor for a parameter that there is not is refused with the names that there are") {
  const auto refused = [](const char* name) {
    return message_of<ConfigError>([&] { rates({{"bias", 1.0}, {name, 1.0}}).check(example()); });
  };
  CHECK(refused("bias.w") ==
        "factors: the model has no parameter 'bias.w' (did you mean 'bias.v'?). Its parameters: bias.v, "
        "bias.h, "
        "weight.v.h, fixed.");
  CHECK(refused("coupled") ==
        "factors: the model has no parameter 'coupled'. Its parameters: bias.v, bias.h, weight.v.h, fixed.");
  CHECK(refused("coupling").empty());
  CHECK(refused("weight.v.h").empty());
}

TEST_CASE("the rate is the learning rate times the schedule") {
  RateOptions options = rates({});
  options.learning_rate = 0.5;
  CHECK(options.rate({50, 100, 10}) == 0.5);
  options.schedule = std::make_unique<LinearSchedule>(LinearSchedule::Options{});
  CHECK(options.rate({50, 100, 10}) == 0.25);
  SgdOptions sgd;
  sgd.rate = std::move(options);
  const Sgd optimizer(std::move(sgd));
  CHECK(optimizer.rate({75, 100, 10}) == 0.125);
}

TEST_CASE("an optimizer steps by the schedule's rate") {
  SgdOptions options;
  options.rate = rates({});
  options.rate.schedule = std::make_unique<StepSchedule>(StepSchedule::Options{.factor = 0.5, .every = 1.0});
  Sgd optimizer(std::move(options));
  std::vector<Real> theta(6, Real{0}), gradient(6, Real{1});
  optimizer.step(theta, gradient, example(), {9, 100, 10}, executor);
  CHECK(theta[0] == -1);
  optimizer.step(theta, gradient, example(), {10, 100, 10}, executor);
  CHECK(theta[0] == -1.5);
}

}  // namespace optimizer_test
