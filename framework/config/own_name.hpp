#pragma once

#include <string_view>

namespace harmonium {
inline namespace v1 {

/// What an option or a component is called here that others call `word`: "learning_rate" for "lr"; else the word itself.
std::string_view own_name(std::string_view word);

}  // namespace v1
}  // namespace harmonium
