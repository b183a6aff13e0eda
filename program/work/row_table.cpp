#include <harmonium/program/work/row_table.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/column_file.hpp>
#include <harmonium/framework/files/fasta_names.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/of_type.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

namespace {

/// Those of `count` classes, of which only some may have a word: the others are called by their numbers.
std::vector<std::string> words_of_classes(std::vector<std::string> words, Index count) {
  for (Index k = words.size(); k < count; ++k) words.push_back(fmt::format("{}", k));
  return words;
}

/// Of sequences: a data set keeps none.
std::vector<std::string> names_of_rows(const Dataset& data, const Value& spec) {
  if (!is_of_type(spec, "fasta") || data.files().empty()) return {};
  const std::string& file = data.files().front().path;
  const std::vector<std::string> all = fasta_names(file);
  std::vector<std::string> names;
  for (Index r = 0; r < data.rows(); ++r) {
    if (data.source_row(r) >= all.size())
      throw DataError(fmt::format("{}: it has {} sequences, and had more when its rows were read. Judge them again.",
                                  file, all.size()));
    names.push_back(all[data.source_row(r)]);
  }
  return names;
}

bool any_known(const std::vector<double>& values) {
  return std::ranges::any_of(values, [](double v) { return !std::isnan(v); });
}

}  // namespace

void begin_columns(RowTable& table, const OfferedColumns& offered, Index rows) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (offered.free_energy) table.free_energy.assign(rows, none);
  if (offered.pseudo) table.pseudo_log_likelihood.assign(rows, none);
  if (!offered.labels) return;
  table.predicted.assign(rows, no_class);
  for (auto* column : {&table.predicted_probability, &table.accuracy, &table.label_log_likelihood})
    column->assign(rows, none);
}

void name_rows(RowTable& table, const Dataset& data, const Value& spec) {
  for (Index r = 0; r < data.rows(); ++r) table.row.push_back(data.source_row(r));
  table.name = names_of_rows(data, spec);
  if (data.num_classes() == 0) return;
  for (Index r = 0; r < data.rows(); ++r) table.of_class.push_back(data.label(r));
  table.class_words = data.class_words();
  const bool unseen = std::ranges::find(table.of_class, data.num_classes()) != table.of_class.end();
  if (table.class_words.empty() && !unseen) return;
  table.class_words = words_of_classes(std::move(table.class_words), data.num_classes());
  if (unseen) table.class_words.emplace_back();
}

void name_predicted(RowTable& table, std::vector<std::string> words) {
  Index count = 0;  // no class of a row has the number of those that have none
  for (const auto* classes : {&table.predicted, &table.of_class})
    for (const Index k : *classes) count = k == no_class ? count : std::max(count, k + 1);
  const bool all = std::ranges::find(table.predicted, no_class) == table.predicted.end();
  if (all && words.empty()) return;
  table.predicted_word = words_of_classes(std::move(words), count);
  if (all) return;
  std::ranges::replace(table.predicted, no_class, table.predicted_word.size());
  table.predicted_word.emplace_back();
}

void check_rows_output(const EvaluateRequest& request) {
  check_table_name(request.rows, "--rows", "the figures of rows are");
  check_output(request.rows, {request.model, request.data}, "--rows");
}

void write_rows(const std::string& path, const RowTable& table, const std::optional<double>& log_z) {
  std::vector<double> log_likelihood;
  if (log_z) {
    log_likelihood.resize(table.free_energy.size());
    std::ranges::transform(table.free_energy, log_likelihood.begin(), [&](double f) { return -f - *log_z; });
  }
  std::vector<NamedColumn> columns{{"row", table.row}};
  std::vector<Index> places(table.name.size());
  std::iota(places.begin(), places.end(), Index{0});
  if (!places.empty()) columns.push_back({"name", places, table.name});
  if (!table.of_class.empty()) columns.push_back({"class", table.of_class, table.class_words});
  const auto add = [&](const char* name, const std::vector<double>& values) {
    if (!values.empty()) columns.push_back({.name = name, .values = values});
  };
  add("log_likelihood", log_likelihood);
  add("free_energy", table.free_energy);
  add("pseudo_log_likelihood", table.pseudo_log_likelihood);
  add("log_conditional", table.log_conditional);
  if (!table.predicted.empty()) columns.push_back({"predicted_class", table.predicted, table.predicted_word});
  add("predicted_probability", table.predicted_probability);
  if (any_known(table.accuracy)) {  // else the rows have no classes
    add("accuracy", table.accuracy);
    add("label_log_likelihood", table.label_log_likelihood);
  }
  write_columns(path, columns);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
