// The figures that are watched while a run goes on.
#include <cmath>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <harmonium/program/work/watched_figures.hpp>
#include <harmonium/tests/support/skip.hpp>

#include "files.hpp"
#include "validated.hpp"

namespace watched_figures_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE("all lines of a log have the same figures, with the epoch of one that was measured before") {
  const CliFolder folder;
  const auto log_of = [&](const char* setting) {
    std::istringstream log(
        run(folder, validated({"--set", "observers=[{type=\"log_likelihood\", every=2}]", "--set", setting})).epochs);
    Words lines;
    for (std::string line; std::getline(log, line);) lines.push_back(line);
    REQUIRE(lines.size() == 4);
    return lines;
  };
  Words lines = log_of("seed=3");
  const std::string often = "/4  validation_pseudo_log_likelihood -*  pseudo_log_likelihood -*  ";
  CHECK(like(lines[0], "epoch 1" + often + "validation_log_likelihood - (first at epoch 2)  25%*"));
  CHECK(like(lines[1], "epoch 2" + often + "validation_log_likelihood -*.*  50%*"));
  CHECK(like(lines[2], "epoch 3" + often + "validation_log_likelihood -*.* (of epoch 2)  75%*"));
  CHECK(like(lines[3], "epoch 4" + often + "validation_log_likelihood -*.*  100%*"));
  CHECK(lines[3].find("of epoch") == std::string::npos);
  // The one that the run goes by is in front, and one that every epoch has stands behind those that it has not.
  lines = log_of("training.keep_best=\"validation_log_likelihood\"");
  CHECK(like(lines[0],
             "epoch 1/4  validation_log_likelihood - (first at epoch 2)  log_likelihood - (first at epoch 2)  "
             "validation_pseudo_log_likelihood -*.*  25%*"));
  CHECK(like(lines[2],
             "epoch 3/4  validation_log_likelihood -* (of epoch 2)  log_likelihood -* (of epoch 2)  "
             "validation_pseudo_log_likelihood -*.*  75%*"));
}

TEST_CASE("a run that goes on has the figures in its log that it measured before, with their epochs") {
  const CliFolder folder;
  REQUIRE(run(folder, validated({"--output", "run", "--set", "observers=[{type=\"log_likelihood\", every=3}]", "--set",
                                 "training.checkpoint_every=4"}))
              .status == 0);
  const Outcome resumed = run(folder, {"resume", "run", "--epochs", "6"});
  REQUIRE(resumed.status == 0);
  std::istringstream log(resumed.epochs);
  Words lines;
  for (std::string line; std::getline(log, line);) lines.push_back(line);
  REQUIRE(lines.size() == 2);
  CHECK(like(lines[0], "epoch 5/6  *  validation_log_likelihood -*.* (of epoch 3)  83%*"));
  CHECK(like(lines[1], "epoch 6/6  *  validation_log_likelihood -*.*  100%*"));
  CHECK(lines[1].find("of epoch") == std::string::npos);
}

TEST_CASE("a line of a log has the error of a figure, where that is not small") {
  TrainingOptions options;
  WatchedFigures figures(options,
                         {{.name = "pseudo_log_likelihood", .goal = Goal::greater, .every = 1},
                          {.name = "reconstruction_error", .goal = Goal::less, .every = 1},
                          {.name = "log_likelihood", .goal = Goal::greater, .every = 2}},
                         4);
  const auto line = [&](std::uint64_t epoch, const MetricRecord& record) {
    figures.take(epoch, record);
    return fmt::format("{}", fmt::join(figures.all(), "  "));
  };
  CHECK(line(1, {{"pseudo_log_likelihood", -134.81},
                 {"pseudo_log_likelihood_error", 3.196},
                 {"reconstruction_error", 0.05}}) ==
        "pseudo_log_likelihood -134.81 +- 3.2  reconstruction_error 0.05  log_likelihood - (first at epoch 2)");
  // One that was due and is not known, and one that is followed and never due.
  options.keep_best.follow.metric = "validation_log_likelihood";
  WatchedFigures others(options,
                        {{.name = "reconstruction_error", .goal = Goal::less, .every = 1},
                         {.name = "log_likelihood", .goal = Goal::greater, .every = 2},
                         {.name = "validation_log_likelihood", .goal = Goal::greater, .every = 9}},
                        4);
  others.take(2, {{"reconstruction_error", 0.05}});
  CHECK(fmt::format("{}", fmt::join(others.all(), "  ")) ==
        "validation_log_likelihood - (not measured in this run)  log_likelihood - (without a value so far)  "
        "reconstruction_error 0.05");
  line(2, {{"log_likelihood", -150.0}, {"log_likelihood_error", 0.5}});
  CHECK(line(3, {{"pseudo_log_likelihood", -100.0},
                 {"pseudo_log_likelihood_error", 0.19},
                 {"reconstruction_error", 0.05}}) ==
        "pseudo_log_likelihood -100  reconstruction_error 0.05  log_likelihood -150 +- 0.5 (of epoch 2)");
  // A bar has no room for it.
  CHECK(fmt::format("{}", fmt::join(figures.known(), "  ")) ==
        "pseudo_log_likelihood -100  reconstruction_error 0.05  log_likelihood -150 (of epoch 2)");
}

