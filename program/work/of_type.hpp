#pragma once

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether `table` is the table of a component of that type; not where it is no table, or has none.
inline bool is_of_type(const Value& table, const char* type) {
  const Value* own = table.is_table() ? table.find("type") : nullptr;
  return own && *own == make_value(type);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
