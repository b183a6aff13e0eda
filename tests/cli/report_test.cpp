#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <harmonium/program/report/computed_figures.hpp>
#include <harmonium/tests/support/paths.hpp>
#include <harmonium/tests/support/skip.hpp>

#include <doctest/doctest.h>

#include "files.hpp"
#include "page.hpp"

namespace report_test {

using namespace harmonium;
using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

/// A page that is well formed, loads and runs nothing, and has no id twice.
Page checked_page(const std::string& text) {
  Page page = read_page(text);
  CHECK(page.fault == "");
  CHECK(loaded_by(page, text) == Words{});
  std::set<std::string> ids;
  for (const Page::Element& e : page.elements) {
    if (const auto id = e.attributes.find("id"); id != e.attributes.end())
      CHECK_MESSAGE(ids.insert(id->second).second, id->second);
    if (e.name == "img") CHECK(e.attributes.contains("alt"));
    if (e.name == "svg") CHECK((e.attributes.contains("aria-label") || e.attributes.contains("aria-hidden")));
    if (e.name == "th") CHECK(e.attributes.contains("scope"));
  }
  for (const Page::Element& a : page.named("a")) CHECK(ids.contains(a.attributes.at("href").substr(1)));
  return page;
}

Page reported(const ScratchFolder& folder, Words words) {
  words.insert(words.begin(), "report");
  const Outcome outcome = run(folder, words);
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "");
  CHECK(outcome.out == "report.html\n");
  return checked_page(content_of(folder / "report.html"));
}

bool has_text(const Page& page, const std::string& part) {
  return page.elements.at(0).text.find(part) != std::string::npos;
}

bool has_number(const Page& page, double value) { return std::ranges::count(page.numbers(), value) > 0; }

nlohmann::json json_of(const ScratchFolder& folder, const Words& words) {
  const Outcome outcome = run(folder, words);
  REQUIRE(outcome.status == 0);
  return nlohmann::json::parse(outcome.out);
}

/// "± 0.034" of 0.03383.
std::string two_digits(double error) {
  const int digits = std::clamp(1 - static_cast<int>(std::floor(std::log10(error))), 0, 9);
  return fmt::format("± {:.{}f}", error, digits);
}

nlohmann::json last_line(const fs::path& log) {
  const std::string text = content_of(log);
  return nlohmann::json::parse(text.substr(text.rfind('\n', text.size() - 2) + 1));
}

/// Whether a page has every figure of the last line of a log.
void check_has_last(const Page& page, const fs::path& log) {
  const nlohmann::json logged = last_line(log);
  for (const auto& entry : logged.items()) {
    const std::string& name = entry.key();
    // Errors stand behind their figures, to two digits.
    if (name.ends_with("_error") && logged.contains(name.substr(0, name.size() - 6)))
      CHECK_MESSAGE(has_text(page, two_digits(entry.value())), name);
    else if (name != "epoch" && name != "update") CHECK_MESSAGE(has_number(page, entry.value()), name);
  }
}

/// Of as many epochs, with the errors that are given; figures(epoch) are those of training and of validation rows.
template <class Figures>
std::string log_of_rows(int epochs, double error, double validation_error, const Figures& figures) {
  std::string log;
  for (int e = 1; e <= epochs; ++e) {
    const auto [training, validation] = figures(e);
    log += nlohmann::ordered_json({{"epoch", e},
                                   {"update", 2 * e},
                                   {"pseudo_log_likelihood", training},
                                   {"pseudo_log_likelihood_error", error},
                                   {"validation_pseudo_log_likelihood", validation},
                                   {"validation_pseudo_log_likelihood_error", validation_error}})
               .dump() +
           "\n";
  }
  return log;
}

/// Ten epochs at rest, the gap between training and validation rows growing to `gap` with errors of 0.3 and 0.4.
std::string log_with_gap(double gap) {
  return log_of_rows(10, 0.3, 0.4, [&](int e) {
    const double training = e < 3 ? -20.0 : -4.0;
    return std::pair(training, training - (e < 3 ? 0.0 : gap));
  });
}

}  // namespace

