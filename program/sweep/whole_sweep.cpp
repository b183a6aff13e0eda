#include <harmonium/program/sweep/whole_sweep.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/program/configuration.hpp>
#include <harmonium/program/dealt_rows.hpp>
#include <harmonium/program/precision.hpp>
#include <harmonium/program/sweep/sweep_figures.hpp>
#include <harmonium/program/sweep/sweep_progress.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

std::filesystem::path folder_named(const std::string& output) {
  const std::filesystem::path path = std::filesystem::absolute(output).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

SweepRuns runs_of_file(const SweepFile& sweep, TrainRequest& request) {
  read_configuration(sweep.base, request);
  const Value* given = request.config.find("data_seed");
  const bool by_command_line = given && given->where.starts_with("--");
  if (!sweep.data_seed.is_empty() && !by_command_line) request.config.set("data_seed", sweep.data_seed);
  return runs_of(sweep, request.config);
}

/// A line for each file of data that a model was trained on: checksum and path.
std::string data_sums_of(const std::filesystem::path& model) {
  read_model_header(model);  // which finds damage
  const Hdf5File file = Hdf5File::open(model);
  return file.has_attribute("data_sha256") ? file.string_attribute("data_sha256") : "";
}

/// What a run reads its data by.
std::string data_of(const SweepRun& run) {
  const Value* data = run.config.find("data");
  return data ? write_toml_value(*data) : "";
}

/// What is wrong with a run for which a number was drawn where its option takes whole ones; none of other errors.
std::optional<std::string> drawn_for_whole_number(const SweepRuns& runs, const SweepRun& run, std::string_view error) {
  if (error.find("must be an integer") == std::string_view::npos) return {};
  for (std::size_t k = 0; k < runs.keys.size(); ++k) {
    const Value& value = run.settings[k];
    const std::string text = write_toml_value(value);
    if (!runs.drawn[k] || !error.starts_with(fmt::format("{}: {} = {}: ", value.where, runs.keys[k], text))) continue;
    return fmt::format(
        "{}: random '{}': the option takes whole numbers, and {} was drawn. Add integer = true to the range.",
        value.where, runs.keys[k], text);
  }
  return {};
}

constexpr const char* no_gnuplot_for_sweep =
    "gnuplot is not installed: the sweep has its table, but no figures. Install it (Debian: gnuplot-nox) and give the "
    "command again with --gather.";

}  // namespace

WholeSweep::WholeSweep(const std::string& path, const std::string& output, TrainRequest& request)
    : request_(request), told_(request.display), folder_(folder_named(output)) {
  folder_.check();
  const SweepFile sweep = read_sweep(path);
  slurm_ = sweep.slurm;
  runs_ = runs_of_file(sweep, request);
}

std::string WholeSweep::settings_text(std::size_t run) const {
  std::string text;
  for (std::size_t k = 0; k < runs_.keys.size(); ++k)
    if (const Value& value = runs_.runs[run].settings[k]; !value.is_empty())
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", runs_.keys[k], write_toml_value(value));
  return text;
}

const std::vector<DataSum>& WholeSweep::read_data(const SweepRun& run) {
  const auto [at, added] = data_.try_emplace(data_of(run));
  if (!added) return at->second;
  TrainRequest request = request_;
  request.config = run.config;
  request.display = nullptr;
  try {
    at->second = program(precision_of_config(run.config)).assemble(request).data;
  } catch (const Stopped&) {
    throw;
  } catch (const Error&) {
    // Its data are gone, and no run that is to be made can read others in their place.
  }
  return at->second;
}

void WholeSweep::check_data(const SweepRun& run) {
  for (const char* name : {"model.h5", "checkpoints/last_good.h5"}) {
    const std::filesystem::path model = folder_.run(run.name) / name;
    if (!std::filesystem::exists(model)) continue;
    const std::string kept = data_sums_of(model);
    for (const auto& [path, sha256] : read_data(run))
      if (kept.find(sha256) == std::string::npos)
        throw DataError(fmt::format(
            "{}: the run was made with other content of {} (its SHA-256 has changed). Put the old data back, "
            "or give another --output.",
            folder_.run(run.name).string(), path));
    return;
  }
}

void WholeSweep::tell_unlike_rows() {
  std::vector<const Value*> configs;
  for (const SweepRun& run : runs_.runs) configs.push_back(&run.config);
  if (const auto unlike = first_of_unlike_deals(configs))
    told_.warn(
        fmt::format("{0} Write data_seed = {1} below 'base' in the file of the sweep, or add --set data_seed={1}, for "
                    "the same rows "
                    "in all of them.",
                    unlike->words(), unlike->first));
}

