#pragma once

#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Figures of each row of a data set, in nats; empty where the model does not offer one, NaN for a row whose sum is
/// not exact. And which rows they are.
struct RowTable {
  std::vector<double> free_energy, pseudo_log_likelihood;
  std::vector<Index> row = {};                ///< its number in its file, from 0, as messages have it
  std::vector<Index> of_class = {};           ///< empty where the data has no classes
  std::vector<std::string> class_words = {};  ///< what each class is called; empty where they are numbers

  /// Takes the numbers and classes of the rows.
  void name_rows(const Dataset& data);
};

/// Throws before any work where `--rows FILE` could not be written or is of no known kind.
void check_rows_output(const EvaluateRequest& request);
/// Writes them under their names, a row a line; with log Z, log_likelihood too.
void write_rows(const std::string& path, const RowTable& table, const std::optional<double>& log_z);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