TEST_CASE("a report of a run has all parts, and the numbers are those of its log, of evaluate and of diagnose") {
  const CliFolder folder;
  folder.trained();
  const Page page = reported(folder, {"run"});
  for (const char* title : {"Whether to believe it", "What happened", "Learning curves", "Likelihood",
                            "Chains and their verdict", "Weights", "Data, reconstructions and samples", "Configuration",
                            "Provenance", "What was computed, when and how"})
    CHECK_MESSAGE(page.says("h2", title), title);
  for (const char* name : {"processor", "instruction_set", "threads", "seed"})
    CHECK_MESSAGE(page.says("th", name), name);
  for (const char* picture : {"Filters", "Data", "Reconstructions", "Samples", "Chains over time"})
    CHECK_MESSAGE(page.says("h3", picture), picture);
  CHECK(page.named("img").size() == 5);
  CHECK(page.named("p").size() > 10);
  CHECK(has_text(page, "It finished after 4 epochs and 8 updates."));
  CHECK(page.says("pre", content_of(folder / "run/config.toml")));

  check_has_last(page, folder / "run/metrics.jsonl");
  const auto evaluated = json_of(folder, {"evaluate", "run", "--json"});
  CHECK(has_number(page, evaluated["log_z"]));
  for (const char* figure : {"log_likelihood", "free_energy", "pseudo_log_likelihood", "reconstruction_error"})
    CHECK_MESSAGE(has_number(page, evaluated["splits"]["training"][figure]), figure);
  const auto diagnosed = json_of(folder, {"diagnose", "run", "--set", "data.side=3", "--json"});
  const auto& numbers = diagnosed["numbers"];
  for (const auto& entry : numbers.items()) {
    CHECK(page.says("th", entry.key()));
    for (const char* figure : {"mean", "error", "autocorrelation_time", "r_hat", "equal_means_probability"})
      CHECK_MESSAGE(has_number(page, entry.value()[figure]), entry.key() << " " << figure);
  }
  for (int k = 0; k < 3; ++k) {  // found by another routine of LAPACK's there
    const double value = diagnosed["singular_values"][k];
    CHECK(std::ranges::any_of(page.numbers(), [&](double v) { return std::abs(v - value) < 1e-9 * value; }));
  }
}

TEST_CASE("where log Z is annealed a report shows what each side bounds, of the one annealing that evaluate does") {
  const ScratchFolder folder;
  folder.write("wide.toml",
               "seed = 1\ndata = { type = \"bars_and_stripes\", side = 6 }\n"
               "model = { type = \"rbm\", num_visible = 36, num_hidden = 40 }\nestimator = { type = \"cd\" }\n"
               "training = { num_epochs = 1 }\n");
  REQUIRE(run(folder, {"train", "wide.toml", "--output", "run", "--quiet"}).status == 0);
  const Page page = reported(folder, {"run", "--effort", "0.1", "--no-diagnosis", "--no-pictures"});
  CHECK(has_text(page, "Annealing forward alone bounds log Z from below, backward alone from above (95 % each)"));
  CHECK(!has_text(page, "log_z.sides"));
}

TEST_CASE("the same run gives the same report on any number of threads, but for times") {
  const CliFolder folder;
  folder.trained();
  const auto numbers = [&](const char* threads) { return reported(folder, {"run", "--threads", threads}).numbers(); };
  CHECK(numbers("1") == numbers("3"));
}

