// Sizes of observed layers that a [model] table leaves to the data.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/survey.hpp>
#include <harmonium/framework/run/sizes_of_data.hpp>
#include <harmonium/plugins/builtin/components.hpp>

namespace sizes_of_data_test {

using namespace harmonium;

namespace {

/// Two rows of so many bits.
Dataset bits(Index cols) {
  return Dataset({.rows = 2, .cols = cols, .values = std::vector<std::uint8_t>(2 * cols, 1), .shape = {2, cols}},
                 "rows.csv");
}
Dataset labeled(Index cols) { return bits(cols).with_labels({0, 2}, "rows.csv"); }

Value table(const std::string& toml) { return parse_toml(toml, "run.toml"); }

bool open_in(const std::string& toml) { return leaves_sizes(table(toml), builtin_registries()); }
std::string filled(const std::string& toml, const Dataset& rows) {
  return write_toml(with_sizes_of(rows, table(toml), builtin_registries()));
}
std::string refusal_of(const std::string& toml, const Dataset& rows) {
  try {
    filled(toml, rows);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

const std::string categorical = "{ type = 'categorical', num_states = 3 }";

}  // namespace

TEST_CASE("rows of sites by their shape have categorical units where none are named, which is said") {
  const Dataset sites({.rows = 2,
                       .cols = 6,
                       .values = std::vector<std::uint8_t>{1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0},
                       .shape = {2, 2, 3}},
                      "sites");
  REQUIRE(one_hot_states(sites) == 3);
  std::string guess;
  const Value model = with_sizes_of(sites, table("type = 'fully_visible'\n"), builtin_registries(), &guess);
  CHECK(write_toml(model) ==
        write_toml(table("type = 'fully_visible'\nnum_visible = 2\nvisible_units = " + categorical)));
  CHECK(
      guess ==
      "model.visible_units is not set: each row is 2 sites of 3 states, and a site is taken for one categorical unit.");
  // Units that are named, and a size that is, are meant.
  for (const std::string named : {"visible_units = 'binary'\n", "num_visible = 6\n"}) {
    guess.clear();
    const std::string toml = "type = 'fully_visible'\n" + named;
    if (open_in(toml)) with_sizes_of(sites, table(toml), builtin_registries(), &guess);
    CHECK(guess.empty());
  }
}

TEST_CASE("a preset without num_visible has as many visible units as the data have columns") {
  for (const std::string type : {"rbm", "semi_restricted", "boltzmann_machine", "fully_visible", "deep"}) {
    CAPTURE(type);
    const std::string model = "type = '" + type + "'\n";
    CHECK(open_in(model));
    CHECK(filled(model, bits(7)) == write_toml(table(model + "num_visible = 7\n")));
    CHECK(filled(model, labeled(7)) == write_toml(table(model + "num_visible = 7\n")));
    const std::string sites = model + "visible_units = " + categorical + "\n";
    CHECK(filled(sites, bits(12)) == write_toml(table(sites + "num_visible = 4\n")));
    const std::string spins = model + "visible_units = 'spin'\n";
    CHECK(filled(spins, bits(3)) == write_toml(table(spins + "num_visible = 3\n")));
    CHECK(refusal_of(sites, bits(13)) ==
          "run.toml:1:1: model: 'num_visible' is left out, and 13 columns of rows.csv are neither a whole number of "
          "units of 3 columns each, one-hot, nor states from 0 to 2, one column a unit. Give the units the states that "
          "the data have, or take other data.");
  }
}

TEST_CASE("a table with its sizes, or one that its type does not know, is not looked at") {
  CHECK_FALSE(open_in("type = 'rbm'\nnum_visible = 3"));
  CHECK_FALSE(open_in("type = 'rbm'\nnum_hidden = 3\nnum_visable = 3"));
  CHECK_FALSE(open_in("type = 'rmb'\nnum_hidden = 3"));
  CHECK_FALSE(open_in("num_hidden = 3"));
  CHECK_FALSE(open_in("type = 'mixed'\nnum_hidden = 3"));
  CHECK_FALSE(open_in("type = 'layered'"));
}

TEST_CASE("the number of classes may be left to the data in so many words") {
  const std::string model = "type = 'rbm'\nnum_labels = 'data'\n";
  CHECK(open_in(model + "num_visible = 7"));
  CHECK(filled(model, labeled(7)) == write_toml(table("type = 'rbm'\nnum_labels = 3\nnum_visible = 7\n")));
  CHECK(refusal_of(model, bits(7))
            .starts_with(
                "run.toml:2:14: model: the number of classes is to be that of the data, and rows.csv has no labels. "));
}

TEST_CASE("of a list of layers one observed layer may leave its size to the data") {
  const std::string hidden = "[[layers]]\nname = 'h'\nsize = 2\nrole = 'latent'\n",
                    sites = "[[layers]]\nname = 'sites'\nunits = " + categorical + "\n",
                    real = "[[layers]]\nname = 'real'\nunits = 'gaussian'\n", model = "type = 'layered'\n",
                    label = "[[layers]]\nname = 'label'\nunits = " + categorical + "\n";
  CHECK(open_in(model + sites + hidden));
  CHECK(filled(model + sites + hidden, bits(12)) == write_toml(table(model + sites + "size = 4\n" + hidden)));
  // Other observed layers have their columns, but a layer of classes has none of the data's.
  const std::string both = model + hidden + sites + "size = 2\n" + real;
  CHECK(filled(both, bits(11)) == write_toml(table(both + "size = 5\n")));
  const std::string classes = model + label + "size = 1\n" + real;
  CHECK(filled(classes, labeled(11)) == write_toml(table(classes + "size = 11\n")));
  CHECK(filled(model + real + "size = 4\n" + label, labeled(4)) ==
        write_toml(table(model + real + "size = 4\n" + label + "size = 1\n")));
  CHECK(refusal_of(both, bits(6))
            .ends_with("model: layer 'real' has no 'size', and the other observed layers take all 6 columns of "
                       "rows.csv. Give them the "
                       "columns that they have."));
  CHECK_FALSE(open_in(model + sites + real));  // which of them, nothing says
  CHECK_FALSE(open_in(model + "[[layers]]\nname = 'h'\nrole = 'latent'\n"));
  const std::string mixed = "type = 'mixed'\nnum_hidden = 2\n[[observed_layers]]\nname = 'x'\n";
  CHECK(filled(mixed, bits(5)) == write_toml(table(mixed + "size = 5\n")));
}

}  // namespace sizes_of_data_test
