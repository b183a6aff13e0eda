#include <limits>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/training/trainer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::uint64_t epochs_of(std::uint64_t updates, Index batches_per_epoch) {
  const std::uint64_t per_epoch = std::max<std::uint64_t>(batches_per_epoch, 1);
  return updates / per_epoch + (updates % per_epoch != 0);
}

void TrainingOptions::bind(OptionBinder& o) {
  o.option("num_epochs", num_epochs, "passes over the training rows; 10 where neither this nor num_updates is given",
           at_least(1));
  o.option("num_updates", num_updates, "parameter updates, in place of num_epochs", at_least(1));
  o.option("batch_size", batch_size, "rows of a minibatch; 100 where not given, or all rows where there are fewer",
           at_least(1));
  o.option("clip_norm", clip_norm, "longest gradient that is applied as it is, longer ones are shortened to it; 0: any",
           at_least(0));
  o.option("max_parameter", max_parameter, "a parameter beyond this size means that the run has diverged",
           more_than(0));
  static constexpr OptionBinder::Choice<InadmissibleStep> steps[] = {{"stop", InadmissibleStep::stop},
                                                                     {"shrink", InadmissibleStep::shrink}};
  o.choice(
      "inadmissible_step", inadmissible_step, steps,
      "a step to parameters that define no density, such as Gaussian units coupled too strongly: ends the run, or is "
      "halved until they define one");
  o.option("checkpoint_every", checkpoint_every, "epochs between two checkpoints, beside that of the end; 0: none",
           at_least(0));
  o.option("checkpoint_minutes", checkpoint_minutes,
           "minutes after a checkpoint when one is written to go on from, which the next one replaces; 0: none",
           at_least(0));
  static constexpr OptionBinder::Choice<KeptCheckpoints> kept[] = {
      {"all", KeptCheckpoints::all}, {"log_spaced", KeptCheckpoints::log_spaced}, {"last", KeptCheckpoints::last}};
  o.choice(
      "checkpoint_keep", checkpoint_keep, kept,
      "which of checkpoint_every's checkpoints stay beside the last: all, some ten for each power of ten of epochs, or "
      "none");
  o.option("shards", shards,
           "parts that each batch and the chains are cut into and summed by: what ranks share (docs/cluster.md)",
           at_least(1));
  o.group("stop_early", stop_early, "when the run ends before its length");
  o.group("keep_best", keep_best, "which of the run's models is kept beside the last");
}

void TrainingOptions::validate() const {
  if (num_epochs && num_updates)
    throw ConfigError("'num_epochs' and 'num_updates' are both given, and only one can be meant. Remove one.");
  if (checkpoint_keep == KeptCheckpoints::log_spaced && checkpoint_every == 0)
    throw ConfigError(
        "'checkpoint_keep' is \"log_spaced\", and no checkpoints are asked for that could stay. Set checkpoint_every.");
  stop_early.validate();
  keep_best.validate();
}

/// Whether n is one of 1, 2, 3, 4, 5, 7, 9, 12, 15, 19, 24, …, each the next by a quarter, rounded up.
static bool on_log_scale(std::uint64_t n) {
  std::uint64_t next = 1;
  while (next < n) next += next / 4 + (next % 4 != 0);
  return next == n;
}

bool TrainingOptions::keeps_checkpoint(std::uint64_t update, Index batches_per_epoch) const {
  if (checkpoint_every == 0 || checkpoint_keep == KeptCheckpoints::last || update % batches_per_epoch != 0)
    return false;
  const std::uint64_t epoch = update / batches_per_epoch;
  if (epoch % checkpoint_every != 0) return false;
  return checkpoint_keep == KeptCheckpoints::all || on_log_scale(epoch / checkpoint_every);
}

std::uint64_t TrainingOptions::total_updates(Index batches_per_epoch) const {
  if (num_updates) return *num_updates;
  const std::uint64_t epochs = num_epochs.value_or(10);
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (epochs > most / std::max<std::uint64_t>(batches_per_epoch, 1))
    throw ConfigError(
        fmt::format("'num_epochs' is {}, and with {} batches an epoch the updates cannot be counted (2^63 and more). "
                    "Lower it.",
                    epochs, batches_per_epoch));
  return epochs * batches_per_epoch;
}

/// The figure that an option names, among those that are measured; the option then says which way it is better.
static MeasuredFigure settled(FollowOptions& asked, const char* option, const std::vector<MeasuredFigure>& figures,
                              std::uint64_t epochs) {
  MeasuredFigure figure = followed(asked, option, figures, epochs);
  asked.goal = figure.goal;
  return figure;
}

std::unique_ptr<EarlyStopping> TrainingOptions::make_early_stopping(const std::vector<MeasuredFigure>& figures,
                                                                    Index batches_per_epoch) {
  if (!stop_early.follow.metric) return nullptr;
  const std::uint64_t epochs = epochs_of(total_updates(batches_per_epoch), batches_per_epoch);
  MeasuredFigure figure = settled(stop_early.follow, "stop_early", figures, epochs);
  if (!stop_early.patience) stop_early.patience = 5;
  return std::make_unique<EarlyStopping>(std::move(figure), *stop_early.patience);
}

std::unique_ptr<BestModel> TrainingOptions::make_best_model(const std::vector<MeasuredFigure>& figures,
                                                            Index batches_per_epoch) {
  if (!keep_best.follow.metric) return nullptr;
  const std::uint64_t epochs = epochs_of(total_updates(batches_per_epoch), batches_per_epoch);
  return std::make_unique<BestModel>(settled(keep_best.follow, "keep_best", figures, epochs));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