TEST_CASE("what is left out of a report is told") {
  const CliFolder folder;
  CHECK(run(folder, {"train", "small.toml", "--output", "run", "--set", "pictures.which=[]"}).status == 0);
  fs::remove(folder / "run/timing.jsonl");
  const Page page = reported(folder, {"run", "--no-likelihood", "--no-diagnosis", "--no-pictures"});
  CHECK(page.named("img").empty());
  for (const char* text :
       {"No likelihood: It was left out (--no-likelihood).",
        "Chains were not diagnosed: It was left out (--no-diagnosis).",
        "There is no such picture. The run has not drawn it, and drawing was left out (--no-pictures).",
        "How long it took is not known: timing.jsonl is missing or empty.", "There is no fingerprint of data"})
    CHECK_MESSAGE(has_text(page, text), text);
}

TEST_CASE("runs that are not finished, that diverged and that lost their data have reports") {
  const CliFolder folder;
  folder.trained();
  fs::copy(folder / "run", folder / "stopped", fs::copy_options::recursive);
  fs::remove(folder / "stopped/model.h5");
  const Page bare = reported(folder, {"stopped"});
  CHECK(has_text(bare, "It is not finished: 4 epochs and 8 updates are made of 4 epochs planned."));
  CHECK(has_text(bare, "No likelihood: The run has no model yet: neither model.h5 nor a checkpoint."));
  CHECK(has_text(bare, "To be taken with care: the run"));

  CHECK(run(folder, {"train", "small.toml", "--output", "kept", "--set", "training.checkpoint_every=2"}).status == 0);
  fs::remove(folder / "kept/model.h5");
  CHECK(has_text(reported(folder, {"kept"}), "Looked at is the checkpoint of update 8."));

  CHECK(run(folder, {"train", "small.toml", "--output", "lost", "--set", "optimizer.learning_rate=1e9"}).status == 1);
  const Page lost = reported(folder, {"lost"});
  CHECK(has_text(lost, "Not to be believed: the run"));
  CHECK(has_text(lost, "Looked at is the last good model of a run that diverged."));
  CHECK(has_text(lost, "Nothing has been measured along the run yet"));

  folder.write("rows.csv", "0,1,1\n1,0,0\n1,1,1\n0,0,1\n");
  CHECK(run(folder, {"train", "small.toml", "--output", "gone", "--set", "data={type=\"csv\", path=\"rows.csv\"}",
                     "--set", "model={type=\"rbm\", num_visible=3, num_hidden=2}", "--set", "training.batch_size=4",
                     "--set", "pictures.which=[]"})
            .status == 0);
  fs::remove(folder / "rows.csv");
  const Page gone = reported(folder, {"gone"});
  CHECK(has_text(gone, "No rows were judged: "));
  CHECK(has_text(gone, "rows.csv"));
  CHECK(has_number(gone, json_of(folder, {"evaluate", "gone/model.h5", "--json"})["log_z"]));
}

// The error of the gap is hypot(0.3, 0.4) = 0.5: 1.6 is above three of them, 1.4 is not.
TEST_CASE("a report says that a rate went to 0, and whether the gap to validation rows grew by more than its error") {
  const CliFolder folder;
  folder.trained();
  REQUIRE(run(folder, {"train", "small.toml", "--output", "slowed", "--set", "training.num_epochs=10", "--set",
                       "optimizer.schedule={type=\"linear\"}"})
              .status == 0);
  const auto told = [&](double gap) {
    folder.write("slowed/metrics.jsonl", log_with_gap(gap));
    return reported(folder, {"slowed", "--no-likelihood", "--no-diagnosis", "--no-pictures"});
  };
  const Page grown = told(1.6), small = told(1.4);
  CHECK(has_text(grown, "came to rest as its learning rate went to 0"));
  CHECK(has_text(grown, "grew from 0.0 to 1.6 ± 0.5 nats"));
  CHECK(has_text(small, "There is no sign of overfitting."));
}

