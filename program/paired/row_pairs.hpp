#pragma once

#include <string>

#include <harmonium/program/log_z_difference.hpp>
#include <harmonium/program/paired_difference.hpp>

namespace harmonium {
inline namespace v1 {

/// Writes a line for each row, as write_rows does: of each figure that both models have, that of the first, that of the second
/// (`against_`) and the difference. Its means are the figures of `all`, which is the difference of the two models. Throws FileError.
void write_row_pairs(const std::string& path, const JudgedModel& one, const JudgedModel& other, const PairedLogZ& log_z,
                     const PairedRows& all);

}  // namespace v1
}  // namespace harmonium
