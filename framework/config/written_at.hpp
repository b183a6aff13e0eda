#pragma once

#include <string>

#include <harmonium/framework/config/value.hpp>

namespace harmonium {
inline namespace v1 {

/// Where a value was written, for the beginning of a message: "FILE:LINE:COLUMN: ", or nothing where that is not known.
inline std::string written_at(const Value& value) { return value.where.empty() ? "" : value.where + ": "; }

}  // namespace v1
}  // namespace harmonium
