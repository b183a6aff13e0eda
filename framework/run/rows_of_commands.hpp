#pragma once

#include <string>

#include <harmonium/framework/config/value.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Throws ConfigError for a [data] table that names rows as commands on models take them, and no run does: `rows` = BEGIN:END, or a
/// `path` (or that of a part) that is FILE:KEY=VALUE of a file that exists. `place`: where that was said; empty: where the table has it.
void refuse_rows_of_commands(const Value& data, const std::string& place = "");

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
