#include <harmonium/program/work/row_table.hpp>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/column_file.hpp>
#include <harmonium/program/work/command_options.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void RowTable::name_rows(const Dataset& data) {
  for (Index r = 0; r < data.rows(); ++r) row.push_back(data.source_row(r));
  if (data.num_classes() == 0) return;
  for (Index r = 0; r < data.rows(); ++r) of_class.push_back(data.label(r));
  class_words = data.class_words();
  const bool unseen = std::ranges::find(of_class, data.num_classes()) != of_class.end();
  if (class_words.empty() && !unseen) return;
  // Of classes that only their number is known of, this is what they are called.
  for (Index k = class_words.size(); k < data.num_classes(); ++k) class_words.push_back(fmt::format("{}", k));
  if (unseen) class_words.emplace_back();
}

void check_rows_output(const EvaluateRequest& request) {
  const std::string extension = std::filesystem::path(request.rows).extension().string();
  if (extension != ".npy" && extension != ".csv")
    throw ConfigError(fmt::format(
        "--rows {}: the figures of rows are written as .csv or .npy. Give a name that ends so.", request.rows));
  check_output(request.rows, {request.model, request.data}, "--rows");
}

void write_rows(const std::string& path, const RowTable& table, const std::optional<double>& log_z) {
  std::vector<double> log_likelihood;
  if (log_z) {
    log_likelihood.resize(table.free_energy.size());
    std::ranges::transform(table.free_energy, log_likelihood.begin(), [&](double f) { return -f - *log_z; });
  }
  std::vector<NamedColumn> columns{{"row", table.row}};
  if (!table.of_class.empty()) columns.push_back({"class", table.of_class, table.class_words});
  const auto add = [&](const char* name, const std::vector<double>& values) {
    if (!values.empty()) columns.push_back({.name = name, .values = values});
  };
  add("log_likelihood", log_likelihood);
  add("free_energy", table.free_energy);
  add("pseudo_log_likelihood", table.pseudo_log_likelihood);
  write_columns(path, columns);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
