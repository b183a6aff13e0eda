#pragma once

#include <harmonium/framework/config/value.hpp>

namespace harmonium {
inline namespace v1 {

/// The table of that name in a table; null where either is none.
inline const Value* subtable(const Value& value, const char* name) {
  const Value* found = value.is_table() ? value.find(name) : nullptr;
  return found && found->is_table() ? found : nullptr;
}

}  // namespace v1
}  // namespace harmonium
