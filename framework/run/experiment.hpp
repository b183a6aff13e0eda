#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/run_pictures.hpp>
#include <harmonium/framework/run/start_model.hpp>
#include <harmonium/framework/training/trainer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A whole training run: built from a configuration in one pass, then executed by whoever holds it. The only place where
/// components meet; nothing that it builds keeps a way back to it, to the registries or to the file.
class Experiment {
 public:
  /// Reads everything, loads the data, builds every component, and checks that each can do what the others will ask of
  /// it: every ConfigError and CapabilityError of a run is thrown here, that it does not fit into memory among them
  /// (before the data is read, where that can be known, and before θ is written). Relative paths of `given` are taken
  /// from `folder`, those of overrides from the current folder. `stored`: a model file of the run that goes on, which has the
  /// masks of the model, so that the files which the configuration names for them may be gone, as may the model that the run
  /// started from; empty: there is none. `ranks`: the processes that share the run, each of which builds it; they must outlive it.
  Experiment(const Value& given, const Registries& registries, const std::string& folder, const Executor& executor,
             const std::filesystem::path& stored = {}, Communicator& ranks = single_process());
  Experiment(const Experiment&) = delete;
  Experiment& operator=(const Experiment&) = delete;

  /// The configuration with every default written out; building it again gives the same run.
  const Value& effective_config() const { return effective_; }
  const EnergyModel& model() const { return *model_; }
  EnergyModel& model() { return *model_; }
  /// Of the parameters that its estimator learns beside those of the model.
  std::span<const Real> own_values() const { return estimator_->own_values(); }
  const DataSplits& data() const { return *data_; }
  RunData run_data() const;
  /// Views into `data()`.
  ModelOrigin origin() const;
  const TrainingOptions& training() const { return training_; }
  /// The model that the run starts from; null where it starts from its initializer's.
  const StartModel* start() const { return start_ ? &*start_ : nullptr; }
  /// Layers that have more units than that model's: "hidden: 4 to 6 units (2 new)".
  const std::vector<std::string>& grown() const { return grown_; }
  /// Transitions that new chains make before the first update of a model that is trained already; 0: there are none, or they begin
  /// as those of a new model.
  Index burn_in() const { return burn_in_; }
  /// Why the run needs no further update, though it has not its whole length; none where it does.
  std::optional<std::string> stopped_early() const;
  /// What may end the run before its length; null where nothing does.
  const EarlyStopping* stop_early() const { return stop_early_.get(); }
  /// The best model so far; null where none is kept.
  const BestModel* best() const { return best_.get(); }
  RunPictures& pictures() { return *pictures_; }
  /// What the columns of the data were taken for, for people; empty where that was not guessed.
  const std::string& guesses() const { return guesses_; }
  /// Of what every run measures, the observers that this one has not or whose time does not come, each with the reason.
  const std::vector<std::pair<std::string, std::string>>& unmeasured() const { return unmeasured_; }
  /// The observers whose time does not come along the run, and that measure the model it ends with all the same, each with why.
  const std::vector<std::pair<std::string, std::string>>& measured_last() const { return measured_last_; }
  /// Why it has no log likelihood, neither along the run nor at its end, where that could be had for more operations, and how to
  /// have it; else empty.
  const std::string& dear_likelihood() const { return dear_likelihood_; }
  /// Of observers that the configuration names and that rows with holes leave no way to measure: a sentence each, where it names them
  /// and why they are left out.
  const std::vector<std::string>& left_out() const { return left_out_; }
  /// What its observers measure, as far as they know it before.
  const std::vector<MeasuredFigure>& figures() const { return figures_; }
  /// The root of all the run's random words.
  RandomSource random() const { return {seed_, 0}; }
  Index updates_per_epoch() const { return batches_->batches_per_epoch(); }
  /// Of so many updates, the last one perhaps not whole.
  std::uint64_t epochs_of(std::uint64_t updates) const { return harmonium::epochs_of(updates, updates_per_epoch()); }
  /// What a run of it is estimated to hold in memory at its peak.
  MemoryNeed memory() const;
  /// Products of one vector with all couplings in one update; and multiplications and additions.
  double products_per_update() const { return estimator_->products(*model_, *training_.batch_size); }
  double operations_per_update() const;

