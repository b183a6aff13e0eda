#include <harmonium/framework/run/model_file.hpp>

#include <doctest/doctest.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/tests/support/runs.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace model_file_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE("a model is saved under the configuration that it was made from, and no other") {
  const ScratchFolder folder;
  const auto model = make_rbm({.num_visible = 3, .num_hidden = 2});
  const auto saved = [&](const std::string& toml) -> std::string {
    try {
      save_model(folder / "m.h5", *model, parse_toml(toml, "c.toml"), builtin());
      return "";
    } catch (const ConfigError& error) {
      CHECK_FALSE(std::filesystem::exists(folder / "m.h5"));
      return error.what();
    }
  };
  const std::string start = "precision = \"float64\"\n[model]\ntype = \"rbm\"\nnum_visible = 3\n";
  const std::string is =
      "The model: visible: 3 binary, hidden: 2 binary; bias.visible (3), bias.hidden (2), weight.visible.hidden (3, "
      "2). "
      "Give the configuration that the model was made from.";
  const std::string other =
      "save_model: the configuration makes another model than the one to be written. Its [model]: ";
  CHECK(saved(start + "num_hidden = 4\n") ==
        other +
            "visible: 3 binary, hidden: 4 binary; bias.visible (3), bias.hidden (4), weight.visible.hidden (3, 4). " +
            is);
  // Tensors alike, and units of another kind.
  CHECK(saved(start + "num_hidden = 2\nvisible_units = \"spin\"\n") ==
        other + "visible: 3 spin, hidden: 2 binary; bias.visible (3), bias.hidden (2), weight.visible.hidden (3, 2). " +
            is);
  CHECK(saved("[model]\ntype = \"rbm\"\nnum_visible = 3\nnum_hidden = 2\n") ==
        "save_model: the configuration's precision is float32, and the model's float64. Set precision.");
  CHECK(saved("precision = \"float64\"\n") == "save_model: the configuration has no table [model].");

  CHECK(saved(start + "num_hidden = 2\n") == "");
  const auto again = load_model(folder / "m.h5", read_model_header(folder / "m.h5"), builtin());
  CHECK(again->parameter_layout().size() == model->parameter_layout().size());
}

}  // namespace model_file_test
