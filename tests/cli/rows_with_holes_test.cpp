// Likelihoods of rows of which entries are missing, and of machines whose latent units are coupled.
#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "files.hpp"
#include "judged.hpp"

namespace rows_with_holes_test {

using namespace harmonium::testing;

namespace {

constexpr double hole = std::numeric_limits<double>::quiet_NaN();

double log_likelihood(const ScratchFolder& folder, const std::vector<double>& row) {
  folder.write("row.npy", npy_bytes(1, row.size(), row));
  return judged(folder, {"--data", "row.npy"})["log_likelihood"];
}

double log_sum(double a, double b) { return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b))); }

}  // namespace

TEST_CASE("the likelihood of rows with holes is that of what was seen, exactly where holes are few") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  // One row is complete, one lacks its first entry, one all but the last.
  folder.write("d.npy", npy_bytes(3, 3, {1, 0, 1, hole, 1, 0, hole, hole, 1}));
  const std::vector<double> rows{
      log_likelihood(folder, {1, 0, 1}), log_sum(log_likelihood(folder, {0, 1, 0}), log_likelihood(folder, {1, 1, 0})),
      log_sum(log_sum(log_likelihood(folder, {0, 0, 1}), log_likelihood(folder, {1, 0, 1})),
              log_sum(log_likelihood(folder, {0, 1, 1}), log_likelihood(folder, {1, 1, 1})))};
  const double mean = (rows[0] + rows[1] + rows[2]) / 3.0;
  double variance = 0.0;
  for (const double l : rows) variance += (l - mean) * (l - mean) / 2.0;
  const auto found = judged(folder, {"--data", "d.npy", "--set", "data.missing=nan"});
  CAPTURE(found.dump());
  CHECK(found["agree"] == true);
  CHECK(found["num_samples"] == 3);
  CHECK(std::abs(found["log_likelihood"].get<double>() - mean) < 1e-12);
  CHECK(found["log_likelihood_interval"][0] == found["log_likelihood"]);
  CHECK(std::abs(found["rows_error"].get<double>() - std::sqrt(variance / 3.0)) < 1e-12);
  CHECK(found["pseudo_log_likelihood"].is_null());
  CHECK(found["reasons"]["pseudo_log_likelihood"] == "entries of the data are missing.");
  CHECK(found["reasons"]["reconstruction_error"] == "entries of the data are missing.");
  CHECK(found["reasons"]["accuracy"] == "the model has no observed layer 'label' of one unit, or no free energy.");
}

TEST_CASE("rows that lack real numbers are exact where there are few latent units") {
  const ScratchFolder folder;
  folder.write("d.csv", "0.5,1\n-1,-0.5\n0.2,0.1\n1.5,2\n");
  folder.write("c.toml",
               "precision = \"float64\"\n[data]\ntype = \"csv\"\npath = \"d.csv\"\n[model]\ntype = \"rbm\"\n"
               "num_visible = 2\nnum_hidden = 2\nvisible_units = \"gaussian\"\n[estimator]\ntype = \"pcd\"\n"
               "[training]\nnum_epochs = 50\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run"}).status == 0);
  std::filesystem::copy_file(folder / "run/model.h5", folder / "m.h5");
  // The second entry integrated over by the trapezoid rule, which is exact but for rounding: units have the precision 1.
  constexpr double step = 0.25;
  const auto integrated = [&](double first) {
    std::vector<double> rows;
    for (double x = -12.0; x <= 12.0; x += step) rows.insert(rows.end(), {first, x});
    folder.write("grid.npy", npy_bytes(rows.size() / 2, 2, rows));
    judged(folder, {"--data", "grid.npy", "--rows", "r.csv"}, "*");
    std::istringstream lines(content_of(folder / "r.csv"));
    std::string line;
    REQUIRE(std::getline(lines, line));
    REQUIRE(line.starts_with("row,log_likelihood,"));
    double sum = 0.0;
    while (std::getline(lines, line)) sum += step * std::exp(std::stod(line.substr(line.find(',') + 1)));
    return std::log(sum);
  };
  folder.write("h.npy", npy_bytes(2, 2, {0.7, hole, -1.3, hole}));
  const auto found = judged(folder, {"--data", "h.npy:missing=nan_columns"}, "*");
  CAPTURE(found.dump());
  // A column that no row was seen of is nothing that a trained model would learn of: it may be told as other holes are.
  CHECK(judged(folder, {"--data", "h.npy:missing=nan"}, "*")["log_likelihood"] == found["log_likelihood"]);
  const double a = integrated(0.7), b = integrated(-1.3);
  CHECK(found["agree"] == true);
  CHECK(std::abs(found["log_likelihood"].get<double>() - 0.5 * (a + b)) < 1e-10);
  CHECK(found["log_likelihood_interval"][0] == found["log_likelihood"]);
  CHECK(std::abs(found["rows_error"].get<double>() - 0.5 * std::abs(a - b)) < 1e-10);
}

