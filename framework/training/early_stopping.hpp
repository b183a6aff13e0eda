#pragma once

#include <harmonium/framework/training/followed_figure.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether a run has come to its end by a figure: the last `patience` of its values, each of which may have a standard error,
/// were none better by more than that than the last one that was (Goodfellow, Bengio & Courville 2016, algorithm 7.1).
class EarlyStopping final {
 public:
  EarlyStopping(MeasuredFigure figure, Index patience) : figure_(std::move(figure)), patience_(patience) {}

  /// Takes the record of an epoch; one without the figure does not count.
  void measured(std::uint64_t epoch, const MetricRecord& record);
  bool over() const { return without_ >= patience_; }
  const std::string& metric() const { return figure_.name; }
  Index patience() const { return patience_; }
  /// Epochs between two values of the figure.
  Index every() const { return figure_.every; }
  /// "log_likelihood has not become better than -4.2 of epoch 7 in 5 values"
  std::string message() const;
  void state(StateArchive& archive);

 private:
  MeasuredFigure figure_;
  std::uint64_t patience_;
  double reference_ = 0.0;     ///< the last value that was better
  std::uint64_t epoch_ = 0;    ///< of it; 0: there is none yet
  std::uint64_t without_ = 0;  ///< values since
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
