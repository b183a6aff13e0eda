// What harmonium observe refuses.
#include <cstdlib>
#include <fstream>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <harmonium/tests/support/skip.hpp>

#include "files.hpp"

namespace observe_errors_test {

using namespace harmonium::testing;

TEST_CASE("what observe cannot do is said") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  const auto refused = [&](const Words& more, int status, const char* pattern) {
    Words words{"observe", "ising.h5"};
    words.insert(words.end(), more.begin(), more.end());
    check_refusal(run(folder, words), status, pattern);
  };
  const std::string forms =
      " Give numbers with commas between, such as 0.2,0.4,0.8, or FIRST:LAST:COUNT, or FIRST:LAST:STEP.";
  refused({"--betas", "0.2,x"}, 2, ("--betas 0.2,x: 'x' is no number." + forms).c_str());
  refused({"--betas", "0.2,"}, 2, ("--betas 0.2,: '' is no number." + forms).c_str());
  refused({"--betas", "-1,1"}, 2,
          ("--betas -1,1: '-1' is no inverse temperature, which is 0 or more." + forms).c_str());
  refused({"--betas", "inf"}, 2, ("--betas inf: 'inf' is no inverse temperature, which is 0 or more." + forms).c_str());
  refused({"--betas", "0.1:1"}, 2,
          "--betas 0.1:1: a range has three numbers. Write FIRST:LAST:COUNT or FIRST:LAST:STEP.");
  refused(
      {"--betas", "0.1:1:1"}, 2,
      "--betas 0.1:1:1: '1' is no count of temperatures, which is a whole number from 2 to 1000, and no step, which "
      "has a decimal point, as 0.1 or 1.0. Write FIRST:LAST:COUNT or FIRST:LAST:STEP.");
  refused({"--betas", "0.1:1:x.5"}, 2, "--betas 0.1:1:x.5: 'x.5' is no count of temperatures*");
  refused({"--betas", "0.1:1:2.5"}, 2, "--betas 0.1:1:2.5: a step of 2.5 leads beyond 1 at once. Give a smaller one.");
  refused({"--betas", "0.1:1:-0.1"}, 2,
          "--betas 0.1:1:-0.1: steps of -0.1 do not lead from 0.1 to 1. Give a step above 0.");
  refused({"--betas", "1:0.1:0.1"}, 2,
          "--betas 1:0.1:0.1: steps of 0.1 do not lead from 1 to 0.1. Give a step below 0.");
  refused({"--betas", "0:1:0.0"}, 2, "--betas 0:1:0.0: steps of 0.0 do not lead from 0 to 1. Give a step above 0.");
  refused({"--betas", "0:1:1e-3"}, 2,
          "--betas 0:1:1e-3: 1001 temperatures, and 1000 are the most. Give a larger step.");
  refused({"--betas", "0.5, 0.2, 0.5"}, 2, "--betas 0.5, 0.2, 0.5: 0.5 is given twice. Leave one out.");
  refused({"--betas", "0.5,0.2,0.5"}, 2, "--betas 0.5,0.2,0.5: 0.5 is given twice. Leave one out.");
  refused({"--betas", "1:1:3"}, 2, "--betas 1:1:3: 1 is given twice. Leave one out.");
  refused({"--beta", "0.5", "--betas", "0.5,1"}, 2,
          "--beta: --betas names the inverse temperatures already. Leave one of the two out.");
  refused({"--chains", "3"}, 2, "--chains 3: chains are compared in pairs. Give an even number.");
  refused({"--layer", "hidden"}, 2, "--layer hidden: the model has no such layer. Its layers: visible.");
  refused({"--steps", "1000000000000"}, 2, "observe needs about *");
  refused(
      {"--sampler", "parallel_tempering", "--warm-up", "100"}, 2,
      "--warm-up 100: sampler 'parallel_tempering' adapts itself during its first 500 transitions, and what is "
      "measured before follows no fixed law. Give --warm-up 500 or more, or adapt for fewer (sampler.adapt_steps).");
  // Each temperature by itself: the row after the last transition that adapts counts.
  refused({"--sampler", "parallel_tempering", "--warm-up", "499"}, 2, "--warm-up 499: *");
  CHECK(run(folder, {"observe", "ising.h5", "--sampler", "parallel_tempering", "--warm-up", "500", "--steps", "100"})
            .status == 0);
  refused({"--set", "sampler.type=parallel_tempering"}, 2,
          "--set sampler.type=parallel_tempering: it exchanges rows of a ladder of its own, and several --betas are a "
          "ladder already, whose rows a sampler without one moves. Leave it out, or say --sampler parallel_tempering: "
          "each of --betas is then sampled by itself, with a ladder that begins there.");
  refused({"--set", "data.scale=2"}, 2, "--set data.scale=2: this command takes settings of sampler only.");
  refused({"--output", "ising.txt"}, 2, "--output ising.txt: a file of this name exists. Give the name of a folder.");
  refused({"--output", "ising.txt/there"}, 1,
          "--output ising.txt/there: ising.txt is a file. Give another name for the folder.");
  const std::string grids = ": give the sites along each axis, such as 16x16, 28x28:open where axes end, or 'lattice'.";
  for (const char* grid : {"4", "4x", "x4", "4x4x", "4x0", "4,4", "4x4:closed", "-4x4"})
    refused({"--correlations", grid}, 2,
            grid == std::string("4") ? "--correlations 4: these are 4 sites, and layer 'visible' has 16 units."
                                     : (std::string("--correlations ") + grid + grids).c_str());
  refused(
      {"--correlations", "lattice"}, 2,
      "--correlations lattice: layer 'visible' has no term 'lattice'. Say what its units are sites of, such as 16x16.");
  std::string long_list = "0";
  for (int k = 1; k <= 1000; ++k) long_list += "," + std::to_string(k);
  refused({"--betas", long_list}, 2, "--betas: 1001 temperatures, and 1000 are the most. Leave some out.");
  check_refusal(run(folder, {"observe", "none.h5"}), 2, "none.h5: no such file");
  CHECK(files_below(folder.path()) == Words{"ising.h5", "ising.h5.sha256", "ising.txt"});
}