TEST_CASE("where classes are told the accuracy of validation rows is in front, behind a figure that the run goes by") {
  const auto both = [](std::vector<MeasuredFigure> figures) {
    for (std::size_t k = figures.size(); k-- > 0;) {
      MeasuredFigure other = figures[k];
      other.name = "validation_" + other.name;
      figures.push_back(other);
    }
    return figures;
  };
  const std::vector<MeasuredFigure> measured =
      both({{.name = "pseudo_log_likelihood"}, {.name = "accuracy"}, {.name = "log_likelihood", .every = 3}});
  TrainingOptions options;
  using Names = std::vector<std::string>;
  CHECK(WatchedFigures(options, measured, 9).names() == Names{"validation_accuracy", "validation_pseudo_log_likelihood",
                                                              "pseudo_log_likelihood", "validation_log_likelihood"});
  options.keep_best.follow.metric = "validation_log_likelihood";
  CHECK(WatchedFigures(options, measured, 9).names()[0] == "validation_log_likelihood");
  CHECK(WatchedFigures(options, measured, 9).names()[1] == "validation_accuracy");
  options.keep_best.follow.metric = "validation_accuracy";
  CHECK(WatchedFigures(options, measured, 9).names()[0] == "validation_accuracy");
  // Of training rows, where there are no others; last, where it is rare.
  options.keep_best.follow.metric.reset();
  CHECK(WatchedFigures(options, {{.name = "pseudo_log_likelihood"}, {.name = "accuracy"}}, 9).names() ==
        Names{"accuracy", "pseudo_log_likelihood"});
  CHECK(WatchedFigures(options, {{.name = "pseudo_log_likelihood"}, {.name = "accuracy", .every = 4}}, 9).names() ==
        Names{"pseudo_log_likelihood", "accuracy"});
}

TEST_CASE("the log and a bar of 80 columns have the accuracy of a run that learns classes") {
  const ScratchFolder folder;
  std::string rows = "a,b,c,kind\n";
  for (int r = 0; r < 16; ++r) rows += fmt::format("{},{},{},{}\n", r & 1, r >> 1 & 1, r >> 2 & 1, r & 1 ? "x" : "y");
  folder.write("d.csv", rows);
  folder.write("c.toml",
               "seed = 1\nprecision = \"float64\"\n"
               "data = { type = \"csv\", path = \"d.csv\", label_column = \"kind\", validation = 6 }\n"
               "model = { type = \"rbm\", num_visible = 3, num_hidden = 4, num_labels = 2 }\n"
               "estimator = { type = \"pcd\" }\ntraining = { num_epochs = 3 }\n");
  const Outcome logged = run(folder, {"train", "c.toml", "--output", "run"});
  CAPTURE(logged.err);
  REQUIRE(logged.status == 0);
  CHECK(like(logged.epochs, "epoch 1/3  validation_accuracy *  validation_*log_likelihood -*\nepoch 2/3 *"));
  // With the binomial error over its six rows.
  std::istringstream lines(content_of(folder / "run/metrics.jsonl"));
  int found = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line);
    const double p = json["validation_accuracy"];
    CHECK(json["validation_accuracy_error"].get<double>() == doctest::Approx(std::sqrt(p * (1.0 - p) / 6.0)));
    ++found;
  }
  CHECK(found == 3);
  if (!terminals_exist()) {
    skip_test("this system gives out no pseudo-terminal (is /dev/pts mounted?)");
    return;
  }
  const Outcome seen =
      run({.folder = folder.path(), .terminal = true, .columns = 80}, {"train", "c.toml", "--output", "seen"});
  CHECK(like(seen.err, "*100%  took *  validation_accuracy *"));
}

