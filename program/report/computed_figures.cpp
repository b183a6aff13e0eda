#include <harmonium/program/report/computed_figures.hpp>

#include <limits>

namespace harmonium {
inline namespace v1 {
namespace {

/// As a run calls the likelihood of a part of its data.
std::string likelihood_of_part(const std::string& part) {
  return part == "training" ? "log_likelihood" : part + "_log_likelihood";
}

void add_likelihood(MetricsLog& log, const std::string& name, const Evaluation& found) {
  if (log.find(name) || (!found.log_likelihood && !found.log_likelihood_interval)) return;
  const auto epoch = static_cast<double>(log.epochs);
  log.series.push_back({name, {epoch}, {found.log_likelihood.value_or(std::numeric_limits<double>::quiet_NaN())}});
  if (const auto& interval = found.log_likelihood_interval; interval && interval->low != interval->high) {
    log.series.push_back({name + "_low", {epoch}, {interval->low}});
    log.series.push_back({name + "_high", {epoch}, {interval->high}});
  }
  if (found.rows_error) log.series.push_back({name + "_error", {epoch}, {*found.rows_error}});
}

}  // namespace

std::vector<ComparedRun> with_computed_likelihoods(std::vector<ComparedRun> runs,
                                                   const std::vector<Computed>& computed) {
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const auto& found = computed[r].likelihood.found;
    if (!found || runs[r].state != ComparedRun::State::finished) continue;
    MetricsLog& end = runs[r].final;
    if (end.series.empty()) end.epochs = runs[r].log.epochs, end.updates = runs[r].log.updates;
    for (const auto& [part, own] : found->splits) add_likelihood(end, likelihood_of_part(part), own);
  }
  return runs;
}

std::vector<MetricSeries> computed_likelihoods(const ComparedRun& run, const Computed& computed) {
  const std::vector<MetricSeries> all = with_computed_likelihoods({run}, {computed})[0].final.series;
  return {all.begin() + static_cast<std::ptrdiff_t>(run.final.series.size()), all.end()};
}

}  // namespace v1
}  // namespace harmonium
