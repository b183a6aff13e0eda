#pragma once

#include <string_view>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace harmonium::testing {

/// What `evaluate --json` with more words finds.
inline nlohmann::json evaluated(const ScratchFolder& folder, Words words) {
  words.insert(words.begin(), "evaluate");
  words.insert(words.end(), {"--json", "--quiet"});
  const Outcome outcome = run(folder, words);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return nlohmann::json::parse(outcome.out);
}

/// The figures of `evaluate m.h5 --json` with more words; standard error is as `note`, a pattern.
inline nlohmann::json judged(const ScratchFolder& folder, const Words& more, std::string_view note = "") {
  Words words{"evaluate", "m.h5", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = run(folder, words);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(like(outcome.err, note));
  return nlohmann::json::parse(outcome.out);
}

}  // namespace harmonium::testing