TEST_CASE("where validation rows fell no longer training is advised, though training rows still rise") {
  const CliFolder folder;
  folder.trained();
  REQUIRE(run(folder, {"train", "small.toml", "--output", "over", "--set", "training.num_epochs=12"}).status == 0);
  const std::string log =
      log_of_rows(12, 0.1, 0.1, [](int e) { return std::pair(-20.0 + e, -20.0 + std::min(e, 9 - e)); });
  folder.write("over/metrics.jsonl", log);
  const Page page = reported(folder, {"over", "--no-likelihood", "--no-diagnosis", "--no-pictures"});
  CHECK(has_text(page, "still rises"));
  CHECK(has_text(page, "rows are learned by heart"));
  CHECK(has_text(page, "Keep the best model"));
  CHECK_FALSE(has_text(page, "Train for longer"));
}

TEST_CASE("names that would be markup are shown as they are") {
  const CliFolder folder;
  folder.trained();
  const std::string name = "a <script>alert(1)<b> & \"b\" 'c' \xCE\xB2\xE2\x80\xAE" + std::string(40, 'x');
  fs::rename(folder / "run", folder / name);
  folder.write(name + "/metrics.jsonl",
               "{\"epoch\":1,\"update\":2,\"</svg><script>x & 'y'\":1,\"log_likelihood\":-3}\n"
               "{\"epoch\":2,\"update\":4,\"</svg><script>x & 'y'\":2,\"log_likelihood\":-2}\n");
  folder.write(name + "/config.toml",
               "# </pre><img src=x onerror=y> \xE2\x80\xAE\n" + content_of(folder / name / "config.toml"));
  const Page page = reported(folder, {name});
  CHECK(has_text(page, "a <script>alert(1)<b> & \"b\" 'c' \xCE\xB2\\xE2\\x80\\xAE"));
  CHECK(page.says("td", "</svg><script>x & 'y'"));
  CHECK(has_text(page, "# </pre><img src=x onerror=y> \\xE2\\x80\\xAE"));
  CHECK(page.named("script").empty());
  CHECK(run(folder, {"train", "small.toml", "--output", "other", "--set", "training.num_epochs=2"}).status == 0);
  const Page both = reported(folder, {name, "other"});
  CHECK(has_text(both, "a <script>alert(1)<b> & \"b\""));
}

TEST_CASE("several runs are compared: settings beside figures, and a curve of each in one picture") {
  const CliFolder folder;
  folder.trained();
  CHECK(run(folder, {"train", "small.toml", "--output", "fast", "--set", "optimizer.learning_rate=0.5"}).status == 0);
  const Page page = reported(folder, {"run", "fast"});
  CHECK(page.says("h1", "2 runs compared"));
  CHECK(page.says("th", "optimizer.learning_rate"));
  CHECK(page.says("td", "0.5"));
  for (const char* run_of : {"run", "fast"}) {
    check_has_last(page, folder.path() / run_of / "metrics.jsonl");
    CHECK(has_number(page, json_of(folder, {"evaluate", run_of, "--json"})["splits"]["training"]["log_likelihood"]));
    CHECK(page.says("h3", run_of));
  }
  CHECK(has_text(page, "fast: learning_rate = 0.5"));
}

