#include <harmonium/program/work/sequence_remarks.hpp>

#include <fmt/format.h>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/program/work/site_letters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The letters of the data's alphabet, and those that some sequence has, in their order; both empty of other data.
struct Letters {
  std::string all, met;

  bool lack_gaps() const {
    return all.size() > 2 && all.find('-') != std::string::npos && met.find('-') == std::string::npos;
  }
  std::string without_gap() const {
    std::string letters = all;
    std::erase(letters, '-');
    return letters;
  }
};

Letters letters_with_met(const Dataset& data, const Value& config) {
  Letters found{sequence_letters(config), ""};
  const Index cols = data.cols(), states = found.all.size();
  if (states == 0 || cols % states != 0) return {};
  std::vector<double> row(cols);
  std::vector<bool> met(states);
  for (Index r = 0; r < data.rows(); ++r) {
    data.fetch(r, 0, MatrixView<double>{row.data(), 1, cols, cols});
    for (Index c = 0; c < cols; ++c)
      if (row[c] == 1.0) met[c % states] = true;
  }
  for (Index s = 0; s < states; ++s)
    if (met[s]) found.met += found.all[s];
  return found;
}

bool all_among(const std::string& letters, const char* some) {
  return letters.find_first_not_of(some) == std::string::npos;
}

}  // namespace

std::vector<std::string> sequence_remarks(const Dataset& data, const Value& config) {
  const Letters letters = letters_with_met(data, config);
  const bool bases = all_among(letters.met, "-ACGT") || all_among(letters.met, "-ACGU");
  if (letters.all.size() > 20 && bases)
    return {
        fmt::format("data.alphabet has {} letters, of which the sequences have {} alone. If they are DNA, set "
                    "data.alphabet = \"dna\", or leave it out.",
                    letters.all.size(), letters.met)};
  if (letters.lack_gaps())
    return {
        fmt::format("no sequence has a gap, which is a state of each site all the same: data.alphabet = \"{}\" is "
                    "without it.",
                    letters.without_gap())};
  return {};
}

std::string advice_without_gaps(const Dataset& data, const Value& config) {
  const Letters letters = letters_with_met(data, config);
  if (!letters.lack_gaps()) return "";
  return fmt::format(" No sequence has a gap: train with data.alphabet = \"{}\", which is without it.",
                     letters.without_gap());
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
