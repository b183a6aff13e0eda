#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <sstream>
#include <thread>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/pictures/gnuplot.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "files.hpp"

namespace sweep_test {

using namespace harmonium;
using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

constexpr const char* grid_sweep = R"(base = "small.toml"
seed = [1, 2]

[grid]
"model.num_hidden" = [3, 5]
"optimizer.learning_rate" = [0.01, 0.1]
)";

Outcome sweep(const ScratchFolder& folder, Words words) {
  words.insert(words.begin(), "sweep");
  words.push_back("--quiet");
  return run(folder, words);
}

/// The cells of a line, without the quotation marks around some.
Words cells_of(const std::string& line) {
  Words cells{""};
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool mark = line[i] == '"';
    if (mark && quoted && i + 1 < line.size() && line[i + 1] == '"') cells.back() += line[i++];
    else if (mark) quoted = !quoted;
    else if (line[i] == ',' && !quoted) cells.emplace_back();
    else cells.back() += line[i];
  }
  return cells;
}

/// sweep.csv by the names of its columns.
struct Table {
  std::vector<std::string> names;
  std::vector<Words> rows;
  explicit Table(const fs::path& file) {
    std::istringstream text(content_of(file));
    for (std::string line; std::getline(text, line);) rows.push_back(cells_of(line));
    REQUIRE(!rows.empty());
    names = rows.front();
    rows.erase(rows.begin());
  }
  std::string at(std::size_t row, const std::string& name) const {
    const auto column = std::ranges::find(names, name) - names.begin();
    REQUIRE(static_cast<std::size_t>(column) < rows.at(row).size());
    return rows[row][static_cast<std::size_t>(column)];
  }
  Words column(const std::string& name) const {
    Words all;
    for (std::size_t r = 0; r < rows.size(); ++r) all.push_back(at(r, name));
    return all;
  }
};

/// What a sweep comes to: the table, and the models of the runs that finished.
void check_same_results(const ScratchFolder& folder, const std::string& a, const std::string& b) {
  CHECK(content_of(folder / (a + "/sweep.csv")) == content_of(folder / (b + "/sweep.csv")));
  for (const std::string& run : Table(folder / (a + "/sweep.csv")).column("run"))
    if (const std::string model = run + "/model.h5"; fs::exists(folder / a / model))
      CHECK(content_of(folder / a / model) == content_of(folder / b / model));
}

}  // namespace

TEST_CASE("a sweep makes each run of a grid with each seed, and a table of them") {
  const CliFolder folder;
  folder.write("grid.toml", grid_sweep);
  const Outcome outcome = sweep(folder, {"grid.toml", "--jobs", "3"});
  CHECK(outcome.err == "");
  CHECK(outcome.status == 0);
  const Table table(folder / "grid/sweep.csv");
  REQUIRE(table.rows.size() == 8);
  CHECK(table.column("model.num_hidden") == Words{"3", "3", "3", "3", "5", "5", "5", "5"});
  CHECK(table.column("optimizer.learning_rate") == Words{"0.01", "0.01", "0.1", "0.1", "0.01", "0.01", "0.1", "0.1"});
  CHECK(table.column("seed") == Words{"1", "2", "1", "2", "1", "2", "1", "2"});
  CHECK(table.column("status") == Words(8, "finished"));
  CHECK(table.column("epochs") == Words(8, "4"));
  CHECK(table.column("error") == Words(8, ""));
  for (const std::string& verdict : table.column("verdict")) CHECK(verdict != "");

  // The run of a row is the run that `train` makes of its settings, and the figure the last of its log.
  const std::string made = table.at(3, "run");
  REQUIRE(run(folder, {"train", "small.toml", "--output", "alone", "--quiet", "--set", "model.num_hidden=3", "--set",
                       "optimizer.learning_rate=0.1", "--seed", "2"})
              .status == 0);
  CHECK(content_of(folder / "alone/metrics.jsonl") == content_of(folder / "grid" / made / "metrics.jsonl"));
  const std::string log = content_of(folder / "alone/metrics.jsonl");
  const auto at = log.rfind("\"gradient_norm\":");
  REQUIRE(at != std::string::npos);
  CHECK(std::stod(table.at(3, "gradient_norm")) == std::stod(log.substr(at + 16)));
}

