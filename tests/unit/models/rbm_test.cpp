#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/models/rbm.hpp>
#include <harmonium/plugins/builtin/enroll.hpp>
#include <harmonium/tests/support/scratch.hpp>

using namespace harmonium;
using namespace harmonium::testing;

namespace {

std::unique_ptr<EnergyModel> make(Value spec, Value& effective) {
  Registries registries;
  enroll_builtin(registries);
  return registries.make<EnergyModel>(spec, effective);
}
Value number(std::int64_t n) { return make_value(n); }

}  // namespace

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
  CHECK(*effective.find("visible_units") == make_table({{"type", make_value("binary")}}));
}

TEST_CASE("an RBM without its sizes is refused") {
  const auto refused = [](Value spec) {
    return message_of<ConfigError>([&] {
      Value effective;
      make(std::move(spec), effective);
    });
  };
  Value spec = make_table({{"type", make_value("rbm")}});
  spec.where = "run.toml:1:1";
  CHECK(refused(spec) ==
        "run.toml:1:1: model 'rbm': 'num_visible' must be given (at least 1): the number of columns of the data.");
  spec.set("num_visible", number(4));
  CHECK(refused(spec) == "run.toml:1:1: model 'rbm': 'num_hidden' must be given (at least 1).");
  CHECK(message_of<ConfigError>([] { make_rbm({}); }) ==
        "'num_visible' must be given (at least 1): the number of columns of the data.");
}
