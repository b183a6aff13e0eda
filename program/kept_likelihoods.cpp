#include <harmonium/program/kept_likelihoods.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/kept_likelihood.hpp>
#include <harmonium/framework/files/sha256.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

namespace fs = std::filesystem;

/// The name of a likelihood without what says which end of its interval, or its error, a series is.
std::string of_likelihood(const std::string& series) {
  constexpr std::string_view word = "log_likelihood";
  return series.substr(0, series.find(word) + word.size());
}

}  // namespace

std::string checksum_of_model(const std::string& folder) {
  std::ifstream file(checksum_path(fs::path(folder) / "model.h5"));
  std::string checksum;
  file >> checksum;
  return checksum;
}

void keep_likelihoods(const std::string& folder, const std::string& model, const std::vector<MetricSeries>& figures) {
  std::string lines;
  for (const MetricSeries& series : figures)
    if (std::isfinite(series.values.back()))
      lines += fmt::format("{} = {}\n", series.name, write_toml_value(make_value(series.values.back())));
  write_file_atomically(
      fs::path(folder) / kept_likelihood_file,
      fmt::format("# Log likelihoods of all rows under model.h5, in nats a row, that 'harmonium report' "
                  "computed.\nmodel_sha256 = {}\n\n[figures]\n{}",
                  write_toml_value(make_value(model)), lines));
}

void add_kept_likelihoods(const std::string& folder, ComparedRun& run) {
  const fs::path file = fs::path(folder) / kept_likelihood_file;
  std::error_code error;
  if (run.state != ComparedRun::State::finished || !fs::exists(file, error)) return;
  const Value kept = read_toml(file);
  const Value *model = kept.find("model_sha256"), *figures = kept.find("figures");
  if (!model || !model->is_string() || !figures || !figures->is_table())
    throw ConfigError(fmt::format(
        "{}: this is no file of likelihoods that 'harmonium report' wrote. Remove it, and make the report again.",
        file.string()));
  if (const std::string own = checksum_of_model(folder); own.empty() || !(*model == make_value(own))) return;
  const MetricsLog before = run.final;
  if (run.final.series.empty()) run.final.epochs = run.log.epochs, run.final.updates = run.log.updates;
  const auto has = [&](const std::string& likelihood) {
    return std::ranges::any_of(before.series,
                               [&](const MetricSeries& series) { return of_likelihood(series.name) == likelihood; });
  };
  for (const auto& [name, value] : std::get<Value::Table>(figures->data))
    if (const auto number = value.number(); number && !has(of_likelihood(name)))
      run.final.series.push_back({name, {static_cast<double>(run.final.epochs)}, {*number}});
}

std::vector<ComparedRun> with_kept_likelihoods(std::vector<ComparedRun> runs) {
  for (ComparedRun& run : runs) add_kept_likelihoods(run.path, run);
  return runs;
}

}  // namespace v1
}  // namespace harmonium
