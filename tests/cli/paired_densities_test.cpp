// evaluate A --against B, of columns that are a density of one model and a probability of the other.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/program/paired/density_words.hpp>
#include <harmonium/program/paired/same_columns.hpp>

#include "files.hpp"
#include "judged.hpp"

namespace paired_densities_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// A model, and which of its columns are densities.
RowsOfModel rows_of(const std::string& model, std::vector<std::string> names, std::vector<bool> densities) {
  RowsOfModel rows{model, {}};
  rows.judged.words = "rows";
  rows.judged.columns = names.size();
  rows.judged.column_names = std::move(names);
  rows.judged.densities = std::move(densities);
  return rows;
}

/// The run `name` of a machine of two columns, whose second layer is of `units`.
void train(const ScratchFolder& folder, const std::string& name, const std::string& units) {
  folder.write(name + ".toml",
               "seed = 2\nprecision = \"float64\"\nestimator = \"cd\"\n"
               "data = { type = \"csv\", path = \"k.csv\", scale = 0.5 }\n"
               "training = { num_epochs = 2, batch_size = 12 }\noptimizer = { type = \"sgd\", learning_rate = 1e-3 }\n"
               "[model]\ntype = \"mixed\"\nnum_hidden = 2\nobserved_layers = [{ name = \"real\", size = 1, units = "
               "\"gaussian\" }, { name = \"rest\", size = 1, units = \"" +
                   units + "\" }]\n");
  const Outcome outcome = run(folder, {"train", name + ".toml", "--output", name, "--quiet"});
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
}

}  // namespace

TEST_CASE("columns that are a density of one model and a probability of the other are named") {
  const std::vector<std::string> names{"age", "kids", "rooms", "cars", "dogs", "cats"};
  const auto words = [&](std::vector<bool> one, std::vector<bool> other) {
    const std::vector<std::string> own(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(one.size()));
    return words_on_densities(rows_of("a", own, std::move(one)), rows_of("b", own, std::move(other)));
  };
  CHECK(words({true, false}, {true, false}) == "");
  CHECK(words({true, true}, {true, false}) ==
        "'kids' is a density under a and a probability under b: a difference of log likelihoods compares these at a "
        "width of 1 of the column's unit.");
  CHECK(words({false, true, true}, {true, false, false}) ==
        "'kids' and 'rooms' are densities under a and probabilities under b: a difference of log likelihoods compares "
        "these at a width of 1 of each column's unit. 'age' is a density under b and a probability under a: a "
        "difference of log likelihoods compares these at a width of 1 of the column's unit.");
  CHECK(words({false, true, true, true, true, true}, {false, false, false, false, false, false}) ==
        "'kids', 'rooms', 'cars' and 2 more are densities under a and probabilities under b: a difference of log "
        "likelihoods compares these at a width of 1 of each column's unit.");
  CHECK(words({true, true, true, true, true}, {false, false, false, false, false})
            .starts_with("all 5 columns are densities under a and probabilities under b: "));
}

TEST_CASE("columns are those of one name, whatever their order, and by place where names do not tell") {
  const auto places = [](const std::vector<std::string>& one, const std::vector<std::string>& other) {
    std::vector<Index> found;
    for (const SameColumn& column : same_columns(rows_of("a", one, std::vector<bool>(one.size())),
                                                 rows_of("b", other, std::vector<bool>(other.size())), "--against b"))
      found.push_back(column.other.first);
    return found;
  };
  CHECK(places({"age", "kids", "city"}, {"city", "age", "kids"}) == std::vector<Index>{1, 2, 0});
  CHECK(places({"x[0]", "x[1]"}, {"y[0]", "y[1]"}) == std::vector<Index>{0, 1});
  CHECK(places({"age", "kids"}, {"kids", "rooms"}) == std::vector<Index>{0, 1});
  CHECK(places({"x", "x"}, {"x", "x"}) == std::vector<Index>{0, 1});
  // Of words there is a number for each.
  CHECK(places({"age", "kids"}, {"kids=0", "kids=1", "kids=2", "age"}) == std::vector<Index>{3, 0});
  CHECK(places({"city=Lima", "city=Oslo", "age"}, {"age", "city=Lima", "city=Oslo", "city=Rome"}) ==
        std::vector<Index>{1, 0});
  CHECK_THROWS_WITH_AS(
      places({"age", "kids"}, {"age", "rooms=0", "rooms=1"}),
      "--against b: b makes 3 numbers of a row of rows, and a makes 2, 'kids' of a alone, 'rooms=0' of b "
      "alone: they were trained on other columns, and likelihoods of other things have no difference. Train both on "
      "the "
      "same columns.",
      DataError);
  const RowsOfModel one = rows_of("a", {"age", "kids"}, {true, true}),
                    other = rows_of("b", {"kids", "age"}, {false, true});
  CHECK(words_on_densities(one, other).starts_with("'kids' is a density under a and a probability under b: "));
  CHECK(words_on_densities(other, one).starts_with("'kids' is a density under a and a probability under b: "));
}

