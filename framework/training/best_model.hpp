#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/training/followed_figure.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The best value of a figure so far, and the parameters that had it; of equal values the first.
class BestModel final {
 public:
  explicit BestModel(MeasuredFigure figure) : figure_(std::move(figure)) {}

  /// Takes the record of an epoch, and adds `best.epoch` and `best.value` to it once there is one.
  void measured(std::uint64_t epoch, std::uint64_t update, std::span<const Real> theta, MetricRecord& record);
  /// Epoch and update count from 1; 0: the figure was not measured yet.
  std::uint64_t epoch() const { return epoch_; }
  std::uint64_t update() const { return update_; }
  double value() const { return value_; }
  const std::string& metric() const { return figure_.name; }
  /// Epochs between two values of it.
  Index every() const { return figure_.every; }
  /// As θ; empty where there is none yet.
  const std::vector<Real>& parameters() const { return theta_; }
  void state(StateArchive& archive);

 private:
  MeasuredFigure figure_;
  std::uint64_t epoch_ = 0, update_ = 0;
  double value_ = 0.0;
  std::vector<Real> theta_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
