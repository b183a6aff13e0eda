#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace harmonium {
inline namespace v1 {

/// Number of edits between two words; an edit is a character more, less or changed, or two neighbors exchanged.
std::size_t edit_distance(std::string_view a, std::string_view b);
/// The word of `known` nearest to `word`, at most 2 edits (and at most a third of its length, at least 1) away; else empty.
std::string nearest_name(std::string_view word, const std::vector<std::string>& known);
/// " (did you mean 'x'?)", or empty.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);
/// Where a setting stands that others give to an optimizer, a model or its units: weight_decay, l1, precision, terms. " (penalties ...)", or
/// empty.
std::string kept_elsewhere(std::string_view word);

}  // namespace v1
}  // namespace harmonium
