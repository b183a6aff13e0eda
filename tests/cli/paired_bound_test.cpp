// evaluate STACK --against RBM --bound: the bound of the one, the likelihood of the other.
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <harmonium/program/stack/paired_bound.hpp>

#include "files.hpp"
#include "judged.hpp"
#include "stacks.hpp"

namespace paired_bound_test {

using namespace harmonium;
using namespace harmonium::testing;
using nlohmann::json;

namespace {

/// Two machines, the layer between which has more states than are added up.
constexpr const char* stack_file = R"(base = "small.toml"

[[machines]]
"model.num_hidden" = 20
"training.num_epochs" = 40

[[machines]]
"model.num_hidden" = 4
"training.num_epochs" = 20
)";

JudgedModel judged_model(const char* name, std::vector<double> bound, std::vector<double> free_energy, double log_z) {
  JudgedModel model;
  model.rows.model = name;
  RowTable& table = model.rows.judged.table;
  table.row.resize(bound.empty() ? free_energy.size() : bound.size());
  table.bound = std::move(bound);
  table.free_energy = std::move(free_energy);
  model.rows.judged.log_jacobian = {0.0};
  model.found.log_z = log_z;
  return model;
}

/// Sums of -1, -3 and -2 a row at most, by draws, and log Z = 1.
JudgedModel bounded() {
  JudgedModel model = judged_model("deep", {-1.0, -3.0, -2.0}, {}, 1.0);
  model.found.variational_bound = -3.0;
  model.found.bound_error = 0.03 / 1.96;
  return model;
}

/// Sums of -2.5, -3.5 and -3, and log Z = 0.5.
JudgedModel known() {
  JudgedModel model = judged_model("rbm", {}, {2.5, 3.5, 3.0}, 0.5);
  model.found.log_likelihood = -3.5;
  return model;
}

PairedLogZ of_log_z(double difference, double low, double high) {
  PairedLogZ found{.one = 1.0, .other = 0.5, .difference = difference};
  found.interval = {low, high};
  return found;
}

}  // namespace

TEST_CASE("a bound less a likelihood has the error of its rows, and an interval of log Z and of its draws") {
  std::string why_not;
  const auto found = paired_bound(bounded(), known(), of_log_z(0.5, 0.46, 0.54), why_not);
  REQUIRE(found);
  CHECK(found->one == -3.0);
  CHECK(found->other == -3.5);
  CHECK(found->difference == doctest::Approx(0.5).epsilon(1e-12));
  // Differences of 1.5, 0.5 and 1, whose variance is 1/4.
  REQUIRE(found->rows_error);
  CHECK(*found->rows_error == doctest::Approx(std::sqrt(0.25 / 3.0)).epsilon(1e-12));
  REQUIRE(found->interval);  // of 0.04 and 0.03, which are independent
  CHECK(found->interval->low == doctest::Approx(0.45).epsilon(1e-9));
  CHECK(found->interval->high == doctest::Approx(0.55).epsilon(1e-9));
  CHECK(found->one_bounded);
  CHECK(!found->other_bounded);
  CHECK(words_on_bound(*found, "deep", "rbm") ==
        "On these rows the log likelihood of deep is above that of rbm, by 0.4500 nats a row or more (95 %).");
  // The other way round all turns over, and says the same.
  const auto turned = paired_bound(known(), bounded(), of_log_z(-0.5, -0.54, -0.46), why_not);
  REQUIRE(turned);
  CHECK(turned->difference == doctest::Approx(-0.5).epsilon(1e-12));
  CHECK(words_on_bound(*turned, "rbm", "deep") == words_on_bound(*found, "deep", "rbm"));
  // What is known of the difference of log Z alone moves it.
  CHECK(paired_bound(bounded(), known(), of_log_z(0.7, 0.6, 0.8), why_not)->difference ==
        doctest::Approx(0.3).epsilon(1e-12));
}

TEST_CASE("a bound that is below a likelihood, or within its errors, decides nothing, and two bounds bound nothing") {
  std::string why_not;
  JudgedModel deep = bounded();
  deep.found.variational_bound = -3.51;
  const auto words = [&](const JudgedModel& other) {
    const auto found = paired_bound(deep, other, of_log_z(0.5, 0.5, 0.5), why_not);
    REQUIRE(found);
    return words_on_bound(*found, "deep", other.rows.model);
  };
  CHECK(words(known()) ==
        "The bound of deep is within the errors of the log likelihood of rbm: which of the two has the greater "
        "likelihood it does not tell.");
  deep.found.variational_bound = -4.0;
  CHECK(words(known()) ==
        "The bound of deep is below the log likelihood of rbm: which of the two has the greater likelihood it does not "
        "tell.");
  CHECK(words(bounded()).starts_with("Both are lower bounds, "));
  // None of either, and no figure of one.
  CHECK(!paired_bound(known(), known(), of_log_z(0.0, 0.0, 0.0), why_not));
  CHECK(why_not == "the latent units of both models can be summed out, and no bound is needed. Leave --bound out.");
  deep.found.variational_bound.reset();
  deep.found.reasons = {{"free_energy", "Too many."}, {"log_z", "The sides differ."}};
  CHECK(!paired_bound(deep, known(), {}, why_not));
  CHECK(why_not == "deep: The sides differ.");
}

