#pragma once

#include <string>

#include <fmt/format.h>

#include <harmonium/tests/support/runs.hpp>

#include "files.hpp"

namespace harmonium::testing {

/// Rows of two bits and their exclusive or, each as often.
inline std::string exclusive_or(int rows) {
  std::string text;
  for (int r = 0; r < rows; ++r) text += fmt::format("{},{},{}\n", r % 2, r / 2 % 2, (r ^ r / 2) % 2);
  return text;
}

inline Outcome trained(const ScratchFolder& folder, const std::string& output, const Words& settings) {
  folder.write("x.csv", exclusive_or(1200));
  folder.write("x.toml",
               "data = { type = \"csv\", path = \"x.csv\", validation = 80 }\n"
               "model = { type = \"rbm\", num_visible = 3, num_hidden = 4 }\n"
               "estimator = \"exact\"\npictures = { which = [] }\n");
  Words words{"train", "x.toml", "--output", output};
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  return run(folder, words);
}

inline bool told(const Outcome& outcome, const char* words) { return outcome.err.find(words) != std::string::npos; }

}  // namespace harmonium::testing
