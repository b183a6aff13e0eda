#pragma once

#include <string>
#include <utility>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/training/measured_figure.hpp>

/// The metrics that follow every update, and tell at the end of the epoch.
namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The mean of a number over the updates of an epoch.
struct EpochMean {
  double sum = 0.0;
  std::uint64_t count = 0;

  void add(double value) {
    sum += value;
    ++count;
  }
  /// The mean, 0 of nothing; begins anew.
  double take();
  void state(StateArchive& archive);
};

/// Root mean square over the epoch of the gradient's norm.
class GradientNormMetric final : public Observer, public FigureSource {
 public:
  struct Options {
    void bind(OptionBinder&) {}
  };
  explicit GradientNormMetric(Options) {}
  Verdict iterated(const Iteration& it) override;
  Verdict epoch_ended(const EpochEnd& end, MetricRecord& record) override;
  std::vector<MeasuredFigure> figures(const RunOutline& run) const override;
  void state(StateArchive& archive) override;

 private:
  EpochMean squares_;
};

/// The bound that a variational positive phase reached, −E_q[E] + H(q) in nats a row, as the mean over the epoch's
/// batches, and the most iterations that it took. Less log Z it bounds the mean log likelihood from below.
class PosteriorBoundMetric final : public Observer, public FigureSource {
 public:
  struct Options {
    void bind(OptionBinder&) {}
  };
  explicit PosteriorBoundMetric(Options) {}
  /// Throws CapabilityError where the positive phase has no bound.
  void begin(const RunOutline& run) override;
  Verdict iterated(const Iteration& it) override;
  Verdict epoch_ended(const EpochEnd& end, MetricRecord& record) override;
  std::vector<MeasuredFigure> figures(const RunOutline& run) const override;
  void state(StateArchive& archive) override;

 private:
  EpochMean bound_;
  std::uint64_t iterations_ = 0;
};

/// Of an estimator of another loss than the negative log likelihood: that loss, as the mean over the epoch's batches.
class LossMetric final : public Observer, public FigureSource {
 public:
  struct Options {
    void bind(OptionBinder&) {}
  };
  explicit LossMetric(Options) {}
  /// Throws CapabilityError where the estimator does not know its loss.
  void begin(const RunOutline& run) override;
  Verdict iterated(const Iteration& it) override;
  Verdict epoch_ended(const EpochEnd& end, MetricRecord& record) override;
  std::vector<MeasuredFigure> figures(const RunOutline& run) const override;
  void state(StateArchive& archive) override;

 private:
  EpochMean loss_;
};

/// The figures that an estimator tells of itself (GradientEstimator::Report::own), as means over the epoch's updates.
class EstimatorFiguresMetric final : public Observer, public FigureSource {
 public:
  struct Options {
    void bind(OptionBinder&) {}
  };
  explicit EstimatorFiguresMetric(Options) {}
  /// Throws CapabilityError where the estimator has none.
  void begin(const RunOutline& run) override;
  Verdict iterated(const Iteration& it) override;
  Verdict epoch_ended(const EpochEnd& end, MetricRecord& record) override;
  std::vector<MeasuredFigure> figures(const RunOutline& run) const override;
  void state(StateArchive& archive) override;

 private:
  std::vector<std::pair<std::string, EpochMean>> figures_;
};

/// Of a negative phase of coupled chains: the mean and the longest time until two chains met over the epoch, in
/// transitions.
class MeetingTimesMetric final : public Observer, public FigureSource {
 public:
  struct Options {
    void bind(OptionBinder&) {}
  };
  explicit MeetingTimesMetric(Options) {}
  /// Throws CapabilityError where no chains meet.
  void begin(const RunOutline& run) override;
  Verdict iterated(const Iteration& it) override;
  Verdict epoch_ended(const EpochEnd& end, MetricRecord& record) override;
  std::vector<MeasuredFigure> figures(const RunOutline& run) const override;
  void state(StateArchive& archive) override;

 private:
  MeetingReport meetings_;
};

/// Of a negative phase whose sampler has a ladder of temperatures: the smallest and the mean acceptance of exchanges between
/// neighboring rungs over the epoch, and the round trips of its rows. Nothing where there is no ladder.
class TemperingMetric final : public Observer, public FigureSource {
 public:
  struct Options {
    void bind(OptionBinder&) {}
  };
  explicit TemperingMetric(Options) {}
  Verdict iterated(const Iteration& it) override;
  Verdict epoch_ended(const EpochEnd& end, MetricRecord& record) override;
  std::vector<MeasuredFigure> figures(const RunOutline& run) const override;
  void state(StateArchive& archive) override;

 private:
  LadderReport ladder_;
};

/// Of phases whose sampler proposes moves: the part of them that was accepted over the epoch, as `acceptance` of the
/// negative phase and `acceptance.positive` of the positive one. Nothing where no move can be refused.
class AcceptanceMetric final : public Observer, public FigureSource {
 public:
  struct Options {
    void bind(OptionBinder&) {}
  };
  explicit AcceptanceMetric(Options) {}
  Verdict iterated(const Iteration& it) override;
  Verdict epoch_ended(const EpochEnd& end, MetricRecord& record) override;
  std::vector<MeasuredFigure> figures(const RunOutline& run) const override;
  void state(StateArchive& archive) override;

 private:
  SamplerReport negative_, positive_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
