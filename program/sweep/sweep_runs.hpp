#pragma once

#include <string>
#include <vector>

#include <harmonium/program/sweep/sweep_file.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace v1 {

/// One run of a sweep.
struct SweepRun {
  std::string name;  ///< of its folder: the first digits of the SHA-256 of its configuration
  Value config;      ///< the base's, with its settings
  std::vector<Value>
      settings;  ///< of each key of the sweep; empty where neither the sweep nor the base says anything of it
};

/// All runs, in the order of the table, and the keys in which they may differ: those of the list, the grid, the ranges, and
/// the seed.
struct SweepRuns {
  std::vector<std::string> keys;
  std::vector<bool> drawn;  ///< whether a key is one of the ranges'
  std::vector<SweepRun> runs;
};

/// Every table of the list with every point of the grid, every random point and every seed, set in `base`. Where nobody
/// says anything of checkpoints there is one every ten minutes, and the last stays. Throws ConfigError where a key leads
/// nowhere, two runs are the same, or no run keeps what the command line has set in `base`.
SweepRuns runs_of(const SweepFile& sweep, const Value& base);

/// Point number `point`, from 0, of the ranges: a Sobol sequence, so that any number of points from the first fill the
/// space evenly. Values have six digits.
SweepPoint random_point(const std::vector<SweepRange>& ranges, std::size_t point);

}  // namespace v1
}  // namespace harmonium
