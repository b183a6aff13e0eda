#include <cmath>

#include <nlohmann/json.hpp>

#include <harmonium/framework/pictures/picture_index.hpp>
#include <harmonium/tests/support/paths.hpp>
#include <harmonium/tests/support/skip.hpp>

#include <doctest/doctest.h>

#include "exclusive_or.hpp"
#include "files.hpp"

namespace compare_test {

using namespace harmonium;
using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

/// A folder that looks like a run.
void write_run(const ScratchFolder& folder, const std::string& name, const std::string& config,
               const std::string& metrics, bool finished = true) {
  fs::create_directories(folder / name);
  folder.write(name + "/config.toml", config);
  folder.write(name + "/metrics.jsonl", metrics);
  if (finished) folder.write(name + "/model.h5", "");
}

Outcome compared(const ScratchFolder& folder, Words words) {
  words.insert(words.begin(), "compare");
  return run(folder, words);
}

/// Two runs that differ in what a table can differ in, the second broken off.
void write_two(const ScratchFolder& folder) {
  write_run(
      folder, "runs/one",
      "seed = 1\nprecision = \"float64\"\n[optimizer]\nlearning_rate = 0.1\n[data]\npath = \"/a/b.npy\"\n"
      "[[observers]]\ntype = \"log_likelihood\"\nevery = 2\n[[observers]]\ntype = \"loss\"\n",
      "{\"epoch\":1,\"update\":5,\"reconstruction_error\":0.25}\n"
      "{\"epoch\":2,\"update\":10,\"log_likelihood\":-3.5,\"log_likelihood_error\":1.75,\"log_likelihood_low\":-3.75,"
      "\"log_likelihood_high\":-3.25,\"log_z\":7.5,\"log_z_error\":0.125,\"reconstruction_error\":0.125}\n"
      "{\"epoch\":3,\"update\":15,\"reconstruction_error\":0.5}\n");
  write_run(folder, "runs/two",
            "seed = 1\nprecision = \"float64\"\n[optimizer]\nlearning_rate = 0.02\n[data]\npath = \"/a/b.npy\"\n"
            "[[observers]]\ntype = \"log_likelihood\"\nevery = 1\n",
            "{\"epoch\":1,\"update\":5,\"log_likelihood\":-2}\n{\"epoch\":2,\"update\":10,\"log_likelihood\":-4}\n",
            false);
}

}  // namespace

TEST_CASE("compare tells in what runs differ, and how each ended") {
  const ScratchFolder folder;
  write_two(folder);
  const Outcome outcome = compared(folder, {"runs/one", "runs/two/"});
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "");
  CHECK(outcome.out ==
        "                                one                                    two\n"
        "run                             finished                               unfinished\n"
        "epochs                          3                                      2\n"
        "\nSettings that differ\n"
        "optimizer.learning_rate         0.1                                    0.02\n"
        "observers.log_likelihood.every  2                                      1\n"
        "observers.loss                  loss                                   -\n"
        "\nFigures after the last epoch (the best, at its epoch); -: not measured ('harmonium report RUN... "
        "--no-diagnosis' measures and keeps it)\n"
        "log_likelihood                  -3.50 [-3.75, -3.25], rows ± 1.8 at 2  -4 (-2 at 1)\n"
        "reconstruction_error            0.5                                    -\n"
        "log_z                           7.50 ± 0.12 at 2                       -\n");
}

TEST_CASE("compare calls layers by their names") {
  const ScratchFolder folder;
  const std::string begin =
      "[model]\ntype = \"boltzmann_machine\"\n[[model.layers]]\nname = \"visible\"\nsize = 4\n[[model.layers]]\nname = "
      "\"hidden\"\nsize = ";
  const std::string metrics = "{\"epoch\":1,\"update\":5,\"loss\":-2}\n";
  write_run(folder, "one", begin + "3\n", metrics);
  write_run(folder, "two", begin + "2\n[[model.layers]]\nname = \"deep\"\nsize = 2\n", metrics);
  const Outcome outcome = compared(folder, {"one", "two", "--json"});
  const auto json = nlohmann::json::parse(outcome.out);
  CHECK(json[0]["settings"] == nlohmann::json{{"model.layers.hidden.size", 3}, {"model.layers.deep", nullptr}});
  CHECK(json[1]["settings"] == nlohmann::json{{"model.layers.hidden.size", 2}, {"model.layers.deep", "deep"}});
}

TEST_CASE("compare says once what differs, and not what follows from it") {
  const ScratchFolder folder;
  const std::string metrics = "{\"epoch\":1,\"update\":5,\"loss\":-2}\n";
  const auto settings = [&](const std::string& one, const std::string& two) {
    write_run(folder, "one", one, metrics);
    write_run(folder, "two", two, metrics);
    const auto json = nlohmann::json::parse(compared(folder, {"one", "two", "--json"}).out);
    return std::pair{json[0]["settings"], json[1]["settings"]};
  };
  using Json = nlohmann::json;
  // Defaults of an optimizer of another type; a setting of its own stays.
  const std::string sgd = "[optimizer]\ntype = \"sgd\"\nlearning_rate = 0.1\nmomentum = ",
                    adam = "[optimizer]\ntype = \"adam\"\nlearning_rate = 0.1\nbeta1 = 0.9\n";
  CHECK(settings(sgd + "0.0\n", adam) == std::pair{Json{{"optimizer.type", "sgd"}}, Json{{"optimizer.type", "adam"}}});
  CHECK(settings(sgd + "0.5\n", adam) == std::pair{Json{{"optimizer.type", "sgd"}, {"optimizer.momentum", 0.5}},
                                                   Json{{"optimizer.type", "adam"}, {"optimizer.momentum", nullptr}}});
  // The observed layer is as wide as the data.
  const auto of_side = [](int side) {
    return "[data]\nside = " + std::to_string(side) +
           "\n[model]\ntype = \"layered\"\n[[model.layers]]\nname = \"visible\"\nrole = \"observed\"\nsize = " +
           std::to_string(side * side) +
           "\n[[model.layers]]\nname = \"hidden\"\nrole = \"latent\"\nsize = " + std::to_string(side + 1) + "\n";
  };
  CHECK(settings(of_side(2), of_side(3)) == std::pair{Json{{"data.side", 2}, {"model.layers.hidden.size", 3}},
                                                      Json{{"data.side", 3}, {"model.layers.hidden.size", 4}}});
  // A preset, as earlier versions wrote it, is what it stands for.
  const auto preset = [](const char* hidden) {
    return std::string("[model]\ntype = \"rbm\"\nnum_visible = 9\nnum_hidden = ") + hidden + "\n";
  };
  CHECK(settings(preset("4"), preset("3")) ==
        std::pair{Json{{"model.layers.hidden.size", 4}}, Json{{"model.layers.hidden.size", 3}}});
}

