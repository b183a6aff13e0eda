#include <fmt/format.h>

#include <harmonium/framework/core/unfinished.hpp>
#include <harmonium/framework/files/sha256.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/left_options.hpp>
#include <harmonium/program/work/replaced_runs.hpp>
#include <harmonium/program/work/resume.hpp>
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
  void go_on();
  std::optional<std::uint64_t> updates_of_model() const;
  std::uint64_t updates_meant_by(const fs::path& file) const;
  std::string who_asks() const;
  void check_not_over() const;
  void check_length(const char* what, std::uint64_t made) const;
  RunFolder open_folder() const;
  void train(const RunFolder& folder, TrainHost& host, TrainOutcome& outcome);
  void write_model_to(const fs::path& path) const {
    write_model(path, experiment_.model(), experiment_.effective_config(), experiment_.origin());
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
  TrainingPosition position_;
  std::uint64_t total_;
  TrainRemarks remarks_;
  std::optional<std::string> over_ = {};  ///< why no update is left, where the run goes on from where it stopped early
  bool complete_ = false;                 ///< the model is written already
};

/// Of ranks that do not lead: rank 0 writes, and decides.
class Follower final : public TrainingHost {
 public:
  Verdict between_updates(const TrainingPosition&, bool) override { return Verdict::go_on; }
  void recorded(std::uint64_t, std::uint64_t, const MetricRecord&, double) override {}
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
      lock_(lock()),
      point_(request.resume ? checked_point(path_, display_) : ResumePoint{}),
      experiment_(config_, registries_, request.config_folder, executor_, stored(),
                  request.ranks ? request.ranks->all : single_process()),
      total_(experiment_.training().total_updates(experiment_.updates_per_epoch())),
      remarks_(experiment_, registries_, display_) {
  if (request.overwrite) check_replaced(path_, experiment_);
  if (request.resume) go_on();
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

/// The updates of the run that ended with the model; none where it has not ended, of a longer run to come.
std::optional<std::uint64_t> TrainRun::updates_of_model() const {
  if (!fs::exists(path_ / "model.h5")) return {};
  return updates_meant_by(path_ / "model.h5");
}

std::uint64_t TrainRun::updates_meant_by(const fs::path& file) const {
  return length_in_file(file, experiment_.updates_per_epoch()).value_or(total_);
}

/// Whoever says how long the run is.
std::string TrainRun::who_asks() const {
  return request_.epochs ? fmt::format("--epochs {}", *request_.epochs) : "config.toml";
}

/// With another length in its configuration a run that stopped early would be written as one that was never made.
void TrainRun::check_not_over() const {
  if (!over_) return;
  const std::uint64_t meant = updates_meant_by(*point_.checkpoint);
  if (meant == total_) return;
  throw ConfigError(
      fmt::format("--resume {0}: the run stopped early: {1}. It is over at any length, and {2} asks for {3} updates in "
                  "place of {4}. Leave the length as it was; 'harmonium train CONFIG.toml --from {0}' starts from its "
                  "model.",
                  path_.string(), *over_, who_asks(), total_, meant));
}

void TrainRun::check_length(const char* what, std::uint64_t made) const {
  if (made <= total_) return;
  throw ConfigError(fmt::format("--resume {}: its {} is of update {}, and {} asks for {} in all. Raise {}.",
                                path_.string(), what, made, who_asks(), total_,
                                request_.epochs ? "it" : "training.num_epochs"));
}

void TrainRun::go_on() {
  if (point_.checkpoint) restore(point_, registries_, experiment_, position_);
  over_ = experiment_.stopped_early();
  check_not_over();
  check_length("latest checkpoint", position_.update);
  // A run that was killed after its model was written may lack the model's checksum and the pictures of the end.
  if (!point_.checkpoint || position_.update == total_ || over_) {
    const std::optional<std::uint64_t> made = updates_of_model();
    check_length("model", made.value_or(0));
    complete_ = made == total_;
  }
  if (const StartModel* start = experiment_.start(); start && !start->known() && !complete_ && !point_.checkpoint)
    throw ConfigError(
        fmt::format("--resume {}: the run holds no checkpoint, and {}, which it started from, is gone or another file "
                    "by now. Put it "
                    "back, or start a new run.",
                    path_.string(), start->path().string()));
  if (display_ && !complete_ && !point_.checkpoint)
    display_->warn(path_.string() + " holds no checkpoint: the run starts from its first update.");
  if (!complete_) return;
  load_parameters(path_ / "model.h5", experiment_.model());
  if (display_ && over_ && position_.update < total_)
    display_->warn(fmt::format("{} stopped early: {}. 'harmonium train CONFIG.toml --from {}' starts from its model.",
                               path_.string(), *over_, path_.string()));
  const bool leads = !request_.ranks || request_.ranks->all.leads();
  if (leads && check_checksum(path_ / "model.h5") == Checksum::absent) write_checksum(path_ / "model.h5");
  position_.update = total_;
  if (display_) display_->warn(path_.string() + " holds a run that is complete: only its pictures are drawn again.");
}

RunFolder TrainRun::open_folder() const {
  if (request_.resume) {
    const std::uint64_t required = complete_ ? 0 : position_.update;
    RunFolder folder = RunFolder::reopen(path_, *lock_, {position_.update, experiment_.updates_per_epoch(), required});
    if (request_.epochs) folder.replace_config(experiment_.effective_config(), experiment_.origin().files);
    if (!complete_) folder.remove_last_words();
    // The best model of what is made anew may be another one, or come later.
    if (!complete_ && experiment_.best() && experiment_.best()->epoch() == 0) folder.remove_best();
    return folder;
  }
  const std::vector<DataFile> data = experiment_.origin().files;
  if (!path_.empty()) return RunFolder::create(path_, experiment_.effective_config(), data);
  return RunFolder::create_next(request_.run_name, experiment_.effective_config(), data);
}

void TrainRun::train(const RunFolder& folder, TrainHost& host, TrainOutcome& outcome) {
  try {
    const TrainingSummary summary = experiment_.run(position_, host, executor_);
    outcome.updates = summary.updates;
    outcome.message = summary.message;
    remarks_.at_end(summary, config_);
    outcome.stopped = host.stopped();
  } catch (const Diverged& error) {
    if (request_.ranks) request_.ranks->together = true;
    host.write_best();
    write_model_to(folder.last_good_path());
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
  if (!complete_) remarks_.of_length(folder, position_.update, point_.checkpoint.has_value());
  if (!complete_ && point_.checkpoint && !over_)
    remarks_.of_schedule(position_.update, updates_meant_by(*point_.checkpoint));
  remarks_.at_start(!request_.resume);
  TrainHost host(experiment_, folder, request_, position_.update, {executor_, experiment_.random().child("pictures")});
  TrainOutcome outcome{folder.path().string(), "the run was complete", total_, false};
  if (!complete_) train(folder, host, outcome);
  if (!complete_ && !outcome.stopped) {
    folder.flush_logs();
    host.write_best();
    write_model_to(folder.model_path());
    remarks_.on_followed(folder, position_.update);
    remarks_.on_gradient(request_);
  }
  if (!outcome.stopped) host.draw();
  host.draw_curves();
  // A run that was stopped before its last words is resumed for them.
  if (!outcome.stopped && (!complete_ || !fs::exists(folder.final_path())))
    outcome.stopped = !remarks_.give_likelihood(folder, request_);
  if (!outcome.stopped && (!complete_ || !fs::exists(folder.verdict_path())))
    outcome.stopped = !remarks_.give_verdict(folder, request_);
  experiment_.finish();
  if (display_) display_->finish();
  return outcome;
}

TrainOutcome TrainRun::follow() {
  const UnfinishedWork unfinished;  // a signal is heard by rank 0, which ends the run
  TrainOutcome outcome;
  outcome.updates = total_;
  if (!complete_) {
    Follower host;
    try {
      outcome.updates = experiment_.run(position_, host, executor_).updates;
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
