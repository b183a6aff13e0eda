#include <harmonium/framework/config/layer_sizes.hpp>

#include <doctest/doctest.h>

#include <harmonium/framework/config/overrides.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>

namespace layer_sizes_test {

using namespace harmonium;

namespace {

/// [model] with the assignment applied, as TOML.
std::string changed(std::string_view layers, const std::string& assignment) {
  Value config = parse_toml("model.type = \"layered\"\nmodel.layers = " + std::string(layers), "run.toml");
  apply_override(config, "model." + assignment);
  return write_toml_value(*config.find("model"));
}

/// The same where the layers are as given in its place.
std::string with(std::string_view layers) { return changed("[]", "layers=" + std::string(layers)); }

std::string message_of(std::string_view layers, const std::string& assignment) {
  try {
    changed(layers, assignment);
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "no error";
}

constexpr std::string_view machine = R"([{name = "visible", size = 9}, {name = "hidden", size = 5}])";
constexpr std::string_view deep = R"([{name = "visible", size = 9}, {name = "hidden1", size = 5}, )"
                                  R"({name = "hidden2", size = 4}])";

}  // namespace

TEST_CASE("a preset's name of a size reaches the layer that the preset stands for") {
  CHECK(changed(machine, "num_hidden=20") == with(R"([{name = "visible", size = 9}, {name = "hidden", size = 20}])"));
  CHECK(changed(machine, "num_visible=16") == with(R"([{name = "visible", size = 16}, {name = "hidden", size = 5}])"));
  CHECK(changed(deep, "num_hidden=[6, 7]") ==
        with(R"([{name = "visible", size = 9}, {name = "hidden1", size = 6}, {name = "hidden2", size = 7}])"));
  // The unit of classes stays one, and its states change.
  CHECK(changed(R"([{name = "label", size = 1, units = {type = "categorical", num_states = 3}}])", "num_labels=10") ==
        with(R"([{name = "label", size = 1, units = {type = "categorical", num_states = 10}}])"));
}

TEST_CASE("a layer without a size has as many units as the shape of its term has sites") {
  const auto sized = [](const std::string& layers, const std::string& terms) {
    const Value model = with_sizes_of_shapes(
        parse_toml("type = \"layered\"\nlayers = " + layers + "\nterms = " + terms + "\n", "run.toml"));
    return write_toml_value(*model.find("layers"));
  };
  const auto listed = [](const std::string& layers) {
    return write_toml_value(*parse_toml("layers = " + layers, "run.toml").find("layers"));
  };
  const std::string plane = R"([{type = "lattice", layer = "s", shape = [4, 5]}])";
  CHECK(sized(R"([{name = "s"}, {name = "h"}])", plane) == listed(R"([{name = "s", size = 20}, {name = "h"}])"));
  CHECK(sized(R"([{name = "s"}])", R"([{type = "lattice", layer = "s", shape = 7}])") ==
        listed(R"([{name = "s", size = 7}])"));
  CHECK(sized(R"([{name = "s"}])", R"([{layer = "s", shape = 7}, {layer = "s", shape = 9}, {layer = "h"}])") ==
        listed(R"([{name = "s", size = 7}])"));
  // A size that is given stays, if only to be refused, and what is no shape is told by its term.
  CHECK(sized(R"([{name = "s", size = 3}])", plane) == listed(R"([{name = "s", size = 3}])"));
  for (const char* shape : {"[4, 0]", "[4, -5]", "[4, 2.5]", "\"4 x 5\"", "[4294967295, 4294967295, 9]"})
    CHECK(sized(R"([{name = "s"}])", std::string(R"([{type = "lattice", layer = "s", shape = )") + shape + "}]") ==
          listed(R"([{name = "s"}])"));
}

TEST_CASE("a model that is no layered one keeps what is set") {
  Value config = parse_toml("model = {type = \"rbm\", num_hidden = 5}", "run.toml");
  apply_override(config, "model.num_hidden=20");
  CHECK(config == parse_toml("model = {type = \"rbm\", num_hidden = 20}", ""));
}

TEST_CASE("a size is placed where it was set, for whoever refuses it") {
  Value config = parse_toml("model.type = \"layered\"\nmodel.layers = " + std::string(machine), "run.toml");
  apply_override(config, "model.num_hidden=20");
  const Value& layers = *config.find("model")->find("layers");
  CHECK(std::get<Value::List>(layers.data)[1].find("size")->where == "--set model.num_hidden=20");
}

TEST_CASE("a size without its layer is refused, with the layers that there are") {
  CHECK(message_of(deep, "num_hidden=20") ==
        "--set model.num_hidden=20: model 'layered': there is no option 'num_hidden', and not one layer 'hidden' whose "
        "size it could be. Its layers are layers[0] 'visible', layers[1] 'hidden1', layers[2] 'hidden2'. Set that of "
        "the one that is meant, as in model.layers[2].size=20.");
  CHECK(
      message_of(machine, "num_labels=3") ==
      "--set model.num_labels=3: model 'layered': there is no option 'num_labels', and not one layer 'label' whose "
      "states it could be. Its layers are layers[0] 'visible', layers[1] 'hidden'. Set that of the one that is meant, "
      "as in model.layers[1].units.num_states=3.");
  CHECK(message_of(deep, "num_hidden=[6]") ==
        "--set model.num_hidden=[6]: model 'layered': 'num_hidden' has 1 size, and there is a layer 'hidden2' besides. "
        "Give one for each hidden layer of layers[0] 'visible', layers[1] 'hidden1', layers[2] 'hidden2'.");
}

}  // namespace layer_sizes_test
