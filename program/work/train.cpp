#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/unfinished.hpp>
#include <harmonium/framework/files/sha256.hpp>
#include <harmonium/framework/run/experiment.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/run/run_folder.hpp>
#include <harmonium/framework/run/run_logs.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/data_remarks.hpp>
#include <harmonium/program/work/standstill.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// What a run looks at while it goes on, in the order of interest.
std::string headline(const MetricRecord& record) {
  std::string text;
  for (const char* wanted :
       {"log_likelihood", "validation_log_likelihood", "pseudo_log_likelihood", "reconstruction_error"})
    for (const auto& [name, value] : record)
      if (name == wanted && std::ranges::count(text, '=') < 2) text += fmt::format("  {} = {:.4f}", name, value);
  return text;
}

/// Writes the logs and checkpoints of one run and shows how it goes.
class Host final : public TrainingHost {
 public:
  Host(Experiment& experiment, const RunFolder& folder, const TrainRequest& request, std::uint64_t start,
       const Execution& execution)
      : experiment_(experiment),
        folder_(folder),
        request_(request),
        execution_(execution),
        total_(experiment.training().total_updates(experiment.updates_per_epoch())),
        counted_(start) {}

  void recorded(std::uint64_t epoch, std::uint64_t update, const MetricRecord& record, double measuring) override {
    std::string line = fmt::format("{{\"epoch\":{},\"update\":{}", epoch, update);
    for (const auto& [name, value] : record) line += fmt::format(",\"{}\":{:.17g}", name, value);
    folder_.append_metrics(line + "}");
    const double seconds = seconds_since(epoch_start_) - measuring;
    folder_.append_timing(fmt::format(
        "{{\"epoch\":{},\"update\":{},\"seconds\":{:.6f},\"metrics_seconds\":{:.6f},\"updates_per_second\":{:.3f}}}",
        epoch, update, seconds, measuring, static_cast<double>(update - counted_) / seconds));
    epoch_start_ = Clock::now();
    counted_ = update;
    if (const std::string text = headline(record); !text.empty()) headline_ = text;
  }

  Verdict between_updates(const TrainingPosition& position, bool epoch_over) override {
    if (request_.display) {
      const std::uint64_t per_epoch = experiment_.updates_per_epoch();
      request_.display->progress(static_cast<double>(position.update) / static_cast<double>(total_),
                                 fmt::format("epoch {}/{}{}", (position.update + per_epoch - 1) / per_epoch,
                                             (total_ + per_epoch - 1) / per_epoch, headline_));
    }
    const std::uint64_t epoch = position.update / experiment_.updates_per_epoch();
    const Index every = experiment_.training().checkpoint_every;
    const bool asked = request_.stop && request_.stop->load();
    if ((every > 0 && epoch_over && epoch % every == 0) || asked) checkpoint(position);
    if (asked && position.update < total_) {
      stopped = true;
      return Verdict::stop;
    }
    // The end has its own, once the model is safe.
    if (epoch_over && position.update < total_ && experiment_.pictures().due(epoch)) draw();
    return Verdict::go_on;
  }

  /// Draws the run's pictures as it stands. A picture that cannot be had costs no run: that is told once, and no more
  /// are drawn.
  void draw() {
    const Clock::time_point before = Clock::now();
    for (const std::string& name : experiment_.pictures().which()) {
      if (no_pictures_) break;
      try {
        write_picture(folder_.picture_path(name),
                      experiment_.pictures().draw(name, experiment_.model(), experiment_.data().train, execution_));
      } catch (const Error& error) {
        folder_.check_still_there();
        no_pictures_ = true;
        const std::string_view why = error.what();
        if (request_.display)
          request_.display->warn(
              fmt::format("{}{} The run goes on without pictures.", why, why.ends_with('.') ? "" : "."));
      }
    }
    epoch_start_ += Clock::now() - before;  // it is no training
  }

  bool stopped = false;

 private:
  void checkpoint(TrainingPosition position) {
    StateArchive archive;
    archive.group("position", position);
    experiment_.state(archive);
    folder_.flush_logs();
    write_model(folder_.checkpoint_path(position.update), experiment_.model(), experiment_.effective_config(),
                experiment_.origin(), &archive.fields());
    folder_.list_checkpoint(position.update);
  }

