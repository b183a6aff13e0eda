// harmonium study cd-bias; of the other studies, who makes them
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>

#include <fmt/format.h>

#include <harmonium/framework/config/overrides.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/folder_lock.hpp>
#include <harmonium/framework/pictures/gnuplot.hpp>
#include <harmonium/framework/run/cd_bias_report.hpp>
#include <harmonium/framework/run/cd_bias_run.hpp>
#include <harmonium/framework/run/cd_bias_tables.hpp>
#include <harmonium/framework/run/commands.hpp>
#include <harmonium/framework/run/estimator_study.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

namespace fs = std::filesystem;

constexpr const char* tables[] = {"cd_bias.csv", "trace.csv", "fixed_updates.csv", "runs.csv", "report.md"};

/// The folder of a study: config.toml, runs/NAME.toml for each run that is done, and the tables, figures and report once all
/// are. Every file appears whole or not at all.
class StudyFolder {
 public:
  StudyFolder(const StudyRequest& request, const Value& effective) : path_(fs::absolute(request.output)) {
    std::error_code error;
    if (fs::exists(path_, error) && !fs::is_directory(path_, error))
      throw ConfigError(
          fmt::format("--output {}: a file of this name exists. Give the name of a folder.", path_.string()));
    const bool begun = fs::exists(path_ / "config.toml", error);
    if (begun && !request.overwrite && !(read_toml(path_ / "config.toml") == effective))
      throw ConfigError(fmt::format(
          "--output {}: its config.toml is not the configuration of this study, so it cannot go on with what the "
          "folder holds. Take another folder, or add --overwrite to replace it.",
          path_.string()));
    if (!begun && !request.overwrite)
      for (const char* table : tables)
        if (fs::exists(path_ / table, error))
          throw ConfigError(
              fmt::format("--output {}: the folder holds {}, and no config.toml that says what it is of. Take another "
                          "folder, or add "
                          "--overwrite to replace it.",
                          path_.string(), table));
    fs::create_directories(path_ / "runs", error);
    if (error) throw FileError(fmt::format("cannot create the folder {}: {}", path_.string(), error.message()));
    lock_.emplace(path_, "studies");
    if (request.overwrite) clear();
    write_file_atomically(path_ / "config.toml", write_toml(effective));
  }

  const fs::path& path() const { return path_; }
  fs::path run_path(const CdBiasCell& cell) const { return path_ / "runs" / (cell.name() + ".toml"); }

 private:
  /// Takes away what an earlier study left.
  void clear() const {
    std::error_code error;
    for (const char* table : tables) fs::remove(path_ / table, error);
    for (const auto& entry : fs::directory_iterator(path_ / "runs", error))
      if (entry.path().extension() == ".toml") fs::remove(entry.path(), error);
    for (const auto& entry : fs::directory_iterator(path_, error))
      if (entry.path().filename().string().starts_with("figure")) fs::remove(entry.path(), error);
  }

  fs::path path_;
  std::optional<FolderLock> lock_;
};

/// Makes the runs that are not there yet, several at a time.
class Workers {
 public:
  Workers(const StudyRequest& request, const CdBiasOptions& options, const Registries& registries,
          const StudyFolder& folder)
      : request_(request), options_(options), registries_(registries), folder_(folder), cells_(cells_of(options)) {
    std::error_code error;
    for (const CdBiasCell& cell : cells_)
      if (!fs::exists(folder_.run_path(cell), error)) missing_.push_back(cell);
    // What takes longest first, so that no thread is left with a long one at the end.
    std::ranges::stable_sort(missing_, [](const CdBiasCell& a, const CdBiasCell& b) {
      return std::pair(a.data_set, a.size) > std::pair(b.data_set, b.size);
    });
  }

  Index total() const { return cells_.size(); }
  Index done() const { return total() - missing_.size() + made_; }
  bool all_were_there() const { return missing_.empty(); }

