#include <fmt/format.h>

#include <harmonium/framework/core/unfinished.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/left_options.hpp>
#include <harmonium/program/work/replaced_runs.hpp>
#include <harmonium/program/work/resume.hpp>
#include <harmonium/program/work/standing.hpp>
#include <harmonium/program/work/train_host.hpp>
#include <harmonium/program/work/train_remarks.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

namespace fs = std::filesystem;

/// One run, new or going on.
class TrainRun {
 public:
  /// Reads and assembles everything, and finds out where it goes on. `request` must outlive it.
  TrainRun(const TrainRequest& request, const Registries& builtin);
  TrainOutcome go();
  /// What a rank does that does not lead.
  TrainOutcome follow();

 private:
  fs::path named_path() const;
  std::optional<FolderLock> lock() const;
  fs::path stored() const;
  RunFolder open_folder() const;
  void train(const RunFolder& folder, TrainHost& host, TrainOutcome& outcome);
  /// `updates`: those after which the run ended with it.
  void write_model_to(const fs::path& path, std::optional<std::uint64_t> updates) const {
    ModelOrigin origin = experiment_.origin();
    origin.updates = updates;
    write_model(path, experiment_.model(), experiment_.effective_config(), origin);
  }

  const TrainRequest& request_;
  Display* display_;
  Registries registries_;
  Executor executor_;
  Value config_;
  fs::path path_;
  std::optional<FolderLock> lock_;  ///< of a run that goes on, before it is read where
  ResumePoint point_;
  Experiment experiment_;
  TrainRemarks remarks_;
  Standing at_ = {};  ///< as yet at the beginning
};

/// Of ranks that do not lead: rank 0 writes, and decides.
class Follower final : public TrainingHost {
 public:
  Verdict between_updates(const TrainingPosition&, bool) override { return Verdict::go_on; }
  void recorded(std::uint64_t, std::uint64_t, const MetricRecord&, double) override {}
};

TrainRun::TrainRun(const TrainRequest& request, const Registries& builtin)
    : request_(request),
      display_(request.display),
      registries_(with_plugins(builtin, request, request.config)),
      executor_(request.threads),
      config_(without_left_options(request.config, registries_, request.display)),
      path_(named_path()),
      lock_(lock()),
      point_(request.resume ? checked_point(path_, display_) : ResumePoint{}),
      experiment_(config_, registries_, request.config_folder, executor_, stored(),
                  request.ranks ? request.ranks->all : single_process()),
      remarks_(experiment_, registries_, display_) {
  if (request.overwrite) check_replaced(path_, experiment_);
  if (request.resume) at_ = take_up(path_, point_, request, registries_, experiment_);
}

/// The run's folder; empty where it has no name yet.
fs::path TrainRun::named_path() const {
  if (request_.output.empty()) return {};
  fs::path path = fs::absolute(request_.output);
  if (!request_.resume) RunFolder::check(path, request_.overwrite);
  return path;
}

/// Of ranks, the one that leads has it.
std::optional<FolderLock> TrainRun::lock() const {
  if (!request_.resume || (request_.ranks && !request_.ranks->all.leads())) return {};
  return RunFolder::lock(path_);
}

/// The file that the run goes on with; its masks are read first of all.
fs::path TrainRun::stored() const {
  fs::path stored;
  if (point_.checkpoint) stored = *point_.checkpoint;
  else if (request_.resume && fs::exists(path_ / "model.h5")) stored = path_ / "model.h5";
  if (!stored.empty()) probe_hdf5(stored);
  return stored;
}

