#include <harmonium/framework/run/train.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <tuple>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/inference/operations.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/training_state.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/framework/training/last_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// What must be the same for a run to go on.
struct RunIdentity {
  std::uint64_t seed, purpose, batch_size, rows, data;

  void state(StateArchive& archive) {
    archive.field("seed", seed);
    archive.field("purpose", purpose);
    archive.field("batch_size", batch_size);
    archive.field("rows", rows);
    archive.field("data", data);
  }
  /// What differs in `kept`; empty where nothing does.
  std::string difference(const RunIdentity& kept) const {
    for (const auto& [name, own, was] : {std::tuple{"seed", seed, kept.seed},
                                         {"purpose", purpose, kept.purpose},
                                         {"batch size", batch_size, kept.batch_size},
                                         {"number of rows", rows, kept.rows}})
      if (own != was) return fmt::format("whose {} is {}, here {}", name, was, own);
    return data == kept.data ? "" : "of other data (their columns have other means)";
  }
};

/// Of data in memory there is no checksum; the bits of its columns' means tell one set from another.
std::uint64_t mark_of(std::span<const double> means) {
  std::uint64_t mark = 0;
  for (const double mean : means) mark = hash64(mark, std::bit_cast<std::uint64_t>(mean), 0);
  return mark;
}

/// The state of a run in a file, between whoever hosts it and the loop.
class KeptRun final : public TrainingHost {
 public:
  KeptRun(const std::filesystem::path& file, const TrainingParts& parts, const RunIdentity& identity,
          const Dataset& data, const TrainingOptions& options, std::uint64_t total, TrainingHost* inner)
      : file_(file),
        parts_(parts),
        identity_(identity),
        data_(data),
        every_(std::max<std::uint64_t>(options.checkpoint_every, 1)),
        total_(total),
        minutes_(options.checkpoint_minutes),
        inner_(inner) {}

  /// Puts back what the file holds, where there is one. The parts are of no use where it throws.
  void restore(TrainingPosition& position) {
    if (file_.empty() || !std::filesystem::exists(file_)) return;
    probe_hdf5(file_);
    StateArchive::Fields fields = load_state(file_);
    const Value own = parts_.model.configuration();
    if (!own.is_empty() && !(own == *read_model_header(file_).config.find("model"))) refuse("of another model");
    check_same_data(file_, data_.files());
    StateArchive archive(std::move(fields), state_sizes_of(parts_.model, parts_.estimator, data_.rows()));
    try {
      RunIdentity kept{};
      archive.group("run", kept);
      if (const std::string other = identity_.difference(kept); !other.empty()) refuse("of another run, " + other);
      archive.group("position", position);
      exchange_state(parts_, archive);
    } catch (const DataError& error) {
      throw DataError(fmt::format(
          "{}: {}. It is damaged, or of a run of other parts. Name another file, or remove it to start anew.",
          file_.string(), error.what()));
    }
    if (const std::string left = archive.unread(); !left.empty())
      refuse(fmt::format("of a run of other parts: nobody here has '{}'", left));
    if (position.update > total_)
      refuse(fmt::format("of a longer run: it has made {} updates, and {} are asked for", position.update, total_));
    load_parameters(file_, parts_.model);
  }

  void write(TrainingPosition position) {
    if (file_.empty() || written_ == position.update) return;
    written_ = position.update;
    written_at_ = Clock::now();
    StateArchive archive;
    archive.group("run", identity_);
    archive.group("position", position);
    exchange_state(parts_, archive);
    Value config = make_table({{"precision", make_value(sizeof(Real) == 4 ? "float32" : "float64")}});
    if (Value table = parts_.model.configuration(); !table.is_empty()) config.set("model", std::move(table));
    write_model(file_, parts_.model, config, {.files = data_.files()}, &archive.fields());
  }

