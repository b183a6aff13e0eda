#pragma once

#include <string>
#include <vector>

#include <harmonium/program/sweep/whole_sweep.hpp>

namespace harmonium {
inline namespace v1 {

/// What the command line says of Slurm's jobs.
struct SlurmRequest {
  std::string sweep;    ///< SWEEP.toml
  std::string options;  ///< of sbatch, as on its command line; after those of [slurm], so that they win
};

/// The scripts of a sweep for Slurm: an array of tasks, and a job that gathers once all of them have ended.
struct SlurmScripts {
  std::string array, gather;  ///< files
  std::size_t tasks = 0;
};
/// Throws ConfigError where [slurm] says what the sweep itself must say, or where a word does not fit into a line.
SlurmScripts write_slurm_scripts(const WholeSweep& sweep, const SlurmRequest& slurm, const TrainRequest& request);

/// Hands them to sbatch. Returns the numbers of both jobs. Throws FileError with what sbatch said.
std::pair<std::string, std::string> submit(const SlurmScripts& scripts);

}  // namespace v1
}  // namespace harmonium
