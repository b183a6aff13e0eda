#include <harmonium/framework/data/table_schema.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/listed_levels.hpp>
#include <harmonium/framework/files/csv_fields.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr double missing_number = std::numeric_limits<double>::quiet_NaN();

/// Of what has a column of numbers for each.
Index states_of(const TableColumn& column) { return column.kind == ColumnKind::categorical ? column.levels.size() : 0; }

/// Bits, spins, numbers, counts, then what has states.
int rank(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::binary: return 0;
    case ColumnKind::spin: return 1;
    case ColumnKind::automatic:
    case ColumnKind::real: return 2;
    case ColumnKind::count: return 3;
    case ColumnKind::categorical: break;
  }
  return 4;
}

bool same_level(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto x = csv_number(a), y = csv_number(b);
  return x.second == NumberFault::none && y.second == NumberFault::none && x.first == y.first;
}

/// Whether words are whole numbers from 0, which may be counts.
bool of_numbers(const std::vector<std::string>& levels, const std::string& word) {
  const auto is_count = [](const std::string& text) {
    return !text.empty() && text.size() < 10 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  };
  return is_count(word) && std::ranges::all_of(levels, is_count);
}

/// The level that each of a column's words is.
std::vector<Index> levels_of_words(const TextTable& table, const TextColumn& text, const TableColumn& column) {
  std::vector<Index> levels;
  for (Index w = 0; w < text.words.size(); ++w) {
    const auto at =
        std::ranges::find_if(column.levels, [&](const std::string& level) { return same_level(level, text.words[w]); });
    if (at == column.levels.end()) {
      const auto row = std::ranges::find(text.codes, static_cast<std::uint32_t>(w)) - text.codes.begin();
      throw DataError(fmt::format(
          "{}:{}: column '{}' holds '{:.40}', and its levels are {:.200}. Mend it, leave out the row, or have it count "
          "as not seen by data.missing_words = [\"{:.40}\"]; to train with it add it to the levels in data.kinds{}.",
          table.name, table.line(static_cast<Index>(row)), column.name, text.words[w], listed_levels(column.levels),
          text.words[w],
          of_numbers(column.levels, text.words[w]) ? ", or take the column for kind = \"count\" there" : ""));
    }
    levels.push_back(static_cast<Index>(at - column.levels.begin()));
  }
  return levels;
}

/// Writes a column's numbers into those of all.
void encode_column(const TextTable& table, const TextColumn& text, const TableColumn& column, Index width,
                   std::vector<double>& out) {
  const auto at = [&](Index row) { return out.data() + row * width + column.place; };
  if (is_number(column.kind)) {
    if (!text.are_numbers)
      throw DataError(
          fmt::format("{}:{}: column '{}' holds '{:.40}', which is no number, and it is a column of "
                      "numbers. Mend it, or, where it says that nothing was seen, add it to "
                      "data.missing_words.",
                      table.name, text.line_of_word, column.name, text.first_word));
    for (Index r = 0; r < table.rows; ++r) *at(r) = text.numbers[r];
    return;
  }
  if (!text.few_words)
    throw DataError(fmt::format("{}: column '{}' holds more than {} different values, and its levels are {:.200}.",
                                table.name, column.name, TextColumn::most_words, listed_levels(column.levels)));
  const std::vector<Index> levels = levels_of_words(table, text, column);
  for (Index r = 0; r < table.rows; ++r) {
    if (text.codes[r] == TextColumn::nothing) {
      std::fill_n(at(r), column.width(), missing_number);
      continue;
    }
    const Index level = levels[text.codes[r]];
    if (column.kind == ColumnKind::categorical) at(r)[level] = 1;
    else *at(r) = level == 1 ? 1 : column.kind == ColumnKind::spin ? -1 : 0;
  }
}

