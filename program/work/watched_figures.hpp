#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/training/trainer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The figures that are watched while a run goes on: the one that it goes by, where it stops early or keeps its best model, as it was
/// measured last; else the first of validation rows that this epoch has, or of training rows where there are none; and beside it that of the
/// training rows, or the next. Where no figure of rows is measured, the norm of the gradient.
class WatchedFigures {
 public:
  explicit WatchedFigures(const TrainingOptions& options);
  void take(const MetricRecord& record);
  /// "NAME VALUE" of at most two, the first to be watched in front; empty before any was measured.
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::vector<std::string> followed_, ranked_;  ///< names, the first by interest in front
  MetricRecord last_;                           ///< of those that are followed
  std::vector<std::string> words_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
