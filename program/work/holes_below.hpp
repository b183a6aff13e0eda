#pragma once

#include <string>

#include <fmt/format.h>

namespace harmonium {
inline namespace v1 {

/// Why rows of `data` with missing entries pass nothing up to the next machine of a stack, and how they are completed, by the
/// model of `run`: its folder, or a name for one that is to be trained.
inline std::string why_holes_pass_nothing_up(const std::string& data, const std::string& run) {
  return fmt::format(
      "{0}: entries are missing, and what a row with holes passes up is not one law. Complete the rows by a model that "
      "'harmonium train' makes of them as they are: 'harmonium transform {1} {0} --complete --likeliest --output "
      "complete.csv' writes means, and of words the likeliest; 'harmonium sample {1} --clamp {0} --steps 1000 --output "
      "complete.csv' writes draws. Then name that file in place of this one.",
      data, run);
}

}  // namespace v1
}  // namespace harmonium
