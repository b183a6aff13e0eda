// What is seen of a run while it goes on: a bar on a terminal, lines in a log.
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <harmonium/cli/pace.hpp>
#include <harmonium/cli/paced_lines.hpp>
#include <harmonium/cli/progress_line.hpp>
#include <harmonium/cli/width.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/tests/support/runs.hpp>
#include <harmonium/tests/support/skip.hpp>

#include "files.hpp"
#include "program.hpp"
#include "validated.hpp"

namespace progress_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const WorkShown in_the_middle{0.34, 12.0, 188.0,
                              "validation_pseudo_log_likelihood -142.52  epoch 17/50  pseudo_log_likelihood -141.3"};

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

TEST_CASE(
    "who reads a log is told of the first update, by which the time left is known at the end of the first epoch") {
  const ScratchFolder folder;
  std::vector<double> within, ended;
  std::string first;
  TrainRequest request;
  request.config = parse_toml(
      "seed = 1\nprecision = \"float64\"\n[data]\ntype = \"bars_and_stripes\"\nside = 3\n[model]\ntype = "
      "\"rbm\"\nnum_visible = 9\n"
      "num_hidden = 2\n[estimator]\ntype = \"cd\"\n[training]\nnum_updates = 5\nbatch_size = 7\n"
      "[optimizer]\nlearning_rate = 0.1\n[pictures]\nwhich = []\n",
      "run.toml");
  request.output = (folder / "run").string();
  request.threads = 1;
  request.epoch_ended = [&](double share, const std::string&) { ended.push_back(share); };
  request.within_epoch = [&](double share, const std::string& what) {
    if (within.empty()) first = what;
    within.push_back(share);
  };
  train(request, builtin());
  REQUIRE(!within.empty());
  CHECK(within[0] == 0.2);
  CHECK(first.starts_with("epoch 1/"));
  REQUIRE(!ended.empty());
  CHECK(ended[0] > within[0]);
  CHECK(ended.back() == 1.0);
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
