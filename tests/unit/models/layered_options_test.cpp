// Layered models as a configuration describes them, and the presets that stand for such tables.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace layered_options_test {

using namespace harmonium;

namespace {

struct Made {
  std::unique_ptr<EnergyModel> model;
  Value effective;
};

Made make_from(const std::string& toml) {
  Made made;
  made.model = builtin_registries().make<EnergyModel>(parse_toml(toml, "test"), made.effective);
  return made;
}

std::string refusal(const std::string& toml) {
  try {
    make_from(toml);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

/// "visible: 4 binary observed | bias.visible 4 x 1 learned, …"
std::string anatomy(const EnergyModel& model) {
  std::string text;
  for (const Layer& l : model.layout().layers())
    text += fmt::format("{}: {} {} of {}, {} | ", l.name, l.size, l.unit->name(), l.unit->width(),
                        l.role == Role::latent ? "latent" : "observed");
  for (const ParameterBlock& b : model.parameter_layout().blocks())
    text += fmt::format("{} {} x {}{} at {}, ", b.name, b.rows, b.cols, b.learned ? "" : " fixed", b.offset);
  return text;
}

const std::string two_layers = R"(type = "layered"
[[layers]]
name = "visible"
size = 3
[[layers]]
name = "hidden"
size = 2
role = "latent"
)";

}  // namespace

TEST_CASE("a preset stands for a table of layers and terms, which makes the model that it makes in code") {
  const std::string labels = "num_labels = 3\n", gaussian = "visible_units = 'gaussian'\nlearn_precision = true\n";
  const auto gaussian_unit = [] { return std::make_unique<GaussianUnit>(); };
  const auto check = [](const std::string& toml, const EnergyModel& in_code) {
    const Made made = make_from(toml);
    CHECK(*made.effective.find("type") == make_value("layered"));
    CHECK(anatomy(*made.model) == anatomy(in_code));
    // The table that it stands for makes it again, and stands for itself.
    const Made again = make_from(write_toml(made.effective));
    CHECK(anatomy(*again.model) == anatomy(in_code));
    CHECK(again.effective == made.effective);
  };
  const std::string sizes = "num_visible = 4\nnum_hidden = 3\n";
  check("type = 'rbm'\n" + sizes, *make_rbm({.num_visible = 4, .num_hidden = 3}));
  check("type = 'rbm'\n" + sizes + labels, *make_rbm({.num_visible = 4, .num_hidden = 3, .num_labels = 3}));
  check("type = 'rbm'\n" + sizes + gaussian,
        *make_rbm({.num_visible = 4, .num_hidden = 3, .visible_units = gaussian_unit(), .learn_precision = true}));
  check("type = 'semi_restricted'\n" + sizes, *make_semi_restricted({.num_visible = 4, .num_hidden = 3}));
  check("type = 'boltzmann_machine'\n" + sizes, *make_boltzmann_machine({.num_visible = 4, .num_hidden = 3}));
  check("type = 'boltzmann_machine'\nlateral = ['hidden']\n" + sizes + labels,
        *make_boltzmann_machine({.num_visible = 4, .num_hidden = 3, .lateral = {"hidden"}, .num_labels = 3}));
  check("type = 'fully_visible'\nnum_visible = 4\nvisible_units = 'gaussian'\n",
        *make_fully_visible({.num_visible = 4, .visible_units = gaussian_unit()}));
  check("type = 'deep'\nnum_visible = 4\nnum_hidden = [3, 2]\n" + labels,
        *make_deep({.num_visible = 4, .num_hidden = {3, 2}, .num_labels = 3}));
}

TEST_CASE("biases and precisions are there unless taken away or given") {
  CHECK(make_from(two_layers).model->formula() == "- sum_i b_i visible_i - sum_i b_i hidden_i");
  CHECK(make_from(two_layers + "bias = false\n").model->formula() == "- sum_i b_i visible_i");
  CHECK(make_from(two_layers + "[[terms]]\ntype = 'bias'\nlayer = 'visible'\n").model->formula() ==
        "- sum_i b_i hidden_i - sum_i b_i visible_i");
  const std::string gaussian = two_layers + "units = 'gaussian'\n";
  const auto learned = [](const std::string& toml) {
    const Made made = make_from(toml);
    const ParameterLayout& parameters = made.model->parameter_layout();
    return parameters[parameters.find("log_precision.hidden")].learned;
  };
  CHECK_FALSE(learned(gaussian));
  CHECK(learned(gaussian + "learn_precision = true\n"));
  const std::string own = "[[terms]]\ntype = 'precision'\nlayer = 'hidden'\nlearned = true\n";
  CHECK(learned(gaussian + own));
  CHECK(
      refusal(gaussian + "learn_precision = true\n" + own) ==
      "test:1:1: model 'layered': layer 'hidden' is to learn its precision, but has a term 'precision' of its own. Say "
      "it there: learned = true.");
}

TEST_CASE("units of several levels have a crystal field, which is learned unless the term says that it is not") {
  const std::string levels = two_layers + "units = 'levels'\n";
  const auto learned = [](const std::string& toml) {
    const Made made = make_from(toml);
    const ParameterLayout& parameters = made.model->parameter_layout();
    CHECK(made.model->formula() == "- sum_i b_i visible_i - sum_i b_i hidden_i + sum_i D_i hidden_i^2");
    CHECK(*make_from(write_toml(made.effective)).effective.find("layers") == *made.effective.find("layers"));
    return parameters[parameters.find("crystal_field.hidden")].learned;
  };
  CHECK(learned(levels));
  CHECK_FALSE(learned(levels + "[[terms]]\ntype = 'crystal_field'\nlayer = 'hidden'\nlearned = false\n"));
  CHECK(refusal(levels + "learn_precision = true\n").find("levels, which have no precision") != std::string::npos);
  CHECK(refusal(two_layers + "units = {type = 'levels', num_states = 2}\n").find("'num_states'") != std::string::npos);
}

TEST_CASE("couplings name their layers in any order, and the model has the energy that its formula says") {
  const Made made = make_from(two_layers + R"([[terms]]
type = "coupling"
layers = ["hidden", "visible"]
[[terms]]
type = "lateral"
layer = "visible"
)");
  CHECK(made.model->formula() ==
        "- sum_i b_i visible_i - sum_i b_i hidden_i - sum_ij w_ij visible_i hidden_j - sum_{i<j} w_ij visible_i "
        "visible_j");
  CHECK(made.model->parameter_layout().find("weight.visible.hidden") == 2);
}

TEST_CASE("layers and terms that make no model are refused with their place and a remedy") {
  CHECK(refusal("type = 'layered'\n") ==
        "test:1:1: model 'layered': 'layers' must be given: one table [[model.layers]] for each layer.");
  CHECK(refusal(two_layers + "[[layers]]\nsize = 2\n").ends_with("'name' must be given, such as \"visible\"."));
  CHECK(refusal(two_layers + "[[layers]]\nname = 'a.b'\nsize = 2\n").find("'a.b' has a dot") != std::string::npos);
  CHECK(refusal(two_layers + "[[layers]]\nname = 'more'\n")
            .ends_with("'size' of layer 'more' must be given (at least 1)."));
  CHECK(refusal(two_layers + "[[layers]]\nname = 'hidden'\nsize = 1\n")
            .ends_with("two layers are called 'hidden'. Rename one."));
  CHECK(refusal(two_layers + "learn_precision = true\n").find("binary, which have no precision") != std::string::npos);
  CHECK(refusal(two_layers + "[[terms]]\ntype = 'coupling'\nlayers = ['visible', 'hiden']\n") ==
        "test:1:1: model 'layered': option 'terms[0]': the model has no layer 'hiden'. Its layers: visible, hidden.");
  CHECK(refusal(two_layers + "[[terms]]\ntype = 'coupling'\nlayers = ['visible', 'visible']\n")
            .ends_with("take 'lateral'."));
  CHECK(refusal(two_layers + "[[terms]]\ntype = 'coupling'\nlayers = ['visible']\n")
            .find("term 'coupling': 'layers' must name the two layers that are coupled") != std::string::npos);
  CHECK(refusal(two_layers + "[[terms]]\ntype = 'copling'\n").find("(did you mean 'coupling'?)") != std::string::npos);
  CHECK(refusal(two_layers +
                "[[terms]]\ntype = 'lateral'\nlayer = 'visible'\n[[terms]]\ntype = 'lateral'\nlayer = 'visible'\n")
            .ends_with("two terms have the tensor 'weight.visible.visible'. Remove one of them."));
  CHECK(refusal(two_layers + "[[terms]]\ntype = 'precision'\nlayer = 'hidden'\n").find("have no precision") !=
        std::string::npos);
  const std::string lattice = "[[terms]]\ntype = 'lattice'\nlayer = 'visible'\n";
  CHECK(refusal(two_layers + "[[terms]]\ntype = 'lateral'\nlayer = 'hidden'\n" + lattice + "shape = [2, 2]\n") ==
        "test:1:1: model 'layered': option 'terms[1]': term 'lattice': 'shape' is 2 x 2, 4 sites, and layer 'visible' "
        "has 3 units.");
  CHECK(refusal(two_layers + lattice + "shape = [3]\noffsets = ['3']\n").find("option 'terms[0]': term 'lattice': ") !=
        std::string::npos);
  for (const char* name : {"a b", "a\\nb", "a\\\"b", "a\\\\b", "a/b", "a,b", "a\\u001bb"})
    CHECK(refusal(two_layers + "[[layers]]\nname = \"" + name + "\"\nsize = 2\n")
              .find("which names of tensors cannot have") != std::string::npos);
  CHECK(refusal(two_layers + "bias = false\n[[terms]]\ntype = 'bias'\nlayer = 'hidden'\n")
            .ends_with("layer 'hidden' is to have no bias, but has a term 'bias'. Remove one of the two."));
  CHECK(refusal(two_layers + "[[terms]]\ntype = 'lateral'\n").find("term 'lateral': 'layer' must be given") !=
        std::string::npos);
  CHECK(refusal(two_layers + "[[layers]]\nname = 'huge'\nsize = 4611686018427387905\nunits = {type = 'categorical', "
                             "num_states = 4}\n")
            .find("is larger than any memory") != std::string::npos);
  CHECK(refusal("terms = {}\n" + two_layers)
            .ends_with("'terms' must be a list of tables, not a table (write [[terms]])."));
  CHECK(refusal("type = 'layered'\nlayers = [{name = 'a', size = 1, role = 'latent'}]\n")
            .ends_with("no layer is observed, and a model needs at least one that is. Give it the role observed."));
}

}  // namespace layered_options_test
