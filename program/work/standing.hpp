#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <harmonium/framework/run/experiment.hpp>
#include <harmonium/framework/run/run_logs.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Where a run stands that is to go on.
struct Standing {
  TrainingPosition position;
  bool complete = false;   ///< nothing is left to train: the model is written already
  bool over = false;       ///< no update is left, though the run has not its whole length
  std::uint64_t made = 0;  ///< updates at which the model of a complete run is
  std::uint64_t meant =
      0;  ///< updates that the run was to have when its latest checkpoint was written; 0: there is none
};

/// Finds out what the run in the folder `path` holds, and puts it into `experiment`: the state of its latest checkpoint, or its
/// model, where nothing is left to train; and says so to whoever watches. Throws ConfigError where the length that is asked for does
/// not go with what was made.
Standing take_up(const std::filesystem::path& path, const ResumePoint& point, const TrainRequest& request,
                 const Registries& registries, Experiment& experiment);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
