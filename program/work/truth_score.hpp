#pragma once

#include <span>
#include <string>
#include <vector>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/inference/means_by_chains.hpp>
#include <harmonium/framework/model/held_mask.hpp>
#include <harmonium/framework/model/layout.hpp>
#include <harmonium/program/work/data_units.hpp>
#include <harmonium/program/work/observed_rows.hpp>
#include <harmonium/program/work/row_fields.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// How near what was filled in is to complete rows, column by column of the file of the data: of numbers the root mean square of
/// truth - E[missing | seen], in the units of the data, and in those of the standard deviation of what is missing, which is 1 in the
/// mean square where the model is the law of the rows; of words how often the likeliest is the true one. Beside each what the best
/// constant has, the mean or the commonest word of the same cells.
class TruthScore {
 public:
  /// `truth`: complete rows, or with holes that do not count, of the file `file`. `fields`: of a row as the file of the data has it, with their names. `units`:
  /// from those of the model to those that are told, of columns that are alone; null: the same. What is referred to must outlive it.
  TruthScore(std::string file, const Dataset& truth, const Layout& layout, std::vector<RowField> fields,
             std::vector<std::string> names, const DataUnits* units);

  /// Rows from `first` on, with their variances; `seen`: which of their units were seen. Throws DataError where what was seen is not
  /// what the true rows have: they are others.
  void add(const EstimatedMeans& found, const HeldMask& seen, Index first);
  /// A table, a line for each column; of more columns of numbers than a page has lines one for all of them. A sentence where there is
  /// nothing to judge.
  std::string text() const;

 private:
  /// Of the cells of a column that were missing, and are known.
  struct Tally {
    double cells = 0.0;
    double squares = 0.0, mean = 0.0, spread = 0.0;  ///< Σ (t − E)², mean of t, Σ (t − mean)²
    double pulls = 0.0, pulled = 0.0;                ///< Σ (t − E)²/Var, and of how many
    double right = 0.0;                              ///< how often the likeliest word is the true one
    std::vector<double> words = {};                  ///< how often each is true
  };
  void add_word(Index field, std::span<const double> mean, std::span<const double> truth);
  /// `in_spread`: how far off the truth is, in standard deviations of what is missing.
  void add_number(Index field, double truth, double found, double in_spread);
  std::string numbers_text() const;
  std::string words_text() const;

  std::string file_;
  ObservedRows truth_;
  const Layout* layout_;
  std::vector<RowField> fields_;
  std::vector<std::string> names_;
  const DataUnits* units_;
  std::vector<Tally> tallies_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
