#include <fmt/format.h>

#include <harmonium/framework/core/unfinished.hpp>
#include <harmonium/framework/files/sha256.hpp>
#include <harmonium/framework/inference/standstill.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/data_remarks.hpp>
#include <harmonium/program/work/left_options.hpp>
#include <harmonium/program/work/resume.hpp>
#include <harmonium/program/work/train_host.hpp>
#include <harmonium/program/work/verdict.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

namespace fs = std::filesystem;

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
                           phase, moves.summary(),
                           sampler ? proposal_remedy(*sampler, path, moves.acceptance) : "Take another sampler."));
}

/// One run, new or going on.
class TrainRun {
 public:
  /// Reads and assembles everything, and finds out where it goes on. `request` must outlive it.
  TrainRun(const TrainRequest& request, const Registries& builtin);
  TrainOutcome go();

 private:
  fs::path named_path() const;
  fs::path stored() const;
  void go_on();
  RunFolder open_folder() const;
  void remark_on_start(const RunFolder& folder) const;
  void remark_on_end(const TrainingSummary& summary) const;
  void train(const RunFolder& folder, TrainHost& host, TrainOutcome& outcome);
  void give_verdict(const RunFolder& folder) const;
  void write_model_to(const fs::path& path) const {
    write_model(path, experiment_.model(), experiment_.effective_config(), experiment_.origin());
  }

  const TrainRequest& request_;
  Display* display_;
  Registries registries_;
  Executor executor_;
  Value config_;
  fs::path path_;
  ResumePoint point_;
  Experiment experiment_;
  TrainingPosition position_;
  std::uint64_t total_;
  bool complete_ = false;  ///< the model is written already
};

Value config_of(const TrainRequest& request, const Registries& registries) {
  Value config = without_left_options(request.config, registries, request.display);
  if (request.seed) config.set("seed", make_value(static_cast<std::int64_t>(*request.seed)));
  return config;
}

TrainRun::TrainRun(const TrainRequest& request, const Registries& builtin)
    : request_(request),
      display_(request.display),
      registries_(with_plugins(builtin, request, request.config)),
      executor_(request.threads),
      config_(config_of(request, registries_)),
      path_(named_path()),
      point_(request.resume ? checked_point(path_, display_) : ResumePoint{}),
      experiment_(config_, registries_, request.config_folder, executor_, stored()),
      total_(experiment_.training().total_updates(experiment_.updates_per_epoch())) {
  if (request.resume) go_on();
}

/// The run's folder; empty where it has no name yet.
fs::path TrainRun::named_path() const {
  if (request_.output.empty()) return {};
  fs::path path = fs::absolute(request_.output);
  if (!request_.resume) RunFolder::check(path, request_.overwrite);
  return path;
}

/// The file that the run goes on with; its masks are read first of all.
fs::path TrainRun::stored() const {
  fs::path stored;
  if (point_.checkpoint) stored = *point_.checkpoint;
  else if (request_.resume && fs::exists(path_ / "model.h5")) stored = path_ / "model.h5";
  if (!stored.empty()) probe_hdf5(stored);
  return stored;
}

void TrainRun::go_on() {
  const bool has_model = fs::exists(path_ / "model.h5");
  if (point_.checkpoint) restore(point_, registries_, experiment_, position_);
  else if (display_ && !has_model)
    display_->warn(path_.string() + " holds no checkpoint: the run starts from its first update.");
  if (position_.update > total_)
    throw ConfigError(
        fmt::format("--resume {}: its latest checkpoint is of update {}, and config.toml asks for {} in all. "
                    "Raise training.num_epochs.",
                    path_.string(), position_.update, total_));
  // A run that was killed after its model was written may lack the model's checksum and the pictures of the end.
  complete_ = has_model && (!point_.checkpoint || position_.update == total_);
  if (!complete_) return;
  load_parameters(path_ / "model.h5", experiment_.model());
  if (check_checksum(path_ / "model.h5") == Checksum::absent) write_checksum(path_ / "model.h5");
  position_.update = total_;
  if (display_) display_->warn(path_.string() + " holds a run that is complete: only its pictures are drawn again.");
}

RunFolder TrainRun::open_folder() const {
  if (request_.resume) {
    const std::uint64_t required = complete_ ? 0 : position_.update;
    return RunFolder::reopen(path_, {position_.update, experiment_.updates_per_epoch(), required});
  }
  if (!path_.empty()) return RunFolder::create(path_, experiment_.effective_config());
  return RunFolder::create_next(request_.run_name, experiment_.effective_config());
}