TEST_CASE("a sweep is reported as its runs, with its figures over seeds, and compared as they are") {
  const CliFolder folder;
  folder.write("widths.toml", "base = \"small.toml\"\nseed = [1, 2]\n[grid]\n\"model.num_hidden\" = [2, 3]\n");
  check_refusal(run(folder, {"report", "widths"}), 2, "widths: no such folder");
  REQUIRE(run(folder, {"sweep", "widths.toml"}).status == 0);
  const Page page = reported(folder, {"widths", "--no-likelihood", "--no-diagnosis"});
  CHECK(has_text(page, "4 runs compared"));
  CHECK(has_text(page, "Means over seeds"));
  CHECK(has_text(page, "Figures over model.num_hidden: means over seeds"));
  CHECK(has_text(page, "rows: the standard error over the data rows of one run, which all seeds share."));
  const nlohmann::json means = nlohmann::json::parse(run(folder, {"compare", "widths", "--means", "--json"}).out);
  REQUIRE(means.size() == 2);
  const std::size_t best = means[0]["best_by"].is_null() ? 1 : 0;
  CHECK(has_text(page, fmt::format("Best by {}: setting {} ({})", means[best]["best_by"].get<std::string>(), best + 1,
                                   means[best]["name"].get<std::string>())));
  for (const auto& run : fs::directory_iterator(folder / "widths/runs")) {
    CHECK(has_text(page, run.path().filename().string()));
    const nlohmann::json last = last_line(run.path() / "metrics.jsonl");
    CHECK(has_number(page, last["reconstruction_error"].get<double>()));
  }
  Words compared{"compare"};
  const auto rows = csv_fields(folder / "widths/sweep.csv");
  const auto width = std::ranges::find(rows[0], "model.num_hidden") - rows[0].begin();
  std::map<std::string, double> sums;  // over both seeds, by width
  for (auto row = rows.begin() + 1; row != rows.end(); ++row) {
    compared.push_back("widths/" + row->front());
    sums[row->at(static_cast<std::size_t>(width))] +=
        last_line(folder / "widths" / row->front() / "metrics.jsonl")["reconstruction_error"].get<double>();
  }
  CHECK(sums.size() == 2);
  for (const auto& of_width : sums) CHECK_MESSAGE(has_number(page, of_width.second / 2.0), of_width.first);
  CHECK(compared.size() == 5);
  CHECK(run(folder, {"compare", "widths"}).out == run(folder, compared).out);
  fs::remove(folder / "widths/sweep.csv");
  check_refusal(run(folder, {"report", "widths"}), 2,
                "widths: no run stands in the sweep's table. 'harmonium sweep' makes them, or gathers them.");
}

TEST_CASE("a report of several runs counts runs of one configuration and one seed once") {
  const CliFolder folder;
  for (const auto& [name, seed] : {std::pair{"one", "1"}, {"again", "1"}, {"two", "2"}})
    REQUIRE(run(folder, {"train", "small.toml", "--output", name, "--seed", seed}).status == 0);
  const Page page = reported(folder, {"one", "again", "two", "--no-likelihood", "--no-diagnosis"});
  CHECK(page.says("p", "again repeats one and is not counted again."));
  const double mean = 0.5 * (last_line(folder / "one/metrics.jsonl")["reconstruction_error"].get<double>() +
                             last_line(folder / "two/metrics.jsonl")["reconstruction_error"].get<double>());
  CHECK(has_number(page, mean));
  CHECK(
      has_text(page, "the true one is, in 95 of 100 cases, 0.45 to 32 times that of 2 seeds. Likelihoods of all rows"));
}

TEST_CASE("means over seeds have the likelihoods that a report computes where runs have none") {
  const CliFolder folder;
  folder.write("seeds.toml", "base = \"small.toml\"\nseed = [1, 2]\n");
  REQUIRE(run(folder, {"sweep", "seeds.toml"}).status == 0);
  double mean = 0.0, error = 0.0;
  for (const auto& made : fs::directory_iterator(folder / "seeds/runs")) {
    const auto found = last_line(made.path() / "final.jsonl");
    mean += 0.5 * found["log_likelihood"].get<double>();
    error += 0.5 * found["log_likelihood_error"].get<double>();
    // As of a run whose log Z takes too long: no likelihood along it or at its end.
    fs::remove(made.path() / "final.jsonl");
    const std::string name = made.path().lexically_relative(folder.path()).string() + "/metrics.jsonl";
    folder.write(name, "{\"epoch\":4,\"update\":8,\"reconstruction_error\":0.25}\n");
  }
  const Page without = reported(folder, {"seeds", "--no-likelihood", "--no-diagnosis"});
  CHECK_FALSE(has_text(without, "all_rows.log_likelihood"));
  const Page page = reported(folder, {"seeds", "--no-diagnosis"});
  CHECK(has_text(page, "all_rows.log_likelihood"));
  // The same sums in another order.
  CHECK(std::ranges::any_of(page.numbers(), [&](double number) { return std::abs(number - mean) < 1e-9; }));
  CHECK(has_text(page, fmt::format(", rows ± {:.2g}", error)));
}

