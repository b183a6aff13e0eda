#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <harmonium/framework/config/value.hpp>

namespace harmonium {
inline namespace v1 {

/// The table {key = name} that a name alone stands for, such as {type = "pcd"} for "pcd", placed where the name was. What is no
/// string comes back as it is.
Value spelled_out(Value value, std::string_view key);

/// The words of a list of strings, or the one that a string alone is; none of anything else, or null.
std::vector<std::string> words_in(const Value* list);

}  // namespace v1
}  // namespace harmonium
