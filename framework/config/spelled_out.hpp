#pragma once

#include <string_view>

#include <harmonium/framework/config/value.hpp>

namespace harmonium {
inline namespace v1 {

/// The table {key = name} that a name alone stands for, such as {type = "pcd"} for "pcd", placed where the name was. What is no
/// string comes back as it is.
Value spelled_out(Value value, std::string_view key);

}  // namespace v1
}  // namespace harmonium
