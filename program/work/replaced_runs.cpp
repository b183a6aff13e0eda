#include <harmonium/program/work/replaced_runs.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/sections.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

namespace fs = std::filesystem;

void check_replaced(const fs::path& output, const Experiment& experiment) {
  std::error_code error;
  for (const std::string& run : run_paths(experiment.effective_config()))
    if (fs::equivalent(run, output, error))
      throw ConfigError(fmt::format(
          "--output {}: the configuration names the run in this folder ('run'), which it would replace. Give "
          "another folder.",
          output.string()));
  const StartModel* start = experiment.start();
  if (!start) return;
  const fs::path own = fs::weakly_canonical(output, error), its = fs::weakly_canonical(start->path(), error);
  if (std::mismatch(own.begin(), own.end(), its.begin(), its.end()).first != own.end()) return;
  throw ConfigError(fmt::format(
      "--output {}: the training starts from {} in this folder, which it would replace. Give another folder.",
      output.string(), start->path().string()));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
