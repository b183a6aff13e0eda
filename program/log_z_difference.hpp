#pragma once

#include <optional>
#include <string>

#include <harmonium/program/paired/draws_between.hpp>
#include <harmonium/program/work/findings.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace v1 {

/// log Z of two models, each at an inverse temperature, and log Z_one − log Z_other. A figure that its ways do not agree on is absent, and
/// so is the difference then. Intervals are at 95 %; both ends are the figure where it is exact.
struct PairedLogZ {
  std::optional<double> one = {}, other = {}, difference = {};
  std::optional<Interval> one_interval = {}, other_interval = {}, interval = {};
  std::string why_not_one = {}, why_not_other = {};  ///< of what is absent
  std::string advice_one = {}, advice_other = {};    ///< what may settle it (Evaluation)
  /// How the difference was found, a sentence, where there are draws of both models to compare; empty otherwise.
  std::string how = {};
  std::optional<DrawsBetween> between = {};  ///< where draws of both models were compared

  bool exact() const { return interval && interval->low == interval->high; }
};

/// Of what was found of each of two models alone, by random numbers of their own: the difference of the two.
PairedLogZ paired_log_z(const Evaluation& one, const Evaluation& other);

/// A model file, and what was found of it at an inverse temperature.
struct FoundOfModel {
  const std::string& model;
  const Evaluation& found;
  double beta = 1.0;
};

/// The same; but where both models kept draws (EvaluateRequest::keeps_draws) and these overlap, the difference is that of Bennett's ratio
/// between the two models, which near ones know much better. `request` may name threads.
PairedLogZ compared_log_z(const EvaluateRequest& request, const FoundOfModel& one, const FoundOfModel& other);

/// The farther end of an interval from its figure, of one that both ends are known of and that is not exact.
std::optional<double> half_width(const std::optional<double>& figure, const std::optional<Interval>& interval);

}  // namespace v1
}  // namespace harmonium
