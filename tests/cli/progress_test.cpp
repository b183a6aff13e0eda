// What is seen of a run while it goes on: a bar on a terminal, lines in a log.
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <harmonium/cli/pace.hpp>
#include <harmonium/cli/paced_lines.hpp>
#include <harmonium/cli/progress_line.hpp>
#include <harmonium/cli/width.hpp>
#include <harmonium/program/work/watched_figures.hpp>
#include <harmonium/tests/support/skip.hpp>

#include "files.hpp"

namespace progress_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const WorkShown in_the_middle{0.34, 12.0, 188.0,
                              "validation_pseudo_log_likelihood -142.52  epoch 17/50  pseudo_log_likelihood -141.3"};

/// A run that measures its validation rows, too.
Words validated(std::initializer_list<const char*> more) {
  Words words{"train", "small.toml", "--set", "data.validation=0.25", "--set", "training.batch_size=5"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Every text that stood on the last line of the terminal.
Words bars_of(const std::string& seen) {
  Words bars;
  for (std::size_t at = 0; (at = seen.find("\r\033[K", at)) != std::string::npos;) {
    at += 4;
    bars.push_back(seen.substr(at, seen.find_first_of("\r\n", at) - at));
  }
  return bars;
}

/// Whether each word of the line is whole: a share, a time, or a name with its value.
void check_whole(const std::string& line) {
  CAPTURE(line);
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    CHECK(word != "-");
    if (word.find("likelihood") == std::string::npos && word.find("error") == std::string::npos) continue;
    std::string value;
    REQUIRE(bool(words >> value));
    CHECK_NOTHROW(static_cast<void>(std::stod(value)));
  }
}

}  // namespace

TEST_CASE("80 columns show the bar, the share, the time left and the figure to watch") {
  CHECK(progress_line(in_the_middle, 80) ==
        "[######.............]  34%  3:08 left  validation_pseudo_log_likelihood -142.52");
  WorkShown shorter = in_the_middle;
  shorter.what = "validation_log_likelihood -142.52  epoch 17/50  log_likelihood -141.3";
  CHECK(progress_line(shorter, 80) ==
        "[####.........]  34%  3:08 left  validation_log_likelihood -142.52  epoch 17/50");
  CHECK(progress_line(shorter, 120) ==
        "[########................]  34%  3:08 left  validation_log_likelihood -142.52  epoch 17/50  log_likelihood "
        "-141.3");
  CHECK(progress_line({0.5, 3.0, {}, "sampling"}, 80) == "[############............]  50%  sampling");
  CHECK(progress_line({1.0, 3725.0, {}, "epoch 5/5"}, 80) ==
        "[########################] 100%  took 1:02:05  epoch 5/5");
  CHECK(progress_line({1.0, 0.4, {}, "epoch 1/1"}, 80) == "[########################] 100%  took 0.4 s  epoch 1/1");
  CHECK(log_line({1.0, 0.0, {}, "epoch 1/1"}) == "epoch 1/1  100%");
  CHECK(log_line({1.0, 9.94, {}, "epoch 1/1"}) == "epoch 1/1  100%  took 9.9 s");
  CHECK(log_line({1.0, 9.96, {}, "epoch 1/1"}) == "epoch 1/1  100%  took 0:10");
}

TEST_CASE("a narrower terminal leaves out whole parts, the least important first") {
  std::size_t before = 1000;
  for (std::size_t columns = 130; columns-- > 0;) {
    const std::string line = progress_line(in_the_middle, columns);
    CAPTURE(columns);
    CHECK(width_of(line) < std::max<std::size_t>(columns, 1));
    CHECK(width_of(line) <= before);
    before = std::max<std::size_t>(width_of(line), 1);
    check_whole(line);
    const auto has = [&](const char* part) { return line.find(part) != std::string::npos; };
    if (columns > 57) CHECK(has("validation_pseudo_log_likelihood -142.52"));  // what it is for
    if (has("likelihood")) CHECK(has("3:08 left"));
    if (!line.empty()) CHECK(has("34%"));
  }
  CHECK(progress_line(in_the_middle, 20) == " 34%  3:08 left");
  CHECK(progress_line(in_the_middle, 8) == " 34%");
  CHECK(progress_line(in_the_middle, 4) == "");
  CHECK(progress_line({0.5, 0.0, {}, "πσ"}, 11) == " 50%  πσ");  // as wide as it looks, not as long as its bytes
}

