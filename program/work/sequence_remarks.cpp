#include <harmonium/program/work/sequence_remarks.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/program/work/site_letters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Those of the letters that some sequence has, in their order.
std::string met_letters(const Dataset& data, const std::string& letters) {
  const Index cols = data.cols(), states = letters.size();
  std::vector<double> row(cols);
  std::vector<bool> met(states);
  for (Index r = 0; r < data.rows(); ++r) {
    data.fetch(r, 0, MatrixView<double>{row.data(), 1, cols, cols});
    for (Index c = 0; c < cols; ++c)
      if (row[c] == 1.0) met[c % states] = true;
  }
  std::string found;
  for (Index s = 0; s < states; ++s)
    if (met[s]) found += letters[s];
  return found;
}

bool all_among(const std::string& letters, const char* some) {
  return letters.find_first_not_of(some) == std::string::npos;
}

std::string without_gap(std::string letters) {
  std::erase(letters, '-');
  return letters;
}

bool lack_gaps(const std::string& letters, const std::string& met) {
  return letters.size() > 2 && letters.find('-') != std::string::npos && met.find('-') == std::string::npos;
}

}  // namespace

std::vector<std::string> sequence_remarks(const Dataset& data, const Value& config) {
  const std::string letters = sequence_letters(config);
  if (letters.empty() || data.cols() % letters.size() != 0) return {};
  const std::string met = met_letters(data, letters);
  const bool dna = all_among(met, "-ACGT"), rna = all_among(met, "-ACGU");
  // Of amino acids U is none, so that RNA is refused as protein unless it has no U, or unknown letters are gaps.
  if (letters.size() > 20 && (dna || rna))
    return {
        fmt::format("data.alphabet has {} letters, of which the sequences have {} alone. If they are DNA, set "
                    "data.alphabet = \"dna\", or leave it out.",
                    letters.size(), met)};
  if (lack_gaps(letters, met))
    return {
        fmt::format("no sequence has a gap, which is a state of each site all the same: data.alphabet = \"{}\" is "
                    "without it.",
                    without_gap(letters))};
  return {};
}

std::string advice_without_gaps(const Dataset& data, const Value& config) {
  const std::string letters = sequence_letters(config);
  if (letters.empty() || data.cols() % letters.size() != 0 || !lack_gaps(letters, met_letters(data, letters)))
    return "";
  return fmt::format(" No sequence has a gap: train with data.alphabet = \"{}\", which is without it.",
                     without_gap(letters));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