TEST_CASE("a stack that has a bound alone is compared with its first machine, and the bound's line has the interval") {
  const CliFolder folder;
  folder.write("deep.toml", stack_file);
  REQUIRE(stack(folder, {"deep.toml"}).status == 0);
  check_refusal(run(folder, {"evaluate", "deep", "--against", "deep/machine1"}), 2,
                "deep/model.h5: the model has no figure of a single row: * Add --bound to hold its variational bound "
                "against the other model's likelihood.");
  const json part = evaluated(folder, {"deep", "--against", "deep/machine1", "--bound"})["parts"][0];
  const json bound = part["figures"]["variational_bound"];
  CAPTURE(part.dump());
  const json deep = evaluated(folder, {"deep"})["splits"]["training"];
  CHECK(bound["model"].get<double>() == doctest::Approx(deep["variational_bound"].get<double>()).epsilon(1e-9));
  CHECK(bound["against"].get<double>() ==
        doctest::Approx(figure(folder, "deep/machine1", "log_likelihood")).epsilon(1e-9));
  const double difference = bound["difference"];
  CHECK(difference == doctest::Approx(bound["model"].get<double>() - bound["against"].get<double>()).epsilon(1e-9));
  CHECK(bound["interval"][0].get<double>() < difference);
  CHECK(difference < bound["interval"][1].get<double>());
  CHECK(bound["rows_error"].get<double>() > 0.0);
  CHECK(part["bound_says"].is_string());
  CHECK(!part["figures"].contains("log_likelihood"));
  // The bound by itself has an interval too, as log Z is exact by its draws alone.
  const json own = deep["variational_bound_interval"];
  const double width = own[1].get<double>() - own[0].get<double>();
  CHECK(width > 0.0);
  CHECK(bound["interval"][1].get<double>() - bound["interval"][0].get<double>() ==
        doctest::Approx(width).epsilon(1e-6));
  CHECK(like(run(folder, {"evaluate", "deep"}).out,
             "*\nvariational_bound * nats a sample, a lower bound, between -* and -* (95 %)\n*"));

  // Row by row: means of the columns are the figures.
  evaluated(folder, {"deep", "--against", "deep/machine1", "--bound", "--split", "training", "--rows", "pairs.csv"});
  const auto lines = csv_fields(folder / "pairs.csv");
  for (const auto& [column, printed] : {std::pair<std::string, const char*>{"variational_bound", "model"},
                                        {"against_variational_bound", "against"},
                                        {"variational_bound_difference", "difference"}}) {
    const std::string& name = column;
    CAPTURE(name);
    const auto place = static_cast<std::size_t>(std::ranges::find(lines[0], column) - lines[0].begin());
    REQUIRE(place < lines[0].size());
    double mean = 0.0;
    for (std::size_t r = 1; r < lines.size(); ++r)
      mean += std::stod(lines[r].at(place)) / static_cast<double>(lines.size() - 1);
    CHECK(mean == doctest::Approx(bound[printed].get<double>()).epsilon(1e-9));
  }

  const Outcome text = run(folder, {"evaluate", "deep", "--against", "deep/machine1", "--bound"});
  CAPTURE(text.out);
  CHECK(like(text.out,
             "*\nvariational_bound  *  nats a sample, a lower bound of deep, the log likelihood of deep/machine1, "
             "difference between * and * (95 %)\n*"));
  CHECK(text.out.find("No log_likelihood") == std::string::npos);
}

TEST_CASE("a bound of two models is one of rows") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  check_refusal(run(folder, {"evaluate", "m.h5", "--against", "m.h5", "--bound"}), 2,
                "--bound: it is of rows, and --against m.h5 has none to compare on. Add --data FILE, or leave --bound "
                "out.");
  folder.write("rows.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  const Outcome none = run(folder, {"evaluate", "m.h5", "--against", "m.h5", "--bound", "--data", "rows.npy"});
  CHECK(none.status == 0);
  CHECK(none.out.find("No variational_bound: the latent units of both models can be summed out, ") !=
        std::string::npos);
}

}  // namespace paired_bound_test