TEST_CASE("compare shows a best value that tells more than the last, and a figure of all rows once") {
  const ScratchFolder folder;
  const auto metrics = [](const char* first) {
    return std::string("{\"epoch\":1,\"update\":5,\"log_likelihood\":") + first +
           ",\"log_likelihood_error\":0.1,\"accuracy\":1}\n{\"epoch\":2,\"update\":10,\"log_likelihood\":-3.5,"
           "\"log_likelihood_error\":0.1,\"accuracy\":1}\n";
  };
  write_run(folder, "one", "seed = 1\n", metrics("-3.495"));
  write_run(folder, "two", "seed = 1\n", metrics("-3.25"));
  for (const char* name : {"one", "two"})
    folder.write(std::string(name) + "/final.jsonl",
                 "{\"epoch\":2,\"update\":10,\"log_likelihood\":-3.5,\"log_likelihood_error\":0.1}\n");
  CHECK(compared(folder, {"one", "two"})
            .out.ends_with("\nFigures after the last epoch (the best, at its epoch)\n"
                           "log_likelihood  -3.50 ± 0.10  -3.50 ± 0.10 (-3.25 at 1)\n"
                           "accuracy        1             1\n"));
  const auto json = nlohmann::json::parse(compared(folder, {"one", "two", "--json"}).out);
  CHECK(json[0]["figures"]["log_likelihood"]["best"]["value"] == -3.495);
  CHECK(!json[0]["figures"]["accuracy"].contains("best"));
  CHECK(json[0]["figures"]["all_rows.log_likelihood"]["value"] == -3.5);
  // Of bits that are drawn anew in each epoch the greatest value is that of the luckiest draw, unless it lies four errors above the last.
  for (const char* best : {"-2.95", "-2.9"}) {
    write_run(folder, "drawn", "seed = 1\n[data]\nbinarize = \"each_epoch\"\n", metrics(best));
    const auto both = nlohmann::json::parse(compared(folder, {"one", "drawn", "--json"}).out);
    CHECK(both[1]["figures"]["log_likelihood"].contains("best") == (std::string(best) == "-2.9"));
  }
}

TEST_CASE("in parentheses test rows have what validation rows chose, and never their own best") {
  const ScratchFolder folder;
  const auto line = [](int epoch, double validation, double test, const std::string& more = "") {
    return fmt::format(
        "{{\"epoch\":{0},\"update\":{0},\"validation_log_likelihood\":{1},\"test_log_likelihood\":{2}{3}}}\n", epoch,
        validation, test, more);
  };
  // By the test rows epoch 1 was the best.
  write_run(folder, "validated", "seed = 1\n", line(1, -5, -1) + line(2, -3, -2) + line(3, -4, -4));
  std::string alone = line(1, -5, -1) + line(2, -3, -4);
  for (std::size_t at = 0; (at = alone.find("\"validation_")) != std::string::npos;)
    alone.erase(at, alone.find(',', at) + 1 - at);
  write_run(folder, "alone", "seed = 1\n", alone);
  const auto kept = [](int epoch) { return fmt::format(",\"best.epoch\":{},\"best.value\":-3", epoch); };
  write_run(folder, "kept", "seed = 1\n",
            line(1, -5, -1, kept(1)) + line(2, -3, -2.5, kept(2)) + line(3, -4, -4, kept(2)));
  write_run(
      folder, "seldom", "seed = 1\n",
      line(1, -5, -1, kept(1)) + "{\"epoch\":2,\"update\":2,\"loss\":1" + kept(2) + "}\n" + line(3, -4, -4, kept(2)));
  const auto json = nlohmann::json::parse(compared(folder, {"validated", "alone", "kept", "seldom", "--json"}).out);
  const auto test = [&](int run) { return json[run]["figures"]["test_log_likelihood"]; };
  CHECK(test(0)["best"] == nlohmann::json{{"epoch", 2}, {"value", -2}});
  CHECK(json[0]["figures"]["validation_log_likelihood"]["best"]["epoch"] == 2);
  CHECK(!test(1).contains("best"));
  CHECK(test(2)["best"] == nlohmann::json{{"epoch", 2}, {"value", -2.5}});
  CHECK(json[2]["figures"]["best.test_log_likelihood"]["value"] == -2.5);
  CHECK(!test(3).contains("best"));
  CHECK(!json[3]["figures"].contains("best.test_log_likelihood"));
  const std::string text = compared(folder, {"kept", "seldom"}).out;
  CHECK(
      like(text,
           "*\nFigures after the last epoch (the best, at its epoch) (of test rows, at the epoch that validation rows "
           "chose); best: of best.h5, the others of model.h5*"));
  CHECK(like(text,
             "*\nNote: seldom: the figures are of the last model, and best.h5 is another. 'harmonium evaluate "
             "RUN/best.h5 --split test' has those of the best (or --split validation, training).\n"));
}

TEST_CASE("beside other runs a stack is the deep Boltzmann machine that it trained") {
  const ScratchFolder folder;
  const std::string metrics = "{\"epoch\":1,\"update\":5,\"log_likelihood\":-2}\n";
  for (const char* name : {"bm/machine1", "bm/machine2", "bm/joint", "dbm", "dbn/machine1", "dbn/machine2"})
    write_run(folder, name, "seed = 1\n", metrics);
  for (const char* name : {"bm/stack.toml", "dbn/stack.toml"}) folder.write(name, "");
  const auto runs = [&](const Words& paths) {
    Words words = paths;
    words.push_back("--json");
    Words names;
    for (const auto& one : nlohmann::json::parse(compared(folder, words).out)) names.push_back(one["run"]);
    return names;
  };
  CHECK(runs({"bm", "dbm"}) == Words{"bm/joint", "dbm"});
  CHECK(runs({"bm"}) == Words{"bm/machine1", "bm/machine2", "bm/joint"});
  CHECK(runs({"dbn", "dbm"}) == Words{"dbn/machine1", "dbn/machine2", "dbm"});
}

