#include <harmonium/framework/run/train.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/model_file.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// What must be the same for a run to go on. Where a checkpoint has other numbers, `load` says which.
struct RunIdentity {
  std::uint64_t seed, purpose, batch_size, rows;

  void state(StateArchive& archive) {
    archive.field("seed", seed);
    archive.field("purpose", purpose);
    archive.field("batch_size", batch_size);
    archive.field("rows", rows);
  }
  void check(const RunIdentity& kept, const std::filesystem::path& file) const {
    for (const auto& [name, own, was] : {std::tuple{"seed", seed, kept.seed},
                                         {"purpose", purpose, kept.purpose},
                                         {"batch size", batch_size, kept.batch_size},
                                         {"number of rows", rows, kept.rows}})
      if (own != was)
        throw ConfigError(
            fmt::format("{}: the checkpoint of another run, whose {} is {}, here {}. Name another file, or "
                        "remove it to start anew.",
                        file.string(), name, was, own));
  }
};

/// The state of a run in a file, between whoever hosts it and the loop.
class KeptRun final : public TrainingHost {
 public:
  KeptRun(const std::filesystem::path& file, const TrainingParts& parts, const RunIdentity& identity,
          const Dataset& data, TrainingHost* inner)
      : file_(file), parts_(parts), identity_(identity), data_(data), inner_(inner) {}

  void plan(std::uint64_t every, std::uint64_t total) {
    every_ = std::max<std::uint64_t>(every, 1);
    total_ = total;
  }

  /// Puts back what the file holds, where there is one.
  void restore(TrainingPosition& position) {
    if (file_.empty() || !std::filesystem::exists(file_)) return;
    StateArchive::Fields fields = load_state(file_);
    const Value own = parts_.model.configuration();
    if (!own.is_empty() && !(own == *read_model_header(file_).config.find("model")))
      throw ConfigError(file_.string() +
                        ": the checkpoint of another model. Name another file, or remove it to start anew.");
    check_same_data(file_, data_.files());
    try {
      StateSizes sizes = state_sizes(parts_.model, data_.rows());
      sizes.moved = gradient_layout(parts_.model, parts_.estimator).size();
      StateArchive archive(std::move(fields), sizes);
      RunIdentity kept{};
      archive.group("run", kept);
      identity_.check(kept, file_);
      archive.group("position", position);
      state(archive);
    } catch (const DataError& error) {
      throw DataError(
          fmt::format("{}: {}. The file is damaged: remove it to start anew.", file_.string(), error.what()));
    }
    load_parameters(file_, parts_.model);
  }

  void write(TrainingPosition position) {
    if (file_.empty() || written_ == position.update) return;
    written_ = position.update;
    StateArchive archive;
    archive.group("run", identity_);
    archive.group("position", position);
    state(archive);
    Value config = make_table({{"precision", make_value(sizeof(Real) == 4 ? "float32" : "float64")}});
    if (Value table = parts_.model.configuration(); !table.is_empty()) config.set("model", std::move(table));
    write_model(file_, parts_.model, config, {.files = data_.files()}, &archive.fields());
  }

  Verdict between_updates(const TrainingPosition& position, bool epoch_over) override {
    const Verdict said = inner_ ? inner_->between_updates(position, epoch_over) : Verdict::go_on;
    const std::uint64_t epoch = position.update / parts_.batches.batches_per_epoch();
    if (said == Verdict::stop || position.update == total_ || (epoch_over && epoch % every_ == 0)) write(position);
    return said;
  }
  void recorded(std::uint64_t epoch, std::uint64_t update, const MetricRecord& record, double seconds) override {
    if (inner_) inner_->recorded(epoch, update, record, seconds);
  }

 private:
  void state(StateArchive& archive) {
    archive.group("estimator", parts_.estimator);
    archive.group("optimizer", parts_.optimizer);
    for (const auto& [name, observer] : parts_.observers) archive.group("observer_" + name, *observer);
  }

  const std::filesystem::path& file_;
  const TrainingParts& parts_;
  RunIdentity identity_;
  const Dataset& data_;
  TrainingHost* inner_;
  std::uint64_t every_ = 1, total_ = 0;
  std::optional<std::uint64_t> written_;
};

}  // namespace

TrainingSummary train(EnergyModel& model, const Dataset& data, GradientEstimator& estimator, Optimizer& optimizer,
                      const TrainingOptions& options, const Execution& execution, TrainingExtras extras) {
  options.validate();
  check_data(data, model.layout());
  estimator.check(model);
  estimator.begin(model, outline_of(data, model.layout()));
  estimator.start(model, execution.part("estimator"));
  optimizer.check(gradient_layout(model, estimator));
  const Index batch_size = options.batch_size.value_or(std::min<Index>(100, data.rows()));
  Batches batches(data, model.layout(), batch_size, execution.random.child("batches"));
  const RunData run_data{&data};
  const double operations = operations_per_epoch(model, estimator, batch_size, batches.batches_per_epoch());
  for (const auto& [name, observer] : extras.observers)
    observer->begin({model, run_data, operations, estimator.figures(model)});
  const TrainingParts parts{model, batches, estimator, optimizer, extras.regularizers, extras.observers};
  KeptRun kept(extras.checkpoint, parts, {execution.random.seed, execution.random.purpose, batch_size, data.rows()},
               data, extras.host);
  kept.plan(options.checkpoint_every, options.total_updates(batches.batches_per_epoch()));
  TrainingPosition position;
  kept.restore(position);
  TrainingSummary summary = train(parts, options, run_data, position, kept, execution);
  kept.write(position);  // an observer may have ended it
  return summary;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