TEST_CASE("rows with more than 16 missing bits and 16 latent units are annealed, beside those that are summed") {
  const ScratchFolder folder;
  folder.write("c.toml",
               "seed = 2\nprecision = \"float64\"\n[data]\ntype = \"bars_and_stripes\"\nside = 5\n[model]\ntype = "
               "\"rbm\"\nnum_visible = 25\nnum_hidden = 17\n[estimator]\ntype = \"pcd\"\n[training]\n"
               "num_epochs = 20\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run"}).status == 0);
  std::filesystem::copy_file(folder / "run/model.h5", folder / "m.h5");
  const auto row = [](std::size_t holes, double a, double b) {
    std::vector<double> values(25, 1.0);
    std::fill_n(values.begin(), holes, hole);
    values[16] = a;
    values[17] = b;
    return values;
  };
  const auto of = [&](const std::vector<std::vector<double>>& rows, Words options) {
    std::vector<double> all;
    for (const auto& r : rows) all.insert(all.end(), r.begin(), r.end());
    folder.write("rows.npy", npy_bytes(rows.size(), 25, all));
    options.insert(options.begin(), {"--data", "rows.npy:missing=nan_columns"});
    return judged(folder, options, "*");
  };
  // 18 holes are the four ways to fill in two of them, with 16 holes each.
  double hard = -std::numeric_limits<double>::infinity();
  for (const double a : {0.0, 1.0})
    for (const double b : {0.0, 1.0}) hard = log_sum(hard, of({row(16, a, b)}, {})["log_likelihood"]);
  const double easy = of({row(3, 0, 1)}, {})["log_likelihood"], exact = 0.5 * (hard + easy);
  const auto found = of({row(3, 0, 1), row(18, hole, hole)}, {"--log-z", "ais", "--seed", "2"});
  CAPTURE(found.dump());
  REQUIRE(found["agree"] == true);
  const double low = found["log_likelihood_interval"][0], high = found["log_likelihood_interval"][1];
  CHECK(high - low < 0.3);
  // Two intervals of 95 % added up: missed once in thousands; that seed is none.
  CHECK(low <= exact);
  CHECK(exact <= high);
  CHECK(low <= found["log_likelihood"].get<double>());
  CHECK(found["free_energy_interval"][0] <= found["free_energy"]);
  CHECK(found["free_energy"] <= found["free_energy_interval"][1]);
  CHECK(found["rows_error"].is_null());

  // Without annealing there is a reason, and log Z all the same.
  const auto bare = of({row(3, 0, 1), row(18, hole, hole)}, {"--log-z", "exact"});
  CHECK(bare["log_z"].is_number());
  CHECK(bare["free_energy"].is_null());
  CHECK(bare["reasons"]["free_energy"] ==
        "entries are missing in 2 rows: this way to log Z has none of rows of which units are held. Take 'ais'.");
  CHECK(bare["reasons"]["log_likelihood"] == "it takes the free energy, which is absent too.");
  // Left to itself, log Z is exact and the row is annealed.
  const auto both = of({row(3, 0, 1), row(18, hole, hole)}, {"--seed", "2"});
  CHECK(both["log_z"] == bare["log_z"]);
  CHECK(both["free_energy"] == found["free_energy"]);
  CHECK(both["agree"] == true);
}

