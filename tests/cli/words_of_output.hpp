#pragma once

#include <iterator>
#include <sstream>
#include <string>

#include "files.hpp"

/// What a command printed, in lines and words.
namespace harmonium::testing::words_of_output {

inline Words lines_of(const std::string& text) {
  std::istringstream in(text);
  Words lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

inline Words words_of(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()};
}

}  // namespace harmonium::testing::words_of_output
