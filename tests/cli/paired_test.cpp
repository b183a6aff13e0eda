// evaluate MODEL --against OTHER: differences of two models on the same rows.
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "files.hpp"
#include "judged.hpp"

namespace paired_test {

using namespace harmonium::testing;
using nlohmann::json;

namespace {

/// The numbers of a column of the figures of each row, which another run of the command wrote.
std::vector<double> column(const ScratchFolder& folder, const std::string& model, const std::string& data,
                           const std::string& name) {
  evaluated(folder, {model, "--data", data, "--rows", "rows.csv"});
  std::vector<double> numbers;
  const auto lines = csv_fields(folder / "rows.csv");
  for (std::size_t c = 0; c < lines[0].size(); ++c)
    for (std::size_t r = 1; lines[0][c] == name && r < lines.size(); ++r) numbers.push_back(std::stod(lines[r].at(c)));
  REQUIRE(numbers.size() > 1);
  return numbers;
}

struct Mean {
  double value, error;
};

Mean mean_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double mean = 0.0, squares = 0.0;
  for (const double v : values) mean += v / n;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return {mean, std::sqrt(squares / (n - 1.0) / n)};
}

std::vector<double> differences(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> d;
  for (std::size_t r = 0; r < a.size(); ++r) d.push_back(a[r] - b.at(r));
  return d;
}

/// Two machines with classes in the folder, "own" and "flip", trained on the same rows with one class and with the other. Rows of the
/// same bits have both classes.
class TwoModels : public ScratchFolder {
 public:
  TwoModels() {
    for (const bool flip : {false, true}) {
      std::string text = "left,middle,right,kind\n";
      for (unsigned r = 0; r < 12; ++r) {
        const bool sea = (((r >> 1 & 1) != 0) != (r >= 8)) != flip;
        text += fmt::format("{},{},{},{}\n", r & 1, r >> 1 & 1, r >> 2 & 1, sea ? "sea" : "land");
      }
      const std::string name = flip ? "flip" : "own";
      write(name + ".csv", text);
      write(
          name + ".toml",
          fmt::format("precision = \"{}\"\ndata = {{ type = \"csv\", path = \"{}.csv\", label_column = \"kind\" }}\n",
                      flip ? "float32" : "float64", name) +
              "model = { type = \"rbm\", num_visible = 3, num_hidden = 2, num_labels = 2 }\nestimator = \"exact\"\n"
              "optimizer = { type = \"sgd\", learning_rate = 0.5 }\ntraining = { num_epochs = 200, batch_size = 3 }\n");
      REQUIRE(run(*this, {"train", name + ".toml", "--output", name, "--quiet"}).status == 0);
    }
  }
};

}  // namespace

TEST_CASE("a difference of two models on the same rows has the error of the differences of the rows") {
  const TwoModels folder;  // one in double, the other in single precision
  const auto found = evaluated(folder, {"own", "--against", "flip", "--data", "own.csv"});
  const auto turned = evaluated(folder, {"flip", "--against", "own", "--data", "own.csv"});
  CHECK(found["model"] == "own");
  CHECK(found["against"] == "flip");
  REQUIRE(found["parts"].size() == 1);
  CHECK(found["parts"][0]["rows"] == "rows");
  CHECK(found["parts"][0]["num_samples"] == 12);
  CHECK(found["parts"][0]["reasons"].empty());
  for (const std::string name : {"log_likelihood", "pseudo_log_likelihood", "accuracy", "label_log_likelihood"}) {
    CAPTURE(name);
    const auto a = column(folder, "own", "own.csv", name), b = column(folder, "flip", "own.csv", name);
    const Mean one = mean_of(a), other = mean_of(b), d = mean_of(differences(a, b));
    const auto& figure = found["parts"][0]["figures"][name];
    CHECK(figure["model"].get<double>() == doctest::Approx(one.value).epsilon(1e-10));
    CHECK(figure["against"].get<double>() == doctest::Approx(other.value).epsilon(1e-10));
    CHECK(figure["difference"].get<double>() == doctest::Approx(d.value).epsilon(1e-10));
    CHECK(figure["rows_error"].get<double>() == doctest::Approx(d.error).epsilon(1e-9));
    CHECK(figure["interval"].is_null());
    CHECK(figure["num_samples"] == 12);
    // As if they were of different rows it would be another.
    CHECK(std::abs(d.error - std::hypot(one.error, other.error)) > 0.01 * d.error);
    const auto& back = turned["parts"][0]["figures"][name];
    CHECK(back["difference"].get<double>() == doctest::Approx(-figure["difference"].get<double>()).epsilon(1e-12));
    CHECK(back["rows_error"].get<double>() == doctest::Approx(figure["rows_error"].get<double>()).epsilon(1e-12));
  }
}

