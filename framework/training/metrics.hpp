#pragma once

#include <memory>
#include <optional>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/log_partition.hpp>
#include <harmonium/framework/training/measured_figure.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// When a metric is taken and on how many rows.
struct MetricOptions {
  Index every = 1;
  Index rows = 1000;
  void bind(OptionBinder& o, std::string_view every_help);
  /// Adds the rows that are measured on, one part of the data at a time.
  void memory(const RunOutline& run, MemoryNeed& need) const;
};

/// Mean log likelihood in nats a row, of training, validation and test rows: −F(x) − log Z, with its standard error over the rows;
/// where log Z is not exact, with the ends of the 95 % interval that it has from log Z alone. What was not seen of a row is summed
/// out.
class LogLikelihoodMetric final : public Observer, public FigureSource {
 public:
  struct Options {
    MetricOptions metric{0, 1000};
    std::unique_ptr<LogPartition> log_z;
    void bind(OptionBinder& o);
  };
  explicit LogLikelihoodMetric(Options options) : options_(std::move(options)) {}
  void begin(const RunOutline& run) override;
  void memory(const RunOutline& run, MemoryNeed& need) const override;
  Verdict epoch_ended(const EpochEnd& end, MetricRecord& record) override;
  std::vector<MeasuredFigure> figures(const RunOutline& run) const override;
  void state(StateArchive& archive) override { archive.group("log_z", *options_.log_z); }
  /// What it adds to the record where it is due, whether or not it is.
  void measure(const EpochEnd& end, MetricRecord& record) const;
  /// Whether the model that a run ends with is measured whatever `every` says: log Z is exact, and takes, with sums over rows that no
  /// closed form gives, no more than most_operations_at_end of the multiplications and additions of the whole training.
  bool at_end(double training) const;
  bool exact() const { return exact_; }
  /// Multiplications and additions of a value: of log Z, and of sums over rows that no closed form gives.
  double operations() const { return operations_; }
  /// Epochs between two values: as set, or the smallest number for which log Z, and sums over rows that no closed form gives, cost at
  /// most 2 % of the training's operations.
  Index every() const { return every_; }
  /// Why there are so many: "log Z takes so long that it is due once in 12 epochs".
  std::string pace() const;

 private:
  /// What asks for most of the operations.
  enum class Cost : std::uint8_t { as_set, log_z, holes, latent_states };

  Options options_;
  Index every_ = 1;
  Cost cost_ = Cost::as_set;
  bool exact_ = false;
  double operations_ = 0.0;
};

/// Mean pseudo log likelihood in nats a row, with its standard error over the rows and the units that were dealt to them.
class PseudoLikelihoodMetric final : public Observer, public FigureSource {
 public:
  struct Options {
    MetricOptions metric;
    std::optional<Index> units;
    void bind(OptionBinder& o);
  };
  explicit PseudoLikelihoodMetric(Options options) : options_(options), units_(options.units.value_or(0)) {}
  void begin(const RunOutline& run) override;
  void memory(const RunOutline& run, MemoryNeed& need) const override { options_.metric.memory(run, need); }
  Verdict epoch_ended(const EpochEnd& end, MetricRecord& record) override;
  std::vector<MeasuredFigure> figures(const RunOutline& run) const override;

  /// Most units of each row that it is taken of: as set, or all where they are few or cost a fiftieth of the training's operations, else
  /// the part that does; 0: all.
  Index units() const { return units_; }

 private:
  Options options_;
  Index units_;  ///< of each row; 0: all
};

/// Mean squared error of the deterministic reconstruction.
class ReconstructionErrorMetric final : public Observer, public FigureSource {
 public:
  struct Options {
    MetricOptions metric;
    void bind(OptionBinder& o) { metric.bind(o, "epochs between two values; 0: never"); }
  };
  explicit ReconstructionErrorMetric(Options options) : options_(options) {}
  void begin(const RunOutline& run) override;
  void memory(const RunOutline& run, MemoryNeed& need) const override { options_.metric.memory(run, need); }
  Verdict epoch_ended(const EpochEnd& end, MetricRecord& record) override;
  std::vector<MeasuredFigure> figures(const RunOutline& run) const override;

 private:
  Options options_;
};

/// Accuracy and mean log p(label | rest of the row) of a model with a layer `label`, over the rows whose class is known; none where
/// it is of no row. What was not seen of the rest is summed out.
class ClassificationMetric final : public Observer, public FigureSource {
 public:
  struct Options {
    MetricOptions metric;
    void bind(OptionBinder& o) { metric.bind(o, "epochs between two values; 0: never"); }
  };
  explicit ClassificationMetric(Options options) : options_(options) {}
  void begin(const RunOutline& run) override;
  void memory(const RunOutline& run, MemoryNeed& need) const override;
  Verdict epoch_ended(const EpochEnd& end, MetricRecord& record) override;
  std::vector<MeasuredFigure> figures(const RunOutline& run) const override;

 private:
  Options options_;
};

/// Mean free energy of validation rows minus that of training rows, with its standard error over both: it grows when the model
/// overfits (Hinton 2012, section 6). What was not seen of a row is summed out.
class FreeEnergyGapMetric final : public Observer, public FigureSource {
 public:
  struct Options {
    MetricOptions metric;
    void bind(OptionBinder& o) { metric.bind(o, "epochs between two values; 0: never"); }
  };
  explicit FreeEnergyGapMetric(Options options) : options_(options) {}
  void begin(const RunOutline& run) override;
  void memory(const RunOutline& run, MemoryNeed& need) const override;
  Verdict epoch_ended(const EpochEnd& end, MetricRecord& record) override;
  std::vector<MeasuredFigure> figures(const RunOutline& run) const override;

 private:
  Options options_;
};

/// Euclidean norm of each tensor, a symmetric pair counted once.
class WeightNormsMetric final : public Observer, public FigureSource {
 public:
  struct Options {
    void bind(OptionBinder&) {}
  };
  explicit WeightNormsMetric(Options) {}
  Verdict epoch_ended(const EpochEnd& end, MetricRecord& record) override;
  std::vector<MeasuredFigure> figures(const RunOutline& run) const override;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