TEST_CASE("--beta is one temperature, as --betas of one") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  const auto told = [&](const char* option) {
    return run(folder, {"observe", "ising.h5", option, "0.5", "--exact", "--json"});
  };
  CHECK(told("--beta").status == 0);
  CHECK(told("--beta").out == told("--betas").out);
  const auto hot = [&](Words words) {
    words.insert(words.begin() + 1, "ising.h5");
    const Outcome outcome = run(folder, words);
    REQUIRE(outcome.status == 0);
    return outcome.out;
  };
  CHECK(hot({"observe", "--temperature", "4", "--exact"}) == hot({"observe", "--temperatures", "4", "--exact"}));
  CHECK(hot({"evaluate", "--temperature", "4", "--json"}) == hot({"evaluate", "--beta", "0.25", "--json"}));
  const auto samples = [&](const std::string& option, const std::string& value) {
    hot({"sample", option, value, "--num-samples", "20", "--steps", "20", "--output", "s.csv"});
    return content_of(folder / "s.csv");
  };
  CHECK(samples("--temperature", "4") == samples("--beta", "0.25"));
  CHECK(samples("--temperature", "4") != samples("--beta", "4"));
}

TEST_CASE("temperatures are those of which the inverse ones are 1/T, in each form, and above 0") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  for (const std::string command : {"observe", "evaluate"}) {
    const auto told = [&](const char* option, const char* list) {
      Words words{command, "ising.h5", option, list, "--json"};
      if (command == "observe") words.emplace_back("--exact");
      return run(folder, words);
    };
    const Outcome outcome = told("--temperatures", "1,2,4");
    CHECK(outcome.status == 0);
    CHECK(outcome.out == told("--betas", "0.25,0.5,1").out);
    CHECK(told("--temperatures", "2:4:3").out == told("--betas", "0.25,0.3333333333333333,0.5").out);
    CHECK(told("--temperatures", "4:2:-1.0").out == told("--temperatures", "2:4:3").out);
    check_refusal(told("--temperatures", "0,1"), 2,
                  "--temperatures 0,1: '0' is no temperature, which is above 0 and finite (of an "
                  "infinite one --betas 0). *");
    check_refusal(
        told("--temperatures", "1,1e-320"), 2,
        "--temperatures 1,1e-320: the inverse of 9.99989e-321 is beyond what a number holds. Give a higher *");
    check_refusal(told("--temperatures", "1:2"), 2, "--temperatures 1:2: a range has three numbers. *");
    check_refusal(run(folder, {command, "ising.h5", "--temperatures", "1,2", "--betas", "1"}), 2,
                  "--temperatures: --betas names inverse temperatures already. Leave one of the two out.");
  }
  check_refusal(run(folder, {"observe", "ising.h5", "--temperatures", "1,2", "--beta", "1"}), 2,
                "--beta: --temperatures names the temperatures already. Leave one of the two out.");
  for (const std::string command : {"observe", "evaluate"})
    for (const std::string one : {"--beta", "--temperature"})
      for (const char* value : {"3", "1"})
        check_refusal(run(folder, {command, "ising.h5", "--temperatures", "1,2", one, value}), 2,
                      one + ": --temperatures names the temperatures already. Leave one of the two out.");
}

