#include <harmonium/program/compared_runs.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/folder_of_sweep.hpp>
#include <harmonium/framework/files/leak_file.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/files/verdict_file.hpp>
#include <harmonium/program/precision.hpp>
#include <harmonium/program/stack/part_names.hpp>
#include <harmonium/program/swept_settings.hpp>
#include <harmonium/program/work/run_length.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

namespace fs = std::filesystem;

/// Whether a model file of the run is of the length that its configuration asks for: a run that was made longer keeps the model of
/// its earlier end until it has another.
bool of_whole_length(const fs::path& model, const ComparedRun& run) {
  const double per_epoch =
      run.log.epochs > 0 ? static_cast<double>(run.log.updates) / static_cast<double>(run.log.epochs) : 0.0;
  try {
    const auto meant = updates_asked(read_model_header(model).config, per_epoch);
    return !meant || meant == updates_asked(run.config, per_epoch);
  } catch (const Error&) {
    return true;  // whoever reads the model says what is wrong with it
  }
}

ComparedRun::State state_of(const fs::path& folder, const ComparedRun& run) {
  const fs::path model = folder / "model.h5", last_good = folder / "checkpoints" / "last_good.h5";
  std::error_code error;
  const bool ended = fs::exists(model, error);
  if (ended && of_whole_length(model, run)) return ComparedRun::State::finished;
  if (fs::exists(last_good, error) && (!ended || of_whole_length(last_good, run))) return ComparedRun::State::diverged;
  return ComparedRun::State::unfinished;
}

/// Earlier versions wrote a preset of models by its name. What it stands for is compared with what later runs have.
Value spelt_out(Value config) {
  Value* model = config.find("model");
  if (!model || !model->is_table() || model->find("layers")) return config;
  try {
    *model = program(precision_of_config(config)).spelt_out_model(*model);
  } catch (const Error&) {
    // A model of a plugin, say: it is compared as it stands.
  }
  return config;
}

ComparedRun read_folder(const std::string& given) {
  const fs::path path = given;
  std::error_code error;
  if (!fs::exists(path, error)) throw ConfigError(fmt::format("{}: no such folder", given));
  if (!fs::is_directory(path, error)) throw ConfigError(fmt::format("{}: a file. Name the folders of runs.", given));
  for (const char* file : {"config.toml", "metrics.jsonl"})
    if (!fs::exists(path / file, error)) {
      refuse_sweep(given);
      throw ConfigError(fmt::format("{}: the folder holds no run (no {}). Name the folders of runs.", given, file));
    }
  ComparedRun run{given, "", ComparedRun::State::unfinished, spelt_out(read_toml(path / "config.toml")),
                  read_metrics_log(path / "metrics.jsonl")};
  if (fs::exists(path / "final.jsonl", error)) run.final = read_metrics_log(path / "final.jsonl");
  run.verdict = verdict_in(path);
  run.leak = leak_in(path);
  run.state = state_of(path, run);
  run.swept = swept_settings(path);
  return run;
}

/// The parts of a path, from its root where it must be asked for more than is written.
std::vector<std::string> parts_of(const std::string& given) {
  fs::path path = fs::path(given).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (path.filename() == "." || path.filename() == ".." || path.empty()) path = fs::canonical(given);
  return {path.begin(), path.end()};
}

/// Names without the folders that all of them are in.
void name_runs(std::vector<ComparedRun>& runs) {
  std::vector<std::vector<std::string>> parts;
  parts.reserve(runs.size());
  for (const ComparedRun& run : runs) parts.push_back(parts_of(run.path));
  std::size_t shared = parts[0].size();
  for (const auto& other : parts)
    shared = std::min(shared, static_cast<std::size_t>(std::ranges::mismatch(parts[0], other).in1 - parts[0].begin()));
  for (std::size_t r = 0; r < runs.size(); ++r) {
    fs::path name;
    const std::size_t first = std::min(shared, parts[r].size() - 1);  // one may be in another's folder
    for (std::size_t p = first; p < parts[r].size(); ++p) name /= parts[r][p];
    runs[r].name = name.string();
  }
}

/// Runs in the folder of a stack that have begun, by the names of the first, the second and so on.
std::vector<std::string> begun_runs(const std::string& stack, std::string (*name)(std::size_t)) {
  std::vector<std::string> runs;
  std::error_code error;
  for (std::size_t k = 0;; ++k) {
    const fs::path run = fs::path(stack) / name(k);
    if (!fs::exists(run / "metrics.jsonl", error)) return runs;
    runs.push_back(run.string());
  }
}

}  // namespace

std::vector<std::string> runs_of_stacks(const std::vector<std::string>& paths, std::vector<std::string>* stacks) {
  const bool beside_others =
      paths.size() > 1 && !stacks;  // of runs of a kind, with which its machines have nothing in common
  std::vector<std::string> runs;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::exists(fs::path(path) / "stack.toml", error)) {
      runs.push_back(path);
      continue;
    }
    if (stacks) stacks->push_back(path);
    const std::vector<std::string> phases = begun_runs(path, joint_folder);
    if (!phases.empty() && beside_others) {
      runs.push_back(phases.back());
      continue;
    }
    const std::vector<std::string> machines = begun_runs(path, machine_folder);
    runs.insert(runs.end(), machines.begin(), machines.end());
    runs.insert(runs.end(), phases.begin(), phases.end());
    if (machines.empty() && phases.empty())
      throw ConfigError(fmt::format("{}: no machine of the stack has begun. 'harmonium stack' trains them.", path));
  }
  return runs;
}

std::vector<std::string> runs_of_sweeps(const std::vector<std::string>& paths, std::vector<std::string>* sweeps) {
  std::vector<std::string> runs;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(fs::path(path) / "runs", error) || !fs::is_directory(fs::path(path) / "ends", error)) {
      runs.push_back(path);
      continue;
    }
    if (sweeps) sweeps->push_back(path);
    const std::size_t before = runs.size();
    std::ifstream table(fs::path(path) / "sweep.csv");
    std::string line;
    for (std::getline(table, line); std::getline(table, line);) {
      const fs::path run = fs::path(path) / line.substr(0, line.find(','));
      if (fs::exists(run / "metrics.jsonl", error)) runs.push_back(run.string());
    }
    if (runs.size() == before)
      throw ConfigError(
          fmt::format("{}: no run stands in the sweep's table. 'harmonium sweep' makes them, or gathers them.", path));
  }
  return runs;
}

std::string state_name(ComparedRun::State state) {
  switch (state) {
    case ComparedRun::State::finished: return "finished";
    case ComparedRun::State::unfinished: return "unfinished";
    case ComparedRun::State::diverged: return "diverged";
  }
  return "";
}

ComparedRun read_run(const std::string& path) {
  ComparedRun run = read_folder(path);
  run.name = parts_of(path).back();
  return run;
}

std::vector<ComparedRun> read_runs(const std::vector<std::string>& paths, bool one_alone) {
  if (paths.size() == 1) read_folder(paths.front());  // what is wrong with it is told first
  if (paths.size() < 2 && !one_alone)
    throw ConfigError("compare: one run has nothing to be compared with. Name the folders of two runs or more.");
  std::vector<ComparedRun> runs;
  for (const std::string& path : paths) {
    runs.push_back(read_folder(path));
    std::error_code error;
    for (const ComparedRun& other : runs)
      if (&other != &runs.back() && fs::equivalent(path, other.path, error))
        throw ConfigError(fmt::format("{}: the same run as {}. Name each once.", path, other.path));
  }
  name_runs(runs);
  return runs;
}

}  // namespace v1
}  // namespace harmonium