void TrainRun::remark_on_start(const RunFolder& folder) const {
  if (!display_) return;
  if (!complete_)
    display_->note(fmt::format("{} {}: {} rows, {} parameters, {} updates", point_.checkpoint ? "resuming" : "training",
                               folder.path().string(), experiment_.data().train.rows(),
                               experiment_.model().parameter_layout().size(), total_ - position_.update));
  for (const std::string& remark : data_remarks(experiment_.data().train, experiment_.model().layout()))
    display_->warn(remark);
  for (const auto& [name, why] : experiment_.unmeasured())
    if (name == "log_likelihood") display_->note(fmt::format("{} is not measured: {}", name, why));
}

void TrainRun::remark_on_end(const TrainingSummary& summary) const {
  if (!display_) return;
  const PhaseReport& positive = summary.last_estimate.positive;
  if (!positive.exact && !positive.method.empty())
    display_->note(fmt::format("the positive phase was not exact: {} at the last update", positive.method));
  const Value& effective = experiment_.effective_config();
  warn_of_standstill(positive.sampler, "positive", config_, effective, *display_);
  warn_of_standstill(summary.last_estimate.negative.sampler, "negative", config_, effective, *display_);
  if (summary.shrunk_steps > 0)
    display_->warn(fmt::format("{} of {} steps led to parameters of no density and were halved until they did not.",
                               summary.shrunk_steps, summary.updates));
}

void TrainRun::train(const RunFolder& folder, TrainHost& host, TrainOutcome& outcome) {
  try {
    const TrainingSummary summary = experiment_.run(position_, host, executor_);
    outcome.updates = summary.updates;
    outcome.message = summary.message;
    remark_on_end(summary);
    outcome.stopped = host.stopped();
  } catch (const Diverged& error) {
    write_model_to(folder.last_good_path());
    host.draw_curves();
    throw NumericalError(fmt::format("{} The model as it was at update {} is kept in {}.", error.what(),
                                     error.last_good_update, folder.last_good_path().string()));
  } catch (const Error& error) {
    if (!request_.resume && error.exit_status() == 2) folder.discard();  // refused, as when it is assembled
    throw;
  }
}

/// Whether chains mix on the model that was trained: what its samples, and estimates from them, are worth.
void TrainRun::give_verdict(const RunFolder& folder) const {
  if (!display_) return;
  const double operations = experiment_.operations_per_update() * static_cast<double>(total_);
  const Executor hearing(request_.threads, request_.stop);
  try {
    const auto found =
        verdict_of_run(experiment_.model(), experiment_.data().train, operations, experiment_.effective_config(),
                       registries_, {hearing, experiment_.random().child("verdict"), display_});
    if (!found) return;
    const std::string line = fmt::format("verdict on Gibbs chains: {}.", found->verdict);
    if (found->mixed || found->too_short) display_->note(line);
    else display_->warn(fmt::format("{} 'harmonium diagnose {}' says more.", line, folder.path().string()));
    if (found->mixed)
      for (const std::string& advice : found->advice) display_->note(advice);
  } catch (const Stopped&) {  // the run is complete without it
  } catch (const NumericalError& error) {
    display_->warn(fmt::format("verdict on Gibbs chains: none, they run away ({}).", error.what()));
  }
}

TrainOutcome TrainRun::go() {
  const UnfinishedWork unfinished;  // from here on a signal asks for a checkpoint
  const RunFolder folder = open_folder();
  remark_on_start(folder);
  TrainHost host(experiment_, folder, request_, position_.update, {executor_, experiment_.random().child("pictures")});
  TrainOutcome outcome{folder.path().string(), "the run was complete", total_, false};
  if (!complete_) train(folder, host, outcome);
  if (!complete_ && !outcome.stopped) {
    folder.flush_logs();
    write_model_to(folder.model_path());
  }
  if (!outcome.stopped) host.draw();
  host.draw_curves();
  if (!outcome.stopped && !complete_) give_verdict(folder);
  if (display_) display_->finish();
  return outcome;
}

}  // namespace

TrainOutcome train(const TrainRequest& request, const Registries& builtin) { return TrainRun(request, builtin).go(); }

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
