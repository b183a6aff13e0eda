#include <harmonium/program/work/standing.hpp>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/sha256.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/program/work/resume.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

namespace fs = std::filesystem;

/// What there is of a run, beside the length that it is to have.
class TakenUp {
 public:
  TakenUp(const fs::path& path, const ResumePoint& point, const TrainRequest& request, const Registries& registries,
          Experiment& experiment)
      : path_(path),
        point_(point),
        request_(request),
        display_(request.display),
        experiment_(experiment),
        total_(experiment.training().total_updates(experiment.updates_per_epoch())) {
    if (!point_.checkpoint) return;
    restore(point_, registries, experiment_, found_.position);
    found_.meant = length_in_file(*point_.checkpoint, per_epoch()).value_or(total_);
  }

  Standing standing() {
    find_end();
    check_not_over();
    check_length("latest checkpoint", found_.position.update);
    if (end_) check_length("model", end_->made);
    // A run that was killed after its model was written may lack the model's checksum and the pictures of the end.
    found_.complete = end_ && end_->meant == total_;
    if (found_.complete) finish();
    else begin();
    return found_;
  }

 private:
  Index per_epoch() const { return experiment_.updates_per_epoch(); }

  /// How the run ended that the folder's model is of, and whether it came to its length. A checkpoint after that is of a run that was
  /// made longer since.
  void find_end() {
    end_ = end_of_run(path_, per_epoch(), total_);
    if (end_ && end_->made < found_.position.update) end_.reset();
    if (const auto why = experiment_.stopped_early()) why_over_ = ": " + *why;
    else if (end_ && end_->made < end_->meant)
      why_over_ = fmt::format(", after update {} of {}", end_->made, end_->meant);
    found_.over = !why_over_.empty();
  }

  /// Whoever says how long the run is.
  std::string who_asks() const {
    return request_.epochs ? fmt::format("--epochs {}", *request_.epochs) : "config.toml";
  }

  /// With another length in its configuration a run that stopped early would be written as one that was never made.
  void check_not_over() const {
    if (!found_.over) return;
    const std::uint64_t meant = end_ ? end_->meant : found_.meant;
    if (meant == total_) return;
    throw ConfigError(
        fmt::format("--resume {0}: the run stopped early{1}. It is over at any length, and {2} asks for {3} updates in "
                    "place of {4}. Leave the length as it was; 'harmonium train CONFIG.toml --from {0}' starts from "
                    "its model.",
                    path_.string(), why_over_, who_asks(), total_, meant));
  }

  void check_length(const char* what, std::uint64_t made) const {
    if (made <= total_) return;
    throw ConfigError(fmt::format("--resume {}: its {} is of update {}, and {} asks for {} in all. Raise {}.",
                                  path_.string(), what, made, who_asks(), total_,
                                  request_.epochs ? "it" : "training.num_epochs"));
  }

  /// There is something left to train.
  void begin() const {
    if (point_.checkpoint) return;
    if (const StartModel* start = experiment_.start(); start && !start->known())
      throw ConfigError(
          fmt::format("--resume {}: the run holds no checkpoint, and {}, which it started from, is gone or another "
                      "file by now. Put it back, or start a new run.",
                      path_.string(), start->path().string()));
    if (display_)
      display_->warn(path_.string() +
                     " holds no checkpoint: the run starts from its first update. With training.checkpoint_every it "
                     "would go on from its end.");
  }

  void finish() {
    const fs::path model = path_ / "model.h5";
    load_parameters(model, experiment_.model());
    if (display_ && found_.over && end_->made < total_)
      display_->warn(
          fmt::format("{0} stopped early{1}. 'harmonium train CONFIG.toml --from {0}' starts from its model.",
                      path_.string(), why_over_));
    const bool leads = !request_.ranks || request_.ranks->all.leads();
    if (leads && check_checksum(model) == Checksum::absent) write_checksum(model);
    found_.made = end_->made;
    found_.position.update = total_;
    if (display_) display_->warn(path_.string() + " holds a run that is complete: only its pictures are drawn again.");
  }

  const fs::path& path_;
  const ResumePoint& point_;
  const TrainRequest& request_;
  Display* display_;
  Experiment& experiment_;
  std::uint64_t total_;
  std::optional<RunEnd> end_ = {};
  std::string why_over_ = {};  ///< after "stopped early"
  Standing found_ = {};
};

}  // namespace

Standing take_up(const fs::path& path, const ResumePoint& point, const TrainRequest& request,
                 const Registries& registries, Experiment& experiment) {
  return TakenUp(path, point, request, registries, experiment).standing();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
