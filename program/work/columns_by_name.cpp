#include <harmonium/program/work/columns_by_name.hpp>

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/config/spelled_out.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/file_loading.hpp>
#include <harmonium/framework/files/csv_by_name.hpp>
#include <harmonium/framework/files/csv_fields.hpp>
#include <harmonium/framework/run/column_names.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/framework/training/state_columns.hpp>
#include <harmonium/program/work/table_samples.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

bool holds_name(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// The names without those of the columns that the list `ignore` names, by name or number.
std::vector<std::string> without_ignored(const std::vector<std::string>& names, const Value* ignore) {
  std::vector<bool> out(names.size(), false);
  for (const std::string& word : words_in(ignore))
    if (const auto at = find_csv_column(word, names.size(), names)) out[*at] = true;
  std::vector<std::string> kept;
  for (Index i = 0; i < names.size(); ++i)
    if (!out[i]) kept.push_back(names[i]);
  return kept;
}

/// Tells of columns that the file has beside those that are taken; of energies the caller has.
void tell_of_others(const std::string& file, const std::vector<std::string>& names, const CsvNames& taken,
                    const ModelHeader& header, Display& display) {
  std::vector<std::string> others;
  for (const std::string& name : names)
    if (!holds_name(taken.columns, name) && name != taken.label && name != "energy")
      others.push_back(fmt::format("'{}'", name));
  if (others.empty()) return;
  const bool has_class = !header.label_name.empty() && holds_name(names, header.label_name) && taken.label.empty();
  display.warn(fmt::format(
      "{}: {} {}, none of the columns that the model was trained on, {} left out.{}", file,
      others.size() == 1 ? "column" : "columns", fmt::join(others, ", "), others.size() == 1 ? "is" : "are",
      has_class ? fmt::format(" The class counts with --set data.label_column={}.", header.label_name) : ""));
}

/// Throws where the file has probabilities of the words of a table's column, or states of its units, in place of the words.
void refuse_probabilities(const std::string& file, const std::string& column, const std::vector<std::string>& names) {
  const auto of_word =
      std::ranges::find_if(names, [&](const std::string& name) { return name.starts_with(column + "="); });
  if (of_word == names.end()) return;
  throw ConfigError(fmt::format(
      "[data] {}: has the column '{}', of the units of the model, and not the words of '{}'. 'transform --complete' "
      "writes such columns of probabilities, and with --likeliest the words, which are read here; 'sample' writes "
      "words "
      "without --raw.",
      file, *of_word, column));
}

}  // namespace

void drop_classes(Value& spec, const Value* told) {
  for (const char* key : {"label_column", "num_classes", "classes"})
    if (!told || !told->find(key)) spec.erase(key);
}

std::string label_column_name(const ModelHeader& header) {
  return header.label_name.empty() ? std::string(label_layer) : header.label_name;
}

std::vector<std::string> names_of_classes(const ModelHeader& header, const Layout& layout) {
  const Index labels = label_columns(layout);
  const std::string label = label_column_name(header);
  const std::vector<std::string> words = class_words(header.config);
  std::vector<std::string> names;
  for (Index k = 0; k < labels; ++k)
    names.push_back(k < words.size() ? fmt::format("{}={}", label, words[k]) : fmt::format("{}={}", label, k));
  return names;
}

std::vector<std::string> names_of_observed(const ModelHeader& header, const Layout& layout) {
  std::vector<std::string> names = header.column_names;
  const std::vector<std::string> classes = names_of_classes(header, layout);
  if (names.empty() || names.size() + classes.size() != layout.columns(layout.observed())) return {};
  if (!classes.empty())
    names.insert(names.begin() + static_cast<std::ptrdiff_t>(*label_place(layout)), classes.begin(), classes.end());
  return names;
}

std::vector<std::string> site_column_names(const ModelHeader& header, const Layout& layout) {
  if (std::vector<std::string> own = names_of_sites(header.column_names, layout); !own.empty()) return own;
  LayerSet sites = layout.observed();
  if (label_place(layout)) sites.remove(layout.find(label_layer));
  return names_of_sites(names_of_units(layout, sites), layout);
}

