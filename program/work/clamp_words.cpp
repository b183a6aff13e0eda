#include <harmonium/program/work/clamp_words.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/config/nearest_name.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/parsed_number.hpp>
#include <harmonium/framework/data/listed_levels.hpp>
#include <harmonium/framework/data/table_source.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/site_letters.hpp>
#include <harmonium/program/work/table_samples.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// One --clamp NAME=WORD.
struct Said {
  const std::string& text;
  std::string name, word;

  /// The number of the word among `known`, which `what` are.
  std::size_t find_in(const std::vector<std::string>& known, const std::string& what) const {
    const auto found = std::ranges::find(known, word);
    if (found == known.end())
      throw ConfigError(fmt::format("--clamp {}: {} no '{}'{}. There are: {}.", text, what, word,
                                    did_you_mean(word, known), listed_levels(known)));
    return static_cast<std::size_t>(found - known.begin());
  }
};

std::string of_label(const Said& said, const std::vector<std::string>& classes) {
  const bool number = std::ranges::find(classes, said.word) == classes.end() && parsed_number<double>(said.word);
  const bool free = std::ranges::find(classes, said.word) == classes.end() && said.word == "free";
  if (classes.empty() || number || free || said.word == "each") return fmt::format("{}={}", label_layer, said.word);
  return fmt::format("{}={}", label_layer, said.find_in(classes, "the classes have"));
}

/// LAYER[UNIT]=STATE or LAYER[UNIT]=NUMBER.
std::string of_column(const Said& said, const Layout& layout, const TableColumn& column) {
  std::string unit;
  Index begin = 0;
  for (const Layer& layer : layout.layers()) {
    if (layer.role == Role::latent || layer.name == label_layer) continue;
    if (column.place >= begin && column.place < begin + layer.columns())
      unit = fmt::format("{}[{}]", layer.name, (column.place - begin) / layer.unit->width());
    begin += layer.columns();
  }
  if (unit.empty())
    throw ConfigError(fmt::format("--clamp {}: the model does not observe the column '{}'.", said.text, column.name));
  const bool free = std::ranges::find(column.levels, said.word) == column.levels.end() && said.word == "free";
  if (is_number(column.kind) || free || said.word == "each") return fmt::format("{}={}", unit, said.word);
  const std::size_t level = said.find_in(column.levels, fmt::format("the column '{}' has", column.name));
  if (column.kind == ColumnKind::spin) return fmt::format("{}={}", unit, level == 0 ? -1 : 1);
  return fmt::format("{}={}", unit, level);
}

/// The same of a column of numbers that has a name: where it is one of a unit's several, 1 is the state that it stands for.
std::string of_named_column(const Said& said, const Layout& layout, const std::vector<std::string>& names) {
  const auto column = static_cast<Index>(std::ranges::find(names, said.name) - names.begin());
  Index begin = 0;
  for (const Layer& layer : layout.layers()) {
    if (layer.role == Role::latent || layer.name == label_layer) continue;
    if (column < begin + layer.columns()) {
      const Index width = layer.unit->width(), unit = (column - begin) / width;
      if (width == 1 || said.word == "free") return fmt::format("{}[{}]={}", layer.name, unit, said.word);
      if (said.word == "1") return fmt::format("{}[{}]={}", layer.name, unit, (column - begin) % width);
      throw ConfigError(fmt::format(
          "--clamp {}: the column is a state of a {} unit, which is held in it by {}=1. To hold the unit in "
          "another state, name that one's column.",
          said.text, layer.unit->name(), said.name));
    }
    begin += layer.columns();
  }
  throw ConfigError(fmt::format("--clamp {}: the model does not observe the column '{}'.", said.text, said.name));
}

/// The same of a site whose states are `letters`, if any; a letter goes before the number of a state.
std::string of_letter(const Said& said, const std::string& letters) {
  if (letters.empty() || said.word == "free" || said.word == "each") return said.text;
  if (said.word.size() == 1) {
    const char own = static_cast<char>(std::toupper(static_cast<unsigned char>(said.word[0])));
    // As files are read.
    const char letter = own == '.' && letters.find(own) == std::string::npos ? '-' : own;
    if (const std::size_t state = letters.find(letter); state != std::string::npos)
      return fmt::format("{}={}", said.name, state);
  }
  if (parsed_number<double>(said.word)) return said.text;
  throw ConfigError(fmt::format(
      "--clamp {}: '{}' is none of the letters {} of the sequences. Give one of them, or the number of a state, 0 to "
      "{}.",
      said.text, said.word, letters, letters.size() - 1));
}

/// What the columns of the data are called, that of the classes behind the others; none where they have no names.
std::vector<std::string> data_columns(const ModelHeader& header, const Layout& layout, const TableSchema* schema) {
  std::vector<std::string> names = header.column_names;
  if (schema) {
    names.clear();
    for (const TableColumn& column : schema->columns()) names.push_back(column.name);
  }
  if (label_place(layout) && !header.label_name.empty()) names.push_back(header.label_name);
  return names;
}

/// Of NAME>NUMBER and the like, what to do instead; else empty.
std::string words_on_ranges(const std::string& text) {
  return text.find_first_of("<>") == std::string::npos
             ? ""
             : " A range cannot be held: draw many samples, and keep those that are in it.";
}