TEST_CASE("a likelihood that is not of all rows at the end is told to be of earlier, or left out of means") {
  const ScratchFolder folder;
  const auto write = [&](const std::string& name, const std::string& seed, const std::string& along,
                         const std::string& at_end) {
    write_run(folder, name, "seed = " + seed + "\n",
              "{\"epoch\":1,\"update\":5,\"log_likelihood\":" + along +
                  ",\"log_likelihood_error\":0.1}\n{\"epoch\":2,\"update\":10,\"loss\":0.5}\n");
    folder.write(name + "/final.jsonl",
                 "{\"epoch\":2,\"update\":10,\"log_likelihood\":" + at_end + ",\"log_likelihood_error\":0.1}\n");
  };
  write("one", "1", "-3.25", "-3");
  write("two", "2", "-3.75", "-3.25");
  CHECK(like(compared(folder, {"one", "two"}).out,
             "*\nFigures after the last epoch; all_rows: exact, at the end, of all rows; else as last measured, of the "
             "observer's rows\nall_rows.log_likelihood  -3.00 ± 0.10 * -3.25 ± 0.10\n"
             "log_likelihood * -3.25 ± 0.10 at 1 * -3.75 ± 0.10 at 1\nloss *"));
  // Two values v and w have the standard error |v - w| / 2 of their mean.
  const auto means = [&] {
    return nlohmann::json::parse(compared(folder, {"one", "two", "--means", "--json"}).out)[0]["figures"];
  };
  CHECK(means()["all_rows.log_likelihood"] == nlohmann::json{{"seeds", 2},
                                                             {"not_agreed", 0},
                                                             {"not_measured", 0},
                                                             {"mean", -3.125},
                                                             {"error", 0.125},
                                                             {"rows_error", 0.1}});
  CHECK(!means().contains("log_likelihood"));
  fs::remove(folder / "two/final.jsonl");
  CHECK(means()["log_likelihood"]["mean"] == -3.5);
  CHECK(means()["log_likelihood"]["epochs"] == nlohmann::json::array({1, 1}));
  CHECK(!means()["loss"].contains("epochs"));
  CHECK(like(compared(folder, {"one", "two", "--means"}).out, "*\nlog_likelihood * -3.50 ± 0.25, rows ± 0.1 at 1\n*"));
}

TEST_CASE("compare says that pseudo likelihoods are estimates from different units or rows") {
  const ScratchFolder folder;
  const auto write = [&](const char* name, const char* taken, const char* figures = "\"pseudo_log_likelihood\":-5.5") {
    write_run(
        folder, name,
        std::string("seed = 1\nprecision = \"float64\"\n[[observers]]\ntype = \"gradient_norm\"\n[[observers]]\ntype = "
                    "\"pseudo_likelihood\"\nevery = 1\n") +
            taken,
        std::string("{\"epoch\":1,\"update\":5,") + figures + "}\n");
  };
  write("runs/ten", "units = 10\nrows = 1000\n");
  write("runs/all", "units = 0\nrows = 1000\n",
        "\"pseudo_log_likelihood\":-5.7,\"validation_pseudo_log_likelihood\":-6");
  write("runs/also", "units = 0\nrows = 1000\n");
  write("runs/few", "units = 0\nrows = 100\n");
  write("runs/none", "units = 5\nrows = 100\n", "\"gradient_norm\":1");
  const std::string
      note = "\nNote: pseudo_log_likelihood, validation_pseudo_log_likelihood: the runs' observers took different ",
      end = ", so that the figures differ by that too. 'harmonium evaluate RUN' takes all.\n";
  CHECK(compared(folder, {"runs/ten", "runs/all"}).out.ends_with(note + "units of each row (10, all)" + end));
  CHECK(compared(folder, {"runs/all", "runs/few"}).out.ends_with(note + "rows (1000, 100)" + end));
  CHECK(compared(folder, {"runs/ten", "runs/all", "runs/few"})
            .out.ends_with(note + "units of each row (10, all) and rows (1000, 100)" + end));
  // The same of both, or a run that has no such figure: there is nothing to say.
  CHECK(compared(folder, {"runs/all", "runs/also"}).out.find("Note") == std::string::npos);
  CHECK(compared(folder, {"runs/all", "runs/none"}).out.find("Note") == std::string::npos);
}

TEST_CASE("compare says that the rows set aside change with the seed, and not where they do not") {
  const ScratchFolder folder;
  const auto write = [&](const char* name, const char* seeds, const char* data) {
    write_run(folder, name, fmt::format("{}\n[data]\ntype = \"npy\"\n{}\n", seeds, data),
              "{\"epoch\":1,\"update\":5,\"log_likelihood\":-2,\"validation_log_likelihood\":-3}\n");
  };
  const char* const aside = "path = \"/a/b.npy\"\nvalidation = 400.0\ntest = 0.0";
  write("runs/three", "seed = 3", aside);
  write("runs/four", "seed = 4", aside);
  write("runs/also_four", "seed = 4", aside);
  write("runs/dealt_as_three", "seed = 4\ndata_seed = 3", aside);
  write("runs/dealt", "seed = 4\ndata_seed = 7", aside);
  write("runs/dealt_otherwise", "seed = 4\ndata_seed = 8", aside);
  write("runs/elsewhere", "seed = 4", "path = \"/c/d.npy\"\nvalidation = 400.0");
  write("runs/all_four", "seed = 4", "path = \"/a/b.npy\"\nvalidation = 0.0\ntest = 0");
  const std::string head = "\nNote: the rows that are set aside for ",
                    of_figures = ", and figures of these are of different rows in runs with different seeds",
                    remedy =
                        ". data_seed = 3 in the configuration, above its tables, gives all of them the same; "
                        "'harmonium evaluate RUN --data FILE' judges these runs by the rows of one file.\n",
                    note = head + "validation change with the seed" + of_figures + remedy;
  CHECK(compared(folder, {"runs/three", "runs/four"}).out.ends_with(note));
  CHECK(compared(folder, {"runs/three", "runs/four", "--means"}).out.ends_with(note));
  CHECK(compared(folder, {"runs/three", "runs/dealt"}).out.ends_with(note));
  // Rows of a file are the same whatever the seed is; those drawn of the rest are not.
  const std::string some = std::string(aside) + "\ntest_path = \"/a/t.npy\"\nrows = 100.0";
  write("runs/three_of_file", "seed = 3", some.c_str());
  write("runs/four_of_file", "seed = 4", some.c_str());
  CHECK(compared(folder, {"runs/three_of_file", "runs/four_of_file"})
            .out.ends_with(
                head + "validation change with the seed, as do those of the others that are trained on (data.rows)" +
                of_figures + "; test rows are those of a file, the same in all" + remedy));
  write("runs/three_both", "seed = 3", "path = \"/a/b.npy\"\nvalidation = 400.0\ntest = 0.1");
  CHECK(compared(folder, {"runs/three_both", "runs/four"})
            .out.ends_with(head + "validation and test change with the seed" + of_figures + remedy));
  const auto silent = [&](const char* one, const char* other) {
    return compared(folder, {one, other}).out.find("Note") == std::string::npos;
  };
  CHECK(silent("runs/four", "runs/also_four"));
  CHECK(silent("runs/three", "runs/dealt_as_three"));
  CHECK(silent("runs/dealt", "runs/dealt_otherwise"));  // as was asked for
  CHECK(silent("runs/three", "runs/elsewhere"));
  CHECK(silent("runs/three", "runs/all_four"));
}