  /// What the options outside components mean: those of the top level, of [start_from], [training] and [pictures].
  static std::vector<OptionInfo> general_options();
  static std::vector<OptionInfo> start_options();
  static std::vector<OptionInfo> training_options();
  static std::vector<OptionInfo> picture_options();

  /// Trains from `position` on.
  TrainingSummary run(TrainingPosition& position, TrainingHost& host, const Executor& executor);
  /// The same, of which nothing is measured: no observer is asked, and nothing follows what it would have said.
  TrainingSummary run_unobserved(TrainingPosition& position, TrainingHost& host, const Executor& executor);
  /// Judges the model that the run has ended with after `update` updates (judge_last_model), after its last checkpoint.
  MetricRecord judge_last(std::uint64_t update, const Executor& executor);
  /// What its observers were begun with.
  RunOutline run_outline() const;
  NamedObservers& observers() { return observers_; }
  /// All that the components remember between updates; loaded from an archive of `sizes()`. Saved at rank 0, where it has those
  /// of all ranks, between updates or before `finish`.
  void state(StateArchive& archive);
  StateSizes sizes() const;
  /// Collective, where several ranks share the run: rank 0 will neither train nor save any more.
  void finish() {
    if (shards_) shards_->finish();
  }

 private:
  void read_general(const Value& config, const Registries& registries);
  /// The estimator, the optimizer, the regularizers and [training].
  void build_training(const Value& config, const Registries& registries);
  /// Makes the estimator one of shards, of which this rank has a share.
  void cut_into_shards(const Value& config, const Registries& registries);
  /// Throws ConfigError where a batch would have fewer rows than there are shards.
  void check_shards(const Value& config) const;
  void check_components(const Value& config) const;
  void load_data(const Value& config, const DataSource& source, const Value& data_effective);
  /// θ as the run begins: the initializer's, or that of the model that it starts from. `goes_on`: θ of a checkpoint takes its place.
  void initialize(const Initializer& initializer, bool goes_on, const Registries& registries, const Executor& executor);
  /// The model of the table `spec`, with its masks; `stored` as above.
  void build_model(const Value& spec, const Registries& registries, const std::filesystem::path& stored);
  void build_observers(const Value& config, const Registries& registries);
  /// What is to be said of when log likelihoods are measured.
  void tell_of_likelihoods();
  /// Early stopping, and the best model, which go by what these measure.
  void build_followers(const Value& config, const RunOutline& outline);
  void write_training();
  /// Writes out what the training's defaults come to for this data.
  void settle_training();
  /// Settles which pictures the run draws, and writes them out.
  void build_pictures(const Value& config, const Registries& registries);
  TrainingParts parts();
  /// The same before the data is read, for batches of `rows`.
  MemoryNeed memory_without_data(Index rows) const;

  std::uint64_t seed_ = 1;
  std::string plugins_;  // with their versions
  CsvNames names_;       // of the data's columns
  std::string guesses_;
  Communicator& ranks_;
  Value effective_;
  std::optional<StartModel> start_;
  std::vector<std::string> grown_;
  Index burn_in_ = 0;
  std::unique_ptr<EnergyModel> model_;
  std::unique_ptr<DataSplits> data_;
  std::unique_ptr<GradientEstimator> estimator_;
  ShardedGradient* shards_ = nullptr;  ///< the same, where it is one
  std::unique_ptr<Optimizer> optimizer_;
  std::vector<std::unique_ptr<Regularizer>> regularizers_;
  std::vector<std::pair<std::string, std::unique_ptr<Observer>>> observers_;
  std::vector<std::pair<std::string, std::string>> unmeasured_;
  std::vector<std::string> left_out_;  ///< observers
  std::vector<MeasuredFigure> figures_;
  std::unique_ptr<EarlyStopping> stop_early_;
  std::unique_ptr<BestModel> best_;
  std::optional<RunPictures> pictures_;
  TrainingOptions training_;
  std::unique_ptr<Batches> batches_;
  std::vector<std::pair<std::string, std::string>> measured_last_;
  std::string dear_likelihood_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
