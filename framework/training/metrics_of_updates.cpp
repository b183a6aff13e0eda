#include <harmonium/framework/training/metrics_of_updates.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// A figure that the estimator said it would tell.
template <class T>
const T& told(const std::optional<T>& figure, const char* observer) {
  if (figure) return *figure;
  throw Error(
      fmt::format("observer '{}': the estimator's figures() announces what its report does not tell.", observer), 1);
}

}  // namespace

double EpochMean::take() {
  const double mean = count > 0 ? sum / static_cast<double>(count) : 0.0;
  sum = 0.0;
  count = 0;
  return mean;
}

void EpochMean::state(StateArchive& archive) {
  archive.field("sum", sum);
  archive.field("count", count);
}

Verdict GradientNormMetric::iterated(const Iteration& it) {
  squares_.add(it.gradient_norm * it.gradient_norm);
  return Verdict::go_on;
}

Verdict GradientNormMetric::epoch_ended(const EpochEnd&, MetricRecord& record) {
  record.emplace_back("gradient_norm", std::sqrt(squares_.take()));
  return Verdict::go_on;
}

void GradientNormMetric::state(StateArchive& archive) { squares_.state(archive); }

void PosteriorBoundMetric::begin(const RunOutline& run) {
  if (!run.figures.bound)
    throw CapabilityError(
        "observer 'posterior_bound': the positive phase reports no bound. Take 'mean_field' as the estimator's "
        "positive phase, or leave the observer out.");
}

Verdict PosteriorBoundMetric::iterated(const Iteration& it) {
  const PhaseReport& positive = it.estimate.positive;
  bound_.add(told(positive.bound, "posterior_bound"));
  iterations_ = std::max<std::uint64_t>(iterations_, positive.iterations);
  return Verdict::go_on;
}

Verdict PosteriorBoundMetric::epoch_ended(const EpochEnd&, MetricRecord& record) {
  record.emplace_back("posterior_bound", bound_.take());
  record.emplace_back("mean_field_iterations", static_cast<double>(iterations_));
  iterations_ = 0;
  return Verdict::go_on;
}

void PosteriorBoundMetric::state(StateArchive& archive) {
  bound_.state(archive);
  archive.field("iterations", iterations_);
}

void LossMetric::begin(const RunOutline& run) {
  if (!run.figures.loss)
    throw CapabilityError(
        "observer 'loss': the estimator follows the likelihood, and reports no loss. Take the observer "
        "'log_likelihood', or leave this one out.");
}

Verdict LossMetric::iterated(const Iteration& it) {
  loss_.add(told(it.estimate.loss, "loss"));
  return Verdict::go_on;
}

Verdict LossMetric::epoch_ended(const EpochEnd&, MetricRecord& record) {
  record.emplace_back("loss", loss_.take());
  return Verdict::go_on;
}

void LossMetric::state(StateArchive& archive) { loss_.state(archive); }

void EstimatorFiguresMetric::begin(const RunOutline& run) {
  if (run.figures.own.empty())
    throw CapabilityError(
        "observer 'estimator_figures': the estimator tells no figures of its own. Take 'noise_contrastive', or leave "
        "the "
        "observer out.");
  figures_.clear();
  for (const std::string& name : run.figures.own) figures_.emplace_back(name, EpochMean{});
}

Verdict EstimatorFiguresMetric::iterated(const Iteration& it) {
  const auto& told_now = it.estimate.own;
  for (auto& [name, mean] : figures_) {
    const auto found = std::ranges::find_if(told_now, [&name = name](const auto& own) { return own.first == name; });
    mean.add(told(found == told_now.end() ? std::optional<double>{} : found->second, "estimator_figures"));
  }
  return Verdict::go_on;
}

Verdict EstimatorFiguresMetric::epoch_ended(const EpochEnd&, MetricRecord& record) {
  for (auto& [name, mean] : figures_) record.emplace_back("estimator." + name, mean.take());
  return Verdict::go_on;
}

void EstimatorFiguresMetric::state(StateArchive& archive) {
  for (auto& [name, mean] : figures_) archive.group(name, mean);
}

void MeetingTimesMetric::begin(const RunOutline& run) {
  if (!run.figures.meetings)
    throw CapabilityError(
        "observer 'meeting_times': the negative phase has no chains that meet. Take the estimator 'unbiased_cd', or "
        "leave the observer out.");
}

Verdict MeetingTimesMetric::iterated(const Iteration& it) {
  const MeetingReport& meetings = told(it.estimate.negative.meetings, "meeting_times");
  meetings_.pairs += meetings.pairs;
  meetings_.sum += meetings.sum;
  meetings_.most = std::max(meetings_.most, meetings.most);
  return Verdict::go_on;
}

Verdict MeetingTimesMetric::epoch_ended(const EpochEnd&, MetricRecord& record) {
  record.emplace_back("meeting_time.mean", meetings_.mean());
  record.emplace_back("meeting_time.most", static_cast<double>(meetings_.most));
  meetings_ = {};
  return Verdict::go_on;
}

void MeetingTimesMetric::state(StateArchive& archive) {
  archive.field("pairs", meetings_.pairs);
  archive.field("sum", meetings_.sum);
  archive.field("most", meetings_.most);
}

Verdict TemperingMetric::iterated(const Iteration& it) {
  if (const auto& ladder = it.estimate.negative.sampler.ladder) ladder_.add(*ladder);
  return Verdict::go_on;
}

Verdict TemperingMetric::epoch_ended(const EpochEnd&, MetricRecord& record) {
  if (!ladder_.any_proposed()) return Verdict::go_on;
  record.emplace_back("swap_rate.min", ladder_.min_rate());
  record.emplace_back("swap_rate.mean", ladder_.mean_rate());
  record.emplace_back("round_trips", static_cast<double>(ladder_.round_trips));
  ladder_ = {};
  return Verdict::go_on;
}

void TemperingMetric::state(StateArchive& archive) { ladder_.state(archive); }

Verdict AcceptanceMetric::iterated(const Iteration& it) {
  negative_.add(it.estimate.negative.sampler);
  positive_.add(it.estimate.positive.sampler);
  return Verdict::go_on;
}

Verdict AcceptanceMetric::epoch_ended(const EpochEnd&, MetricRecord& record) {
  if (negative_.proposed > 0) record.emplace_back("acceptance", negative_.acceptance);
  if (positive_.proposed > 0) record.emplace_back("acceptance.positive", positive_.acceptance);
  negative_ = positive_ = {};
  return Verdict::go_on;
}

void AcceptanceMetric::state(StateArchive& archive) {
  const auto part = [&](const char* name, SamplerReport& moves) {
    archive.field(name, moves.acceptance);
    archive.field(std::string(name) + "_proposed", moves.proposed);
    if (archive.loading() && !(moves.acceptance >= 0.0 && moves.acceptance <= 1.0))
      archive.refuse(name, "is no acceptance: it must be from 0 to 1");
  };
  part("negative", negative_);
  part("positive", positive_);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
