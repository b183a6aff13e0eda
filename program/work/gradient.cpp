#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/run/whole_data.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/gradient_file.hpp>
#include <harmonium/program/work/gradient_question.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Figures for the entries of `blocks` that exist, a symmetric pair and a uniform tensor counted once.
GradientComparison compare(const std::string& name, std::span<const ParameterBlock> blocks,
                           const std::vector<double>& mean, const std::vector<double>& variance, std::uint64_t repeats,
                           const std::vector<double>* exact) {
  GradientComparison result;
  result.name = name;
  double mm = 0, ee = 0, me = 0, dd = 0, vv = 0, count = 0, disagree = 0;
  for (const ParameterBlock& b : blocks) {
    for_each_entry(b, [&](Index i) {
      if (b.mask && (*b.mask)[i - b.offset] == 0) return;
      mm += mean[i] * mean[i];
      ++count;
      if (!variance.empty()) vv += variance[i];
      if (!exact) return;
      const double e = (*exact)[i];
      ee += e * e;
      me += mean[i] * e;
      dd += (mean[i] - e) * (mean[i] - e);
      const auto sign = [](double v) { return (v > 0) - (v < 0); };
      disagree += sign(mean[i]) != sign(e) ? 1 : 0;
    });
  }
  result.norm = std::sqrt(mm);
  if (!variance.empty()) result.variance = vv;
  if (exact) {
    if (!variance.empty()) result.noise = std::sqrt(vv / static_cast<double>(repeats));
    result.bias = std::sqrt(dd);
    result.against_norm = std::sqrt(ee);
    if (mm > 0 && ee > 0) result.cosine = me / std::sqrt(mm * ee);
    result.sign_disagreement = disagree / count;
  }
  return result;
}

std::optional<PhaseUsed> used(const PhaseReport& report) {
  if (report.method.empty()) return std::nullopt;
  return PhaseUsed{report.method, report.exact};
}

/// The mean of all repeats, and how they vary.
class Repetition {
 public:
  Repetition(const GradientRequest& request, const GradientQuestion& question, const WholeData& data,
             const Executor& executor, Index together)
      : request_(request),
        question_(question),
        data_(data),
        executor_(executor),
        together_(together),
        alone_(1, request.stop),
        mean_(question.model->parameter_layout().size(), 0.0),
        squares_(mean_) {}

  /// Every repeat is an estimator of its own, with words of its own and chains from its own start, which the warm-up moves
  /// on. Several run side by side, each on one thread, and are added up in their order: the figures do not depend on how
  /// many.
  void make() {
    for (std::uint64_t first = 0; first < request_.repeats; first += together_) {
      make_some(first, static_cast<Index>(std::min<std::uint64_t>(together_, request_.repeats - first)));
      executor_.check_stop();
      const std::uint64_t done = std::min<std::uint64_t>(first + together_, request_.repeats);
      if (request_.display)
        request_.display->progress(static_cast<double>(done) / static_cast<double>(request_.repeats),
                                   fmt::format("estimate {}/{}", done, request_.repeats));
    }
    if (meetings_)
      first_.negative.method +=
          fmt::format(", meeting after {:.3g} steps on average, {} at most", meetings_->mean(), meetings_->most);
  }

  const std::vector<double>& mean() const { return mean_; }
  /// Of one estimate; empty where there is but one.
  std::vector<double> variance() const {
    if (request_.repeats < 2) return {};
    std::vector<double> variance = squares_;
    for (double& v : variance) v /= static_cast<double>(request_.repeats - 1);
    return variance;
  }
  /// That of the first repeat, but for meetings, which are of all.
  const GradientEstimator::Report& report() const { return first_; }

 private:
  void make_some(std::uint64_t first, Index count) {
    std::vector<std::unique_ptr<GradientEstimator>> estimators;
    for (Index i = 0; i < count; ++i) {
      Value unused;
      estimators.push_back(question_.registries.make<GradientEstimator>(question_.spec, unused));
      estimators.back()->begin(*question_.model, data_.outline());
    }
    std::vector<std::vector<double>> estimates(count);
    std::vector<GradientEstimator::Report> reports(count);
    executor_.for_each_piece(count, 1, [&](Index i, Index) {
      const Execution own{together_ > 1 ? alone_ : executor_,
                          question_.random.child("gradient").child(fmt::format("{}", first + i))};
      estimators[i]->start(*question_.model, own);
      for (std::uint64_t n = 0; n < request_.warm_up; ++n) {
        own.executor.check_stop();
        data_.estimate(*estimators[i], *question_.model, own);
      }
      estimates[i] = data_.estimate(*estimators[i], *question_.model, own, &reports[i]);
    });
    if (first == 0) first_ = reports[0];
    for (const GradientEstimator::Report& report : reports) {
      if (!report.negative.meetings) continue;
      if (!meetings_) meetings_.emplace();
      meetings_->add(*report.negative.meetings);
    }
    for (Index i = 0; i < count; ++i) add(estimates[i], static_cast<double>(first + i + 1));
  }

  /// The n-th estimate (Welford 1962).
  void add(const std::vector<double>& g, double n) {
    for (Index k = 0; k < g.size(); ++k) {
      const double change = g[k] - mean_[k];
      mean_[k] += change / n;
      squares_[k] += change * (g[k] - mean_[k]);
    }
  }

  const GradientRequest& request_;
  const GradientQuestion& question_;
  const WholeData& data_;
  const Executor& executor_;
  Index together_;
  Executor alone_;
  std::vector<double> mean_, squares_;
  GradientEstimator::Report first_;
  std::optional<MeetingReport> meetings_;
};

}  // namespace

GradientFigures gradient(const GradientRequest& request, const Registries& builtin) {
  const GradientQuestion question(request, builtin);
  const EnergyModel& model = *question.model;
  const ParameterLayout& parameters = model.parameter_layout();
  const Executor executor(request.threads, request.stop);
  const auto together = static_cast<Index>(
      std::min<std::uint64_t>(request.repeats, static_cast<std::uint64_t>(std::max(executor.threads(), 1))));
  question.check_memory(together);
  const WholeData data(*question.data, model.layout());
  std::optional<std::vector<double>> exact;
  if (question.against) {
    const Execution own{executor, question.random.child("against")};
    question.against->begin(model, data.outline());
    question.against->start(model, own);
    exact = data.estimate(*question.against, model, own);
  }
  Repetition repetition(request, question, data, executor, together);
  repetition.make();
  const std::vector<double>& mean = repetition.mean();
  const std::vector<double> variance = repetition.variance();

  if (!request.output.empty()) write_gradient(request.output, parameters, {mean, variance, exact});

  GradientFigures figures{{}, used(repetition.report().positive), used(repetition.report().negative), {}};
  const std::vector<double>* e = exact ? &*exact : nullptr;
  for (const ParameterBlock& b : parameters.blocks())
    figures.tensors.push_back(compare(b.name, {&b, 1}, mean, variance, request.repeats, e));
  figures.tensors.push_back(compare("all", parameters.blocks(), mean, variance, request.repeats, e));
  figures.own_rows = question.own_rows;
  if (request.display) request.display->finish();
  return figures;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
