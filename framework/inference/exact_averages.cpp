#include <harmonium/framework/inference/exact_averages.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <harmonium/framework/inference/layer_sums.hpp>
#include <harmonium/framework/inference/level_law.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index sum_piece = 16384;

/// ⟨m²⟩ − ⟨m⟩² of the averages that are called so behind the prefix.
double variance(const std::vector<ThermalAverage>& averages, const std::string& prefix) {
  const auto value = [&](const char* name) {
    return std::ranges::find(averages, prefix + name, &ThermalAverage::name)->value;
  };
  return value("squared_magnetization") - value("magnetization") * value("magnetization");
}

}  // namespace

/// Of each state its probability; `energy` is without what normal units that are not held scatter.
std::vector<double> StateSum::law(double beta, const Executor& executor, WeighedEnergy& energy) const {
  std::vector<double> p;
  if (given_) {
    energy = given_->law(beta, states_, agrees_, executor, p);
    return p;
  }
  p.resize(energies_.size());
  const double z = executor.sum_in_order(p.size(), sum_piece, [&](Index begin, Index end) {
    double sum = 0.0;
    for (Index i = begin; i < end; ++i) sum += p[i] = counts(i) ? std::exp(-beta * energies_[i]) : 0.0;
    return sum;
  });
  for (double& each : p) each /= z;
  const double mean = executor.sum_in_order(p.size(), sum_piece, [&](Index begin, Index end) {
    double sum = 0.0;
    for (Index i = begin; i < end; ++i) sum += p[i] * energies_[i];
    return sum;
  });
  const double variance = executor.sum_in_order(p.size(), sum_piece, [&](Index begin, Index end) {
    double sum = 0.0;
    for (Index i = begin; i < end; ++i) sum += p[i] * (energies_[i] - mean) * (energies_[i] - mean);
    return sum;
  });
  energy = {std::log(z) - beta * lowest_, mean + lowest_, variance};
  return p;
}

void StateSum::add_energy(double beta, const WeighedEnergy& energy, ThermalAverages& out) const {
  const auto units = static_cast<double>(num_all_units(model_.layout()));
  // What normal units add is independent of the states, ½ k/β and ½ k/β² (state_energies.hpp).
  const double all = energy.mean + (num_normal_ > 0.0 ? 0.5 * num_normal_ / beta : 0.0);
  add_exact(out.averages, "energy", all);
  add_exact(out.averages, "energy_per_unit", all / units);
  add_exact(out.averages, "specific_heat", (beta * beta * energy.variance + 0.5 * num_normal_) / units);
}

/// Of two replicas ⟨q⟩ = Σ ⟨x_i⟩²/n and ⟨q²⟩ = Σ_ij ⟨x_i x_j⟩²/n².
void StateSum::add_normal(const NormalMoments::At& moments, ThermalAverages& out) const {
  const Index units = what_.num_units();
  const auto n = static_cast<double>(units);
  double mean = 0.0, square = 0.0, overlap = 0.0, squared_overlap = 0.0, pairs = 0.0;
  for (Index i = 0; i < units; ++i) {
    mean += moments.means[i] / n;
    square += moments.product(i, i) / n;
    overlap += moments.means[i] * moments.means[i] / n;
  }
  for (const double product : moments.products) squared_overlap += product * product / n / n;
  add_exact(out.averages, "mean", mean);
  add_exact(out.averages, "mean_square", square);
  add_exact(out.averages, "overlap", overlap);
  add_exact(out.averages, "squared_overlap", squared_overlap);
  const std::vector<LayerObservables::Pair> coupled = what_.coupled_pairs();
  for (const auto& [i, j] : coupled) pairs += moments.product(i, j) / static_cast<double>(coupled.size());
  if (!coupled.empty()) add_exact(out.averages, what_.pair_name(), pairs);
  const auto product = [&](Index one, Index other) { return moments.product(one, other); };
  for (Index k = 0; k < what_.distances().size(); ++k)
    add_exact(out.correlations, what_.names()[what_.names().size() - what_.distances().size() + k],
              what_.mean_at(what_.distances()[k], product));
}

