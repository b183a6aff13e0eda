#include <harmonium/framework/files/folder_of_sweep.hpp>

#include <filesystem>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

namespace fs = std::filesystem;

bool is_sweep(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder / "runs", error) && fs::is_directory(folder / "ends", error);
}

/// The folder of the sweep that is meant; nothing where there is none.
std::optional<fs::path> sweep_of(const std::string& given) {
  fs::path path = fs::path(given).lexically_normal();
  if (!path.has_filename() && path.has_parent_path()) path = path.parent_path();  // of "sweep/"
  if (is_sweep(path)) return path;
  if (path.filename() != "runs") return {};
  const fs::path above = path.has_parent_path() ? path.parent_path() : fs::path(".");
  return is_sweep(above) ? std::optional(above) : std::nullopt;
}

/// The first by name, of those that have a model where there are such; empty where none has begun.
fs::path run_in(const fs::path& sweep) {
  using Rank = std::tuple<bool, fs::path>;
  std::optional<Rank> first;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(sweep / "runs", error)) {
    if (!fs::exists(entry.path() / "config.toml", error)) continue;
    const Rank own{!fs::exists(entry.path() / "model.h5", error), entry.path()};
    if (!first || own < *first) first = own;
  }
  return first ? std::get<fs::path>(*first) : fs::path();
}

}  // namespace

void refuse_sweep(const std::string& given, const std::string& asked) {
  const std::optional<fs::path> sweep = sweep_of(given);
  if (!sweep) return;
  const fs::path run = run_in(*sweep);
  if (run.empty())
    throw ConfigError(fmt::format(
        "{}{}: this is a sweep, and none of its runs has begun. 'harmonium sweep' makes them.", asked, given));
  throw ConfigError(
      fmt::format("{0}{1}: a sweep, and not a run. Name one of its runs, such as {2}; 'harmonium compare {3}' and "
                  "'harmonium report {3}' show the figures of all.",
                  asked, given, run.string(), sweep->string()));
}

}  // namespace v1
}  // namespace harmonium
