#include <fstream>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/plugins/builtin/enroll.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace models_presets_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

std::string names(const EnergyModel& model) {
  std::string all;
  for (const ParameterBlock& b : model.parameter_layout().blocks()) all += b.name + (b.learned ? " " : "(fixed) ");
  return all;
}

std::unique_ptr<EnergyModel> make(const Value& spec, Value& effective) {
  Registries registries;
  enroll_builtin(registries);
  return registries.make<EnergyModel>(spec, effective);
}
Value number(std::int64_t n) { return make_value(n); }

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
  CHECK(names(*make_rbm({.num_visible = 3, .num_hidden = 2, .num_labels = 4})) ==
        "bias.visible bias.label bias.hidden weight.visible.hidden weight.label.hidden ");
  CHECK(names(*make_deep({.num_visible = 3, .num_hidden = {2, 4}, .num_labels = 5})) ==
        "bias.visible bias.label bias.hidden1 bias.hidden2 weight.visible.hidden1 weight.hidden1.hidden2 "
        "weight.label.hidden2 ");
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
  CHECK_THROWS_AS(make_rbm({.num_visible = 3, .num_hidden = 2, .num_labels = 1}), ConfigError);
}

TEST_CASE("an RBM has an observed and a latent layer of binary units, and one coupling") {
  Value effective;
  const auto model =
      make(make_table({{"type", make_value("rbm")}, {"num_visible", number(4)}, {"num_hidden", number(3)}}), effective);
  const Layout& layout = model->layout();
  REQUIRE(layout.size() == 2);
  CHECK(layout[layout.find("visible")].size == 4);
  CHECK(layout[layout.find("visible")].role == Role::observed);
  CHECK(layout[layout.find("hidden")].size == 3);
  CHECK(layout[layout.find("hidden")].role == Role::latent);
  for (const Layer& layer : layout.layers()) CHECK(layer.unit->name() == "binary");

  const ParameterLayout& p = model->parameter_layout();
  REQUIRE(p.blocks().size() == 3);
  CHECK(p[0].name == "bias.visible");
  CHECK(p[1].name == "bias.hidden");
  CHECK(p[2].name == "weight.visible.hidden");
  CHECK(p[2].rows == 4);
  CHECK(p[2].cols == 3);
  CHECK(p[2].role == ParameterRole::coupling);
  CHECK(p.size() == 19);
  for (const Real t : model->parameters()) CHECK(t == 0);
  CHECK(model->state_gradient() == nullptr);
  CHECK(model->extension("anything") == nullptr);
  REQUIRE(effective.find("layers") != nullptr);
  CHECK(*effective.find("type") == make_value("layered"));
  CHECK(*std::get<Value::List>(effective.find("layers")->data).at(0).find("units") ==
        make_table({{"type", make_value("binary")}}));
}

TEST_CASE("an RBM without its sizes is refused") {
  const auto refused = [](const Value& spec) {
    return message_of<ConfigError>([&] {
      Value effective;
      make(spec, effective);
    });
  };
  Value spec = make_table({{"type", make_value("rbm")}});
  spec.where = "run.toml:1:1";
  CHECK(refused(spec) ==
        "run.toml:1:1: model 'rbm': 'num_visible' must be given (at least 1) where there is no data to take it from.");
  spec.set("num_visible", number(4));
  CHECK(refused(spec) == "run.toml:1:1: model 'rbm': 'num_hidden' must be given (at least 1).");
  CHECK(message_of<ConfigError>([] { make_rbm({}); }) ==
        "'num_visible' must be given (at least 1) where there is no data to take it from.");
}

TEST_CASE("a mask between layers is of their units, however many columns each has") {
  const ScratchFolder folder;
  const int coupled[3][4] = {{1, 0, 0, 1}, {0, 1, 1, 0}, {1, 0, 1, 0}};
  std::ofstream(folder / "mask.csv") << "1,0,0,1\n0,1,1,0\n1,0,1,0\n";
  for (const Index v : {Index{0}, Index{3}})
    for (const Index h : {Index{0}, Index{2}, Index{3}}) {
      CAPTURE(v);
      CAPTURE(h);
      const auto units = [](Index states) -> std::unique_ptr<UnitType> {
        if (states == 0) return nullptr;
        return std::make_unique<CategoricalUnit>(CategoricalUnit::Options{states});
      };
      RbmOptions options;
      options.num_visible = 3;
      options.num_hidden = 4;
      options.visible_units = units(v);
      options.hidden_units = units(h);
      CouplingMask mask;
      mask.coupling = "visible.hidden";
      mask.matrix = (folder / "mask.csv").string();
      options.masks.push_back(std::move(mask));
      const auto model = make_rbm(std::move(options));
      const ParameterBlock& b = model->parameter_layout()[model->parameter_layout().find("weight.visible.hidden")];
      REQUIRE(b.mask);
      const Index vw = std::max<Index>(v, 1), hw = std::max<Index>(h, 1);
      for (Index i = 0; i < b.rows; ++i)
        for (Index j = 0; j < b.cols; ++j) CHECK(int{(*b.mask)[i * b.cols + j]} == coupled[i / vw][j / hw]);
    }
}

}  // namespace models_presets_test
