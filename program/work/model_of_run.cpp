#include <harmonium/program/work/model_of_run.hpp>

#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/folder_of_sweep.hpp>
#include <harmonium/framework/run/run_logs.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::string model_of_run(const std::string& given) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder = given;
  if (!fs::is_directory(folder, error)) return given;
  if (fs::exists(folder / "model.h5", error)) return (folder / "model.h5").string();
  if (!fs::exists(folder / "config.toml", error)) {
    refuse_sweep(given);
    throw ConfigError(fmt::format(
        "{}: a folder that holds no run (neither model.h5 nor config.toml). Name a model file or the folder of a run.",
        given));
  }
  if (const auto checkpoint = resume_point(folder).checkpoint)
    throw ConfigError(fmt::format(
        "{0}: the run has no model.h5 yet. Its latest checkpoint is a model too: name {1}, or let the run go "
        "on by 'harmonium train --resume {0}'.",
        given, checkpoint->string()));
  const fs::path last_good = folder / "checkpoints" / "last_good.h5";
  if (fs::exists(last_good, error))
    throw ConfigError(
        fmt::format("{}: the run diverged and has no model.h5. Its last good model is {}.", given, last_good.string()));
  throw ConfigError(fmt::format(
      "{0}: the run has no model.h5 yet, and no checkpoint. Let it go on by 'harmonium train --resume {0}'.", given));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