TEST_CASE("a difference of accuracies has the error that the rows of which the models differ give it") {
  const TwoModels folder;
  const auto part = evaluated(folder, {"own", "--against", "flip", "--data", "own.csv"})["parts"][0];
  const auto a = column(folder, "own", "own.csv", "accuracy"), b = column(folder, "flip", "own.csv", "accuracy");
  double own = 0.0, flip = 0.0;
  for (std::size_t r = 0; r < a.size(); ++r) {
    own += a[r] > b[r] ? 1.0 : 0.0;
    flip += a[r] < b[r] ? 1.0 : 0.0;
  }
  CHECK(own + flip > 0.0);
  CHECK(part["right_alone"] == json::array({static_cast<int>(own), static_cast<int>(flip)}));
  // Σ d² is the number of rows that one of the two alone tells right.
  const double n = 12.0, variance = (own + flip - (own - flip) * (own - flip) / n) / (n - 1.0);
  CHECK(part["figures"]["accuracy"]["difference"].get<double>() == doctest::Approx((own - flip) / n).epsilon(1e-12));
  CHECK(part["figures"]["accuracy"]["rows_error"].get<double>() ==
        doctest::Approx(std::sqrt(variance / n)).epsilon(1e-12));
}

TEST_CASE("a model against itself differs in nothing, and each part of a run's rows is compared by itself") {
  const CliFolder folder;
  for (const char* name : {"one", "two"})
    REQUIRE(run(folder, {"train", "small.toml", "--output", name, "--quiet", "--set", "data.validation=5", "--set",
                         name == std::string("one") ? "training.num_epochs=4" : "training.num_epochs=40"})
                .status == 0);
  const json itself = evaluated(folder, {"one", "--against", "one/model.h5"});
  for (const auto& part : itself["parts"])
    for (const char* name : {"log_likelihood", "pseudo_log_likelihood"}) {
      CHECK(part["figures"][name]["difference"] == 0.0);
      CHECK(part["figures"][name]["rows_error"] == 0.0);
    }
  const auto all = evaluated(folder, {"one", "--against", "two"})["parts"];
  REQUIRE(all.size() == 2);
  CHECK(all[0]["rows"] == "training rows");
  CHECK(all[0]["num_samples"] == 9);
  CHECK(all[1]["rows"] == "validation rows");
  CHECK(all[1]["right_alone"].is_null());
  const auto one = evaluated(folder, {"one"})["splits"], two = evaluated(folder, {"two"})["splits"];
  const char* const parts[] = {"training", "validation"};
  for (int k : {0, 1})
    CHECK(all[k]["figures"]["log_likelihood"]["difference"].get<double>() ==
          doctest::Approx(one[parts[k]]["log_likelihood"].get<double>() - two[parts[k]]["log_likelihood"].get<double>())
              .epsilon(1e-10));
  CHECK(evaluated(folder, {"one", "--against", "two", "--split", "validation"})["parts"] == json::array({all[1]}));
  const std::string text = run(folder, {"evaluate", "one", "--against", "two"}).out;
  CHECK(like(text,
             "* one * two * difference * ± over rows\n\n9 training rows\nlog_likelihood * nats a sample\n"
             "pseudo_log_likelihood * nats a sample\n\n5 validation rows\nlog_likelihood *"));
  CHECK(text.find("accuracy") == std::string::npos);
}