void WholeSweep::tell_dear_likelihood(std::size_t runs, std::size_t run, const std::string& why) {
  const std::string settings = settings_text(run);
  told_.warn(fmt::format("log_likelihood is not measured in {} of {} runs{}: {}", runs, runs_.runs.size(),
                         settings.empty() ? "" : fmt::format(", the first of them {}", settings),
                         why + " 'harmonium report SWEEP --no-diagnosis' finds it of all runs that have none."));
}

void WholeSweep::assemble(const SweepShare& share) {
  if (share.count == 1) tell_unlike_rows();  // a task of many leaves it to whoever divided them
  std::size_t dear = 0, first_dear = 0;
  std::string why_dear;
  for (std::size_t r = 0; r < runs_.runs.size(); ++r) {
    const SweepRun& run = runs_.runs[r];
    if (!share.has(r)) continue;
    if (folder_.over(run.name)) {
      check_data(run);
      continue;
    }
    TrainRequest request = request_;
    request.config = run.config;
    request.display = nullptr;
    const auto told = [&](const Error& error) {
      return fmt::format("{} (Run {} of {} of the sweep: {}. Nothing was started.)",
                         drawn_for_whole_number(runs_, run, error.what()).value_or(error.what()), r + 1,
                         runs_.runs.size(), settings_text(r));
    };
    try {
      AssembledRun assembled = program(precision_of_config(run.config)).assemble(request);
      tasks_.push_back({run.name, assembled.bytes, assembled.updates,
                        guessed_seconds(assembled.updates, assembled.operations_per_update)});
      data_.try_emplace(data_of(run), assembled.data);
      configs_.push_back(std::move(assembled.config));
      for (const std::string& remark : assembled.left_out) told_.warn(remark);
      if (!assembled.dear_likelihood.empty() && dear++ == 0) {
        first_dear = r;
        why_dear = std::move(assembled.dear_likelihood);
      }
    } catch (const Stopped&) {
      throw;
    } catch (const Error& error) {
      if (error.exit_status() == 2) throw ConfigError(told(error));
      throw DataError(told(error));
    }
    if (request_.display)
      request_.display->progress(static_cast<double>(r + 1) / static_cast<double>(runs_.runs.size()),
                                 fmt::format("checked {} of {} runs", r + 1, runs_.runs.size()));
  }
  if (dear > 0 && share.count == 1) tell_dear_likelihood(dear, first_dear, why_dear);
}

SweepSeconds WholeSweep::seconds(const SweepLimits& limits) const {
  std::vector<double> guesses;
  for (const SweepTask& task : tasks_) guesses.push_back(task.seconds);
  const SweepTask& longest = *std::ranges::max_element(tasks_, {}, &SweepTask::seconds);
  TrainRequest request = request_;
  request.config = std::ranges::find(runs_.runs, longest.run, &SweepRun::name)->config;
  request.display = nullptr;
  request.threads = limits.threads;
  const RunSeconds run = program(precision_of_config(request.config)).seconds_of_run(request);
  return {seconds_side_by_side(guesses, run.updates, limits.jobs),
          seconds_side_by_side(guesses, run.updates + run.along, limits.jobs) +
              seconds_of_ends(guesses.size(), run.end, limits.jobs),
          run.at_most};
}

void WholeSweep::write() const {
  folder_.create();
  for (std::size_t t = 0; t < tasks_.size(); ++t)
    write_file_atomically(folder_.config(tasks_[t].run), write_toml(configs_[t]));
}

std::vector<std::string> WholeSweep::write_results(const SweepResults& results,
                                                   const std::vector<std::size_t>& order) const {
  const auto path = [&](const std::string& file) { return folder_.path() / file; };
  write_file_atomically(path("sweep.csv"), table_of_sweep(runs_, results, order));
  std::vector<std::string> files{path("sweep.csv").string()};
  const std::vector<SweepFigure> figures = figures_of_sweep(runs_, results);
  const auto gnuplot = find_gnuplot();
  if (!gnuplot) {
    if (request_.display && !figures.empty()) request_.display->warn(no_gnuplot_for_sweep);
    return files;
  }
  for (const SweepFigure& figure : figures) {
    draw_svg(*gnuplot, path(figure.file), figure.script, figure.size, figure.caption);
    files.push_back(path(figure.file).string());
  }
  return files;
}

}  // namespace v1
}  // namespace harmonium