TEST_CASE("compare --json has every digit") {
  const ScratchFolder folder;
  write_two(folder);
  const Outcome outcome = compared(folder, {"runs/one", "runs/two", "--json"});
  CHECK(outcome.err == "");
  const auto json = nlohmann::json::parse(outcome.out);
  REQUIRE(json.size() == 2);
  CHECK(json[0]["run"] == "runs/one");
  CHECK(json[0]["state"] == "finished");
  CHECK(json[1]["state"] == "unfinished");
  CHECK(json[0]["epochs"] == 3);
  CHECK(json[0]["updates"] == 15);
  CHECK(json[0]["settings"]["optimizer.learning_rate"] == 0.1);
  CHECK(json[1]["settings"]["observers.loss"].is_null());
  CHECK(json[0]["settings"].size() == 3);
  const auto& figure = json[0]["figures"]["log_likelihood"];
  CHECK(figure["epoch"] == 2);
  CHECK(figure["value"] == -3.5);
  CHECK(figure["interval"] == nlohmann::json::array({-3.75, -3.25}));
  CHECK(figure["rows_error"] == 1.75);
  CHECK(!figure.contains("error"));
  CHECK(!figure.contains("best"));
  CHECK(json[0]["figures"]["log_z"]["error"] == 0.125);
  CHECK(json[1]["figures"]["log_likelihood"]["best"]["epoch"] == 1);
  CHECK(json[1]["figures"]["log_likelihood"]["best"]["value"] == -2);
  CHECK(!json[1]["figures"].contains("log_z"));
}

TEST_CASE("runs that a training made are compared, equal ones too, and one that diverged is said to have") {
  const CliFolder folder;
  folder.trained();
  CHECK(run(folder, {"train", "run/config.toml", "--output", "again"}).status == 0);
  const Outcome same = compared(folder, {"run", "again"});
  CHECK(same.err == "");
  CHECK(like(same.out, "*\nThe settings do not differ.\n\nFigures after the last epoch*\nreconstruction_error*"));
  CHECK(run(folder, {"train", "small.toml", "--output", "lost", "--set", "optimizer.learning_rate=1e9"}).status == 1);
  const Outcome lost = compared(folder, {"run", "lost"});
  CHECK(like(lost.out,
             "*\nrun * finished * diverged\nepochs * 4 * 0\nGibbs chains * -\n\nSettings that "
             "differ\noptimizer.learning_rate *"));
}

TEST_CASE("compare gives means over seeds with their standard errors, by setting") {
  const ScratchFolder folder;
  // -1, -2 and -4 have the mean -7/3 and the standard error sqrt(7/9); one run has none; one that goes on does not count. The errors
  // over rows do not become smaller with their number: 0.5, 1 and 3 have the mean 1.5.
  struct {
    const char *rate, *value, *rows_error;
  } const rates[] = {
      {"0.1", "-1", "0.5"}, {"0.1", "-2", "1"}, {"0.1", "-4", "3"}, {"0.1", "-100", "9"}, {"0.5", "-3", ""}};
  Words words;
  for (int i = 0; i < 5; ++i) {
    const std::string name = "run" + std::to_string(i);
    write_run(folder, name, "seed = " + std::to_string(i) + "\n[optimizer]\nlearning_rate = " + rates[i].rate + "\n",
              std::string("{\"epoch\":1,\"update\":5,\"log_likelihood\":") + rates[i].value +
                  (*rates[i].rows_error ? std::string(",\"log_likelihood_error\":") + rates[i].rows_error : "") + "}\n",
              i != 3);
    words.push_back(name);
  }
  CHECK(compared(folder, words)
            .out.ends_with(
                "\n                learning_rate = 0.1       learning_rate = 0.5\n"
                "seeds           3 of 4                    1\n"
                "\nMeans over seeds ± standard error from their scatter; rows: error over the data rows of one "
                "run, which all seeds share\n"
                "log_likelihood  -2.33 ± 0.88, rows ± 1.5  -3\n"
                "Standard errors from few seeds are hardly known themselves: the true one is, in 95 of 100 cases, 0.52 "
                "to 6.3 times that of 3 seeds.\n"
                "\nBest by log_likelihood: learning_rate = 0.1\n1 other is of one seed, so that nothing is known of "
                "the scatter, and not told from it: learning_rate = 0.5.\nMore seeds tell them apart.\n"));
  words.push_back("--means");
  words.push_back("--json");
  const auto json = nlohmann::json::parse(compared(folder, words).out);
  REQUIRE(json.size() == 2);
  CHECK(json[0]["runs"] == 4);
  CHECK(json[0]["finished"] == 3);
  CHECK(json[0]["settings"]["optimizer.learning_rate"] == "0.1");
  CHECK(json[0]["figures"]["log_likelihood"]["mean"].get<double>() == doctest::Approx(-7.0 / 3.0).epsilon(1e-14));
  CHECK(json[0]["figures"]["log_likelihood"]["error"].get<double>() ==
        doctest::Approx(std::sqrt(7.0 / 9.0)).epsilon(1e-14));
  CHECK(json[0]["figures"]["log_likelihood"]["rows_error"].get<double>() == doctest::Approx(1.5).epsilon(1e-14));
  CHECK(json[1]["figures"]["log_likelihood"]["error"].is_null());
  CHECK(json[1]["figures"]["log_likelihood"]["rows_error"].is_null());
  write_two(folder);
  check_refusal(
      compared(folder, {"runs/one", "runs/two", "--means"}), 2,
      "--means: no two of the runs differ in the seed alone, or none has figures. Single runs are compared, and the "
      "best "
      "is named, by 'harmonium compare runs/one runs/two'; for means make runs of several seeds (in a sweep seed = [1, "
      "2, 3]).");
  CHECK(compared(folder, {"runs/one", "runs/two"}).out.find("Means over seeds") == std::string::npos);
}

