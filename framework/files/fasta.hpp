#pragma once

#include <filesystem>
#include <string>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/files/table.hpp>

namespace harmonium {
inline namespace v1 {

enum class GapPlace { first, last };
enum class UnknownLetter { refuse, gap };

struct FastaOptions {
  std::string alphabet =
      "protein";  ///< protein, dna, rna, or the letters themselves in order, with '-' if there are gaps
  GapPlace gap = GapPlace::first;  ///< of protein, dna and rna
  UnknownLetter unknown = UnknownLetter::refuse;

  /// The letters in the order of their columns.
  std::string letters() const;
  void bind(OptionBinder& o);
  void validate() const;
};

/// Reads aligned sequences, plain or gzipped: each a line ">name" and lines of letters. A sequence of L sites over q
/// letters is a row of L q bytes, one-hot, site by site; shape is (rows, L, q). Small letters are read as capital ones
/// and '.' as '-'. Throws FileError where it cannot be read, else DataError with the line, counted from 1.
Table read_fasta(const std::filesystem::path& path, const FastaOptions& options = {});

/// For each row of such a table 1 / (number of rows, itself among them, that differ from it at fewer than
/// ⌊distance · L⌋ sites): the usual weights of sequences that have many relatives, as GaussDCA and its heirs count them
/// (Baldassi et al., PLoS ONE 9, 2014). O(rows² L).
std::vector<double> similarity_weights(const Table& sequences, double distance);

}  // namespace v1
}  // namespace harmonium