TEST_CASE("time left is that of the work as it was seen, not of what was done before or of another part") {
  Pace pace;
  pace.seen(0.8, 100.0);  // a run that is resumed
  CHECK(!pace.left());
  pace.seen(0.9, 110.0);
  CHECK(pace.left().value() == doctest::Approx(10.0));
  pace.seen(0.1, 112.0);  // another part
  CHECK(!pace.left());
  pace.seen(0.2, 113.0);
  CHECK(pace.left().value() == doctest::Approx(8.0));
  pace.seen(1.0, 121.0);
  CHECK(!pace.left());
  CHECK(pace.elapsed() == doctest::Approx(9.0));
}

TEST_CASE("a log has the first few lines, then one a minute, and the last") {
  PacedLines lines;
  std::string written;
  // Twelve epochs of 20 seconds.
  for (int epoch = 1; epoch <= 12; ++epoch)
    if (lines.due(std::to_string(epoch), 20.0 * epoch)) written += std::to_string(epoch) + " ";
  CHECK(written == "1 2 3 6 9 12 ");
  CHECK(!lines.take_last());
  CHECK(!lines.due("13", 260.0));
  CHECK(lines.take_last() == "13");
  CHECK(!lines.take_last());
  // Epochs of two minutes: each.
  PacedLines slow;
  for (int epoch = 1; epoch <= 9; ++epoch) CHECK(slow.due("epoch", 120.0 * epoch));
  CHECK(log_line(in_the_middle) == in_the_middle.what + "  34%  3:08 left");
}

TEST_CASE("a terminal of 80 columns shows a run's validation figure, and a narrow one what it can") {
  if (!terminals_exist()) {
    skip_test("this system gives out no pseudo-terminal (is /dev/pts mounted?)");
    return;
  }
  for (const unsigned short columns : std::initializer_list<unsigned short>{80, 60, 30, 12}) {
    CAPTURE(columns);
    const CliFolder folder;
    const Outcome seen = run({.folder = folder.path(), .terminal = true, .columns = columns},
                             validated({"--set", "training.num_epochs=4000"}));
    REQUIRE(seen.status == 0);
    const Words bars = bars_of(seen.err);
    REQUIRE(bars.size() > 1);
    for (const std::string& bar : bars) {
      CHECK(bar.size() < columns);
      check_whole(bar);
    }
    const auto last =
        std::ranges::find_if(bars, [](const std::string& bar) { return bar.find("100%") != std::string::npos; });
    REQUIRE(last != bars.end());
    if (columns == 80) CHECK(like(*last, "*100%  took *  validation_*log_likelihood -*"));
    if (columns == 12) CHECK(*last == "100%");
  }
}

TEST_CASE("the bar shows the figure by which a run goes, where it follows one") {
  if (!terminals_exist()) {
    skip_test("this system gives out no pseudo-terminal (is /dev/pts mounted?)");
    return;
  }
  const CliFolder folder;
  const Outcome seen = run({.folder = folder.path(), .terminal = true},
                           validated({"--set", "training.keep_best=\"validation_reconstruction_error\""}));
  REQUIRE(seen.status == 0);
  CHECK(like(seen.err, "*100%  took *  validation_reconstruction_error 0.*"));
}

