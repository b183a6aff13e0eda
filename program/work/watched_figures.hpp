#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/files/metrics_log.hpp>
#include <harmonium/framework/training/trainer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The figures that are watched while a run goes on, the same and in the same order from its first epoch to its last: the one that it
/// goes by, where it stops early or keeps its best model; else the first of validation rows, or of training rows where
/// there are none, of those that are measured most often; and beside it that of the training rows, or the next. Behind these, where
/// they are measured at every epoch, the first that is more telling and measured now and then; where they are not, the first that
/// is. Where no figure of rows is measured, the norm of the gradient. Where classes are told, the accuracy stands in front of all but a
/// figure that the run goes by.
class WatchedFigures {
 public:
  /// `measured`: what a run of so many `epochs` measures.
  WatchedFigures(const TrainingOptions& options, const std::vector<MeasuredFigure>& measured, std::uint64_t epochs);
  /// What was measured after an epoch, counted from 1.
  void take(std::uint64_t epoch, const MetricRecord& record);
  /// What a run measured before it goes on.
  void take_up(const MetricsLog& log);
  const std::vector<std::string>& names() const { return names_; }
  /// "NAME VALUE", the first to be watched in front, of those that were measured by now; "NAME VALUE (of epoch N)" where that
  /// was before the last epoch.
  std::vector<std::string> known() const;
  /// The same of all, with the standard error where that is known and above 0.2 % of the value, "NAME VALUE +- ERROR"; of one
  /// that has no value yet why, "NAME - (first at epoch N)".
  std::vector<std::string> all() const;

 private:
  struct Last {
    std::uint64_t epoch;
    double value;
    std::optional<double> error;
  };
  enum class Errors : std::uint8_t { left_out, shown };
  std::string words(std::size_t figure, Errors errors) const;
  std::string why_none(std::size_t figure) const;

  std::vector<std::string> names_;
  std::vector<std::uint64_t> every_;       ///< epochs between two values of each; 0: it is not measured in this run
  std::vector<std::optional<Last>> last_;  ///< of each
  std::uint64_t epoch_ = 0;                ///< the last that was taken
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
