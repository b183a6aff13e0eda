#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// A unit as it is called where it has no name of its own: `visible[3]`.
struct NumberedUnit {
  std::string_view layer;
  Index number = 0;  ///< counted from 0
};
/// Nothing where `word` is no such name.
std::optional<NumberedUnit> numbered_unit(std::string_view word);

/// One number a unit: what `harmonium export` writes of biases (`unit,value`, then lines `visible[0],0.5` in the order of the
/// units), or any file of one number a row, or of all in one row. `what` names the numbers in errors. Throws FileError and
/// DataError.
std::vector<double> read_unit_values(const std::filesystem::path& path, const char* what, const std::string& dataset);
/// The same of units of `states` numbers: one number a row, those of a unit below each other, or a row of them for each unit.
std::vector<double> read_state_values(const std::filesystem::path& path, Index states, const char* what,
                                      const std::string& dataset);

}  // namespace v1
}  // namespace harmonium