TEST_CASE("a log has a line an epoch, in plain text, and standard output stays clean") {
  const CliFolder folder;
  const Outcome outcome = run(folder, validated({"--output", "run"}));
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out == (std::filesystem::canonical(folder.path()) / "run/model.h5").string() + "\n");
  CHECK(outcome.epochs.find_first_of("\r\033") == std::string::npos);
  std::istringstream lines(outcome.epochs);
  int epoch = 0;
  for (std::string line; std::getline(lines, line);) {
    ++epoch;
    CHECK(like(line, "epoch " + std::to_string(epoch) + "/4  validation_log_likelihood -*  log_likelihood -*  *%*"));
    check_whole(line);
  }
  CHECK(epoch == 4);
  // Of many epochs in an instant the first three and the last; of none, where it is quiet.
  const Outcome many = run(folder, validated({"--set", "training.num_epochs=300"}));
  CHECK(std::ranges::count(many.epochs, '\n') == 4);
  CHECK(like(many.epochs, "epoch 1/300 *\nepoch 2/300 *\nepoch 3/300 *\nepoch 300/300 *  100%  took *\n"));
  CHECK(run(folder, validated({"--quiet"})).epochs == "");
  const Outcome json = run(folder, {"evaluate", "run", "--json"});
  CHECK(nlohmann::json::accept(json.out));
}

TEST_CASE("a log has the verdict on chains, once, and none where it is quiet or the run had it") {
  const CliFolder folder;
  const Outcome outcome = run(folder, {"train", "small.toml", "--output", "run"});
  REQUIRE(outcome.status == 0);
  std::string kept = content_of(folder / "run/verdict.txt");
  REQUIRE(kept.ends_with('\n'));
  kept.insert(kept.size() - 1, ".");
  CHECK(outcome.verdict == "verdict on Gibbs chains: " + kept);
  CHECK(outcome.err == "");
  CHECK(run(folder, {"train", "--resume", "run"}).verdict == "");
  CHECK(run(folder, {"train", "small.toml", "--quiet"}).verdict == "");
  std::filesystem::remove(folder / "run/verdict.txt");
  CHECK(run(folder, {"resume", "run"}).verdict == outcome.verdict);
}

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
  CHECK(like(lines[0], "epoch 1" + often + "validation_log_likelihood -  25%*"));
  CHECK(like(lines[1], "epoch 2" + often + "validation_log_likelihood -*.*  50%*"));
  CHECK(like(lines[2], "epoch 3" + often + "validation_log_likelihood -*.* (of epoch 2)  75%*"));
  CHECK(like(lines[3], "epoch 4" + often + "validation_log_likelihood -*.*  100%*"));
  CHECK(lines[3].find("of epoch") == std::string::npos);
  // The one that the run goes by is in front, and one that every epoch has stands behind those that it has not.
  lines = log_of("training.keep_best=\"validation_log_likelihood\"");
  CHECK(like(lines[0],
             "epoch 1/4  validation_log_likelihood -  log_likelihood -  validation_pseudo_log_likelihood -*.*  25%*"));
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
        "pseudo_log_likelihood -134.81 +- 3.2  reconstruction_error 0.05  log_likelihood -");
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

TEST_CASE("a run that ends before its length has its last epoch in the log, before what is said of it") {
  const CliFolder folder;
  const Outcome outcome =
      run(folder, {"train", "small.toml", "--set", "training.num_epochs=500", "--set",
                   "training.stop_early={metric=\"pseudo_log_likelihood\", patience=3}", "--output", "run"});
  REQUIRE(outcome.status == 0);
  CHECK(like(outcome.err, "harmonium: note: stopped early, after epoch * of 500: *\n"));
  const std::size_t after = outcome.err.find("after epoch ") + 12;
  const std::string last = outcome.err.substr(after, outcome.err.find(' ', after) - after);
  // It is over, whatever was left of its length.
  const std::string end = outcome.epochs.substr(outcome.epochs.rfind("epoch "));
  CHECK(like(end, "epoch " + last + "/500, stopped early *  100%*\n"));
  CHECK(end.find(" left") == std::string::npos);
  CHECK(std::ranges::count(outcome.epochs, '\n') == 4);
}

}  // namespace progress_test
