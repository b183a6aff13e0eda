#include <harmonium/program/work/row_table.hpp>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/column_file.hpp>
#include <harmonium/program/work/command_options.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

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
  std::vector<NamedColumn> columns;
  const auto add = [&](const char* name, const std::vector<double>& values) {
    if (!values.empty()) columns.push_back({name, values});
  };
  add("log_likelihood", log_likelihood);
  add("free_energy", table.free_energy);
  add("pseudo_log_likelihood", table.pseudo_log_likelihood);
  write_columns(path, columns);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
