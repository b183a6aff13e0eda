// The ladders that observe advises where one has gaps.
#include <algorithm>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "files.hpp"

namespace observe_ladder_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

Outcome observed(const ScratchFolder& folder, const std::string& option, const std::string& list) {
  Outcome outcome = run(folder, {"observe", "ising.h5", option, list, "--steps", "400", "--warm-up", "400", "--json"});
  REQUIRE(outcome.status == 0);
  return outcome;
}

/// The list that a warning ends with.
std::string advised(const std::string& err, const std::string& option) {
  const std::string before = "between: " + option + " ";
  const auto at = err.find(before);
  REQUIRE(at != std::string::npos);
  const std::string list = err.substr(at + before.size());
  CHECK(err.find(before, at + 1) == std::string::npos);  // once
  return list.substr(0, list.find('\n'));
}

double least_rate(const Outcome& outcome) {
  const auto all = nlohmann::json::parse(outcome.out);
  double least = 1.0;
  for (const auto& t : all.at("temperatures"))
    if (!t.at("exchange_rate").is_null()) least = std::min(least, t.at("exchange_rate").get<double>());
  return least;
}

}  // namespace

TEST_CASE("the temperatures that are advised where a ladder has gaps leave none") {
  // The specific heat of 32 x 32 spins has its peak between the fourth and the fifth of the usual ten; of 12 x 12 it lies far from both
  // ends of the gaps. A rate of 1600 exchanges and more that is 0.05 is known to 0.006, and what is aimed at is 0.4.
  const ScratchFolder folder;
  const struct {
    int side;
    const char *option, *list;
    std::size_t most;
  } cases[] = {{32, "--betas", "0.1:1:10", 60}, {12, "--betas", "0,0.4,2", 40}, {12, "--temperatures", "1,2,5", 30}};
  for (const auto& c : cases) {
    CAPTURE(c.side);
    CAPTURE(c.list);
    write_torus(folder, c.side);
    const Outcome gaps = observed(folder, c.option, c.list);
    CHECK(least_rate(gaps) < 0.05);
    const std::string list = advised(gaps.err, c.option);
    CAPTURE(list);
    CHECK(static_cast<std::size_t>(std::ranges::count(list, ',')) < c.most);  // and not far more than there must be
    const Outcome filled = observed(folder, c.option, list);
    CHECK(filled.err == "");
    CHECK(least_rate(filled) >= 0.05);
  }
}

}  // namespace observe_ladder_test
