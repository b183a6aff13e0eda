#pragma once

#include <harmonium/framework/run/experiment.hpp>
#include <harmonium/framework/run/run_folder.hpp>
#include <harmonium/program/work/likelihood_of_rows.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What a run says of itself to whoever watches, and changes nothing. All that it is given must outlive it.
class TrainRemarks {
 public:
  /// `display` may be null: nothing is said then.
  TrainRemarks(const Experiment& experiment, const Registries& registries, Display* display)
      : experiment_(experiment),
        registries_(registries),
        display_(display),
        total_(experiment.training().total_updates(experiment.updates_per_epoch())) {}

  /// How much is to be done from the update on.
  void of_length(const RunFolder& folder, std::uint64_t update, bool resumed) const;
  /// Where a run goes on after `made` updates whose learning rates were those of a run of `meant`, which are not those of the
  /// run that it is now.
  void of_schedule(std::uint64_t made, std::uint64_t meant) const;
  /// Keeps in the folder that rows which the run sets aside were among those that the model it starts from was trained on.
  void keep_leak(const RunFolder& folder) const;
  /// What the run starts from, where it is `fresh`; of the data; what is not measured.
  void at_start(bool fresh) const;
  /// Of the last update; `config` as it was given.
  void at_end(const TrainingSummary& summary, const Value& config) const;
  /// That the gradient left counts beside chance, where that can be told (gradient_left.hpp).
  void on_gradient(const TrainRequest& request) const;
  /// What came of early stopping and of the best model, after so many updates.
  void on_followed(const RunFolder& folder, std::uint64_t update) const;
  /// The exact log likelihood of all rows at the end of the run, where it is quickly had, and that of the best model, where one is
  /// kept: both in the folder too. Else what rows the run's own figures are of. False where a signal came first.
  bool give_likelihood(const RunFolder& folder, const TrainRequest& request) const;
  /// Whether chains mix on the model that was trained: what its samples, and estimates from them, are worth. Kept in the
  /// folder, too. False where a signal came first.
  bool give_verdict(const RunFolder& folder, const TrainRequest& request) const;

 private:
  /// That what the run follows is a figure of the rows which it learns, where it has others.
  void of_followed_rows() const;
  /// That the machine says nothing of the training rows which independent columns would not.
  void warn_of_nothing_learned(const LikelihoodOfRows& found, std::uint64_t updates, const std::string& of_what) const;

  const Experiment& experiment_;
  const Registries& registries_;
  Display* display_;
  std::uint64_t total_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