TEST_CASE("means over seeds name settings by what was varied, and tell where the best is the last of its values") {
  const ScratchFolder folder;
  Words words;
  const auto write = [&](const std::string& rate, const std::string& hidden, int seed, const std::string& value) {
    words.push_back(fmt::format("run{}", words.size()));
    write_run(folder, words.back(),
              fmt::format("seed = {}\n[model]\nnum_hidden = {}\n[optimizer]\nlearning_rate = {}\n", seed, hidden, rate),
              "{\"epoch\":1,\"update\":5,\"log_likelihood\":" + value + "}\n");
  };
  const auto means = [&](const std::string& option) {
    Words asked = words;
    asked.insert(asked.end(), {"--means", option});
    if (option == "--sort") asked.emplace_back("log_likelihood");
    return compared(folder, asked).out;
  };
  for (const int seed : {1, 2}) {
    write("0.1", "8", seed, seed == 1 ? "-40" : "-41");
    write("0.2", "8", seed, seed == 1 ? "-23" : "-23.25");
  }
  // Of two values one is always the better: it is at no edge.
  CHECK(means("--sort").ends_with(
      "\n\nBest by log_likelihood: learning_rate = 0.2; the other is told from it by the scatter "
      "over seeds (Welch's t, 95 %)\n"));
  for (const int seed : {1, 2}) write("0.5", "9", seed, seed == 1 ? "-2" : "-2.25");
  const std::string edge =
      "\nBest by log_likelihood: setting 3 (num_hidden = 9, learning_rate = 0.5); all 2 others are told from it by the "
      "scatter over seeds (Welch's t, 95 %)\nIts optimizer.learning_rate = 0.5 is "
      "the greatest "
      "of 3 values";
  CHECK(means("--sort").ends_with(edge + ". Try greater ones too.\n"));
  auto json = nlohmann::json::parse(means("--json"));
  REQUIRE(json.size() == 3);
  CHECK(json[2]["name"] == "num_hidden = 9, learning_rate = 0.5");
  CHECK(json[2]["best_by"] == "log_likelihood");
  CHECK(json[2]["edges"] ==
        nlohmann::json::parse(R"({"optimizer.learning_rate": {"edge": "greatest", "values": 3, "as_good": 0}})"));
  CHECK(json[0]["best_by"].is_null());
  CHECK(json[0]["edges"].empty());
  // -2.25 ± 0.25 is not told from -2.125 ± 0.125.
  for (const int seed : {1, 2}) write("0.3", "8", seed, seed == 1 ? "-2" : "-2.5");
  CHECK(means("--sort").ends_with(
      "of 4 values, though 1 setting with another value is not told from it. Try greater ones too.\n"));
  for (const int seed : {1, 2}) write("0.4", "8", seed, "-1");
  json = nlohmann::json::parse(means("--json"));
  CHECK(json[4]["best_by"] == "log_likelihood");
  CHECK(json[4]["edges"].empty());
}

TEST_CASE("compare --sort orders runs by a figure, the better first where it is known which is") {
  const ScratchFolder folder;
  write_run(folder, "a", "seed = 1\n",
            "{\"epoch\":1,\"update\":5,\"log_likelihood\":-3,\"reconstruction_error\":0.2,\"log_z\":7}\n");
  write_run(folder, "b", "seed = 1\n",
            "{\"epoch\":1,\"update\":5,\"log_likelihood\":-1,\"reconstruction_error\":0.5,\"log_z\":7}\n");
  write_run(folder, "c", "seed = 1\n", "{\"epoch\":1,\"update\":5,\"reconstruction_error\":0.1,\"log_z\":6}\n");
  folder.write("a/final.jsonl", "{\"epoch\":1,\"update\":5,\"log_likelihood\":-3.5}\n");
  folder.write("c/final.jsonl", "{\"epoch\":1,\"update\":5,\"log_likelihood\":-2.5}\n");
  const auto order = [&](const std::string& figure) {
    std::string names;
    for (const auto& one : nlohmann::json::parse(compared(folder, {"a", "b", "c", "--json", "--sort", figure}).out))
      names += one["run"].get<std::string>();
    return names;
  };
  CHECK(order("log_likelihood") == "bac");  // c has none
  CHECK(order("all_rows.log_likelihood") == "cab");
  CHECK(order("reconstruction_error") == "cab");
  CHECK(order("log_z") == "cab");  // equal ones as they were named
  CHECK(compared(folder, {"a", "b", "c", "--sort", "log_likelihood"})
            .out.starts_with("Runs sorted by log_likelihood, the greatest first; without it last\n\n"));
  CHECK(compared(folder, {"a", "b", "--sort", "reconstruction_error"})
            .out.starts_with("Runs sorted by reconstruction_error, the least first; without it last\n\n"));
  // Where runs have it of all rows at their ends alone, that is meant.
  write_run(folder, "d", "seed = 1\n", "{\"epoch\":1,\"update\":5,\"reconstruction_error\":0.1}\n");
  folder.write("d/final.jsonl", "{\"epoch\":1,\"update\":5,\"log_likelihood\":-2}\n");
  CHECK(like(compared(folder, {"c", "d", "--sort", "log_likelihood"}).out,
             "Runs sorted by all_rows.log_likelihood, the greatest first; without it last\n\n*d *c\nrun*"));
  check_refusal(compared(folder, {"a", "b", "--sort", "log_likelihod"}), 2,
                "--sort log_likelihod: no run has such a figure (did you mean 'log_likelihood'?). Known: "
                "all_rows.log_likelihood, log_likelihood, reconstruction_error, log_z.");
  const std::string measures =
      "'harmonium evaluate RUN' finds it of a run that is over, and the observer { type = \"log_likelihood\", every = "
      "N } "
      "along new ones, every N epochs. ";
  check_refusal(compared(folder, {"a", "b", "--sort", "validation_log_likelihood"}), 2,
                "--sort validation_log_likelihood: no run has such a figure*. " + measures + "Known: *.");
  check_refusal(compared(folder, {"a", "b", "--sort", "all_rows.test_log_likelihood"}), 2,
                "--sort all_rows.test_log_likelihood: no run has such a figure*. " + measures + "Known: *.");
  check_refusal(compared(folder, {"a", "b", "--sort", "accuracy"}), 2,
                "--sort accuracy: no run has such a figure. Known: *.");
}

TEST_CASE("compare --sort orders means over seeds by the means, and not by the best of their runs") {
  const ScratchFolder folder;
  struct {
    const char *rate, *value;
  } const made[] = {{"0.1", "-1"}, {"0.1", "-4"}, {"0.5", "-2"}, {"0.5", "-2.2"}};
  Words words;
  for (int i = 0; i < 4; ++i) {
    words.push_back("run" + std::to_string(i));
    write_run(folder, words.back(),
              "seed = " + std::to_string(i) + "\n[optimizer]\nlearning_rate = " + made[i].rate + "\n",
              std::string("{\"epoch\":1,\"update\":5,\"log_likelihood\":") + made[i].value + "}\n");
  }
  words.insert(words.end(), {"--means", "--json", "--sort", "log_likelihood"});
  const auto json = nlohmann::json::parse(compared(folder, words).out);
  REQUIRE(json.size() == 2);
  CHECK(json[0]["settings"]["optimizer.learning_rate"] == "0.5");
  CHECK(json[1]["figures"]["log_likelihood"]["mean"] == -2.5);
}