  Verdict between_updates(const TrainingPosition& position, bool epoch_over) override {
    const Verdict said = inner_ ? inner_->between_updates(position, epoch_over) : Verdict::go_on;
    stopped_ = said == Verdict::stop && position.update < total_;
    const std::uint64_t epoch = position.update / parts_.batches.batches_per_epoch();
    if (said == Verdict::stop || position.update == total_ || (epoch_over && epoch % every_ == 0) || time_is_up())
      write(position);
    return said;
  }
  /// Whether its host broke the run off.
  bool stopped() const { return stopped_; }
  void recorded(std::uint64_t epoch, std::uint64_t update, const MetricRecord& record, double seconds) override {
    if (inner_) inner_->recorded(epoch, update, record, seconds);
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Minutes = std::chrono::duration<double, std::ratio<60>>;
  bool time_is_up() const { return minutes_ > 0.0 && Minutes(Clock::now() - written_at_).count() >= minutes_; }
  [[noreturn]] void refuse(const std::string& what) const {
    throw ConfigError(
        fmt::format("{}: the checkpoint {}. Name another file, or remove it to start anew.", file_.string(), what));
  }

  const std::filesystem::path& file_;
  const TrainingParts& parts_;
  RunIdentity identity_;
  const Dataset& data_;
  std::uint64_t every_, total_;
  double minutes_;
  TrainingHost* inner_;
  bool stopped_ = false;
  std::optional<std::uint64_t> written_;
  Clock::time_point written_at_ = Clock::now();
};

/// Figures and states go by the observers' names.
void check_names(const std::vector<std::pair<std::string, std::unique_ptr<Observer>>>& observers) {
  for (auto one = observers.begin(); one != observers.end(); ++one)
    for (auto other = one + 1; other != observers.end(); ++other)
      if (one->first == other->first)
        throw ConfigError(
            fmt::format("train: two observers are called '{}'. Give each a name of its own.", one->first));
}

}  // namespace

TrainingSummary train(EnergyModel& model, const Dataset& data, GradientEstimator& estimator, Optimizer& optimizer,
                      const TrainingOptions& options, const Execution& execution, TrainingExtras extras) {
  TrainingOptions own = options;
  own.validate();
  auto* shards = dynamic_cast<ShardedGradient*>(&estimator);
  if (own.shards > 1 && !shards)
    throw ConfigError(
        "train: 'shards' cuts the estimator that a configuration describes. In code give a ShardedGradient as the "
        "estimator, and leave 'shards' out.");
  check_data(data, model.layout());
  estimator.check(model);
  estimator.begin(model, outline_of(data, model.layout()));
  estimator.start(model, execution.part("estimator"));
  optimizer.check(gradient_layout(model, estimator));
  const Index batch_size = own.batch_size.value_or(std::min<Index>(100, data.rows()));
  Batches batches(data, model.layout(), batch_size, execution.random.child("batches"));
  check_names(extras.observers);
  const RunData run_data{&data};
  const double operations = operations_per_epoch(model, estimator, batch_size, batches.batches_per_epoch());
  const RunOutline outline{model, run_data, operations, estimator.figures(model)};
  for (const auto& [name, observer] : extras.observers) observer->begin(outline);
  const std::vector<MeasuredFigure> figures = figures_of(extras.observers, outline);
  const auto stop_early = own.make_early_stopping(figures, batches.batches_per_epoch());
  const auto best = own.make_best_model(figures, batches.batches_per_epoch());
  const TrainingParts parts{
      model,      batches, estimator, optimizer, extras.regularizers, extras.observers, stop_early.get(),
      best.get(), shards};
  const RandomSource& random = execution.random;
  KeptRun kept(extras.checkpoint, parts,
               {random.seed, random.purpose, batch_size, data.rows(), mark_of(batches.marginals())}, data, own,
               own.total_updates(batches.batches_per_epoch()), extras.host);
  TrainingPosition position;
  kept.restore(position);
  TrainingSummary summary = train(parts, own, run_data, position, kept, execution);
  kept.write(position);  // an observer may have ended it
  if (!kept.stopped()) judge_last_model(parts, own, outline, position.update, execution);
  if (best && best->epoch() > 0) summary.best = *best;
  return summary;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
