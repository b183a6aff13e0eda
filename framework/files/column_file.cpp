#include <harmonium/framework/files/column_file.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/utf8.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/npy_start.hpp>
#include <harmonium/framework/files/row_writer.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::size_t enough_bytes = std::size_t{1} << 20;  // that are gathered before they are written

/// What a column writes of each row, as text or as the bytes of its field.
class ColumnCells {
 public:
  explicit ColumnCells(const NamedColumn& column) : column_(&column) {
    for (const std::string& word : column.words) {
      quoted_.push_back(csv_word(word));
      characters_.push_back(utf32_of(word));
      width_ = std::max(width_, characters_.back().size());
    }
  }

  Index rows() const {
    return std::visit([](const auto& values) { return values.size(); }, column_->values);
  }
  /// The field of a structured array, as Python writes it.
  std::string field() const {
    const bool whole = std::holds_alternative<std::span<const Index>>(column_->values);
    return fmt::format("('{}', '{}'), ", column_->name,
                       !whole                   ? "<f8"
                       : column_->words.empty() ? "<i8"
                                                : fmt::format("<U{}", width_));
  }
  void add_text(std::string& text, Index row) const {
    if (const auto* numbers = std::get_if<std::span<const double>>(&column_->values)) {
      if (std::isnan((*numbers)[row])) text += "nan";
      else fmt::format_to(std::back_inserter(text), "{}", (*numbers)[row]);
    } else if (const Index number = whole(row); quoted_.empty()) {
      fmt::format_to(std::back_inserter(text), "{}", number);
    } else {
      text += quoted_[number];
    }
  }
  void add_bytes(std::string& bytes, Index row) const {
    if (const auto* numbers = std::get_if<std::span<const double>>(&column_->values)) {
      bytes.append(reinterpret_cast<const char*>(&(*numbers)[row]), sizeof(double));
    } else if (const auto number = static_cast<std::int64_t>(whole(row)); characters_.empty()) {
      bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
    } else {
      const std::u32string& word = characters_[static_cast<Index>(number)];
      bytes.append(reinterpret_cast<const char*>(word.data()), word.size() * sizeof(char32_t));
      bytes.append((width_ - word.size()) * sizeof(char32_t), '\0');
    }
  }

 private:
  Index whole(Index row) const { return std::get<std::span<const Index>>(column_->values)[row]; }

  const NamedColumn* column_;
  std::vector<std::string> quoted_;
  std::vector<std::u32string> characters_;
  std::size_t width_ = 1;  ///< in characters
};

/// The line of names, or what stands before the numbers of an .npy file.
std::string start_of_columns(std::span<const NamedColumn> columns, std::span<const ColumnCells> cells, Index rows,
                             bool csv) {
  std::string text;
  for (const NamedColumn& c : columns)
    if (csv) text += (text.empty() ? "" : ",") + c.name;
  if (csv) return text + "\n";
  for (const ColumnCells& c : cells) text += c.field();
  return npy_start(fmt::format("[{}]", text), fmt::format("({},)", rows));
}

}  // namespace

void write_columns(const std::filesystem::path& path, std::span<const NamedColumn> columns) {
  const std::vector<ColumnCells> cells(columns.begin(), columns.end());
  const Index rows = cells.empty() ? 0 : cells.front().rows();
  const bool csv = path.extension() == ".csv";
  AtomicFile file(path);
  std::string text = start_of_columns(columns, cells, rows, csv);
  for (Index r = 0; r < rows; ++r) {
    for (const ColumnCells& c : cells) {
      if (!csv) {
        c.add_bytes(text, r);
        continue;
      }
      c.add_text(text, r);
      text += &c == &cells.back() ? '\n' : ',';
    }
    if (text.size() < enough_bytes) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
  file.commit();
}

}  // namespace v1
}  // namespace harmonium
