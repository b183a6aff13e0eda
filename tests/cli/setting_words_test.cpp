// The words for the values of a setting in which runs differ.
#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "files.hpp"

namespace setting_words_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// As means over seeds name a setting that has these values, cells of a sweep's table; empty: a run has none.
Words texts(const Words& cells, const std::string& path = "estimator") {
  const ScratchFolder folder;
  std::string table = "run," + path + ",seed,status\n";
  for (std::size_t i = 0; i < 2 * cells.size(); ++i) {
    std::string quoted;
    for (const char c : cells[i / 2]) quoted += c == '"' ? "\"\"" : std::string(1, c);
    const std::string run = fmt::format("runs/{}", i);
    table += fmt::format("{},\"{}\",{},finished\n", run, quoted, i % 2 + 1);
    std::filesystem::create_directories(folder / ("sw/" + run));
    folder.write("sw/" + run + "/config.toml", fmt::format("seed = {}\n", i % 2 + 1));
    folder.write("sw/" + run + "/metrics.jsonl", "{\"epoch\":1,\"update\":5,\"loss\":-2}\n");
    folder.write("sw/" + run + "/model.h5", "");
  }
  folder.write("sw/sweep.csv", table);
  std::filesystem::create_directories(folder / "sw/ends");
  const Outcome outcome = run(folder, {"compare", "sw", "--means", "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  Words found;
  for (const auto& group : nlohmann::json::parse(outcome.out)) found.push_back(group["settings"][path]);
  return found;
}

}  // namespace

TEST_CASE("inline tables go by their types and by the keys in which they differ") {
  const std::string one = "{type = \"cd\", gibbs_steps = 1, centering = true}",
                    five = "{type = \"cd\", gibbs_steps = 5, centering = true}";
  CHECK(texts({one, five}) == Words{"cd, gibbs_steps 1", "cd, gibbs_steps 5"});
  CHECK(texts({one, "{type = \"pcd\", gibbs_steps = 1, centering = true}", "exact", ""}) ==
        Words{"cd", "pcd", "exact", "-"});
  // A key that one of two of a type lacks tells them apart, and one that another type has otherwise is said.
  CHECK(texts({one, "cd", "{type = \"pcd\", gibbs_steps = 9}"}) ==
        Words{"cd, gibbs_steps 1, centering true", "cd", "pcd, gibbs_steps 9"});
  CHECK(texts({"{low = 1, high = 2}", "{low = 1, high = 3}"}, "range") == Words{"high 2", "high 3"});
  CHECK(texts({"{type = \"phases\", negative = {start = \"data\", steps = 1}}",
               "{type = \"phases\", negative = {start = \"data\", steps = 2}}"}) ==
        Words{"phases, negative.steps 1", "phases, negative.steps 2"});
}

TEST_CASE("values that differ have words that do") {
  CHECK(texts({"cd", "{type = \"cd\"}"}) == Words{"cd", "{type = \"cd\"}"});
  CHECK(texts({"{a = 1}", "3"}) == Words{"{a = 1}", "3"});
  // What is too long is cut where its end tells it apart, and else is not.
  const std::string same(50, 'x');
  CHECK(texts({"a" + same, "b" + same}) == Words{"a" + same, "b" + same});
  CHECK(texts({same + "a", same + "b"}) == Words{"..." + same.substr(0, 36) + "a", "..." + same.substr(0, 36) + "b"});
  CHECK(texts({"data", "persistent"}, "estimator.negative.start") == Words{"data (cd)", "persistent (pcd)"});
  CHECK(texts({"0", "5"}, "estimator.negative.num_chains") == Words{"0 (as the batch)", "5"});
}

TEST_CASE("a sweep over inline tables is compared, averaged and drawn by what differs in them") {
  const CliFolder folder;
  folder.write("list.toml",
               "base = \"small.toml\"\nseed = [1, 2]\n[grid]\nestimator = [\n"
               "  {type = \"cd\", gibbs_steps = 1, centering = true},\n"
               "  {type = \"cd\", gibbs_steps = 5, centering = true}]\n");
  REQUIRE(run(folder, {"sweep", "list.toml", "--quiet"}).status == 0);
  const std::string runs = run(folder, {"compare", "list"}).out;
  CHECK_MESSAGE(like(runs, "*  estimator  *cd, gibbs_steps 1  *cd, gibbs_steps 5  *"), runs);
  const std::string means = run(folder, {"compare", "list", "--means"}).out;
  for (const char* name : {"estimator = cd, gibbs_steps 1", "estimator = cd, gibbs_steps 5"})
    CHECK_MESSAGE(means.find(name) != std::string::npos, means);
  const auto json = nlohmann::json::parse(run(folder, {"compare", "list", "--means", "--json"}).out);
  CHECK(json[0]["settings"]["estimator"] == "cd, gibbs_steps 1");
  // For programs, and in the sweep's table, they are whole.
  CHECK(nlohmann::json::parse(run(folder, {"compare", "list", "--json"}).out)[0]["settings"]["estimator"] ==
        nlohmann::json{{"type", "cd"}, {"gibbs_steps", 1}, {"centering", true}});
}

}  // namespace setting_words_test
