#pragma once

#include <string>
#include <vector>

#include <harmonium/program/work/findings.hpp>

namespace harmonium {
inline namespace v1 {

/// "training", "training and test", "training, validation and test".
std::string joined_words(const std::vector<std::string>& words);

/// What is said of the machines above the first of a stack, of the parts of the data of which it is the same but for the amount.
struct AboveOfParts {
  std::string parts;    ///< joined
  MachinesAbove above;  ///< with the amounts of all of them, in their order
};

/// In the order of the parts. Advice that several of them share stands with the last of these alone.
std::vector<AboveOfParts> above_of_parts(const Evaluations& all);

}  // namespace v1
}  // namespace harmonium