  void work() {
    const Executor executor(request_.threads, request_.stop);
    std::atomic<Index> next{0};
    executor.for_each_piece(missing_.size(), 1, [&](Index, Index) {
      const CdBiasCell& cell = missing_[next++];  // in order, whoever is free
      const CdBiasRun run =
          run_cd_bias(cell, options_, registries_, request_.stop, [&](std::uint64_t updates) { updated(updates); });
      write_file_atomically(folder_.run_path(cell), write_toml(to_value(run)));
      const std::lock_guard lock(mutex_);
      ++made_;
    });
  }

  std::vector<CdBiasRun> runs() const {
    std::vector<CdBiasRun> all;
    for (const CdBiasCell& cell : cells_) {
      Value value = read_toml(folder_.run_path(cell));
      value.where = folder_.run_path(cell).string();
      all.push_back(from_value(cell, value));
    }
    return all;
  }

 private:
  void updated(std::uint64_t updates) {
    const std::lock_guard lock(mutex_);
    updates_ += updates;
    if (request_.display)
      request_.display->progress(
          static_cast<double>(done()) / static_cast<double>(total()),
          fmt::format("{} of {} runs, {:.1f} million updates", done(), total(), static_cast<double>(updates_) * 1e-6));
  }

  const StudyRequest& request_;
  const CdBiasOptions& options_;
  const Registries& registries_;
  const StudyFolder& folder_;
  std::vector<CdBiasCell> cells_, missing_;
  std::mutex mutex_;
  Index made_ = 0;
  std::uint64_t updates_ = 0;
};

constexpr const char* no_gnuplot =
    "gnuplot is not installed: the study has its tables, but no figures. Install it (Debian: gnuplot-nox) and give the "
    "same "
    "command once more: what was computed is kept.";

}  // namespace

std::vector<OptionInfo> study_options(const std::string& name) {
  if (name == "estimators") return describe_options([](OptionBinder& binder) { EstimatorStudyOptions().bind(binder); });
  return describe_options([](OptionBinder& binder) { CdBiasOptions().bind(binder); });
}

StudyOutcome study(const StudyRequest& request, const Registries& registries) {
  if (request.name == "estimators") return study_estimators(request, registries);
  if (!request.plugins.empty())
    throw ConfigError(
        fmt::format("--plugin {}: this study takes nothing from plugins. Leave it out.", request.plugins.front()));
  CdBiasOptions options;
  Value config = request.config;
  if (request.seed) config.set("seed", make_value(static_cast<std::int64_t>(*request.seed)));
  const Value effective = read_options(config, fmt::format("study '{}'", request.name), options);
  const auto gnuplot = find_gnuplot();
  const StudyFolder folder(request, effective);
  Workers workers(request, options, registries, folder);
  StudyOutcome outcome{.folder = folder.path().string(), .text = {}, .done = 0, .total = workers.total()};
  if (request.display) {
    if (!gnuplot) request.display->warn(no_gnuplot);
    if (workers.done() > 0)
      request.display->warn(workers.all_were_there()
                                ? fmt::format("{} holds all {} runs: tables and figures are made of them anew.",
                                              folder.path().string(), workers.total())
                                : fmt::format("going on in {}: {} of {} runs are done.", folder.path().string(),
                                              workers.done(), workers.total()));
  }
  try {
    workers.work();
  } catch (const Stopped&) {
    outcome.done = workers.done();
    return outcome;
  }
  outcome.done = workers.done();

  const std::vector<CdBiasRun> runs = workers.runs();
  const std::vector<CdBiasClaim> claims = cd_bias_claims(options, runs);
  std::vector<CdBiasFigure> figures;
  if (gnuplot) figures = cd_bias_figures(options, runs);
  for (const CdBiasFigure& figure : figures) draw_figure(*gnuplot, folder.path() / figure.name, figure.script);
  write_file_atomically(folder.path() / "trace.csv", trace_csv(runs));
  write_file_atomically(folder.path() / "fixed_updates.csv", fixed_updates_csv(runs));
  write_file_atomically(folder.path() / "runs.csv", runs_csv(runs));
  write_file_atomically(folder.path() / "report.md", cd_bias_report(options, runs, claims, figures));
  write_file_atomically(folder.path() / "cd_bias.csv", cd_bias_csv(runs));
  outcome.text = cd_bias_summary(options, runs, claims) + fmt::format("{}/report.md\n", folder.path().string());
  return outcome;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