/// Throws ConfigError for what is neither NAME=VALUE nor the name of a file.
void check_entry_form(const std::string& text) {
  std::error_code error;
  if (text.empty() || file_of_clamp(text) != text || std::filesystem::exists(text, error)) return;
  throw ConfigError(fmt::format("--clamp {}: it is neither NAME=VALUE nor a file of rows (no such file).{}", text,
                                words_on_ranges(text)));
}

/// Throws ConfigError where `text` begins with the name of no layer, and columns may be meant.
void check_named(const std::string& text, const Layout& layout, std::vector<std::string> columns) {
  const std::string name = text.substr(0, text.find('=')), base = name.substr(0, name.find('['));
  std::vector<std::string> layers;
  for (const Layer& layer : layout.layers()) layers.push_back(layer.name);
  if (columns.empty() || std::ranges::find(layers, base) != layers.end()) return;
  std::vector<std::string> known = columns;
  known.insert(known.end(), layers.begin(), layers.end());
  constexpr std::size_t most = 20;
  const std::string more = columns.size() > most ? fmt::format(" and {} more", columns.size() - most) : "";
  columns.resize(std::min(columns.size(), most));
  throw ConfigError(fmt::format(
      "--clamp {}: '{}' is neither a layer of the model nor one column of its data{}. Layers: {}. Columns: {}{}.{}",
      text, name, did_you_mean(base, known), fmt::join(layers, ", "), fmt::join(columns, ", "), more,
      words_on_ranges(name)));
}

/// "visible[0]=1,visible[3]=-1" at its commas, where each part begins with the name of a layer or of a column: the words of a
/// column may hold commas of their own.
std::vector<std::string> cut_at_commas(const std::string& text, const Layout& layout,
                                       const std::vector<std::string>& columns) {
  const auto is_known = [&](const std::string& part) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals + 1 == part.size()) return false;
    const std::string name = part.substr(0, equals), base = name.substr(0, name.find('['));
    return std::ranges::any_of(layout.layers(), [&](const Layer& l) { return l.name == base; }) ||
           std::ranges::find(columns, name) != columns.end() || std::ranges::find(columns, part) != columns.end();
  };
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    parts.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return file_of_clamp(text).empty() && std::ranges::all_of(parts, is_known) ? parts : std::vector<std::string>{text};
}

/// The words of the data that a model was trained on.
class DataWords {
 public:
  DataWords(const ModelHeader& header, const Layout& layout)
      : header_(header), layout_(layout), classes_(class_words(header.config)) {
    if (is_table(header)) schema_ = schema_of(*header.config.find("data"));
    columns_ = data_columns(header, layout, schema_ ? &*schema_ : nullptr);
  }

  const std::vector<std::string>& columns() const { return columns_; }
  std::vector<std::string> parts_of(const std::string& text) const { return cut_at_commas(text, layout_, columns_); }

  /// NAME=WORD as LAYER[UNIT]=NUMBER; what names no units stays as it is.
  std::string in_units(const std::string& text) const {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || !file_of_clamp(text).empty()) return text;
    const Said said{text, text.substr(0, equals), text.substr(equals + 1)};
    const bool own = is_layer(said.name), labels = label_place(layout_).has_value();
    std::string translated = text;
    if (labels && (said.name == label_layer || (!own && said.name == header_.label_name)))
      translated = of_label(said, classes_);
    else if (!schema_) translated = of_numbers(text);
    else if (!own)
      for (const TableColumn& column : schema_->columns())
        if (column.name == said.name) translated = of_column(said, layout_, column);
    if (translated == text) check_named(text, layout_, columns_);
    return translated;
  }

 private:
  bool is_layer(const std::string& name) const {
    return std::ranges::any_of(layout_.layers(), [&](const Layer& l) { return l.name == name; });
  }

  /// The same where columns are of numbers, or states are letters.
  std::string of_numbers(const std::string& text) const {
    const std::size_t last = text.rfind('=');  // a name may hold others
    const Said whole{text, text.substr(0, last), text.substr(last + 1)};
    const std::string base = whole.name.substr(0, whole.name.find('['));
    if (is_layer(base)) return of_letter(whole, letters_of_layer(header_, layout_[layout_.find(base)]));
    if (std::ranges::count(header_.column_names, whole.name) == 1)
      return of_named_column(whole, layout_, header_.column_names);
    // A site of data of states: its columns are called by them.
    if (std::ranges::count(header_.column_names, text) == 1)
      return of_named_column({text, text, "1"}, layout_, header_.column_names);
    return text;
  }

  const ModelHeader& header_;
  const Layout& layout_;
  std::vector<std::string> classes_, columns_;
  std::optional<TableSchema> schema_;
};

}  // namespace

std::vector<ClampEntry> clamp_in_units(const std::vector<std::string>& clamp, const ModelHeader& header,
                                       const Layout& layout) {
  const DataWords words(header, layout);
  std::vector<ClampEntry> entries;
  for (const std::string& text : clamp)
    for (const std::string& part : words.parts_of(text)) {
      check_entry_form(part);
      entries.push_back({part, words.in_units(part)});
    }
  return entries;
}

std::vector<std::string> columns_to_clamp(const ModelHeader& header, const Layout& layout) {
  return DataWords(header, layout).columns();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