TEST_CASE("a likelihood that a report computes without agreement counts as not agreed, and none replaces a run's own") {
  using namespace harmonium;
  ComparedRun made;
  made.state = ComparedRun::State::finished;
  made.log = {4, 8, {}};
  Computed unsure, sure;
  Evaluation apart, known;
  apart.log_likelihood_interval = Interval{-3.0, -2.0};
  known.log_likelihood = -2.5, known.rows_error = 0.25;
  known.log_likelihood_interval = Interval{-2.5, -2.5};  // exact
  unsure.likelihood.found.emplace().splits = {{"training", apart}, {"validation", apart}};
  sure.likelihood.found.emplace().splits = {{"training", known}, {"validation", known}};
  ComparedRun own = made, unfinished = made;
  own.final = {4, 8, {{"log_likelihood", {4.0}, {-1.0}}}};
  unfinished.state = ComparedRun::State::unfinished;
  const std::vector<ComparedRun> runs =
      with_computed_likelihoods({made, made, own, unfinished}, {unsure, sure, sure, sure});
  for (const std::string name : {"log_likelihood", "validation_log_likelihood"}) {
    CAPTURE(name);
    const auto value = [&](std::size_t r, const std::string& end) {
      const MetricSeries* series = runs[r].final.find(name + end);
      REQUIRE(series);
      return series->values.back();
    };
    CHECK(std::isnan(value(0, "")));
    CHECK(value(0, "_low") == -3.0);
    CHECK(value(0, "_high") == -2.0);
    CHECK(value(1, "") == -2.5);
    CHECK(value(1, "_error") == 0.25);
    CHECK_FALSE(runs[1].final.find(name + "_low"));
    CHECK(value(2, "") == (name == "log_likelihood" ? -1.0 : -2.5));
    CHECK_FALSE(runs[3].final.find(name));
  }
}

TEST_CASE("a report is written whole or not at all, and never over what is none") {
  const CliFolder folder;
  folder.trained();
  const auto refused = [&](Words words, int status, std::string_view pattern) {
    words.insert(words.begin(), "report");
    const Words before = files_below(folder.path());
    check_refusal(run(folder, words), status, pattern);
    CHECK(files_below(folder.path()) == before);
  };
  folder.write("own.html", "<html>mine</html>");
  refused({}, 2, "report: RUN is missing. See 'harmonium report --help'.");
  refused({"nowhere"}, 2, "nowhere: no such folder");
  refused({"small.toml"}, 2, "small.toml: a file. Name the folders of runs.");
  refused({"run", "run"}, 2, "run: the same run as run. Name each once.");
  refused({"run", "--output", "r.pdf"}, 2, "--output r.pdf: a report is written as .html. Give a name that ends so.");
  refused({"run", "--output", "own.html"}, 2,
          "--output own.html: this is no report that Harmonium wrote, and it would be replaced. Give another name.");
  refused({"run", "--output", "none/r.html"}, 1, "--output none/r.html: there is no folder none. Create it first.");
  refused({"run", "--effort", "0"}, 2, "--effort*");
  CHECK(content_of(folder / "own.html") == "<html>mine</html>");
}

