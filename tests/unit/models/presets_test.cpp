#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/tests/support/scratch.hpp>

using namespace harmonium;
using namespace harmonium::testing;

namespace {

std::string names(const EnergyModel& model) {
  std::string all;
  for (const ParameterBlock& b : model.parameter_layout().blocks()) all += b.name + (b.learned ? " " : "(fixed) ");
  return all;
}

}  // namespace

TEST_CASE("each preset is a graph of layers, with the parameters that its name stands for") {
  CHECK(names(*make_boltzmann_machine({.num_visible = 3, .num_hidden = 2})) ==
        "bias.visible bias.hidden weight.visible.hidden weight.visible.visible weight.hidden.hidden ");
  CHECK(names(*make_boltzmann_machine({.num_visible = 3, .num_hidden = 2, .lateral = {}})) ==
        "bias.visible bias.hidden weight.visible.hidden ");
  CHECK(names(*make_semi_restricted({.num_visible = 3, .num_hidden = 2})) ==
        "bias.visible bias.hidden weight.visible.hidden weight.visible.visible ");
  CHECK(names(*make_fully_visible({.num_visible = 3, .visible_units = std::make_unique<SpinUnit>()})) ==
        "bias.visible weight.visible.visible ");
  CHECK(names(*make_deep({.num_visible = 3, .num_hidden = {2, 4}})) ==
        "bias.visible bias.hidden1 bias.hidden2 weight.visible.hidden1 weight.hidden1.hidden2 ");
  const auto gaussian = [](bool learn) {
    return names(*make_fully_visible(
        {.num_visible = 2, .visible_units = std::make_unique<GaussianUnit>(), .learn_precision = learn}));
  };
  CHECK(gaussian(true) == "bias.visible weight.visible.visible log_precision.visible ");
  CHECK(gaussian(false) == "bias.visible weight.visible.visible log_precision.visible(fixed) ");
}

TEST_CASE("a preset refuses what is no machine of its kind") {
  CHECK(message_of<ConfigError>([] { make_boltzmann_machine({.num_visible = 3}); }) ==
        "'num_hidden' must be given (at least 1).");
  CHECK(message_of<ConfigError>([] {
          make_boltzmann_machine({.num_visible = 3, .num_hidden = 2, .lateral = {"hiden"}});
        }) == "'lateral' names the layers 'visible' and 'hidden', not 'hiden' (did you mean 'hidden'?).");
  CHECK_THROWS_AS(make_boltzmann_machine({.num_visible = 3, .num_hidden = 2, .lateral = {"hidden", "hidden"}}),
                  ConfigError);
  CHECK_THROWS_AS(make_deep({.num_visible = 3, .num_hidden = {2}}), ConfigError);
  CHECK_THROWS_AS(make_deep({.num_visible = 3, .num_hidden = {2, 1.5}}), ConfigError);
  CHECK_THROWS_AS(make_fully_visible({}), ConfigError);
}