TEST_CASE("what is taken up of an earlier part of a run is each figure's last value, with the error of that epoch") {
  TrainingOptions options;
  WatchedFigures figures(options,
                         {{.name = "pseudo_log_likelihood", .goal = Goal::greater, .every = 1},
                          {.name = "log_likelihood", .goal = Goal::greater, .every = 2}},
                         9);
  MetricsLog log;
  log.epochs = 4;
  log.series = {{"pseudo_log_likelihood", {1, 2, 3, 4}, {-9, -8, -7, -6}},
                {"pseudo_log_likelihood_error", {1, 2, 3}, {4, 4, 4}},  // none of epoch 4
                {"log_likelihood", {2}, {-20}},
                {"log_likelihood_error", {2}, {0.5}}};
  figures.take_up(log);
  const auto line = [&] { return fmt::format("{}", fmt::join(figures.all(), "  ")); };
  CHECK(line() == "pseudo_log_likelihood -6  log_likelihood -20 +- 0.5 (of epoch 2)");
  figures.take(5, {{"pseudo_log_likelihood", -5.0}});
  CHECK(line() == "pseudo_log_likelihood -5  log_likelihood -20 +- 0.5 (of epoch 2)");
}

TEST_CASE("a run on rows with holes follows their likelihood where it can be summed, and says where not") {
  const ScratchFolder folder;
  folder.write("holes.csv", "0,1,\n1,0,1\n0,1,1\n1,,0\n");
  const auto config = [](const char* file, int columns) {
    return fmt::format(
        "data = {{ type = \"csv\", path = \"{}\", missing = \"nan\" }}\n"
        "model = {{ type = \"rbm\", num_visible = {}, num_hidden = 2 }}\nestimator = {{ type = \"pcd\" }}\n"
        "training = {{ num_epochs = 2, batch_size = 2 }}\nobservers = [\"gradient_norm\"]\n",
        file, columns);
  };
  folder.write("holes.toml", config("holes.csv", 3));
  const Words train{"train", "holes.toml", "--output", "run", "--overwrite"};
  Outcome outcome = run(folder, train);
  CHECK(outcome.status == 0);
  CHECK(like(outcome.epochs, "epoch 1/2  log_likelihood *\nepoch 2/2  log_likelihood *\n"));
  Words followed = train;
  followed.insert(followed.end(), {"--set", "observers=[{type=\"log_likelihood\", every=1}]"});
  outcome = run(folder, followed);
  CHECK(outcome.status == 0);
  CHECK(like(outcome.epochs, "epoch 1/2  log_likelihood *\nepoch 2/2  log_likelihood *\n"));
  // Never is never: of a figure that is not taken nothing is refused, and small sums cost nothing.
  for (const char* every : {"0", "1"}) {
    followed.back() = fmt::format("observers=[{{type=\"free_energy_gap\", every={}}}]", every);
    Words with_validation = followed;
    with_validation.insert(with_validation.end(), {"--set", "data.validation=1", "--set", "training.batch_size=3"});
    CHECK(run(folder, with_validation).status == 0);
  }
  followed.back() = "observers=[\"pseudo_likelihood\"]";
  outcome = run(folder, followed);
  CHECK(outcome.status == 0);
  CHECK(like(outcome.err,
             "*observer 'pseudo_likelihood': it takes complete rows, and entries of the data are missing. It is left "
             "out.\n*"));

  folder.write("wide.csv", std::string("1") + std::string(17, ',') + "\n" + "0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1\n");
  folder.write("wide.toml", config("wide.csv", 18));
  followed[1] = "wide.toml";
  followed.back() = "observers=[{type=\"log_likelihood\", every=1}]";
  CHECK(run(folder, followed).status == 0);  // two latent units are summed over
  followed.insert(followed.end(), {"--set", "model.num_hidden=17"});
  outcome = run(folder, followed);
  CHECK(outcome.status == 0);
  CHECK(like(outcome.err,
             "*observer 'log_likelihood': what a row lacks is a real number, or can be filled in in more than 65536 "
             "ways, and the 17 units of layer 'hidden' have more states than that. Give it at most 16 units, or leave "
             "such rows to 'harmonium evaluate RUN', which estimates their sums. It is left out.\n*"));
}

}  // namespace watched_figures_test