TEST_CASE("an interval of log Z is that of all rows, and is carried to the difference") {
  const TwoModels folder;
  const Words annealed{"--data", "own.csv", "--log-z", "ais", "--seed", "1"};
  const auto with = [&](Words words) {
    words.insert(words.end(), annealed.begin(), annealed.end());
    return evaluated(folder, words);
  };
  const auto figure = with({"own", "--against", "flip"})["parts"][0]["figures"]["log_likelihood"];
  // Random numbers of the first are those that it has alone.
  CHECK(figure["model"].get<double>() == doctest::Approx(with({"own"})["log_likelihood"].get<double>()).epsilon(1e-10));
  const double low = figure["interval"][0].get<double>(), high = figure["interval"][1].get<double>();
  CHECK(low < figure["difference"].get<double>());
  CHECK(figure["difference"].get<double>() < high);
  // Over rows log Z does not vary; half of its interval is 1.97 errors, and five times that is never missed.
  const auto exact = evaluated(folder, {"own", "--against", "flip", "--data", "own.csv"})["parts"][0]["figures"];
  CHECK(figure["rows_error"].get<double>() ==
        doctest::Approx(exact["log_likelihood"]["rows_error"].get<double>()).epsilon(1e-12));
  const double of_sums = exact["log_likelihood"]["difference"].get<double>();
  CHECK(std::abs(figure["difference"].get<double>() - of_sums) < 2.5 * (high - low));
  CHECK(figure["log_z_method"].get<std::string>().starts_with("The difference is "));
  CHECK(exact["log_likelihood"]["log_z_method"].is_null());
  const auto without =
      evaluated(folder, {"own", "--against", "flip", "--data", "own.csv", "--log-z", "none"})["parts"][0];
  CHECK(!without["figures"].contains("log_likelihood"));
  CHECK(without["reasons"]["log_likelihood"].get<std::string>().starts_with("own: "));
  CHECK(without["figures"]["accuracy"] == exact["accuracy"]);
}

TEST_CASE("the likelihoods of two machines of one run differ by what draws of both say of log Z") {
  const CliFolder folder;
  for (const char* epochs : {"40", "41"})
    REQUIRE(run(folder, {"train", "small.toml", "--output", std::string("at") + epochs, "--quiet", "--set",
                         std::string("training.num_epochs=") + epochs})
                .status == 0);
  const auto compared = [&](const std::string& way) {
    return evaluated(
        folder, {"at41", "--against", "at40", "--log-z", way, "--seed", "1"})["parts"][0]["figures"]["log_likelihood"];
  };
  const json exact = compared("exact"), found = compared("ais");
  CHECK(found["log_z_method"].get<std::string>().starts_with("The difference is the acceptance ratio of draws "));
  const double width = found["interval"][1].get<double>() - found["interval"][0].get<double>();
  CHECK(std::abs(found["difference"].get<double>() - exact["difference"].get<double>()) < 2.5 * width);
  const json alone = evaluated(folder, {"at41", "--log-z", "ais", "--seed", "1"});
  CHECK(3.0 * width < alone["log_z_interval"][1].get<double>() - alone["log_z_interval"][0].get<double>());
  CHECK(like(run(folder, {"evaluate", "at41", "--against", "at40", "--log-z", "ais"}).out,
             "*\n\nlog_z: The difference is the acceptance ratio of draws of both models, *"));
}

TEST_CASE("likelihoods of models that make different numbers of the data are compared in the data's own units") {
  const ScratchFolder folder;
  folder.write("d.csv", "10,1\n14,3\n18,2\n12,5\n16,4\n11,2\n");
  const auto train = [&](const std::string& name, const std::string& more) {
    folder.write(name + ".toml",
                 "precision = \"float64\"\n[data]\ntype = \"csv\"\npath = \"d.csv\"\n" + more +
                     "[model]\ntype = \"rbm\"\nnum_visible = 2\nnum_hidden = 1\nvisible_units = \"gaussian\"\n"
                     "[estimator]\ntype = \"pcd\"\n[training]\nnum_epochs = 1\nbatch_size = 6\n");
    const Outcome outcome = run(folder, {"train", name + ".toml", "--output", name, "--quiet"});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
  };
  train("standardized", "standardize = true\n");
  train("scaled", "scale = 0.1\n");
  const auto one = evaluated(folder, {"standardized", "--data", "d.csv"}),
             other = evaluated(folder, {"scaled", "--data", "d.csv"});
  const auto own = [](const json& of) { return of["log_likelihood"].get<double>() + of["log_jacobian"].get<double>(); };
  CHECK(std::abs(one["log_jacobian"].get<double>() - other["log_jacobian"].get<double>()) > 0.1);
  const auto figure = evaluated(
      folder, {"standardized", "--against", "scaled", "--data", "d.csv"})["parts"][0]["figures"]["log_likelihood"];
  CHECK(figure["model"].get<double>() == doctest::Approx(own(one)).epsilon(1e-10));
  CHECK(figure["against"].get<double>() == doctest::Approx(own(other)).epsilon(1e-10));
  CHECK(figure["difference"].get<double>() == doctest::Approx(own(one) - own(other)).epsilon(1e-10));
}