RunFolder TrainRun::open_folder() const {
  if (request_.resume) {
    const std::uint64_t required = at_.complete ? 0 : at_.position.update;
    RunFolder folder = RunFolder::reopen(
        path_, *lock_, {at_.position.update, experiment_.updates_per_epoch(), required, at_.complete});
    if (request_.epochs) folder.replace_config(experiment_.effective_config(), experiment_.origin().files);
    if (!at_.complete) folder.remove_last_words();
    // The best model of what is made anew may be another one, or come later.
    if (!at_.complete && experiment_.best() && experiment_.best()->epoch() == 0) folder.remove_best();
    return folder;
  }
  const std::vector<DataFile> data = experiment_.origin().files;
  if (!path_.empty()) return RunFolder::create(path_, experiment_.effective_config(), data);
  return RunFolder::create_next(request_.run_name, experiment_.effective_config(), data);
}

void TrainRun::train(const RunFolder& folder, TrainHost& host, TrainOutcome& outcome) {
  try {
    const TrainingSummary summary = experiment_.run(at_.position, host, executor_);
    outcome.updates = summary.updates;
    outcome.message = summary.message;
    remarks_.at_end(summary, config_);
    outcome.stopped = host.stopped();
  } catch (const Diverged& error) {
    if (request_.ranks) request_.ranks->together = true;
    host.write_best();
    write_model_to(folder.last_good_path(), {});
    host.draw_curves();
    throw NumericalError(fmt::format("{} The model as it was at update {} is kept in {}.", error.what(),
                                     error.last_good_update, folder.last_good_path().string()));
  } catch (const Error& error) {
    if (!request_.resume && error.exit_status() == 2) folder.discard();  // refused, as when it is assembled
    throw;
  }
}

TrainOutcome TrainRun::go() {
  const UnfinishedWork unfinished;  // from here on a signal asks for a checkpoint
  const RunFolder folder = open_folder();
  if (!at_.complete) remarks_.of_length(folder, at_.position.update, point_.checkpoint.has_value());
  if (!at_.complete && point_.checkpoint && !at_.over) remarks_.of_schedule(at_.position.update, at_.meant);
  if (!request_.resume) remarks_.keep_leak(folder);
  remarks_.at_start(!request_.resume);
  TrainHost host(experiment_, folder, request_, at_.position.update,
                 {executor_, experiment_.random().child("pictures")});
  TrainOutcome outcome{folder.path().string(), "the run was complete", at_.made, false};
  if (!at_.complete) train(folder, host, outcome);
  if (!at_.complete && !outcome.stopped) {
    host.judge_last(at_.position.update, executor_);
    folder.flush_logs();
    host.write_best();
    write_model_to(folder.model_path(), at_.position.update);
    remarks_.on_followed(folder, at_.position.update);
    remarks_.on_gradient(request_);
  }
  if (!outcome.stopped) host.draw();
  host.draw_curves();
  // A run that was stopped before its last words is resumed for them.
  if (!outcome.stopped && (!at_.complete || !fs::exists(folder.final_path())))
    outcome.stopped = !remarks_.give_likelihood(folder, request_);
  if (!outcome.stopped && (!at_.complete || !fs::exists(folder.verdict_path())))
    outcome.stopped = !remarks_.give_verdict(folder, request_);
  experiment_.finish();
  if (display_) display_->finish();
  return outcome;
}

TrainOutcome TrainRun::follow() {
  const UnfinishedWork unfinished;  // a signal is heard by rank 0, which ends the run
  TrainOutcome outcome;
  outcome.updates = at_.made;
  if (!at_.complete) {
    Follower host;
    try {
      outcome.updates = experiment_.run(at_.position, host, executor_).updates;
    } catch (const Diverged&) {
      request_.ranks->together = true;  // as rank 0 says
      throw;
    }
  }
  experiment_.finish();
  return outcome;
}

}  // namespace

TrainOutcome train(const TrainRequest& request, const Registries& builtin) {
  TrainRun run(request, builtin);
  if (!request.ranks) return run.go();
  meet(*request.ranks);
  request.ranks->together = false;
  TrainOutcome outcome = request.ranks->all.leads() ? run.go() : run.follow();
  request.ranks->together = true;
  return outcome;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
