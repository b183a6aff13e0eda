#pragma once

#include <optional>
#include <string>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/program/work/judged_rows.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The columns of figures that a model offers, of so many rows, none of which has one yet.
struct OfferedColumns {
  bool free_energy, pseudo, labels;
};
void begin_columns(RowTable& table, const OfferedColumns& offered, Index rows);
/// Takes the numbers, names and classes of the rows. `spec` is the table [data] that they were read by. Throws DataError where
/// their file is another by now.
void name_rows(RowTable& table, const Dataset& data, const Value& spec);

/// What the predicted classes are called, in the order of the model; of a row that has none it is empty.
void name_predicted(RowTable& table, std::vector<std::string> words);

/// Throws before any work where `--rows FILE` could not be written or is of no known kind.
void check_rows_output(const EvaluateRequest& request);
/// Writes them under their names, a row a line; with log Z, log_likelihood too.
void write_rows(const std::string& path, const RowTable& table, const std::optional<double>& log_z);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
