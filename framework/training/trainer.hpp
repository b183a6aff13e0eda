#pragma once

#include <memory>
#include <string>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/framework/training/best_model.hpp>
#include <harmonium/framework/training/early_stopping.hpp>
#include <harmonium/framework/training/observer.hpp>
#include <harmonium/framework/training/optimizer.hpp>
#include <harmonium/framework/training/regularizer.hpp>
#include <harmonium/framework/training/sharded_gradient.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What becomes of a step to parameters that define no density.
enum class InadmissibleStep : std::uint8_t { stop, shrink };
/// Which of the checkpoints that `checkpoint_every` asks for stay.
enum class KeptCheckpoints : std::uint8_t { all, log_spaced, last };

/// How long a run is, what ends it, what it keeps, and what it may not do.
struct TrainingOptions {
  std::optional<Index> num_epochs = {}, num_updates = {};  ///< one of them; without either, 10 epochs
  std::optional<Index> batch_size = {};                    ///< without it 100, or all rows where there are fewer
  double clip_norm = 0.0;
  double max_parameter = 1e6;
  InadmissibleStep inadmissible_step = InadmissibleStep::stop;
  Index checkpoint_every = 0;       ///< epochs
  double checkpoint_minutes = 0.0;  ///< beside these, to go on from: each takes the place of the one before
  KeptCheckpoints checkpoint_keep = KeptCheckpoints::all;
  Index shards = 1;
  StopEarlyOptions stop_early = {};
  KeepBestOptions keep_best = {};

  void bind(OptionBinder& o);
  void validate() const;
  std::uint64_t total_updates(Index batches_per_epoch) const;
  /// Whether the checkpoint after an update stays once there is a later one: a function of these options alone, never of time.
  bool keeps_checkpoint(std::uint64_t update, Index batches_per_epoch) const;
  /// What these ask for, of a run that measures `figures`, its goals settled in the options; null where nothing is asked for.
  /// Throws ConfigError.
  std::unique_ptr<EarlyStopping> make_early_stopping(const std::vector<MeasuredFigure>& figures,
                                                     Index batches_per_epoch);
  std::unique_ptr<BestModel> make_best_model(const std::vector<MeasuredFigure>& figures, Index batches_per_epoch);
};

/// Epochs of so many updates, the last one perhaps not whole.
std::uint64_t epochs_of(std::uint64_t updates, Index batches_per_epoch);

/// How far a run has come. Part of a checkpoint.
struct TrainingPosition {
  std::uint64_t update = 0;  ///< updates made
  void state(StateArchive& archive) { archive.field("update", update); }
};

/// A run that diverged: thrown by `train` with the model put back to where it was last good.
class Diverged final : public Error {
 public:
  Diverged(const std::string& what, std::uint64_t last_good) : Error(what, 1), last_good_update(last_good) {}
  ~Diverged() override;
  std::uint64_t last_good_update;
};

/// What a loop tells whoever runs it: once a record is complete, and between updates.
class TrainingHost {
 public:
  virtual ~TrainingHost();
  /// Called after each update; `epoch_over` where it was an epoch's last.
  virtual Verdict between_updates(const TrainingPosition& position, bool epoch_over) = 0;
  /// `seconds`: what measuring took.
  virtual void recorded(std::uint64_t epoch, std::uint64_t update, const MetricRecord& record, double seconds) = 0;
};

/// All parts of a training loop, held together by whoever assembled them.
struct TrainingParts {
  EnergyModel& model;
  Batches& batches;
  GradientEstimator& estimator;
  Optimizer& optimizer;
  std::vector<std::unique_ptr<Regularizer>>& regularizers;
  std::vector<std::pair<std::string, std::unique_ptr<Observer>>>& observers;  ///< with their names
  EarlyStopping* stop_early = nullptr;                                        ///< null: the run has its whole length
  BestModel* best = nullptr;                                                  ///< null: only the last model is kept
  ShardedGradient* shards = nullptr;                                          ///< the estimator, where it is one
};

struct TrainingSummary {
  std::uint64_t updates = 0;
  std::uint64_t shrunk_steps = 0;  ///< that led to parameters of no density and were halved until they did not
  GradientEstimator::Report last_estimate;
  std::string message;                 ///< one line: why it ended
  std::optional<BestModel> best = {};  ///< of a run in one call that keeps it: the best model, where there is one
};

/// estimate → regularize → clip → step → shrink → observe, from `position` to the end of the run. `position` is kept current;
/// files and signals are the host's. A run has diverged when a gradient, a parameter or a metric is not finite or a
/// parameter exceeds `max_parameter`: throws Diverged. Of several ranks (ShardedGradient) all run it, and rank 0 alone has
/// observers, follows figures and asks its host.
TrainingSummary train(const TrainingParts& parts, const TrainingOptions& options, const RunData& data,
                      TrainingPosition& position, TrainingHost& host, const Execution& execution);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