TEST_CASE("models that were judged by different rows are not compared") {
  const CliFolder folder;
  const auto train = [&](const std::string& name, const Words& settings) {
    Words words{"train", "small.toml", "--output", name, "--quiet"};
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
    const Outcome outcome = run(folder, words);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
  };
  train("one", {"data.validation=5"});
  train("dealt", {"data.validation=5", "data_seed=7"});
  train("more", {"data.validation=4"});
  train("alone", {});
  const auto refused = [&](const Words& more, int status, const std::string& pattern) {
    Words words{"evaluate", "one", "--against"};
    words.insert(words.end(), more.begin(), more.end());
    check_refusal(run(folder, words), status, pattern);
  };
  const std::string advice =
      ". A paired difference is of the same rows: name them by --data FILE, or take runs that deal them alike "
      "(data_seed).";
  refused({"dealt"}, 1,
          "--against dealt: the training rows are others for dealt than for one: in place * it is row * of the "
          "file for dealt and row * for one (counted from 0), which differ: column '*', is * and *" +
              advice);
  refused({"more"}, 1,
          "--against more: the training rows are others for more than for one: they are 10 and 9" + advice);
  refused({"alone"}, 1,
          "--against alone: its run has training rows, and that of one has training rows, validation rows. Name those "
          "that both have by --split, or rows by --data FILE.");
  // Rows that are named are the same of all.
  CHECK(evaluated(folder,
                  {"one", "--against", "dealt", "--data", "bars_and_stripes:side=3"})["parts"][0]["num_samples"] == 14);
  refused({"alone", "--clamp", "visible=free", "--data", "bars_and_stripes"}, 2,
          "--against alone: it prints differences of the likelihoods of rows, and does not go with --clamp. Leave one "
          "of the two out.");
  refused(
      {"alone", "--betas", "0.5,1"}, 2,
      "--against alone: differences of the likelihoods of rows are at one temperature, and --betas names several. *");
  REQUIRE(run(folder, {"train", "small.toml", "--output", "deep", "--quiet", "--set",
                       "model={type=\"deep\", num_visible=9, num_hidden=[20,20]}", "--set", "training.num_epochs=1"})
              .status == 0);
  refused({"deep", "--data", "bars_and_stripes"}, 2,
          "deep/model.h5: the model has no figure of a single row: its latent units are coupled given the observed "
          "ones, and too many to enumerate. Add --bound to hold its variational bound against the other model's "
          "likelihood.");
}

TEST_CASE("that rows are others, or have no figures, is told before log Z is looked for") {
  const ScratchFolder folder;
  folder.write("c.toml",
               "data = { type = \"bars_and_stripes\", side = 6, validation = 20 }\n"
               "model = { type = \"rbm\", num_visible = 36, num_hidden = 36 }\nestimator = \"pcd\"\n"
               "training = { num_epochs = 1, batch_size = 10 }\n");
  const auto train = [&](const std::string& name, const std::string& setting) {
    REQUIRE(run(folder, {"train", "c.toml", "--output", name, "--quiet", "--set", setting}).status == 0);
  };
  train("one", "data_seed=1");
  train("dealt", "data_seed=2");
  train("alike", "data_seed=1");
  train("deep", "model={type=\"deep\", num_visible=36, num_hidden=[20,20]}");
  // log Z of either is refused once it is looked for.
  const auto refused = [&](const std::string& other, int status, const std::string& pattern) {
    check_refusal(run(folder, {"evaluate", "one", "--against", other, "--log-z", "exact"}), status, pattern);
  };
  refused("alike", 2, "*2^36 states, more than the limit*");
  refused("dealt", 1, "--against dealt: the training rows are others for dealt than for one: *");
  refused("deep", 2, "deep/model.h5: the model has no figure of a single row: *");
}

