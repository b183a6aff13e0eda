#include <harmonium/framework/files/csv_by_name.hpp>

#include <algorithm>
#include <iterator>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/config/nearest_name.hpp>
#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

std::string listed_names(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  const std::span<const std::string> shown(names.data(), std::min(names.size(), most));
  return fmt::format("{}{}", fmt::join(shown, ", "),
                     names.size() > most ? fmt::format(" and {} more", names.size() - most) : "");
}

}  // namespace

CsvOptions by_names(CsvOptions options, const std::string& file, const std::vector<std::string>& names,
                    const CsvNames& first, const std::string& remedy) {
  if (names.empty() || first.columns.empty()) return options;
  const auto count = [&](const std::string& name) { return std::ranges::count(names, name); };
  std::vector<std::string> others;
  std::ranges::copy_if(names, std::back_inserter(others), [&](const std::string& name) {
    return std::ranges::find(first.columns, name) == first.columns.end();
  });
  for (const std::string& name : first.columns)
    if (count(name) == 0)
      throw ConfigError(fmt::format(
          "[data] {}: has no column '{}'{}, which the training data have. Its columns: {}; theirs: {}. {}", file, name,
          did_you_mean(name, others), listed_names(names), listed_names(first.columns), remedy));
  if (!options.label_column.empty() && !first.label.empty()) {
    if (count(first.label) > 1)
      throw ConfigError(fmt::format(
          "[data] {}: two columns are called '{}', as that of the classes is, so that it cannot be found by "
          "its name. {}",
          file, first.label, remedy));
    options.label_column = first.label;
  }
  const auto twice = std::ranges::find_if(first.columns, [&](const std::string& name) { return count(name) > 1; });
  if (twice != first.columns.end()) {
    std::vector<std::string> own = names;
    std::erase(own, first.label);
    if (own == first.columns) return options;  // told apart by their places, which are the same
    throw ConfigError(
        fmt::format("[data] {}: two columns are called '{}', so that columns cannot be found by their names, and they "
                    "stand otherwise than in the training data. {}",
                    file, *twice, remedy));
  }
  options.header = CsvHeader::present;  // which was found with other columns left out
  options.columns = first.columns;
  options.ignore.clear();
  return options;
}

}  // namespace v1
}  // namespace harmonium
