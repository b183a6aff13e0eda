#pragma once

#include <string>
#include <utility>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/files/metrics_log.hpp>

namespace harmonium {
inline namespace v1 {

/// A run as its folder has it.
struct ComparedRun {
  /// One that was made longer is unfinished until it has that length.
  enum class State { finished, unfinished, diverged };
  std::string path;  ///< as it was given
  std::string name;  ///< the same without the folders that all runs are in
  State state = State::unfinished;
  Value config;  ///< effective, presets of models spelt out
  MetricsLog log;
  MetricsLog final = {};     ///< exact likelihoods of all rows at its end, where it has them
  std::string verdict = {};  ///< on Gibbs chains, in a line; empty where it has none
  /// Where rows that it sets aside were trained on before, for what figures of these are worth (leak_file.hpp); else empty.
  std::string leak = {};
  Value swept = {};  ///< what a sweep set in it (swept_settings.hpp); empty of a run of none
};

/// "finished", "unfinished" or "diverged".
std::string state_name(ComparedRun::State state);

/// The folder of a stack among `paths` as those of its machines, from that of the data up, as far as they have begun, and of the
/// deep Boltzmann machine that they became; as the latter alone where there are other paths, unless `stacks` is given, which
/// receives it. Throws ConfigError where none has begun.
std::vector<std::string> runs_of_stacks(const std::vector<std::string>& paths,
                                        std::vector<std::string>* stacks = nullptr);
/// The folder of a sweep among `paths` as those of its runs, in the order of its table; `sweeps`, where given, receives it. Throws
/// ConfigError where that has none yet.
std::vector<std::string> runs_of_sweeps(const std::vector<std::string>& paths,
                                        std::vector<std::string>* sweeps = nullptr);
/// Reads the folder of a run. Throws ConfigError where it is none; DataError where its log is damaged. Its name is that of the
/// folder.
ComparedRun read_run(const std::string& path);
/// Reads the folders of two runs or more, or of one where `one_alone`. Throws ConfigError where there are fewer, where one is no
/// run, or the same as another; DataError where its log is damaged.
std::vector<ComparedRun> read_runs(const std::vector<std::string>& paths, bool one_alone = false);

}  // namespace v1
}  // namespace harmonium