  Experiment& experiment_;
  const RunFolder& folder_;
  const TrainRequest& request_;
  Execution execution_;
  bool no_pictures_ = false;
  std::uint64_t total_, counted_;
  Clock::time_point epoch_start_ = Clock::now();
  std::string headline_;
};

/// That the proposals of a phase are hardly ever accepted, at the last update, and what to do about it. The sampler is
/// looked for where `config`, the configuration as it was given, has it.
void warn_of_standstill(const SamplerReport& moves, const std::string& phase, const Value& config,
                        const Value& effective, Display& display) {
  if (!moves.ill_chosen()) return;
  const auto section = [](const Value* from, const std::string& name) {
    return from && from->is_table() ? from->find(name) : nullptr;
  };
  const Value* estimator = section(&effective, "estimator");
  const Value* sampler = section(section(estimator, phase), "sampler");
  if (!sampler) sampler = section(estimator, "sampler");
  const bool by_phase = section(section(&config, "estimator"), phase) != nullptr;
  const std::string path = by_phase ? "estimator." + phase + ".sampler" : "estimator.sampler";
  display.warn(fmt::format("chains of the {} phase move much more slowly than they could: {} at the last update. {}",
                           phase, moves.words(),
                           sampler ? proposal_remedy(*sampler, path, moves.acceptance) : "Take another sampler."));
}

/// A checkpoint goes on under its own configuration: only how long the run is may have been changed, and what is drawn.
void check_same_config(const std::filesystem::path& checkpoint, const Value& effective) {
  const auto without_length = [](Value config) {
    if (Value* training = config.find("training")) {
      training->erase("num_epochs");
      training->erase("num_updates");
    }
    config.erase("pictures");
    return config;
  };
  if (without_length(read_model_header(checkpoint).config) == without_length(effective)) return;
  throw ConfigError(
      fmt::format("--resume: config.toml is not the configuration that {} was written under. Only training.num_epochs, "
                  "training.num_updates and [pictures] may differ: put the rest back, or start a new run.",
                  checkpoint.string()));
}

/// Where a run in `folder` goes on. Throws DataError where that is not the file that this run wrote.
ResumePoint checked_point(const std::filesystem::path& folder, Display* display) {
  ResumePoint point = resume_point(folder);
  check_checkpoints(folder, point);
  if (display && !point.strangers.empty())
    display->warn(
        fmt::format("{} is not among the checkpoints that this run has written (checkpoints.jsonl), and is left "
                    "out: a kill came between the two, or it is another run's.",
                    point.strangers.front().string()));
  return point;
}

/// Puts the model and all that the components remember back as a checkpoint has them. Throws DataError, with the file's
/// name, where they cannot be of this run.
void restore(const ResumePoint& from, Experiment& experiment, TrainingPosition& position) {
  const std::filesystem::path& file = *from.checkpoint;
  check_same_config(file, experiment.effective_config());
  check_same_data(file, experiment.origin().files);
  load_parameters(file, experiment.model());
  StateArchive::Fields fields = load_state(file);
  try {
    StateArchive archive(std::move(fields), experiment.sizes());
    archive.group("position", position);
    if (position.update != from.update)
      archive.refuse("position/update",
                     fmt::format("is {}, and the file is named after {}", position.update, from.update));
    experiment.state(archive);
  } catch (const DataError& error) {
    throw DataError(
        fmt::format("{}: {}. The file is damaged: remove it to go on from an earlier one, or start a new run.",
                    file.string(), error.what()));
  }
}

}  // namespace