TEST_CASE("classes are told of rows with holes, and runs follow their likelihoods") {
  const ScratchFolder folder;
  folder.write("d.csv", "a,b,c,kind\n0,1,,0\n1,,1,1\n0,0,1,0\n1,1,1,1\n,1,0,0\n1,0,,1\n");
  folder.write("c.toml",
               "precision = \"float64\"\n[data]\ntype = \"csv\"\npath = \"d.csv\"\nmissing = \"nan\"\n"
               "label_column = \"kind\"\n[model]\ntype = \"rbm\"\nnum_visible = 3\nnum_hidden = 2\nnum_labels = 2\n"
               "[estimator]\ntype = \"pcd\"\n[training]\nnum_epochs = 20\nbatch_size = 6\n[[observers]]\ntype = "
               "\"log_likelihood\"\nevery = 1\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run"}).status == 0);
  const Outcome told = run(folder, {"evaluate", "run", "--json"});
  REQUIRE(told.status == 0);
  const auto training = nlohmann::json::parse(told.out)["splits"]["training"];
  CAPTURE(training.dump());
  CHECK(training["label_log_likelihood"].get<double>() < 0.0);
  CHECK(training["accuracy"].is_number());
  const auto final = nlohmann::json::parse(content_of(folder / "run/final.jsonl"));
  CHECK(std::abs(final["log_likelihood"].get<double>() - training["log_likelihood"].get<double>()) < 1e-12);
  const std::string metrics = content_of(folder / "run/metrics.jsonl");
  const auto last = nlohmann::json::parse(metrics.substr(metrics.rfind('\n', metrics.size() - 2) + 1));
  CAPTURE(last.dump());
  CHECK(std::abs(last["log_likelihood"].get<double>() - training["log_likelihood"].get<double>()) < 1e-12);
}

TEST_CASE(
    "an observer that cannot sum over what rows lack is left out, and says where it stands and how few units do") {
  const ScratchFolder folder;
  folder.write("d.csv", std::string("1") + std::string(17, ',') + "\n0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1\n");
  const auto left_out = [&](const std::string& observers, const std::string& model, const std::string& end) {
    folder.write("c.toml",
                 "data = { type = \"csv\", path = \"d.csv\", missing = \"nan\" }\nestimator = { type = \"pcd\" }\n"
                 "training = { num_epochs = 1, batch_size = 2 }\n" +
                     observers + "\n" + model);
    const Outcome outcome = run(folder, {"train", "c.toml", "--output", "run", "--overwrite"});
    CAPTURE(outcome.err);
    CHECK(outcome.status == 0);
    const std::string told =
        "observer 'log_likelihood': what a row lacks is a real number, or can be filled in in more than 65536 ways, "
        "and " +
        end;
    CHECK(like(outcome.err, "*harmonium: note: c.toml:*: " + told + " It is left out.\n*"));
    CHECK(like(run(folder, {"explain", "c.toml"}).out, "*log_likelihood is not measured: *"));
    CHECK(content_of(folder / "run/config.toml").find("\"log_likelihood\"") == std::string::npos);
    // What goes by it has nothing to go by.
    const Outcome followed =
        run(folder, {"train", "c.toml", "--output", "new", "--set", "training.keep_best=\"log_likelihood\""});
    check_refusal(followed, 2, "*log_likelihood*" + told + " It is left out.");
  };
  const auto taken = [&](const Words& more) {
    Words words{"train", "c.toml", "--output", "run", "--overwrite", "--quiet"};
    for (const std::string& setting : more) words.insert(words.end(), {"--set", setting});
    return run(folder, words).status == 0;
  };
  const std::string alone = "observers = [\"log_likelihood\"]",
                    second = "observers = [\"acceptance\", { type = \"log_likelihood\", every = 1 }]",
                    estimated = "'harmonium evaluate RUN', which estimates their sums.";
  // Units of three states are fewer: 3^10 < 2^16 < 3^11.
  left_out(
      alone,
      "model = { type = \"rbm\", num_visible = 18, num_hidden = 11, hidden_units = { type = \"categorical\", "
      "num_states = 3 } }\n",
      "the 11 units of layer 'hidden' have more states than that. Give it at most 10 units, or leave such rows to " +
          estimated);
  CHECK(taken({"model.num_hidden=10"}));
  CHECK(content_of(folder / "run/config.toml").find("\"log_likelihood\"") != std::string::npos);
  // Of several the others are kept.
  std::string layers = "[model]\ntype = \"layered\"\n[[model.layers]]\nname = \"visible\"\nsize = 18\n";
  for (const char* layer : {"name = \"a\"\nsize = 10", "name = \"b\"\nsize = 9"})
    layers += std::string("[[model.layers]]\n") + layer + "\nrole = \"latent\"\n";
  for (const char* other : {"a", "b"})
    layers += fmt::format("[[model.terms]]\ntype = \"coupling\"\nlayers = [\"visible\", \"{}\"]\n", other);
  left_out(second, layers,
           "the latent units given which the observed ones are independent have 2^19 states. Give their layers so few "
           "units that these are 2^16, or leave such rows to " +
               estimated);
  CHECK(content_of(folder / "run/config.toml").find("\"acceptance\"") != std::string::npos);
  CHECK(taken({"model.layers[2].size=6"}));
  left_out(
      alone, "model = { type = \"fully_visible\", num_visible = 18 }\n",
      "there are no latent units of finitely many states given which the observed units are independent. Such rows "
      "are left to " +
          estimated);
  // What no rows could give it is a mistake as ever.
  check_refusal(run(folder, {"train", "c.toml", "--output", "new", "--set", "observers=[\"loss\"]"}), 2,
                "*observer 'loss': *");
}

