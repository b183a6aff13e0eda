// The likelihood that a run measures once more at its end.
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <harmonium/tests/support/runs.hpp>

#include "exclusive_or.hpp"
#include "files.hpp"

namespace last_likelihood_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

std::vector<nlohmann::json> lines_of(const std::string& log) {
  std::vector<nlohmann::json> lines;
  std::istringstream text(log);
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

}  // namespace

TEST_CASE("a likelihood whose time does not come is measured at the end of a run, as it would be if it had") {
  const ScratchFolder folder;
  const auto log_of = [&](const char* name, const std::string& epochs, const char* every) {
    REQUIRE(trained(folder, name,
                    {"training.num_epochs=" + epochs, "training.checkpoint_every=1",
                     std::string("observers=[{type=\"log_likelihood\", every=") + every + "}]"})
                .status == 0);
    return content_of(folder / name / "metrics.jsonl");
  };
  const std::string short_log = log_of("seldom", "3", "50");
  const std::vector<nlohmann::json> seldom = lines_of(short_log), always = lines_of(log_of("always", "3", "1"));
  REQUIRE(always.size() == 3);
  REQUIRE(seldom.size() == 4);
  CHECK(seldom[3]["epoch"] == 3);
  CHECK(seldom[3]["update"] == seldom[2]["update"]);
  CHECK_FALSE(seldom[2].contains("log_likelihood"));
  CHECK(seldom[3].size() == 7);  // epoch, update, two likelihoods with their errors, log Z
  for (const char* figure : {"log_likelihood", "log_likelihood_error", "validation_log_likelihood",
                             "validation_log_likelihood_error", "log_z"})
    CHECK(seldom[3][figure] == always[2][figure]);
  // The other lines are as they were.
  for (std::size_t epoch = 0; epoch < 3; ++epoch)
    for (const auto& figure : seldom[epoch].items()) CHECK(always[epoch][figure.key()] == figure.value());
  const nlohmann::json compared = nlohmann::json::parse(run(folder, {"compare", "seldom", "always", "--json"}).out);
  for (const auto& one : compared)
    CHECK(one["figures"]["validation_log_likelihood"]["value"] == always[2]["validation_log_likelihood"]);

  // It belongs to that end: a longer run has its own.
  REQUIRE(run(folder, {"resume", "seldom", "--epochs", "5", "--quiet"}).status == 0);
  CHECK(content_of(folder / "seldom/metrics.jsonl") == log_of("straight", "5", "50"));
  CHECK(lines_of(content_of(folder / "seldom/metrics.jsonl")).size() == 6);
  CHECK(log_of("due", "4", "2") == log_of("due_too", "4", "2"));
  CHECK(lines_of(content_of(folder / "due/metrics.jsonl")).size() == 4);  // it was due after the last epoch
}

TEST_CASE("a second likelihood has its name at the end as along the run, and an estimated one is not measured there") {
  const ScratchFolder folder;
  REQUIRE(trained(folder, "two",
                  {"training.num_epochs=3",
                   "observers=[{type=\"log_likelihood\", every=50, log_z={type=\"ais\", num_chains=20}}, "
                   "{type=\"log_likelihood\", every=50, log_z=\"variable_elimination\"}]"})
              .status == 0);
  const std::vector<nlohmann::json> lines = lines_of(content_of(folder / "two/metrics.jsonl"));
  REQUIRE(lines.size() == 4);
  CHECK(lines[3].contains("log_likelihood_2.validation_log_likelihood"));
  CHECK(lines[3].contains("log_likelihood_2.log_z"));
  CHECK_FALSE(lines[3].contains("log_likelihood"));
}

}  // namespace last_likelihood_test
