#include <harmonium/program/sweep/other_settings.hpp>

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

namespace fs = std::filesystem;

bool has_run(const SweepRuns& runs, const SweepFolder& folder) {
  std::error_code unknown;
  return std::ranges::any_of(runs.runs, [&](const SweepRun& run) {
    return fs::exists(folder.run(run.name), unknown) || folder.end(run.name).has_value();
  });
}

std::vector<std::string> finished_runs(const SweepFolder& folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder.path() / "ends", none)) {
    if (entry.path().extension() != ".txt") continue;
    const std::string name = entry.path().stem().string();
    const auto end = folder.end(name);
    if (end && end->state == SweepEnd::State::finished) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

bool is_scalar(const Value& value) { return !value.is_empty() && !value.is_table() && !value.is_list(); }

bool same_scalar(const Value& a, const Value& b) {
  return a.number() && b.number() ? *a.number() == *b.number() : a == b;
}

/// Whether a configuration with all defaults may say it otherwise than the one that it is of: short forms of components go by the
/// types that they stand for, and files by where they lie.
bool rewritten(const std::string& path, const Value& value) {
  return path.ends_with(".type") || (path.starts_with("data.") && value.is_string());
}

/// "KEY = VALUE" of each scalar of a made run's configuration, which has all defaults, that the wanted one, as written, has
/// otherwise. What that does not write it may have by default, but for data_seed, which has none.
void add_differing(const Value& made, const Value& wanted, const std::string& section, const SweepRuns& runs,
                   std::vector<std::string>& found) {
  const auto* table = std::get_if<Value::Table>(&made.data);
  if (!table) return;
  for (const auto& [key, value] : *table) {
    const std::string path = section + key;
    if (std::ranges::find(runs.keys, path) != runs.keys.end()) continue;
    const Value* own = wanted.find(key);
    if (own && value.is_table() && own->is_table()) add_differing(value, *own, path + ".", runs, found);
    const bool differs = own ? is_scalar(*own) && !same_scalar(value, *own) : path == "data_seed";
    if (is_scalar(value) && differs && !rewritten(path, value))
      found.push_back(fmt::format("{} = {}", path, write_toml_value(value)));
  }
}

/// Those of all that were made; none where their configurations cannot be read.
std::vector<std::string> differing(const std::vector<std::string>& made, const SweepRuns& runs,
                                   const SweepFolder& folder) {
  std::vector<std::string> of_all;
  try {
    for (const std::string& name : made) {
      std::vector<std::string> own;
      add_differing(read_toml(folder.config(name)), runs.runs.front().config, "", runs, own);
      if (name == made.front()) of_all = own;
      std::erase_if(of_all, [&](const std::string& text) { return std::ranges::find(own, text) == own.end(); });
      if (of_all.empty()) break;
    }
  } catch (const Error&) {
    return {};
  }
  return of_all;
}

}  // namespace

void check_gathered(const SweepRuns& runs, const SweepFolder& folder) {
  if (has_run(runs, folder)) return;
  const std::vector<std::string> made = finished_runs(folder);
  if (made.empty()) return;
  const std::vector<std::string> settings = differing(made, runs, folder);
  throw ConfigError(fmt::format(
      "--gather: {} in {} {} of other settings{}, and none of the sweep's own is there: give the same --set and "
      "--epochs, or leave --gather out to make new runs. Nothing was replaced.",
      made.size() == 1 ? "1 finished run" : fmt::format("{} finished runs", made.size()), folder.path().string(),
      made.size() == 1 ? "is" : "are", settings.empty() ? "" : fmt::format(" ({})", fmt::join(settings, ", "))));
}

}  // namespace v1
}  // namespace harmonium