TEST_CASE("compare names the best of the runs that finished by their validation rows, or by what they are sorted by") {
  const ScratchFolder folder;
  const auto line = [](const char* validation, const char* training) {
    return fmt::format("{{\"epoch\":1,\"update\":5,\"log_likelihood\":{},\"validation_log_likelihood\":{}}}\n",
                       training, validation);
  };
  write_run(folder, "a", "seed = 1\n", line("-3", "-1"));
  write_run(folder, "b", "seed = 1\n", line("-2", "-4"));
  write_run(folder, "going", "seed = 1\n", line("-1", "-1"), false);
  const std::string best = "\n\nBest by validation_log_likelihood: b\n";
  CHECK(compared(folder, {"a", "b", "going"}).out.ends_with(best));
  CHECK(compared(folder, {"a", "b", "--sort", "log_likelihood"}).out.ends_with("\n\nBest by log_likelihood: a\n"));
  CHECK(compared(folder, {"a", "going"}).out.find("Best by") == std::string::npos);
  write_run(folder, "as_good", "seed = 1\n", line("-2", "-5"));
  CHECK(compared(folder, {"b", "as_good"}).out.find("Best by") == std::string::npos);
  // Of all rows at the end, where each has it.
  for (const auto& [name, value] : {std::pair{"a", "-1.5"}, {"b", "-2.5"}})
    folder.write(std::string(name) + "/final.jsonl", line(value, "-1"));
  CHECK(compared(folder, {"a", "b"}).out.ends_with("\n\nBest by all_rows.validation_log_likelihood: a\n"));
  CHECK(compared(folder, {"a", "b", "as_good"}).out.ends_with("\n\nBest by validation_log_likelihood: b, as_good\n"));
}

TEST_CASE("compare tells how many runs are within the error of the best, at its edge too") {
  const ScratchFolder folder;
  const auto write = [&](const char* name, const char* value, const char* error) {
    write_run(folder, name, "seed = 1\n",
              fmt::format("{{\"epoch\":1,\"update\":5,\"validation_log_likelihood\":{},"
                          "\"validation_log_likelihood_error\":{}}}\n",
                          value, error));
  };
  const auto best_of = [&](const Words& runs) {
    const std::string out = compared(folder, runs).out;
    const std::size_t at = out.find("Best by validation_log_likelihood: ");
    return at == std::string::npos ? "" : out.substr(at + 35);
  };
  write("best", "-8", "0.5");
  write("edge", "-8.5", "0.25");
  write("near", "-8.25", "9");
  write("far", "-9", "9");  // its own error does not count
  CHECK(best_of({"best", "edge", "near", "far"}) == "best; 2 others are within its error of 0.5\n");
  CHECK(best_of({"far", "near", "best"}) == "best; 1 other is within its error of 0.5\n");
  CHECK(best_of({"best", "far"}) == "best\n");
  write("as_good", "-8", "12");  // the wider of both
  CHECK(best_of({"best", "as_good", "far"}) == "best, as_good; 1 other is within their error of 12\n");
}

TEST_CASE("compare says nothing of the edges of settings where some runs go on from others") {
  const ScratchFolder folder;
  const auto write = [&](const char* name, int epochs, const char* value, const char* more = "") {
    write_run(folder, name, fmt::format("seed = 1\n[training]\nnum_epochs = {}\n{}", epochs, more),
              fmt::format("{{\"epoch\":1,\"update\":5,\"validation_log_likelihood\":{},"
                          "\"validation_log_likelihood_error\":0.1}}\n",
                          value));
  };
  write("long", 20, "-9");
  write("middle", 10, "-9.5");
  write("short", 5, "-8");
  CHECK(
      compared(folder, {"long", "middle", "short"}).out.find("Its training.num_epochs = 5 is the least of 3 values") !=
      std::string::npos);
  write("short", 5, "-8", "[start_from]\npath = \"long/model.h5\"\n");
  const std::string out = compared(folder, {"long", "middle", "short"}).out;
  CHECK(out.find("Best by validation_log_likelihood: short") != std::string::npos);
  CHECK(out.find("Its training.num_epochs") == std::string::npos);
}

TEST_CASE("compare tells runs of a sweep apart by its keys, as its table has them") {
  const ScratchFolder folder;
  const auto write = [&](const std::string& name, const char* size, const char* start) {
    write_run(folder, "sw/runs/" + name,
              fmt::format("[model]\ntype = \"boltzmann_machine\"\n[[model.layers]]\nname = \"hidden\"\nsize = {}\n"
                          "[estimator.negative]\nstart = \"{}\"\n",
                          size, start),
              "{\"epoch\":1,\"update\":5,\"loss\":-2}\n");
  };
  write("one", "3", "data");
  write("two", "4", "persistent");
  folder.write("sw/sweep.csv",
               "run,model.num_hidden,estimator,seed,status,epochs\nruns/one,3,\"{type = \"\"cd\"\"}\",1,finished,1\n"
               "runs/two,4,pcd,1,finished,1\n");
  const auto json = nlohmann::json::parse(compared(folder, {"sw/runs/one", "sw/runs/two", "--json"}).out);
  CHECK(json[0]["settings"] == nlohmann::json{{"model.num_hidden", 3}, {"estimator", {{"type", "cd"}}}});
  CHECK(json[1]["settings"] == nlohmann::json{{"model.num_hidden", 4}, {"estimator", "pcd"}});
  // A run that the table has not is told apart by its configuration.
  write("three", "5", "persistent");
  const auto other = nlohmann::json::parse(compared(folder, {"sw/runs/one", "sw/runs/three", "--json"}).out);
  CHECK(other[1]["settings"]["model.layers.hidden.size"] == 5);
}

TEST_CASE("means over seeds are of one setting each, where another run lacks the part that they differ in") {
  const ScratchFolder folder;
  const auto chains = [](const char* start, const char* steps) {
    return std::string("[estimator]\ntype = \"phases\"\n[estimator.negative]\ntype = \"chains\"\nstart = \"") + start +
           "\"\nsteps = " + steps + "\n";
  };
  const std::string estimators[] = {chains("data", "1"), chains("persistent", "1"), chains("data", "10"),
                                    "[estimator]\ntype = \"pseudo_likelihood\"\n"};
  Words words;
  for (int i = 0; i < 8; ++i) {
    words.push_back("run" + std::to_string(i));
    write_run(folder, words.back(), "seed = " + std::to_string(i / 4) + "\n" + estimators[i % 4],
              "{\"epoch\":1,\"update\":5,\"log_likelihood\":" + std::to_string(-10 * (i % 4) - i / 4) + "}\n");
  }
  words.insert(words.end(), {"--means", "--json"});
  const auto json = nlohmann::json::parse(compared(folder, words).out);
  REQUIRE(json.size() == 4);
  for (int i = 0; i < 4; ++i) {
    CHECK(json[i]["runs"] == 2);
    CHECK(json[i]["figures"]["log_likelihood"]["mean"].get<double>() == doctest::Approx(-10.0 * i - 0.5));
  }
  CHECK(json[0]["settings"].contains("estimator.negative.start"));
}

