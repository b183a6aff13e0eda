#include <string>

#include <harmonium/framework/training/metrics.hpp>
#include <harmonium/framework/training/metrics_of_updates.hpp>
#include <harmonium/framework/training/mixing_metric.hpp>

/// Which figures each metric adds to the record, and which way they are better.
namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The figures of each part of the data that there is; none where the metric is never due.
std::vector<MeasuredFigure> of_each_part(const RunOutline& run, Index every,
                                         const std::vector<MeasuredFigure>& of_a_part) {
  std::vector<MeasuredFigure> all;
  const auto part = [&](const char* prefix, const Dataset* data) {
    if (!data || every == 0) return;
    for (MeasuredFigure figure : of_a_part) {
      figure.name = prefix + figure.name;
      figure.every = every;
      all.push_back(std::move(figure));
    }
  };
  part("", run.data.train);
  part("validation_", run.data.validation);
  part("test_", run.data.test);
  return all;
}

}  // namespace

std::vector<MeasuredFigure> LogLikelihoodMetric::figures(const RunOutline& run) const {
  // Where log Z is exact there is neither an error nor an interval in the record.
  std::vector<MeasuredFigure> all =
      of_each_part(run, every_, {{.name = "log_likelihood", .goal = Goal::greater, .error = "log_z_error"}});
  if (every_ > 0) all.push_back({.name = "log_z", .every = every_, .error = "log_z_error"});
  return all;
}

std::vector<MeasuredFigure> PseudoLikelihoodMetric::figures(const RunOutline& run) const {
  return of_each_part(run, options_.metric.every, {{.name = "pseudo_log_likelihood", .goal = Goal::greater}});
}

std::vector<MeasuredFigure> ReconstructionErrorMetric::figures(const RunOutline& run) const {
  return of_each_part(run, options_.metric.every, {{.name = "reconstruction_error", .goal = Goal::less}});
}

std::vector<MeasuredFigure> ClassificationMetric::figures(const RunOutline& run) const {
  return of_each_part(
      run, options_.metric.every,
      {{.name = "accuracy", .goal = Goal::greater}, {.name = "label_log_likelihood", .goal = Goal::greater}});
}

std::vector<MeasuredFigure> FreeEnergyGapMetric::figures(const RunOutline&) const {
  if (options_.metric.every == 0) return {};
  return {{.name = "free_energy_gap", .every = options_.metric.every}};  // best near 0
}

std::vector<MeasuredFigure> GradientNormMetric::figures(const RunOutline&) const { return {{.name = "gradient_norm"}}; }

std::vector<MeasuredFigure> PosteriorBoundMetric::figures(const RunOutline&) const {
  return {{.name = "posterior_bound", .goal = Goal::greater}, {.name = "mean_field_iterations"}};
}

std::vector<MeasuredFigure> LossMetric::figures(const RunOutline&) const {
  return {{.name = "loss", .goal = Goal::less}};
}

std::vector<MeasuredFigure> EstimatorFiguresMetric::figures(const RunOutline&) const {
  std::vector<MeasuredFigure> all;
  for (const auto& entry : figures_) all.push_back({.name = "estimator." + entry.first});
  return all;
}

std::vector<MeasuredFigure> MeetingTimesMetric::figures(const RunOutline&) const {
  return {{.name = "meeting_time.mean", .goal = Goal::less}, {.name = "meeting_time.most", .goal = Goal::less}};
}

std::vector<MeasuredFigure> TemperingMetric::figures(const RunOutline&) const {
  return {{.name = "swap_rate.min", .goal = Goal::greater},
          {.name = "swap_rate.mean", .goal = Goal::greater},
          {.name = "round_trips", .goal = Goal::greater}};
}

std::vector<MeasuredFigure> AcceptanceMetric::figures(const RunOutline&) const {
  return {{.name = "acceptance"}, {.name = "acceptance.positive"}};
}

std::vector<MeasuredFigure> WeightNormsMetric::figures(const RunOutline& run) const {
  std::vector<MeasuredFigure> all;
  for (const ParameterBlock& b : run.model.parameter_layout().blocks()) all.push_back({.name = "norm." + b.name});
  return all;
}

std::vector<MeasuredFigure> MixingMetric::figures(const RunOutline&) const {
  if (options_.every == 0) return {};
  std::vector<MeasuredFigure> all{{.name = "mixing.mixed", .goal = Goal::greater},
                                  {.name = "mixing.autocorrelation_time", .goal = Goal::less},
                                  {.name = "mixing.effective_samples", .goal = Goal::greater},
                                  {.name = "mixing.r_hat", .goal = Goal::less},
                                  {.name = "mixing.singular_value"},
                                  {.name = "moments.means", .goal = Goal::greater},
                                  {.name = "moments.means_slope"},
                                  {.name = "moments.correlations", .goal = Goal::greater},
                                  {.name = "moments.correlations_slope"}};
  for (MeasuredFigure& figure : all) figure.every = options_.every;
  return all;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
