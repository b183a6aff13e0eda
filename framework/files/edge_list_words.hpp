#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include <harmonium/framework/core/parsed_number.hpp>
#include <harmonium/framework/core/types.hpp>

/// What the readers of files of edges share.
namespace harmonium {
inline namespace v1 {

/// The words of a line before its remark, four at most: more than any edge may have.
inline std::vector<std::string_view> edge_list_words(std::string_view line) {
  constexpr std::string_view blanks = " \t,";
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(blanks); at != std::string_view::npos && words.size() < 4;) {
    const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(blanks, end);
  }
  return words;
}

/// The number that all of a word is, a plus before it or not; nothing where it is none.
template <class T>
std::optional<T> edge_list_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  return parsed_number<T>(word);
}

/// A number where it is whole and none below 0, and a double tells it from its neighbors; nothing of all others.
inline std::optional<Index> whole_number(double number) {
  constexpr double most = 9007199254740992.0;  // 2⁵³, up to which a double has every whole number
  if (!(number >= 0.0 && number <= most) || number != std::floor(number)) return std::nullopt;
  return static_cast<Index>(number);
}

/// The whole number that a word is, written as one or, as numpy.savetxt does, as a real number: 3.000e+00.
inline std::optional<Index> edge_list_whole(std::string_view word) {
  if (const std::optional<Index> whole = edge_list_number<Index>(word)) return whole;
  const std::optional<double> real = edge_list_number<double>(word);
  return real ? whole_number(*real) : std::nullopt;
}

/// Whether a line is one of names, such as `source,target,weight`.
inline bool names_columns(const auto& words) {
  return std::ranges::none_of(words, [](std::string_view word) { return edge_list_number<double>(word).has_value(); });
}

/// For whoever wrote a field as the coupling of a unit with itself.
inline constexpr std::string_view advice_on_fields =
    "fields h stand in a file of their own, a number a line, one for each unit, which 'harmonium import' takes by "
    "--fields FILE and a configuration by initializer.fields";

}  // namespace v1
}  // namespace harmonium