TEST_CASE("tables of temperatures have T in place of beta, and the same averages") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  for (const std::string command : {"observe", "evaluate"}) {
    const auto table = [&](const char* option, const char* list) {
      Words words{command, "ising.h5", option, list, "--quiet"};
      if (command == "observe") words.insert(words.end(), {"--exact", "--layer", "visible"});
      return run(folder, words).out;
    };
    const std::string by_beta = table("--betas", "0.25,1"), by_temperature = table("--temperatures", "1,4");
    const auto rest_of_rows = [](const std::string& text, const char* head, const char* hot, const char* cold) {
      std::string rest;
      for (const char* name : {head, hot, cold}) {
        CAPTURE(name);
        const auto place = text.find(fmt::format(" {} ", name));
        REQUIRE(place != std::string::npos);
        const auto begin = place + std::string(name).size() + 2;
        rest += text.substr(begin, text.find('\n', begin) - begin) + "\n";
      }
      return rest;
    };
    CHECK(rest_of_rows(by_beta, "beta", "0.25", "1") == rest_of_rows(by_temperature, "T", "4", "1"));
  }
}

TEST_CASE("figures of temperatures have T along their axes, and files have both") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  if (std::system("command -v gnuplot > /dev/null 2>&1") != 0) {
    skip_test("gnuplot is not installed, so that the figure was not tested");
    return;
  }
  CHECK(run(folder, {"observe", "ising.h5", "--temperatures", "2,4", "--steps", "200", "--output", "out"}).status == 0);
  const std::string figure = content_of(folder / "out/observables.gp");
  CHECK(figure.find("set xlabel 'temperature'") != std::string::npos);
  CHECK(figure.find("set cblabel 'temperature'\nset cbrange [2:4]") != std::string::npos);
  CHECK(figure.find("inverse") == std::string::npos);
  const auto table = csv_fields(folder / "out/observables.csv");
  CHECK(table[0][0] == "beta");
  CHECK(table[0][1] == "temperature");
  CHECK(table[1][0] == "0.25");
  CHECK(table[1][1] == "4");
}

TEST_CASE("an average that nothing defines is shown as none: the cumulant of a magnetization that is always 0") {
  const ScratchFolder folder;
  std::ofstream(folder / "pair.txt") << "2 1\n1 2 -1\n";
  REQUIRE(run(folder, {"import", "pair.txt", "--output", "pair.h5"}).status == 0);
  const Outcome outcome = run(folder, {"observe", "pair.h5", "--betas", "20,50", "--steps", "200", "--json"});
  REQUIRE(outcome.status == 0);
  const nlohmann::json found = nlohmann::json::parse(outcome.out);
  REQUIRE(found["temperatures"].size() == 2);
  for (const auto& at : found["temperatures"]) {
    CHECK(at["averages"]["magnetization"]["value"] == 0.0);
    CHECK(at["averages"]["binder_cumulant"]["value"].is_null());
  }
}

TEST_CASE("continuous units have no law at beta = 0") {
  const ScratchFolder folder;
  std::ofstream(folder / "points.csv") << "0.5,-1\n1,0.25\n-1,1\n";
  std::ofstream(folder / "points.toml") << R"(precision = "float64"
data = { type = "csv", path = "points.csv" }
model = { type = "rbm", num_visible = 2, num_hidden = 2, visible_units = "gaussian" }
estimator = { type = "cd" }
training = { num_epochs = 10 }
)";
  REQUIRE(run(folder, {"train", "points.toml", "--output", "run", "--quiet"}).status == 0);
  check_refusal(run(folder, {"observe", "run", "--betas", "0,1"}), 2,
                "--betas: at beta = 0 the continuous units of layer 'visible' have no law. Let them end above 0.");
  const Outcome outcome = run(folder, {"observe", "run", "--betas", "0.5,1", "--steps", "300"});
  CHECK(outcome.status == 0);
  CHECK(like(outcome.out, "*n = 2 numbers*\n* mean*<q>*"));
}

}  // namespace observe_errors_test