TEST_CASE(
    "models of a table that take a column for other kinds have their columns in another order, and are compared") {
  const ScratchFolder folder;
  std::string text = "kids,age,smoker\n";
  for (int r = 0; r < 60; ++r)
    text += fmt::format("{},{},{}\n", r * r % 7, 0.5 * (r % 11) + 0.01 * r, r % 3 == 0 ? 1 : 0);
  folder.write("t.csv", text);
  for (const std::string kind : {"real", "count", "categorical"}) {
    const Outcome made = run(folder, {"init", "t.csv", "--output", kind + ".toml", "--quiet", "--set",
                                      "data.kinds=[{column=\"kids\",kind=\"" + kind + "\"}]"});
    REQUIRE_MESSAGE(made.status == 0, made.err);
    const Outcome outcome = run(folder, {"train", kind + ".toml", "--output", kind, "--quiet", "--set",
                                         "training.num_epochs=1", "--set", "model.num_hidden=2"});
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  }
  const auto part =
      evaluated(folder, {"real", "--against", "count", "--split", "training", "--rows", "pairs.csv"})["parts"][0];
  CHECK(part["densities_say"].get<std::string>().starts_with(
      "'kids' is a density under real and a probability under count: "));
  CHECK(part["figures"]["log_likelihood"]["difference"].is_number());
  CHECK(csv_fields(folder / "pairs.csv").size() == part["num_samples"].get<std::size_t>() + 1);
  // Words that are numbers have probabilities, as counts have.
  const auto of_words = evaluated(folder, {"count", "--against", "categorical", "--split", "training"})["parts"][0];
  CHECK(of_words["densities_say"].is_null());
  const auto likelihood = [&](const char* name) {
    return evaluated(folder, {name, "--split", "training"})["log_likelihood"].get<double>();
  };
  CHECK(of_words["figures"]["log_likelihood"]["difference"].get<double>() ==
        doctest::Approx(likelihood("count") - likelihood("categorical")).epsilon(1e-6));
  CHECK(evaluated(folder, {"categorical", "--against", "real", "--split", "training"})["parts"][0]["densities_say"]
            .get<std::string>()
            .starts_with("'kids' is a density under real and a probability under categorical: "));
}

TEST_CASE("evaluate --against says which columns are a density of one model and a probability of the other") {
  const ScratchFolder folder;
  std::string text = "age,kids\n";
  for (int r = 0; r < 24; ++r) text += fmt::format("{},{}\n", 0.5 * (r % 5), 2 * (r * r % 3));
  folder.write("k.csv", text);
  train(folder, "real", "gaussian");
  train(folder, "counts", "poisson");
  const std::string said =
      "'kids' is a density under real and a probability under counts: a difference of log likelihoods compares these "
      "at a width of 1 of the column's unit.";
  const auto parts = evaluated(folder, {"real", "--against", "counts"})["parts"];
  CHECK(parts[0]["densities_say"] == said);
  CHECK(evaluated(folder, {"real", "--against", "real"})["parts"][0]["densities_say"].is_null());
  const std::string printed = run(folder, {"evaluate", "real", "--against", "counts"}).out;
  CHECK(printed.find("'kids' is a density under real and a probability under counts: ") != std::string::npos);
}

}  // namespace paired_densities_test
