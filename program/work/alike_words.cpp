#include <harmonium/program/work/alike_words.hpp>

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

std::string without_case_and_blanks(const std::string& word) {
  constexpr const char* around = " \t";
  const std::size_t begin = std::min(word.find_first_not_of(around), word.size());
  std::string key = word.substr(begin, word.find_last_not_of(around) + 1 - begin);
  std::ranges::transform(key, key.begin(), [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return key;
}

/// "'Yes' and 'yes'", each group of alike ones; none where all differ.
std::vector<std::string> alike_groups(const std::vector<std::string>& words) {
  std::map<std::string, std::vector<std::string>> by_key;
  for (const std::string& word : words) by_key[without_case_and_blanks(word)].push_back(fmt::format("'{}'", word));
  std::vector<std::string> groups;
  for (const auto& [key, group] : by_key)
    if (group.size() > 1) groups.push_back(fmt::format("{}", fmt::join(group, " and ")));
  return groups;
}

void warn_of_alike(const std::string& column, const std::vector<std::string>& words,
                   std::vector<std::string>& warnings) {
  constexpr std::size_t most = 5;
  std::vector<std::string> groups = alike_groups(words);
  if (groups.empty()) return;
  const std::string more = groups.size() > most ? fmt::format(", and {} more", groups.size() - most) : "";
  groups.resize(std::min(groups.size(), most));
  warnings.push_back(fmt::format(
      "column '{}' has words that are alike but for case or blanks, and each is a state of its own: {}{}. If "
      "they mean the same, write them in one way in the file.",
      column, fmt::join(groups, ", "), more));
}

}  // namespace

std::vector<std::string> alike_word_warnings(const TextTable& table) {
  std::vector<std::string> warnings;
  for (const TextColumn& column : table.columns)
    if (!column.are_numbers) warn_of_alike(column.name, column.words, warnings);
  warn_of_alike(table.label_name, table.classes, warnings);
  return warnings;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
