#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <harmonium/framework/training/trainer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What a run in one call may have besides.
struct TrainingExtras {
  std::vector<std::unique_ptr<Regularizer>> regularizers = {};
  std::vector<std::pair<std::string, std::unique_ptr<Observer>>> observers = {};  ///< with their names
  TrainingHost* host =
      nullptr;  ///< asked between updates whether to go on, and told what was measured; null: nobody is
  /// A file that keeps the state of the run: written every `checkpoint_every` epochs (0: every one), every `checkpoint_minutes`,
  /// and where the run ends.
  /// Where it is there already the run goes on from it, to the bits of one that was never broken off. One that has ended may
  /// be made longer; it is then the longer run to the bit if it ended with an epoch, and no schedule goes by the length of
  /// the run. Empty: none is kept.
  std::filesystem::path checkpoint = {};
};

/// A whole run in one call: checks that the parts fit, then trains on minibatches of `data`. What `options` follow
/// (stop_early, keep_best) is measured by the observers; what keep_best follows is measured at the end too, of which the host is
/// not told. Throws ConfigError or CapabilityError where they do not, ConfigError where the checkpoint is of another run (another
/// seed, model, batch size or data, or parts that remember other things: settings of theirs that leave no trace in it are the
/// caller's to keep),
/// DataError where it is damaged (estimator and optimizer are of no further use then), Diverged as the loop does.
TrainingSummary train(EnergyModel& model, const Dataset& data, GradientEstimator& estimator, Optimizer& optimizer,
                      const TrainingOptions& options, const Execution& execution, TrainingExtras extras = {});

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