void check_table_columns(const Value& spec, const std::string& file, const std::vector<std::string>& names,
                         const Value* told) {
  if ((told && told->find("columns")) || names.empty()) return;
  const std::vector<std::string> wanted = words_in(spec.find("columns"));
  const auto lost = std::ranges::find_if(
      wanted, [&](const std::string& name) { return !find_csv_column(name, names.size(), names); });
  if (lost == wanted.end()) return;
  refuse_probabilities(file, *lost, names);
  const Value* missing = spec.find("missing");
  const bool refused = !missing || !(*missing == make_value("nan"));
  by_names({}, file, names, {wanted, ""},
           fmt::format("If nothing was seen of it, add a column '{}' without values{}: evaluate and 'transform --layer "
                       "label' sum it out where they can, and 'sample --clamp' draws it.",
                       *lost, refused ? ", and --set data.missing=nan" : ""));
}

void find_columns_by_name(Value& spec, const std::string& file, const std::vector<std::string>& names,
                          const ModelHeader& header, const Layout& layout, const Value* told, Display* display) {
  if ((told && told->find("columns")) || names.empty() || header.column_names.empty()) return;
  const std::vector<std::string> own = without_ignored(names, spec.find("ignore"));
  const bool any_taken = spec.find("columns") == nullptr;
  CsvNames wanted{header.column_names, ""};
  const Value* label = spec.find("label_column");
  const std::vector<std::string> observed = names_of_observed(header, layout);
  // Rows of states have a column for each unit.
  const auto in_file = [&](const std::vector<std::string>& list) {
    return std::ranges::all_of(list, [&](const std::string& name) { return holds_name(own, name); });
  };
  if (const std::vector<std::string> sites = site_column_names(header, layout);
      !in_file(header.column_names) && !sites.empty() && in_file(sites))
    wanted.columns = sites;
  const bool told_label = told && told->find("label_column");
  // Samples hold their classes as columns like the others.
  if (!told_label && observed.size() > wanted.columns.size() && in_file(observed)) {
    wanted.columns = observed;
    drop_classes(spec, told);
  } else if (label && !told_label && !header.label_name.empty()) {
    if (holds_name(own, header.label_name)) wanted.label = header.label_name;
    else drop_classes(spec, told);
  }
  CsvOptions options;
  if (const Value* column = spec.find("label_column"); column && column->is_string()) {
    options.label_column = std::get<std::string>(column->data);
    // What the command line calls the class is a column of this file.
    if (const auto at = find_csv_column(options.label_column, names.size(), names); at && wanted.label.empty())
      wanted.label = names[*at];
  }
  options =
      by_names(options, file, own, wanted,
               "Columns are found by their names: rename them, or say which are meant, in the order of the training "
               "data, in data.columns.");
  if (options.columns.empty()) return;
  spec.erase("ignore");
  spec.set("columns", list_of_words(options.columns));
  if (!wanted.label.empty() && !told_label) spec.set("label_column", make_value(wanted.label));
  if (display && any_taken) tell_of_others(file, own, wanted, header, *display);
}

void drop_absent_class(Value& spec, const std::string& file, const CsvOptions& format, const Layout& layout,
                       const Value* told, Display* display) {
  const Value* label = spec.find("label_column");
  if (!label || *label == make_value("") || spec.find("columns") || (told && told->find("label_column"))) return;
  const Index observed = layout.columns(layout.observed());
  const Index others = observed - label_columns(layout);
  const Index columns = count_csv_columns(file, format);
  const std::vector<Index> widths = widths_of_states(columns, layout);
  const bool states = !widths.empty() && std::accumulate(widths.begin(), widths.end(), Index{0}) == others;
  // Samples hold their classes as columns like the others.
  if (!states && columns != others && (columns != observed || columns == others + 1)) return;
  drop_classes(spec, told);
  // A model that observes classes says itself where it wants them.
  if (display && others == observed)
    display->warn(fmt::format("{}: has {} columns, just those that the model observes, so none is taken for the class.",
                              file, columns));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