TEST_CASE("classes are told of the rows for which they can be, and how many these are is said") {
  const ScratchFolder folder;
  const std::string header = "a,b,kind\n", whole = "0.5,1,x\n-1,-0.5,y\n0.2,0.1,x\n1.5,2,y\n";
  folder.write("whole.csv", header + whole);
  folder.write("holes.csv", header + ",1,y\n" + whole + "0.3,,x\n");
  folder.write("lacking.csv", header + ",1,y\n0.3,,x\n");
  folder.write("c.toml",
               "precision = \"float64\"\n[data]\ntype = \"csv\"\npath = \"whole.csv\"\nlabel_column = \"kind\"\n"
               "missing = \"nan\"\n[model]\ntype = \"rbm\"\nnum_visible = 2\nnum_hidden = 17\nnum_labels = 2\n"
               "visible_units = \"gaussian\"\n[estimator]\ntype = \"pcd\"\n[training]\nnum_epochs = 20\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run"}).status == 0);
  const auto told = [&](const std::string& rows) {
    const Outcome outcome = run(folder, {"evaluate", "run", "--data", rows, "--log-z", "exact", "--json"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out);
  };
  // What lacks a real number takes a sum over 2^17 latent states, and there is none.
  const auto complete = told("whole.csv"), some = told("holes.csv"), none = told("lacking.csv");
  CAPTURE(some.dump());
  CHECK(complete["num_classified"] == 4);
  CHECK(some["num_samples"] == 6);
  CHECK(some["num_classified"] == 4);
  CHECK(some["accuracy"] == complete["accuracy"]);
  CHECK(std::abs(some["label_log_likelihood"].get<double>() - complete["label_log_likelihood"].get<double>()) < 1e-12);
  CHECK(some["free_energy"].is_null());
  CHECK(none["num_classified"].is_null());
  CHECK(none["accuracy"].is_null());
  CHECK(none["accuracy_error"].is_null());
  const double share = some["accuracy"].get<double>();
  CHECK(some["accuracy_error"].get<double>() == doctest::Approx(std::sqrt(share * (1.0 - share) / 4.0)).epsilon(1e-14));
  CHECK(some["label_log_likelihood_error"].get<double>() > 0.0);
  REQUIRE(run(folder, {"evaluate", "run", "--data", "holes.csv", "--log-z", "exact", "--rows", "r.csv"}).status == 0);
  const auto lines = csv_fields(folder / "r.csv");
  REQUIRE(lines.size() == 7);
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::ranges::find(lines[0], name) - lines[0].begin());
  };
  double right = 0.0;
  for (std::size_t r = 1; r < 7; ++r) {
    const bool there = r > 1 && r < 6;
    const std::string word = lines[r].at(column("predicted_class")), own = lines[r].at(column("class"));
    CHECK((word == "\"\"") == !there);
    CHECK((lines[r].at(column("predicted_probability")) == "nan") == !there);
    CHECK(lines[r].at(column("accuracy")) == (!there ? "nan" : word == own ? "1" : "0"));
    right += word == own ? 1.0 : 0.0;
  }
  CHECK(some["accuracy"].get<double>() == doctest::Approx(right / 4.0).epsilon(1e-13));
  const auto text = [&](const char* rows) {
    return run(folder, {"evaluate", "run", "--data", rows, "--log-z", "exact"}).out;
  };
  CHECK(text("holes.csv").find(fmt::format("num_classified {:>27}  rows whose class is told; ", 4)) !=
        std::string::npos);
  CHECK(text("whole.csv").find("num_classified") == std::string::npos);
}