TEST_CASE("a run folder that is damaged gives one clear error") {
  const CliFolder folder;
  folder.trained();
  const auto refused = [&](const std::string& file, const std::string& content, int status, std::string_view pattern) {
    CAPTURE(file);
    const std::string whole = content_of(folder / file);
    folder.write(file, content);
    check_refusal(run(folder, {"report", "run"}), status, pattern);
    CHECK(!fs::exists(folder / "report.html"));
    folder.write(file, whole);
  };
  refused("run/config.toml", "seed = = 1", 2, "run/config.toml:1:8: *");
  refused("run/metrics.jsonl", "{\"epoch\":1}\n", 1, "run/metrics.jsonl:1: this is no line that a run writes *");
  refused("run/timing.jsonl", "x\n", 1, "run/timing.jsonl:1: this is no line that a run writes *");
  refused("run/model.h5", "x", 1, "run/model.h5*");
  refused("run/model.h5", content_of(folder / "run/model.h5").substr(0, 4000), 1, "run/model.h5*");
  refused("run/pictures/filters.png", content_of(folder / "run/pictures/filters.png").substr(0, 100), 1,
          "run/pictures/filters.png: this is no whole PNG file. 'harmonium draw' of the run's folder draws it anew.");
  fs::remove(folder / "run/metrics.jsonl");
  check_refusal(run(folder, {"report", "run"}), 2,
                "run: the folder holds no run (no metrics.jsonl). Name the folders of runs.");
}

TEST_CASE("without gnuplot a report has every number and says that it has no charts") {
  const CliFolder folder;
  folder.trained();
  const std::string command =
      "cd " + folder.path().string() + " && PATH=/nowhere " + program_path() + " report run > out 2> err";
  CHECK(std::system(command.c_str()) == 0);
  const Page page = checked_page(content_of(folder / "report.html"));
  CHECK(has_text(page, "gnuplot is not installed, and without it there are no charts."));
  CHECK(page.named("svg").empty());
  CHECK(has_number(page, last_line(folder / "run/metrics.jsonl")["reconstruction_error"]));
}

TEST_CASE("a signal ends a report and nothing is left of it") {
  const CliFolder folder;
  folder.trained();
  const Words before = files_below(folder.path());
  Running running({"report", "run", "--effort", "1000000"}, {.folder = folder.path()});
  REQUIRE(running.catches(SIGTERM));
  running.signal(SIGTERM);
  CHECK(running.wait().status == 1);
  CHECK(files_below(folder.path()) == before);
}

TEST_CASE("in Chromium a report has no faults, and no telephone has to scroll sideways") {
  if (std::system("command -v chromium > /dev/null 2>&1") != 0) {
    MESSAGE("skipped: chromium is not installed (scripts/install_packages.sh check)");
    was_skipped = true;
    return;
  }
  const CliFolder folder;
  folder.trained();
  reported(folder, {"run"});
  // The page in a frame as wide as a telephone, where a script of the frame's page may measure it.
  std::string page = content_of(folder / "report.html"), quoted;
  const std::size_t policy = page.find("<meta http-equiv=\"Content-Security-Policy\"");
  page.erase(policy, page.find('>', policy) + 1 - policy);
  for (const char c : page)
    quoted += c == '&' ? std::string("&amp;") : c == '"' ? std::string("&quot;") : std::string(1, c);
  folder.write("frame.html",
               "<!DOCTYPE html><html><body><iframe id=\"f\" width=\"390\" height=\"800\" srcdoc=\"" + quoted +
                   "\"></iframe><script>f.onload = () => { const r = f.contentDocument.documentElement; "
                   "document.title = 'over ' + (r.scrollWidth - r.clientWidth); };</script></body></html>");
  const auto chromium = [&](const std::string& file, const std::string& out) {
    const std::string command =
        "cd " + folder.path().string() +
        " && HOME=$PWD timeout 100 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr "
        "--virtual-time-budget=5000 --user-data-dir=$PWD/profile --dump-dom file://$PWD/" +
        file + " > " + out + " 2> console";
    REQUIRE(std::system(command.c_str()) == 0);
  };
  chromium("report.html", "dom");
  CHECK(content_of(folder / "console").find("CONSOLE") == std::string::npos);
  CHECK(content_of(folder / "dom").find("Whether to believe it") != std::string::npos);
  chromium("frame.html", "framed");
  CHECK(content_of(folder / "framed").find("<title>over 0</title>") != std::string::npos);
}

}  // namespace report_test
