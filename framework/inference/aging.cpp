#include <harmonium/framework/inference/aging.hpp>

#include <algorithm>
#include <cmath>

#include <xtensor-blas/xlinalg.hpp>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/inference/annealing.hpp>
#include <harmonium/framework/inference/finite_chains.hpp>
#include <harmonium/framework/inference/moment_agreement.hpp>
#include <harmonium/framework/inference/rungs.hpp>
#include <harmonium/framework/inference/works.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index groups = 16, chains_per_group = AgingPlan::num_chains / groups;
constexpr Index aged_columns = 60, aged_rows = 5000;
constexpr Index enough_rows = 50;  // for their noise to be known
constexpr double missed = 0.05;    // of cases at the distance that is told

Matrix<double> second_moments(const Matrix<double>& x) {
  const BlasCall room;
  return xt::linalg::dot(xt::transpose(x), x) / static_cast<double>(x.shape(0));
}

bool is_power_of_four(Index t) {
  while (t % 4 == 0 && t > 0) t /= 4;
  return t == 1;
}

/// What the chains are at one time.
struct Snapshot {
  AgingPoint point;
  Matrix<double> apart;  ///< mean over groups of E[x xᵀ] − that of the data
  Matrix<double> gram;   ///< of the groups' differences, over the number of entries
};

Snapshot look(const EnergyModel& model, const Chains& chains, const std::vector<ObservedColumn>& columns,
              const Matrix<double>& of_data, Index step) {
  Snapshot now;
  now.point.step = step;
  std::vector<double> energies(chains.size());
  model.energy(chains.real(), energies);
  const Mean energy = mean_of_groups(energies);
  now.point.energy = energy.mean;
  now.point.error = std::sqrt(energy.variance_of_mean);

  const Matrix<double> x = values_of(chains, columns, 0, 1);
  const Index entries = of_data.size();
  Matrix<double> differences = xt::zeros<double>({groups, entries});
  for (Index g = 0; g < groups; ++g) {
    const Matrix<double> own = xt::view(x, xt::range(g * chains_per_group, (g + 1) * chains_per_group), xt::all());
    const Matrix<double> apart = second_moments(own) - of_data;
    std::ranges::copy(apart, differences.begin() + static_cast<std::ptrdiff_t>(g * entries));
  }
  const Vector<double> mean = xt::mean(differences, {0});
  now.apart = of_data;
  std::ranges::copy(mean, now.apart.begin());
  const BlasCall room;
  now.gram = xt::linalg::dot(differences, xt::transpose(differences)) / static_cast<double>(entries);
  return now;
}

/// Mean over pairs of groups, without that of number `left_out`: the squared distance without what noise adds.
double squared_distance(const Matrix<double>& gram, Index left_out = groups) {
  double sum = 0.0, pairs = 0.0;
  for (Index g = 0; g < groups; ++g)
    for (Index h = 0; h < groups; ++h)
      if (g != h && g != left_out && h != left_out) {
        sum += gram(g, h);
        pairs += 1.0;
      }
  return sum / pairs;
}

/// How much farther from the data, in squared distance, the chains are at the end than at k.
struct Gain {
  double value = 0.0, error = 0.0;  ///< one standard error
  double groups = 0.0;              ///< from so many values, or the fewer rows of the data, this error is
};

/// The error: a jackknife over groups of chains, and the noise of the data's own moments along what changed in between.
Gain gain_from(const Snapshot& k, const Snapshot& end, const Matrix<double>& data) {
  const Matrix<double> change = end.gram - k.gram;
  const double gain = squared_distance(change);
  double of_chains = 0.0;
  for (Index g = 0; g < groups; ++g) {
    const double apart = squared_distance(change, g) - gain;
    of_chains += apart * apart * static_cast<double>(groups - 1) / static_cast<double>(groups);
  }
  // ∂ gain / ∂(moments of the data) = 2 (apart at k − apart at the end), over the number of entries.
  const Matrix<double> slope = 2.0 * (k.apart - end.apart) / static_cast<double>(k.apart.size());
  Matrix<double> along;
  {
    const BlasCall room;
    along = xt::linalg::dot(data, slope);
  }
  const Vector<double> of_rows = xt::sum(along * data, {1});
  const std::vector<double> values(of_rows.begin(), of_rows.end());
  const double of_data = mean_of_groups(values).variance_of_mean;
  return {gain, std::sqrt(of_chains + of_data), static_cast<double>(std::min(groups, values.size()))};
}

/// A one-sided test that the chains were closer to the data after k steps, and the distance at the end that it tells in 19 of 20
/// cases: one that is beyond the threshold by as much as noise takes off in one case of 20. The threshold is noise as well: errors
/// that are told from n values scatter by 1 / sqrt(2 (n − 1)) of themselves.
void decide(const Snapshot& k, const Snapshot& end, const Matrix<double>& data, double false_alarm,
            AgingReport& report) {
  const Gain gain = gain_from(k, end, data);
  const double errors = half_interval(gain.groups, 2.0 * false_alarm), threshold = errors * gain.error,
               noise = gain.error * std::sqrt(1.0 + errors * errors / (2.0 * (gain.groups - 1.0))),
               reserve = half_interval(gain.groups, 2.0 * missed) * noise;
  report.out_of_equilibrium = gain.value > threshold;
  report.at_k = k.point.distance;
  report.at_end = end.point.distance;
  report.told_from = std::sqrt(report.at_k * report.at_k + threshold + reserve);
}

}  // namespace

AgingReport examine_aging(const EnergyModel& model, Sampler& sampler, const Chains& data, const AgingPlan& plan,
                          const Execution& execution) {
  const Target target{.model = model, .beta = plan.beta};
  sampler.check(target);
  if (data.size() < 2) throw ConfigError("fresh chains are compared with two rows of data or more.");
  const Layout& layout = model.layout();
  const std::vector<ObservedColumn> columns = observed_columns(layout, aged_columns);
  const Index stride = (data.size() + aged_rows - 1) / aged_rows;
  const Matrix<double> rows = values_of(data, columns, 0, stride), of_data = second_moments(rows);
  const Index rungs = sampler.rungs();
  Chains chains(layout, AgingPlan::num_chains * rungs);
  AnnealingBase::uniform(model).draw(nullptr, execution.random.child("start"), chains);
  assign_rungs(chains, rungs);

  AgingReport report;
  std::optional<Snapshot> at_k;
  Snapshot last;
  for (Index t = 1; t <= plan.num_steps; ++t) {
    sampler.advance(target, chains, 1, execution.part("sampler"));
    check_finite(chains, layout);
    execution.executor.check_stop();
    if (execution.display)
      execution.display->progress(static_cast<double>(t) / static_cast<double>(plan.num_steps), "from uniform draws");
    const bool is_k = plan.trained_steps && *plan.trained_steps == t;
    if (!is_power_of_four(t) && !is_k && t != plan.num_steps) continue;
    last = look(model, rungs == 1 ? chains : rows_at_target(chains, layout), columns, of_data, t);
    last.point.distance = std::sqrt(std::max(0.0, squared_distance(last.gram)));
    report.points.push_back(last.point);
    if (is_k) at_k = last;
  }
  if (at_k && at_k->point.step < plan.num_steps && data.size() >= enough_rows)
    decide(*at_k, last, rows, plan.false_alarm, report);
  return report;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