TEST_CASE("coupled latent units too many to enumerate have a free energy with an interval") {
  const ScratchFolder folder;
  folder.write("c.toml",
               "seed = 2\nprecision = \"float64\"\n[data]\ntype = \"bars_and_stripes\"\nside = 2\n[model]\ntype = "
               "\"boltzmann_machine\"\nnum_visible = 4\nnum_hidden = 18\n[estimator]\ntype = \"pcd\"\n[training]\n"
               "num_epochs = 3\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run"}).status == 0);
  std::filesystem::copy_file(folder / "run/model.h5", folder / "m.h5");
  const auto bare = judged(folder, {"--set", "data.side=2", "--log-z", "exact"}, "*");
  CHECK(bare["free_energy"].is_null());
  CHECK(
      bare["reasons"]["free_energy"] ==
      "the model's latent units are coupled given the observed ones, and more than 16 bits of them to enumerate: this "
      "way to log Z has none of rows of which units are held. Take 'ais'.");
  const auto found = judged(folder, {"--set", "data.side=2", "--log-z", "ais", "--seed", "2"}, "*");
  CAPTURE(found.dump());
  CHECK(found["agree"] == true);
  const double low = found["log_likelihood_interval"][0], high = found["log_likelihood_interval"][1];
  CHECK(low < found["log_likelihood"].get<double>());
  CHECK(found["log_likelihood"].get<double>() < high);
  CHECK(high - low < 0.5);

  // Mean field says less, but for what the interval of the rest leaves open.
  CHECK(found["variational_bound"].get<double>() < high);
  CHECK(found["variational_bound"].get<double>() > low - 1.0);

  // The same bound without annealing the rows; of a model that needs none it is refused.
  const auto alone = judged(folder, {"--set", "data.side=2", "--log-z", "ais", "--seed", "2", "--bound"}, "*");
  CHECK(alone["log_z"] == found["log_z"]);
  CHECK(alone["variational_bound"] == found["variational_bound"]);
  CHECK(alone["free_energy"].is_null());
  CHECK(alone["reasons"]["free_energy"] == "the bound alone was asked for (--bound).");
  folder.write(
      "r.toml",
      "data = { type = \"bars_and_stripes\", side = 2 }\nmodel = { type = \"rbm\", num_visible = 4, num_hidden = 2 "
      "}\nestimator = \"pcd\"\ntraining = { num_epochs = 1 }\n");
  REQUIRE(run(folder, {"train", "r.toml", "--output", "rbm"}).status == 0);
  check_refusal(run(folder, {"evaluate", "rbm", "--bound"}), 2,
                "*--bound: the model's latent units can be summed out, and no bound is needed. Leave --bound out.*");

  const auto bound = judged(folder, {"--set", "data.side=2", "--log-z", "ais", "--set", "log_z.sides=forward"}, "*");
  CHECK(bound["free_energy"].is_null());
  CHECK(bound["free_energy_interval"][0].is_null());
  CHECK(bound["free_energy_interval"][1].is_number());
  CHECK(bound["log_likelihood"].is_null());
}

TEST_CASE("coupled latent units that are enumerated for each row are left to their bound where that is asked for") {
  const ScratchFolder folder;
  folder.write("c.toml",
               "precision = \"float64\"\ndata = { type = \"bars_and_stripes\", side = 2 }\nmodel = { type = "
               "\"boltzmann_machine\", num_visible = 4, num_hidden = 3 }\nestimator = \"pcd\"\ntraining = { "
               "num_epochs = 3 }\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run"}).status == 0);
  std::filesystem::copy_file(folder / "run/model.h5", folder / "m.h5");
  const auto summed = judged(folder, {"--set", "data.side=2"}),
             bound = judged(folder, {"--set", "data.side=2", "--bound"});
  CHECK(bound["log_z"] == summed["log_z"]);
  CHECK(bound["log_likelihood"].is_null());
  CHECK(bound["reasons"]["free_energy"] == "the bound alone was asked for (--bound).");
  CHECK(bound["variational_bound"].get<double>() <= summed["log_likelihood"].get<double>() + 1e-12);
  CHECK(summed["variational_bound"].is_null());
  check_refusal(
      run(folder, {"evaluate", "m.h5", "--set", "data.side=2", "--bound", "--rows", "r.csv"}), 2,
      "--bound: it leaves out the sums over latent units of rows, which the figures of each row are. Leave out "
      "--rows or --bound.");
}

}  // namespace rows_with_holes_test