TrainOutcome train(const TrainRequest& request, const Registries& builtin) {
  const Registries registries = with_plugins(builtin, request, request.config);
  const Executor executor(request.threads);
  Value config = request.config;
  if (request.seed) config.set("seed", make_value(static_cast<std::int64_t>(*request.seed)));
  const bool named = !request.output.empty();
  const std::filesystem::path path = named ? std::filesystem::absolute(request.output) : std::filesystem::path();
  if (named && !request.resume) RunFolder::check(path, request.overwrite);
  const ResumePoint point = request.resume ? checked_point(path, request.display) : ResumePoint{};
  const auto& latest = point.checkpoint;
  std::filesystem::path stored;
  if (latest) stored = *latest;
  else if (request.resume && std::filesystem::exists(path / "model.h5")) stored = path / "model.h5";
  if (!stored.empty()) probe_hdf5(stored);  // its masks are read first of all
  Experiment experiment(config, registries, request.config_folder, executor, stored);

  TrainingPosition position;
  if (latest) {
    restore(point, experiment, position);
  } else if (request.resume && request.display && !std::filesystem::exists(path / "model.h5")) {
    request.display->warn(path.string() + " holds no checkpoint: the run starts from its first update.");
  }
  const std::uint64_t total = experiment.training().total_updates(experiment.updates_per_epoch());
  if (request.resume && position.update > total)
    throw ConfigError(
        fmt::format("--resume {}: its latest checkpoint is of update {}, and config.toml asks for {} in all. "
                    "Raise training.num_epochs.",
                    path.string(), position.update, total));
  // A run that was killed after its model was written may lack the model's checksum and the pictures of the end.
  const bool complete =
      request.resume && std::filesystem::exists(path / "model.h5") && (!latest || position.update == total);
  if (complete) {
    load_parameters(path / "model.h5", experiment.model());
    if (check_checksum(path / "model.h5") == Checksum::absent) write_checksum(path / "model.h5");
    position.update = total;
    if (request.display)
      request.display->warn(path.string() + " holds a run that is complete: only its pictures are drawn again.");
  }
  const LogNeed need{position.update, experiment.updates_per_epoch(), complete ? 0 : position.update};
  const UnfinishedWork unfinished;  // from here on a signal asks for a checkpoint
  const RunFolder folder = request.resume ? RunFolder::reopen(path, need)
                           : named        ? RunFolder::create(path, experiment.effective_config())
                                          : RunFolder::create_next(request.run_name, experiment.effective_config());
  if (request.display && !complete)
    request.display->note(fmt::format(
        "{} {}: {} rows, {} parameters, {} updates", latest ? "resuming" : "training", folder.path().string(),
        experiment.data().train.rows(), experiment.model().parameter_layout().size(),
        experiment.training().total_updates(experiment.updates_per_epoch()) - position.update));

  if (request.display) {
    for (const std::string& remark : data_remarks(experiment.data().train, experiment.model().layout()))
      request.display->warn(remark);
    for (const auto& [name, why] : experiment.unmeasured())
      if (name == "log_likelihood") request.display->note(fmt::format("{} is not measured: {}", name, why));
  }

  Host host(experiment, folder, request, position.update, {executor, experiment.random().child("pictures")});
  TrainOutcome outcome{folder.path().string(), "the run was complete", total, false};
  if (complete) {
    host.draw();
    if (request.display) request.display->finish();
    return outcome;
  }
  try {
    const TrainingSummary summary = experiment.run(position, host, executor);
    outcome.updates = summary.updates;
    outcome.message = summary.message;
    const PhaseReport& positive = summary.last_estimate.positive;
    if (request.display && !positive.exact && !positive.method.empty())
      request.display->note(fmt::format("the positive phase was not exact: {} at the last update", positive.method));
    if (request.display) {
      const Value& effective = experiment.effective_config();
      warn_of_standstill(positive.sampler, "positive", config, effective, *request.display);
      warn_of_standstill(summary.last_estimate.negative.sampler, "negative", config, effective, *request.display);
    }
    outcome.stopped = host.stopped;
    if (request.display && summary.shrunk_steps > 0)
      request.display->warn(
          fmt::format("{} of {} steps led to parameters of no density and were halved until they did not.",
                      summary.shrunk_steps, summary.updates));
  } catch (const Diverged& error) {
    write_model(folder.last_good_path(), experiment.model(), experiment.effective_config(), experiment.origin());
    throw NumericalError(fmt::format("{} The model as it was at update {} is kept in {}.", error.what(),
                                     error.last_good_update, folder.last_good_path().string()));
  } catch (const Error& error) {
    if (!request.resume && error.exit_status() == 2) folder.discard();  // refused, as when it is assembled
    throw;
  }
  if (!outcome.stopped) {
    folder.flush_logs();
    write_model(folder.model_path(), experiment.model(), experiment.effective_config(), experiment.origin());
    host.draw();
  }
  if (request.display) request.display->finish();
  return outcome;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