TEST_CASE("rows that show one model their class and the other none are different rows") {
  const TwoModels folder;
  folder.write("plain.toml",
               "data = { type = \"csv\", path = \"own.csv\", label_column = \"kind\" }\n"
               "model = { type = \"rbm\", num_visible = 3, num_hidden = 2 }\nestimator = \"exact\"\n"
               "training = { num_epochs = 2, batch_size = 3 }\n");
  REQUIRE(run(folder, {"train", "plain.toml", "--output", "plain", "--quiet"}).status == 0);
  check_refusal(
      run(folder, {"evaluate", "own", "--against", "plain", "--data", "own.csv"}), 1,
      "--against plain: the rows are others for plain than for own: row 0 of the file (counted from 0) is "
      "shown with the class none and 'land'. Rows without classes, by --data FILE, have log p(x) of both, summed "
      "over the classes. *");
  std::string bare = "left,middle,right\n";
  for (unsigned r = 0; r < 8; ++r) bare += fmt::format("{},{},{}\n", r & 1, r >> 1 & 1, r >> 2 & 1);
  folder.write("bare.csv", bare);
  const auto part = evaluated(folder, {"own", "--against", "plain", "--data", "bare.csv"})["parts"][0];
  CHECK(part["num_samples"] == 8);
  CHECK(part["figures"].contains("log_likelihood"));
  CHECK(!part["figures"].contains("accuracy"));
}

TEST_CASE("of rows whose sums are estimated the difference has the interval of both estimates") {
  const ScratchFolder folder;
  folder.write("whole.csv", "a,b\n0.5,1\n-1,-0.5\n0.2,0.1\n1.5,2\n");
  folder.write("holes.csv",
               "a,b\n0.5,1\n-1,\n0.2,0.1\n,2\n");  // a real number is missing: a sum over 2^17 latent states
  folder.write("c.toml",
               "precision = \"float64\"\n[data]\ntype = \"csv\"\npath = \"whole.csv\"\nmissing = \"nan\"\n[model]\n"
               "type = \"rbm\"\nnum_visible = 2\nnum_hidden = 17\nvisible_units = \"gaussian\"\n[estimator]\ntype = "
               "\"pcd\"\n[training]\nnum_epochs = 20\n");
  for (const char* seed : {"1", "2"})
    REQUIRE(run(folder, {"train", "c.toml", "--output", seed, "--seed", seed, "--quiet"}).status == 0);
  const auto alone = [&](const char* model) {
    return evaluated(folder, {model, "--data", "holes.csv", "--seed", "3"});
  };
  const json one = alone("1"), other = alone("2");
  REQUIRE(one["log_likelihood"].is_number());
  REQUIRE(one["log_likelihood_interval"][0] < one["log_likelihood_interval"][1]);
  const json both = evaluated(folder, {"1", "--against", "2", "--data", "holes.csv", "--seed", "3"});
  const json& figure = both["parts"][0]["figures"]["log_likelihood"];
  const auto number = [](const json& of, const char* name, int k) { return of[name][k].get<double>(); };
  const char* const interval = "log_likelihood_interval";
  CHECK(figure["num_samples"] == 4);
  CHECK(figure["rows_error"].is_null());
  CHECK(figure["model"] == one["log_likelihood"]);
  // The other model draws random numbers of its own here, so that half-widths add in quadrature.
  const double model = one["log_likelihood"], against = figure["against"], difference = figure["difference"];
  CHECK(number(other, interval, 0) < against);
  CHECK(against < number(other, interval, 1));
  CHECK(difference == doctest::Approx(model - against));
  CHECK(number(figure, "interval", 0) < difference - (model - number(one, interval, 0)));
  CHECK(number(figure, "interval", 1) > difference + (number(one, interval, 1) - model));
  const Outcome text =
      run(folder, {"evaluate", "1", "--against", "2", "--data", "holes.csv", "--seed", "3", "--quiet"});
  CHECK(like(text.out, "*log_likelihood * - * by rows that are estimated (95 %)*"));
}

}  // namespace paired_test
