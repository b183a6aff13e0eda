#pragma once

#include <string>
#include <string_view>

namespace harmonium {
inline namespace v1 {

/// Where a number stands as a kind of units, hidden_units = 500: " How many there are says 'num_hidden'.", or empty.
std::string number_of_units(std::string_view option);

}  // namespace v1
}  // namespace harmonium
