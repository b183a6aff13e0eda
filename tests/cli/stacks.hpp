#pragma once

#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

#include "files.hpp"

namespace harmonium::testing {

inline Outcome stack(const ScratchFolder& folder, Words words) {
  words.insert(words.begin(), "stack");
  words.push_back("--quiet");
  return run(folder, words);
}

/// A figure of `evaluate --json` for these data, or for none.
inline double figure(const ScratchFolder& folder, const std::string& model, const std::string& name,
                     const std::string& data = "bars_and_stripes:side=3") {
  Words words{"evaluate", model, "--json", "--quiet"};
  if (!data.empty()) words.insert(words.end(), {"--data", data});
  const Outcome outcome = run(folder, words);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto at = outcome.out.find("\"" + name + "\": ");
  REQUIRE(at != std::string::npos);
  return std::strtod(outcome.out.c_str() + at + name.size() + 4, nullptr);
}

}  // namespace harmonium::testing