TEST_CASE("a sweep's table is ordered by a figure where that is asked for") {
  const CliFolder folder;
  folder.write("grid.toml", grid_sweep);
  REQUIRE(sweep(folder, {"grid.toml", "--jobs", "3"}).status == 0);
  const Table usual(folder / "grid/sweep.csv");
  const auto sorted = [&](const std::string& figure) {
    const Outcome outcome = run(folder, {"sweep", "grid.toml", "--gather", "--sort", figure});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK(like(outcome.out, "*sweep.csv: sorted by " + figure + ", the * first; without it last\n*"));
    std::vector<double> values;
    for (const std::string& cell : Table(folder / "grid/sweep.csv").column(figure)) values.push_back(std::stod(cell));
    return values;
  };
  const std::vector<double> errors = sorted("reconstruction_error");
  CHECK(errors.size() == 8);
  CHECK(std::ranges::is_sorted(errors));
  // The rows are the same ones.
  Words runs = Table(folder / "grid/sweep.csv").column("run"), all = usual.column("run");
  CHECK(runs != all);
  std::ranges::sort(runs);
  std::ranges::sort(all);
  CHECK(runs == all);
  CHECK(std::ranges::is_sorted(sorted("pseudo_log_likelihood"), std::ranges::greater{}));
  // Whoever misspells the figure has the table in the usual order.
  check_refusal(
      sweep(folder, {"grid.toml", "--gather", "--sort", "reconstruction_eror"}), 2,
      "--sort reconstruction_eror: no run has such a figure (did you mean 'reconstruction_error'?). Known: *. "
      "*sweep.csv has the order of the sweep; with --gather no run is made again.");
  CHECK(Table(folder / "grid/sweep.csv").column("run") == usual.column("run"));
  check_refusal(
      sweep(folder, {"grid.toml", "--task", "1/2", "--sort", "loss"}), 2,
      "--sort orders the table, and --task, --dry-run and --slurm write none. Give it with --gather, once the "
      "runs are over.");
}

TEST_CASE("--epochs and --seed of a sweep are short for what --set says of each run") {
  const CliFolder folder;
  folder.write("widths.toml", "base = \"small.toml\"\n[grid]\n\"model.num_hidden\" = [2, 3]\n");
  REQUIRE(sweep(folder, {"widths.toml", "--output", "short", "--epochs", "2", "--seed", "7"}).status == 0);
  REQUIRE(
      sweep(folder, {"widths.toml", "--output", "long", "--set", "training.num_epochs=2", "--set", "seed=7"}).status ==
      0);
  check_same_results(folder, "short", "long");
  CHECK(Table(folder / "short/sweep.csv").column("epochs") == Words{"2", "2"});
}

TEST_CASE("data_seed of a sweep is that of all its runs, and one of the command line goes before it") {
  const CliFolder folder;
  folder.write("alike.toml", "base = \"small.toml\"\nseed = [5, 6]\ndata_seed = 9\n");
  const Words aside{"--set", "data.validation=4", "--set", "training.batch_size=5", "--epochs", "1"};
  const auto deals = [&](const char* output, Words more) {
    more.insert(more.end(), aside.begin(), aside.end());
    more.insert(more.begin(), {"alike.toml", "--output", output});
    REQUIRE(sweep(folder, more).status == 0);
    Words found;
    for (const std::string& run : Table(folder / output / "sweep.csv").column("run"))
      found.push_back(write_toml_value(*read_toml(folder / output / run / "config.toml").find("data_seed")));
    return found;
  };
  CHECK(deals("own", {}) == Words{"9", "9"});
  CHECK(deals("given", {"--set", "data_seed=4"}) == Words{"4", "4"});
}