TEST_CASE("runs that have no room beside one another stand below one another") {
  const ScratchFolder folder;
  Words words;
  for (int i = 0; i < 20; ++i) {
    const std::string name = "a_run_with_a_name_" + std::to_string(i);
    write_run(folder, name, "seed = " + std::to_string(i) + "\n",
              "{\"epoch\":1,\"update\":5,\"log_likelihood\":-" + std::to_string(i + 1) + "}\n");
    words.push_back(name);
  }
  const Outcome outcome = compared(folder, words);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.starts_with("                      run       epochs\na_run_with_a_name_0   finished  1\n"));
  CHECK(outcome.out.find("\nSettings that differ\n                      seed\na_run_with_a_name_0   0\n") !=
        std::string::npos);
  CHECK(outcome.out.find("\na_run_with_a_name_19  -20\n") != std::string::npos);
  for (std::size_t from = 0, to = 0; (to = outcome.out.find('\n', from)) != std::string::npos; from = to + 1)
    CHECK(to - from <= 100);
}

TEST_CASE("compare draws the curves of all runs in one picture") {
  if (std::system("command -v gnuplot > /dev/null 2>&1") != 0) {
    skip_test("gnuplot is not installed, so that curves were not tested");
    return;
  }
  const ScratchFolder folder;
  write_two(folder);
  const Outcome outcome = compared(folder, {"runs/one", "runs/two", "--output", "c.svg"});
  CHECK(outcome.err == "");
  const std::string caption =
      "what was measured along 2 runs, by epoch; bands: 95 % intervals, or one standard error (s.e.), as titles say";
  CHECK(outcome.out.ends_with("\nc.svg: " + caption + "\n"));
  CHECK(caption_in(folder / "c.svg") == caption);
  CHECK(compared(folder, {"runs/one", "runs/two", "--output", "c.png"}).status == 0);
  CHECK(caption_in(folder / "c.png") == caption);
  const std::string svg = content_of(folder / "c.svg");
  for (const char* part :
       {">log likelihood (95 % band)<", ">reconstruction error<", "one: learning_rate = 0.1, every = 2, loss = loss",
        "two: learning_rate = 0.02, every = 1, loss = -"})
    CHECK_MESSAGE(svg.find(part) != std::string::npos, part);

  const std::string command = "cd " + folder.path().string() + " && PATH=/nowhere " + program_path() +
                              " compare runs/one runs/two --output d.svg > out 2> err";
  CHECK(std::system(command.c_str()) != 0);
  CHECK(content_of(folder / "err") ==
        "harmonium: gnuplot is not installed: there are no curves. Install it (Debian: gnuplot-nox) and give the same "
        "command once more.\n");
  CHECK(!fs::exists(folder / "d.svg"));
}

TEST_CASE("compare refuses what is no run, and says where a log is damaged") {
  const ScratchFolder folder;
  write_two(folder);
  fs::create_directories(folder / "empty");
  write_run(folder, "bad", "seed = 1\n", "{\"epoch\":1,\"update\":5,\"a\":1}\n{\"epoch\":\n");
  write_run(folder, "none", "seed = 1\n", "");
  write_run(folder, "void", "seed = 2\n", "");
  write_run(folder, "toml", "seed = = 1\n", "");
  folder.write("file", "");
  const auto refused = [&](const Words& words, int status, std::string_view pattern) {
    check_refusal(compared(folder, words), status, pattern);
  };
  refused({}, 2, "compare: RUN is missing. See 'harmonium compare --help'.");
  refused({"runs/one"}, 2, "compare: one run has nothing to be compared with. Name the folders of two runs or more.");
  refused({"runs/one", "runs/three"}, 2, "runs/three: no such folder");
  refused({"runs/three"}, 2, "runs/three: no such folder");
  refused({"runs/one", "file"}, 2, "file: a file. Name the folders of runs.");
  refused({"runs/one", "empty"}, 2, "empty: the folder holds no run (no config.toml). Name the folders of runs.");
  fs::remove(folder / "runs/two/metrics.jsonl");
  refused({"runs/one", "runs/two"}, 2,
          "runs/two: the folder holds no run (no metrics.jsonl). Name the folders of runs.");
  refused({"runs/one", "./runs/one"}, 2, "./runs/one: the same run as runs/one. Name each once.");
  refused({"runs/one", "bad"}, 1,
          "bad/metrics.jsonl:2: this is no line that a run writes after the one before it. Put the log back as it was, "
          "or repeat the run.");
  refused({"runs/one", "toml"}, 2, "toml/config.toml:1:8: *");
  refused({"runs/one", "none", "--output", "c.pdf"}, 2,
          "--output c.pdf: curves are written as .svg or .png. Give a name that ends so.");
  refused({"runs/one", "none", "--output", "nowhere/c.svg"}, 1,
          "--output nowhere/c.svg: there is no folder nowhere. Create it first.");
  if (std::system("command -v gnuplot > /dev/null 2>&1") == 0)
    refused({"none", "void", "--output", "c.svg"}, 1,
            "compare: the runs have no figures, so that there are no curves.");
  CHECK(like(compared(folder, {"none", "void"}).out, "*\nseed * 1 * 2\n\nThe runs have no figures.\n"));
}

TEST_CASE("compare says which estimator starts its chains so") {
  const ScratchFolder folder;
  REQUIRE(trained(folder, "a", {"training.num_epochs=1", "estimator=cd"}).status == 0);
  REQUIRE(trained(folder, "b", {"training.num_epochs=1", "estimator=pcd"}).status == 0);
  const Outcome compared = run(folder, {"compare", "a", "b"});
  CHECK(like(compared.out, "*estimator.negative.start * data (cd) * persistent (pcd)*"));
  CHECK(like(compared.out, "*all_rows.log_likelihood * -2.* ± 0.* -2.* ± 0.*"));
}