/// Bytes where all of them are.
void narrow(Table& table, std::vector<double> numbers) {
  if (std::ranges::any_of(numbers,
                          [](double v) { return !(v >= 0 && v <= 255) || v != std::floor(v) || std::signbit(v); })) {
    table.values = std::move(numbers);
    return;
  }
  std::vector<std::uint8_t> bytes(numbers.size());
  std::ranges::transform(numbers, bytes.begin(), [](double v) { return static_cast<std::uint8_t>(v); });
  table.values = std::move(bytes);
}

}  // namespace

std::string name_of(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::automatic: return "auto";
    case ColumnKind::binary: return "binary";
    case ColumnKind::spin: return "spin";
    case ColumnKind::categorical: return "categorical";
    case ColumnKind::count: return "count";
    case ColumnKind::real: break;
  }
  return "real";
}

TableSchema::TableSchema(std::vector<TableColumn> columns) : columns_(std::move(columns)) {
  std::vector<Index> order(columns_.size());
  for (Index c = 0; c < order.size(); ++c) order[c] = c;
  std::ranges::stable_sort(order, {},
                           [&](Index c) { return std::pair(rank(columns_[c].kind), states_of(columns_[c])); });
  for (const Index c : order) {
    TableColumn& column = columns_[c];
    const Index states = states_of(column);
    if (layers_.empty() || layers_.back().kind != column.kind || layers_.back().states != states)
      layers_.push_back({name_of(column.kind) + (states > 0 ? fmt::format("{}", states) : ""), column.kind, 0, states});
    ++layers_.back().size;
    column.place = width_;
    width_ += column.width();
  }
}

std::vector<std::string> TableSchema::number_names() const {
  std::vector<std::string> names(width_);
  for (const TableColumn& column : columns_) {
    const bool own_words = column.kind == ColumnKind::binary && column.levels != std::vector<std::string>{"0", "1"};
    for (Index k = 0; k < column.width(); ++k)
      names[column.place + k] = column.kind == ColumnKind::categorical
                                    ? fmt::format("{}={}", column.name, column.levels[k])
                                : own_words ? fmt::format("{}={}", column.name, column.levels[1])
                                            : column.name;
  }
  return names;
}

std::vector<bool> TableSchema::real() const {
  std::vector<bool> real(width_, false);
  for (const TableColumn& column : columns_) real[column.place] = column.kind == ColumnKind::real;
  return real;
}

Table TableSchema::encode(const TextTable& table) const {
  std::vector<double> numbers(table.rows * width_, 0.0);
  for (const TableColumn& column : columns_) {
    const auto text = std::ranges::find(table.columns, column.name, &TextColumn::name);
    if (text == table.columns.end())
      throw DataError(fmt::format("{}: has no column '{}', which the other rows have", table.name, column.name));
    encode_column(table, *text, column, width_, numbers);
  }
  Table made{table.rows, width_, {}, {table.rows, width_}};
  narrow(made, std::move(numbers));
  return made;
}

template <std::floating_point T>
std::vector<std::string> TableSchema::decode(std::span<const T> row) const {
  std::vector<std::string> texts;
  for (const TableColumn& column : columns_) {
    const auto own = row.subspan(column.place, column.width());
    Index level = 0;
    switch (column.kind) {
      case ColumnKind::automatic:
      case ColumnKind::count:
      case ColumnKind::real: texts.push_back(fmt::format("{}", own[0])); continue;
      case ColumnKind::binary: level = own[0] > 0.5 ? 1 : 0; break;
      case ColumnKind::spin: level = own[0] > 0 ? 1 : 0; break;
      case ColumnKind::categorical: level = static_cast<Index>(std::ranges::max_element(own) - own.begin()); break;
    }
    texts.push_back(column.levels[level]);
  }
  return texts;
}

template std::vector<std::string> TableSchema::decode(std::span<const float>) const;
template std::vector<std::string> TableSchema::decode(std::span<const double>) const;

}  // namespace v1
}  // namespace harmonium
