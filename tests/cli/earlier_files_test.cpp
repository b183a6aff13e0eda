// Files that earlier versions wrote, when presets stood in them under their own names: they load, mean what they meant, and
// runs go on.
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include <harmonium/tests/support/paths.hpp>

#include "program.hpp"

namespace earlier_files_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

std::string file(const std::string& name) { return std::string(source_folder()) + "/tests/cli/earlier/" + name; }

/// Figures of `evaluate` are those that the version evaluated which wrote the file.
void check_figures(Words words, const std::vector<std::pair<std::string, double>>& expected) {
  const ScratchFolder folder;
  words.insert(words.begin(), "evaluate");
  words.insert(words.end(), {"--log-z", "exact", "--json"});
  const Outcome outcome = run(folder, words);
  REQUIRE(outcome.err == "");
  const auto figures = nlohmann::json::parse(outcome.out);
  for (const auto& figure : expected) {
    CAPTURE(figure.first);
    CHECK(figures[figure.first].get<double>() == doctest::Approx(figure.second).epsilon(1e-12));
  }
}

}  // namespace

TEST_CASE("models of earlier versions evaluate to what they did") {
  check_figures({file("rbm.h5"), "--set", "data.type=bars_and_stripes", "--set", "data.side=3"},
                {{"log_z", 7.2696401316225501},
                 {"log_likelihood", -6.229805543278891},
                 {"pseudo_log_likelihood", -6.2132299746811679},
                 {"reconstruction_error", 0.24688702461393247}});
  check_figures({file("masked.h5"), "--set", "data.type=one_d_ball", "--set", "data.size=6"},
                {{"log_z", 6.6856468073582827}, {"log_likelihood", -4.0815462597096435}});
  check_figures({file("classes.h5"), "--data", file("rows.csv")}, {{"log_z", 5.6180657269890428},
                                                                   {"log_likelihood", -3.2608326244605816},
                                                                   {"accuracy", 0.34999999999999998},
                                                                   {"label_log_likelihood", -1.0980455637438098}});
  check_figures({file("stack.h5"), "--data", "bars_and_stripes:side=3"}, {{"log_z", 51.131497957779331},
                                                                          {"log_likelihood", -2.7487092254960785},
                                                                          {"variational_bound", -2.749278736856489}});
}

TEST_CASE("a run of an earlier version goes on") {
  const ScratchFolder folder;
  std::filesystem::copy(file("run"), folder / "run", std::filesystem::copy_options::recursive);
  const Outcome outcome = run(folder, {"train", "--resume", "run", "--quiet"});
  CHECK(outcome.err == "");
  REQUIRE(outcome.status == 0);
  std::ifstream log(folder / "run" / "metrics.jsonl");
  std::vector<std::string> lines;
  for (std::string line; std::getline(log, line);) lines.push_back(line);
  CHECK(lines.size() == 40);
  CHECK(std::filesystem::exists(folder / "run" / "model.h5"));
}

}  // namespace earlier_files_test