TEST_CASE("compare names estimators as they were set, in one row") {
  const CliFolder folder;
  const auto train = [&](const std::string& name, const std::string& estimator) {
    REQUIRE(
        run(folder, {"train", "small.toml", "--output", name, "--epochs", "1", "--quiet", "--set", estimator}).status ==
        0);
  };
  const auto settings = [&](Words words) {
    words.insert(words.begin(), "compare");
    words.push_back("--json");
    std::vector<nlohmann::json> all;
    for (const auto& one : nlohmann::json::parse(run(folder, words).out)) all.push_back(one["settings"]);
    return all;
  };
  const auto named = [](const char* name) { return nlohmann::json{{"estimator", name}}; };
  Words presets;
  for (const char* name :
       {"exact", "pseudo_likelihood", "cd", "pcd", "tempered_pcd", "fast_weights_pcd", "unbiased_cd"}) {
    train(name, std::string("estimator=") + name);
    presets.emplace_back(name);
  }
  using All = std::vector<nlohmann::json>;
  CHECK(settings({"pseudo_likelihood", "exact"}) == All{named("pseudo_likelihood"), named("exact")});
  CHECK(settings({"cd", "exact"}) == All{named("cd"), named("exact")});
  CHECK(settings({"pcd", "tempered_pcd", "unbiased_cd"}) ==
        All{named("pcd"), named("tempered_pcd"), named("unbiased_cd")});
  const All all = settings(presets);
  REQUIRE(all.size() == presets.size());
  for (std::size_t r = 0; r < all.size(); ++r) {
    CAPTURE(presets[r]);
    CHECK(all[r]["estimator"] == presets[r]);
    for (const auto& setting : all[r].items()) CHECK_FALSE(setting.key().ends_with(".type"));
  }
  CHECK(like(run(folder, {"compare", "pseudo_likelihood", "exact"}).out,
             "*\nSettings that differ\nestimator * pseudo_likelihood * exact\n\n*"));

  // What the names do not tell has rows of its own.
  train("longer", "estimator={type=\"cd\", gibbs_steps=5}");
  const All steps = settings({"longer", "cd", "exact"});
  CHECK(steps[0] == nlohmann::json{{"estimator", "cd"}, {"estimator.negative.gibbs_steps", 5}});
  CHECK(steps[1]["estimator.negative.gibbs_steps"] == 1);
  train("uniform", "estimator=naive_mcmc");
  train("marginals", "estimator={type=\"naive_mcmc\", start=\"marginals\"}");
  const All starts = settings({"uniform", "marginals", "exact"});
  CHECK(starts[1]["estimator"] == "naive_mcmc");
  CHECK(starts[1]["estimator.negative.start"] == "marginals");
  // Phases that no preset stands for are told as they are.
  train("mixed", "estimator={type=\"contrastive\", positive=\"posterior_mean\", negative=\"exact\"}");
  const All other = settings({"mixed", "cd"});
  CHECK_FALSE(other[0].contains("estimator"));
  CHECK(other[0]["estimator.negative.type"] == "exact");
}

TEST_CASE("compare shows the figures that are asked for alone") {
  const CliFolder folder;
  folder.write("seeds.toml", "base = \"small.toml\"\nseed = [1, 2]\n");
  REQUIRE(run(folder, {"sweep", "seeds.toml", "--quiet"}).status == 0);
  const auto told = [&](Words words) {
    words.insert(words.begin(), {"compare", "seeds"});
    const Outcome outcome = run(folder, words);
    CHECK(outcome.err == "");
    REQUIRE(outcome.status == 0);
    return outcome.out;
  };
  const auto names = [&](Words words) {
    words.emplace_back("--json");
    Words found;
    const nlohmann::json all = nlohmann::json::parse(told(words));
    for (const auto& figure : all[0]["figures"].items()) found.push_back(figure.key());
    return found;  // in alphabetic order
  };
  CHECK(names({"--figure", "log_likelihood"}) == Words{"all_rows.log_likelihood", "log_likelihood"});
  CHECK(names({"--figure", "weight.visible.hidden"}) == Words{"norm.weight.visible.hidden"});
  CHECK(names({"--figure", "norm.bias.*", "--figure", "gradient_norm"}) ==
        Words{"gradient_norm", "norm.bias.hidden", "norm.bias.visible"});
  CHECK(names({"--means", "--figure", "gradient_norm"}) == Words{"gradient_norm"});

  const std::string best = "Best by ";
  const std::string text = told({"--figure", "gradient_norm"}), all = told({});
  CHECK(text.find("\ngradient_norm ") != std::string::npos);
  CHECK(text.find("\nnorm.bias.hidden ") == std::string::npos);
  CHECK(text.find("\nlog_likelihood ") == std::string::npos);
  // The best run is told as of all figures, and its order too.
  CHECK((text.find(best) == std::string::npos) == (all.find(best) == std::string::npos));
  CHECK(told({"--figure", "gradient_norm", "--sort", "log_likelihood"}).starts_with("Runs sorted by log_likelihood"));

  const Outcome unknown = run(folder, {"compare", "seeds", "--figure", "gradient_nrm"});
  CHECK(unknown.status == 2);
  CHECK(
      like(unknown.err,
           "*--figure gradient_nrm: no run has such a figure (did you mean 'gradient_norm'?). Known: *log_likelihood*, "
           "*gradient_norm*"));
  CHECK(run(folder, {"compare", "seeds", "--figure", "no*"}).status == 0);
  CHECK(run(folder, {"compare", "seeds", "--figure", "none*"}).status == 2);
  if (std::system("command -v gnuplot > /dev/null 2>&1") != 0) return;
  told({"--figure", "gradient_norm", "--output", "c.svg"});
  const std::string svg = content_of(folder / "c.svg");
  CHECK(svg.find(">norm of the gradient<") != std::string::npos);
  CHECK(svg.find(">log likelihood") == std::string::npos);
}

TEST_CASE("compare takes chains that are as many as the batch for the number that they are") {
  const ScratchFolder folder;
  const auto train = [&](const char* name, const std::string& estimator) {
    REQUIRE(trained(folder, name, {"training.num_epochs=1", "training.batch_size=56", estimator}).status == 0);
  };
  train("data", "estimator=cd");
  train("open", "estimator=pcd");
  train("same", "estimator={ type = \"pcd\", num_chains = 56 }");
  train("more", "estimator={ type = \"pcd\", num_chains = 57 }");
  const auto compared = [&](const char* one, const char* two) { return run(folder, {"compare", one, two}).out; };
  CHECK(like(compared("open", "same"), "*\nThe settings do not differ.\n*"));
  CHECK(!like(compared("data", "same"), "*num_chains*"));
  CHECK(like(compared("data", "same"), "*\nestimator.negative.start * data (cd) * persistent (pcd)\n*"));
  CHECK(like(compared("open", "more"), "*\nestimator.negative.num_chains * 0 (as the batch) * 57\n*"));
  CHECK(like(compared("data", "more"), "*\nestimator.negative.num_chains * 0 (as the batch) * 57\n*"));
  const auto json = nlohmann::json::parse(run(folder, {"compare", "open", "more", "--json"}).out);
  CHECK(json[0]["settings"] == nlohmann::json{{"estimator.negative.num_chains", 0}});
}

}  // namespace compare_test