/// The other layers summed out.
std::vector<double> StateSum::law_of_layer(std::vector<double> law, const Executor& executor) const {
  const Index own = of_layer_.size(), outer = law.size() / (own * inner_);
  if (own == law.size()) return law;
  std::vector<double> marginal(own);
  executor.for_each_piece(own, 64, [&](Index begin, Index end) {
    for (Index x = begin; x < end; ++x) {
      double sum = 0.0;
      for (Index o = 0; o < outer; ++o)
        for (Index i = 0; i < inner_; ++i) sum += law[(o * own + x) * inner_ + i];
      marginal[x] = sum;
    }
  });
  return marginal;
}

ExactAverages StateSum::at(double beta, const Executor& executor, const LocalObservables* local) const {
  ExactAverages found{{beta, {}, {}}, {}, {}};
  std::vector<ThermalAverage>& averages = found.thermal.averages;
  WeighedEnergy energy;
  std::vector<double> all = law(beta, executor, energy);
  found.log_z_but_constant = energy.log_weight - (num_normal_ > 0.0 ? 0.5 * num_normal_ * std::log(beta) : 0.0);
  add_energy(beta, energy, found.thermal);
  if (!counted_.contains(what_.layer())) {
    const NormalMoments::At moments = normal_->at(beta, all, executor);
    add_normal(moments, found.thermal);
    if (local) found.local = normal_local_averages(*local, moments);
    return found;
  }
  std::vector<double> own = law_of_layer(std::move(all), executor);
  LayerSums sums = sums_of_layer(model_.layout(), what_, of_layer_, own, executor);
  if (local) found.local = exact_local_averages(model_.layout(), *local, of_layer_, own, executor);
  const auto n = static_cast<double>(what_.num_units());
  const Index num_own = what_.num_of_layer();
  const auto& levels = what_.magnetizations();
  if (levels) {
    const LevelLaw m{levels->first, levels->step, sums.levels};
    add_exact_magnetization(m, beta * n, averages);
    for (Index k = 0; k < m.shares.size(); ++k) found.magnetizations.push_back({m.value(k), m.shares[k]});
  }
  for (Index k = levels ? 1 : 0; k < num_own; ++k) add_exact(averages, what_.names()[k], sums.means[k]);
  if (what_.kind() == LayerObservables::Kind::sites) {
    const auto p = static_cast<double>(num_own);
    const LevelLaw order{-1.0 / (p - 1.0), p / (p - 1.0) / n, std::move(sums.levels)};
    add_exact_order(order, beta * n, averages);
  }
  const Index states = model_.layout()[what_.layer()].unit->num_states();
  if (const auto q = overlap_law_of(what_, states, std::move(own), executor))
    add_exact_overlap(*q, what_, found.thermal);
  if (what_.num_pairs() > 0) add_exact(averages, what_.pair_name(), sums.means[num_own]);
  if (const auto& wave_number = what_.least_wave_number()) {
    const double at_least = sums.means[what_.place_of_structure_factor()];
    add_exact(averages, "structure_factor", at_least);
    add_exact(averages, "correlation_length", correlation_length(n * variance(averages, ""), at_least, *wave_number));
  }
  if (what_.is_staggered())
    add_exact_magnetization({levels->first, levels->step, sums.staggered}, beta * n, averages, "staggered_");
  if (what_.has_staggered_structure_factor()) {
    const double at_least = sums.means[what_.place_of_staggered_structure_factor()];
    add_exact(averages, "staggered_structure_factor", at_least);
    add_exact(averages, "staggered_correlation_length",
              correlation_length(n * variance(averages, "staggered_"), at_least, *what_.least_wave_number()));
  }
  for (Index k = what_.names().size() - what_.distances().size(); k < what_.names().size(); ++k)
    add_exact(found.thermal.correlations, what_.names()[k], sums.means[k]);
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
