#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/files/text_table.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// That words of a column, or classes, which are alike but for the case of their letters (of ASCII) or for blanks around them, as "Yes"
/// and "yes", are states of their own: a line for each column of words that has some.
std::vector<std::string> alike_word_warnings(const TextTable& table);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