TEST_CASE("a sweep whose seeds change the rows that are set aside says so once, and what keeps them") {
  const CliFolder folder;
  folder.write("seeds.toml", "base = \"small.toml\"\nseed = [5, 6]\n[grid]\n\"model.num_hidden\" = [2, 3]\n");
  folder.write("widths.toml", "base = \"small.toml\"\n[grid]\n\"model.num_hidden\" = [2, 3]\n");
  folder.write("deals.toml", "base = \"small.toml\"\nseed = [5, 6]\n[grid]\ndata_seed = [1, 2]\n");
  const auto told = [&](const char* file, const std::string& part, Words more) {
    const std::string note =
        "harmonium: note: the rows that are set aside for " + part +
        " change with the seed, and figures of these are of different rows in runs with different seeds. Write "
        "data_seed = 5 below 'base' in the file of the sweep, or add --set data_seed=5, for the same rows in all of "
        "them.\n";
    Words words{"sweep", file, "--set", "training.batch_size=5", "--set", "training.num_epochs=1"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    const std::size_t at = outcome.err.find(note);
    return at != std::string::npos && outcome.err.find("data_seed", at + note.size()) == std::string::npos;
  };
  const auto silent = [&](const char* file, Words more) {
    more.insert(more.end(), {"--set", "training.batch_size=5", "--dry-run"});
    more.insert(more.begin(), {"sweep", file});
    const Outcome outcome = run(folder, more);
    CHECK(outcome.status == 0);
    return outcome.err.find("data_seed") == std::string::npos;
  };
  const Words aside{"--set", "data.validation=4"};
  CHECK(told("seeds.toml", "validation", {"--set", "data.validation=4"}));
  CHECK(told("seeds.toml", "test", {"--set", "data.test=0.2", "--dry-run"}));
  folder.write("alike.toml", "base = \"small.toml\"\nseed = [5, 6]\ndata_seed = 9\n");
  CHECK(silent("alike.toml", aside));
  CHECK(silent("seeds.toml", {}));
  CHECK(silent("seeds.toml", {"--set", "data.validation=0.0"}));
  CHECK(silent("seeds.toml", {"--set", "data.validation=4", "--set", "data_seed=5"}));
  CHECK(silent("widths.toml", aside));  // one seed
  CHECK(silent("deals.toml", aside));   // that is what is asked for
  CHECK(silent("seeds.toml", {"--set", "data.validation=4", "--output", "part", "--task", "1/2"}));
}

TEST_CASE("figures of a sweep show means over seeds for each key that varies") {
  const CliFolder folder;
  folder.write("grid.toml", grid_sweep);
  const Outcome outcome = sweep(folder, {"grid.toml"});
  REQUIRE(outcome.status == 0);
  if (!find_gnuplot()) return;
  for (const char* figure : {"grid/by_model.num_hidden.svg", "grid/by_optimizer.learning_rate.svg"}) {
    CAPTURE(figure);
    REQUIRE(fs::exists(folder / figure));
    const std::string svg = content_of(folder / figure);
    CHECK(svg.starts_with("<?xml"));
    CHECK(svg.find("means over seeds, with one standard error") != std::string::npos);
  }
  CHECK(content_of(folder / "grid/by_model.num_hidden.svg").find("optimizer.learning_rate = 0.1") != std::string::npos);
  CHECK_FALSE(fs::exists(folder / "grid/by_seed.svg"));
}

TEST_CASE("runs that are over are kept, and a sweep that grows makes the new ones alone") {
  const CliFolder folder;
  folder.write("grid.toml", grid_sweep);
  REQUIRE(sweep(folder, {"grid.toml"}).status == 0);
  const Table table(folder / "grid/sweep.csv");
  const std::string bytes = content_of(folder / "grid/sweep.csv");
  const auto made = fs::last_write_time(folder / "grid" / table.at(5, "run") / "model.h5");
  REQUIRE(sweep(folder, {"grid.toml"}).status == 0);
  CHECK(content_of(folder / "grid/sweep.csv") == bytes);
  std::string longer = grid_sweep;
  longer.replace(longer.find("[1, 2]"), 6, "[1, 2, 3]");
  folder.write("grid.toml", longer);
  REQUIRE(sweep(folder, {"grid.toml"}).status == 0);
  CHECK(Table(folder / "grid/sweep.csv").rows.size() == 12);
  CHECK(fs::last_write_time(folder / "grid" / table.at(5, "run") / "model.h5") == made);
}

TEST_CASE("a sweep gives the same bytes in one piece, killed and gone on with, on more jobs, and as tasks") {
  const CliFolder folder;
  // One of the rates diverges, and stays so told.
  folder.write("rates.toml",
               "base = \"small.toml\"\nseed = [1, 2]\n[grid]\noptimizer.learning_rate = [0.05, 1e9]\n"
               "[random]\npoints = 2\n\"initializer.std\" = { low = 0.001, high = 0.1, scale = \"log\" }\n");
  const Words longer{"--set", "training.num_epochs=3000", "--set", "training.checkpoint_minutes=0.0005"};
  const auto made = [&](Words words) {
    words.insert(words.begin(), "rates.toml");
    words.insert(words.end(), longer.begin(), longer.end());
    return words;
  };
  const Outcome whole = sweep(folder, made({"--output", "whole", "--jobs", "1"}));
  CHECK(whole.status == 1);
  CHECK(like(whole.err,
             "harmonium: 4 of 8 runs finished, 4 diverged, 0 failed, 0 are unfinished. */whole/sweep.csv says "
             "which.\n"));
  const Table table(folder / "whole/sweep.csv");
  CHECK(table.column("status") ==
        Words{"finished", "finished", "finished", "finished", "diverged", "diverged", "diverged", "diverged"});
  CHECK(like(table.at(5, "error"), "the run diverged at update 1: *Lower optimizer.learning_rate, or set *"));

  for (int kill = 0; kill < 3; ++kill) {
    Words words = made({"--output", "killed", "--jobs", "2"});
    words.insert(words.begin(), "sweep");
    Running running(words, {.folder = folder.path()});
    REQUIRE(appears(folder / "killed/runs"));
    std::this_thread::sleep_for(std::chrono::milliseconds(300 + 400 * kill));
    running.signal(SIGKILL);
    running.wait();
  }
  CHECK(sweep(folder, made({"--output", "killed", "--jobs", "3"})).status == 1);
  check_same_results(folder, "whole", "killed");

  for (const char* task : {"2/3", "1/3", "3/3"}) {
    CHECK_FALSE(fs::exists(folder / "tasks/sweep.csv"));
    CHECK(sweep(folder, made({"--output", "tasks", "--task", task})).status == 1);
  }
  CHECK(sweep(folder, made({"--output", "tasks", "--gather"})).status == 1);
  check_same_results(folder, "whole", "tasks");
}

TEST_CASE("a signal ends a sweep with checkpoints, and the same command goes on") {
  const CliFolder folder;
  folder.write("grid.toml", "base = \"small.toml\"\n[grid]\nseed = [1, 2, 3]\n");
  const Words words{"sweep", "grid.toml", "--jobs", "2", "--set", "training.num_epochs=8000"};
  {
    Running running(words, {.folder = folder.path()});
    REQUIRE(appears(folder / "grid/runs"));
    for (int i = 0; i < 2000; ++i) {
      const auto below = files_below(folder / "grid/runs");
      if (std::ranges::any_of(below, [](const std::string& f) { return f.ends_with("timing.jsonl"); })) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    running.signal(SIGTERM);
    check_refusal(running.wait(), 1, "the sweep was stopped. The same command goes on.");
  }
  CHECK_FALSE(fs::exists(folder / "grid/sweep.csv"));
  const auto below = files_below(folder / "grid/runs");
  CHECK(std::ranges::any_of(below, [](const std::string& file) { return file.ends_with(".h5"); }));
  CHECK(run(folder, words).status == 0);
  Words whole = words;
  whole.insert(whole.end(), {"--output", "whole"});
  CHECK(run(folder, whole).status == 0);
  check_same_results(folder, "whole", "grid");
}

TEST_CASE("a run that fails is told, stops no other, and is tried again") {
  const CliFolder folder;
  folder.write("grid.toml", "base = \"small.toml\"\nseed = [1, 2, 3]\n");
  REQUIRE(sweep(folder, {"grid.toml", "--output", "first"}).status == 0);
  const std::string run_folder = Table(folder / "first/sweep.csv").at(1, "run");
  fs::create_directories(folder / "grid/runs");
  folder.write("grid/" + run_folder, "a file in the place of the folder");
  CHECK(sweep(folder, {"grid.toml"}).status == 1);
  const Table table(folder / "grid/sweep.csv");
  CHECK(table.column("status") == Words{"finished", "failed", "finished"});
  CHECK(like(table.at(1, "error"), "*a file of this name exists. Give the name of a folder."));
  CHECK(table.at(1, "reconstruction_error") == "");
  fs::remove(folder / "grid" / run_folder);
  CHECK(sweep(folder, {"grid.toml"}).status == 0);
  check_same_results(folder, "first", "grid");
}

TEST_CASE("random points are within their ranges and fill them evenly") {
  const CliFolder folder;
  folder.write("random.toml",
               "base = \"small.toml\"\n[random]\npoints = 8\n"
               "optimizer.learning_rate = { low = 0.001, high = 10, scale = \"log\" }\n"
               "model.num_hidden = { low = 1, high = 8, integer = true }\n"
               "\"initializer.std\" = { low = 0.1, high = 0.9 }\n");
  CHECK(sweep(folder, {"random.toml", "--set", "training.num_epochs=1"}).status == 0);
  const Table table(folder / "random/sweep.csv");
  REQUIRE(table.rows.size() == 8);
  // Of a Sobol sequence, 8 points from the second on lie one in each eighth of each range; the first is in the middle.
  std::set<int> eighths, quarters;
  std::multiset<std::string> hidden;
  for (std::size_t r = 0; r < 8; ++r) {
    eighths.insert(static_cast<int>((std::log10(std::stod(table.at(r, "optimizer.learning_rate"))) + 3.0) * 2.0));
    quarters.insert(static_cast<int>((std::stod(table.at(r, "initializer.std")) - 0.1) / 0.2));
    hidden.insert(table.at(r, "model.num_hidden"));
  }
  CHECK(eighths.size() >= 7);
  CHECK(quarters == std::set<int>{0, 1, 2, 3});
  for (const std::string& units : hidden) CHECK(hidden.count(units) <= 2);
  CHECK(std::stoi(*hidden.begin()) >= 1);
  CHECK(std::stoi(*hidden.rbegin()) <= 8);
}

TEST_CASE("listed settings may be components, and runs need not set the same") {
  const CliFolder folder;
  folder.write("list.toml",
               "base = \"small.toml\"\n[[list]]\nestimator = { type = \"cd\" }\n[[list]]\nestimator.type = \"exact\"\n"
               "training.batch_size = 5\n");
  CHECK(sweep(folder, {"list.toml"}).status == 0);
  const Table table(folder / "list/sweep.csv");
  CHECK(table.column("estimator") == Words{"{type = \"cd\"}", "{type = \"exact\"}"});
  CHECK(table.column("training.batch_size") == Words{"7", "5"});
}

TEST_CASE("an option of the base that a type of the grid does not know is left out, which is said") {
  const CliFolder folder;
  folder.write("kinds.toml", "base = \"small.toml\"\n[grid]\nestimator.type = [\"cd\", \"pcd\"]\n");
  const Outcome outcome = run(folder, {"sweep", "kinds.toml", "--output", "kinds"});
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  CHECK(outcome.err.find("/small.toml:15:14) is no option of 'cd', and is left out.\n") != std::string::npos);
  CHECK(Table(folder / "kinds/sweep.csv").column("estimator.type") == Words{"cd", "pcd"});
  // What the sweep itself sets is meant.
  folder.write("both.toml",
               "base = \"small.toml\"\n[grid]\nestimator.type = [\"cd\"]\nestimator.num_chains = [4, 8]\n");
  check_refusal(run(folder, {"sweep", "both.toml", "--output", "both"}), 2,
                "*estimator 'cd': unknown option 'num_chains'*");
}

TEST_CASE("keys of a grid may be tables within one another, a component's too, and compare tells runs apart by them") {
  const CliFolder folder;
  std::string plain = small_config;
  plain.erase(plain.find("num_chains = 8\n"), std::string("num_chains = 8\n").size());
  folder.write("plain.toml", plain);
  folder.write("kinds.toml",
               "base = \"plain.toml\"\n[grid]\nestimator.type = [\"cd\", \"pcd\"]\nmodel.num_hidden = [2, 3]\n");
  const Outcome outcome = sweep(folder, {"kinds.toml"});
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  const Table table(folder / "kinds/sweep.csv");
  CHECK(table.column("estimator.type") == Words{"cd", "cd", "pcd", "pcd"});
  CHECK(table.column("model.num_hidden") == Words{"2", "3", "2", "3"});
  const auto told = nlohmann::json::parse(run(folder, {"compare", "kinds", "--json"}).out);
  REQUIRE(told.size() == 4);
  CHECK(told[1]["settings"] == nlohmann::json{{"estimator.type", "cd"}, {"model.num_hidden", 3}});
  CHECK(told[2]["settings"] == nlohmann::json{{"estimator.type", "pcd"}, {"model.num_hidden", 2}});
  // Beside a run of no sweep it is the configurations that tell.
  folder.trained();
  CHECK(run(folder, {"compare", "kinds", "run"}).out.find("model.num_hidden") == std::string::npos);
}

TEST_CASE("runs of a sweep that are over have read the data that there are, or no more are made") {
  const ScratchFolder folder;
  folder.write(
      "base.toml",
      "data = { type = \"csv\", path = \"rows.csv\" }\nmodel = { type = \"rbm\", num_visible = 2, num_hidden = 2 }\n"
      "estimator = { type = \"exact\" }\ntraining = { num_epochs = 2 }\npictures = { which = [] }\n");
  const std::string rows = "0,1\n1,0\n1,1\n";
  folder.write("rows.csv", rows);
  // One of the runs diverges.
  const std::string rest = "base = \"base.toml\"\n[grid]\n\"optimizer.learning_rate\" = [0.1, 1e30]\n";
  folder.write("s.toml", "seed = [1]\n" + rest);
  REQUIRE(sweep(folder, {"s.toml"}).status == 1);
  REQUIRE(Table(folder / "s/sweep.csv").column("status") == Words{"finished", "diverged"});
  folder.write("rows.csv", rows + "0,0\n");
  folder.write("s.toml", "seed = [1, 2]\n" + rest);
  const std::string table = content_of(folder / "s/sweep.csv");
  const Words before = files_below(folder / "s");
  const char* const other =
      "*/s/runs/*: the run was made with other content of */rows.csv (its SHA-256 has changed). Put the old data back, "
      "or "
      "give another --output.";
  check_refusal(sweep(folder, {"s.toml"}), 1, other);
  check_refusal(sweep(folder, {"s.toml", "--task", "1/4"}), 1, other);
  check_refusal(sweep(folder, {"s.toml", "--task", "3/4"}), 1, other);  // of the run that diverged
  CHECK(files_below(folder / "s") == before);
  CHECK(content_of(folder / "s/sweep.csv") == table);
  folder.write("rows.csv", rows);
  CHECK(sweep(folder, {"s.toml"}).status == 1);
  CHECK(Table(folder / "s/sweep.csv").column("status") == Words{"finished", "finished", "diverged", "diverged"});
  // What is over is gathered without its data, too, and in another place.
  fs::rename(folder / "s", folder / "moved");
  CHECK(sweep(folder, {"s.toml", "--output", "moved"}).status == 1);
  fs::remove(folder / "rows.csv");
  CHECK(sweep(folder, {"s.toml", "--output", "moved"}).status == 1);
  CHECK(Table(folder / "moved/sweep.csv").rows.size() == 4);
}

TEST_CASE("bars of a sweep's figures are errors of means, also where these are large beside them") {
  const CliFolder folder;
  folder.write("grid.toml", "base = \"small.toml\"\nseed = [1, 2, 3]\n[grid]\n\"model.num_hidden\" = [3, 5]\n");
  REQUIRE(sweep(folder, {"grid.toml"}).status == 0);
  const Table table(folder / "grid/sweep.csv");
  for (std::size_t r = 0; r < 6; ++r)
    folder.write(
        "grid/" + table.at(r, "run") + "/metrics.jsonl",
        "{\"epoch\":1,\"update\":2,\"height\":" + std::to_string(900000000 + (r < 3 ? 1 : 3) * (r % 3)) + "}\n");
  // In the place of gnuplot stands what keeps the data of the script that it is to draw.
  const fs::path programs = folder / "programs";
  fs::create_directory(programs);
  folder.write("programs/gnuplot", "#!/bin/sh\ncat \"$2\" > '" + (folder / "script").string() + "'\n");
  fs::permissions(programs / "gnuplot", fs::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (programs.string() + ":" + path).c_str(), 1);
  const Outcome outcome = sweep(folder, {"grid.toml", "--gather"});
  ::setenv("PATH", path.c_str(), 1);
  CHECK(outcome.err == "");
  CHECK(outcome.status == 0);
  // Means 1 and 3 above; the deviations of 0, 1, 2 and of 0, 3, 6 are 1 and 3, over the root of three seeds.
  CHECK(content_of(folder / "script").find("\n3 900000001 0.577350269\n5 900000003 1.73205081\nEOD") !=
        std::string::npos);
}

}  // namespace sweep_test
