#include <harmonium/framework/inference/exact_averages.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/energy_differences.hpp>
#include <harmonium/framework/inference/layer_sums.hpp>
#include <harmonium/framework/inference/level_law.hpp>
#include <harmonium/framework/inference/state_energies.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index energy_piece = 1024, sum_piece = 16384;

bool holds_any(const HeldState& held, const Layout& layout, LayerSet set) {
  for (const LayerId l : layout.ids(set))
    for (Index u = 0; u < layout[l].size; ++u)
      if (held.holds(l, u)) return true;
  return false;
}

}  // namespace

double StateSum::bytes(const EnergyModel& model, const LayerObservables& what) {
  const Layout& layout = model.layout();
  LayerSet own;
  own.add(what.layer());
  const double states = std::exp2(StateEnergies::log2_states(model)), n = static_cast<double>(what.num_units());
  const bool normal = layout[what.layer()].unit->num_states() == 0;
  const bool integrated =
      std::ranges::any_of(layout.layers(), [](const Layer& l) { return l.unit->num_states() == 0; });
  return sizeof(double) * ((integrated ? 3.0 : 2.0) * states +
                           (normal ? n * (states + 2.0 * n) : 2.0 * std::exp2(layout.log2_states(own))));
}

StateSum::StateSum(const EnergyModel& model, const LayerObservables& what, const Executor& executor,
                   const HeldState* held)
    : model_(model), what_(what) {
  const Layout& layout = model.layout();
  check_energy(model);
  const StateEnergies energies(model);
  counted_ = energies.counted();
  num_normal_ = static_cast<double>(energies.num_normal());
  const double bits = layout.log2_states(counted_);
  if (bits > most_bits)
    throw CapabilityError(fmt::format(
        "a sum over all states has 2^{:.4g} of them, and 2^{:g} are the most. Run chains.", bits, most_bits));
  const JointStates states(layout, counted_);
  if (counted_.contains(what.layer())) {
    LayerSet own;
    own.add(what.layer());
    of_layer_ = JointStates(layout, own);
    inner_ = states.digit(what.layer(), 0).stride;
  }
  const bool holds_normal = held && holds_any(*held, layout, layout.all() - counted_);
  if (holds_normal || !counted_.contains(what.layer())) normal_.emplace(model, states, what.layer(), executor, held);
  energies_.resize(states.size());
  executor.for_each_piece(states.size(), 16 * energy_piece, [&](Index first, Index last) {
    Chains rows(layout, std::min<Index>(energy_piece, states.size()));
    for (Index begin = first; begin < last; begin += energy_piece) {
      const Index end = std::min(last, begin + energy_piece);
      states.write(begin, end, rows);
      energies.evaluate(rows, std::span(energies_).subspan(begin, end - begin));
    }
  });
  if (holds_normal) {  // those of all states have told whether the precision is the same in them
    energies_ = normal_->least_energies();
    num_normal_ = static_cast<double>(normal_->num_free());
  }
  if (!std::ranges::all_of(energies_, [](double e) { return std::isfinite(e); }))
    throw NumericalError(
        "the energy of a state is no number, so that no average is one. Look at the parameters of the model.");
  if (held) leave_out(*held, states, executor);
  num_states_ = agrees_.empty() ? states.size() : static_cast<std::uint64_t>(std::ranges::count(agrees_, 1));
  lowest_ = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < energies_.size(); ++i)
    if (counts(i)) lowest_ = std::min(lowest_, energies_[i]);
  for (double& e : energies_) e -= lowest_;
}

/// Finds the states in which the held units of the layers that have states are as they are held.
void StateSum::leave_out(const HeldState& held, const JointStates& states, const Executor& executor) {
  const Layout& layout = model_.layout();
  Chains row(layout, 1);
  states.write(0, 1, row);
  held.write(row);
  const std::uint64_t number = states.number(row, 0);
  std::vector<JointStates::Digit> digits;
  for (const LayerId l : layout.ids()) {
    if (!counted_.contains(l)) continue;
    for (Index u = 0; u < layout[l].size; ++u)
      if (held.holds(l, u)) digits.push_back(states.digit(l, u));
  }
  agrees_.resize(states.size());
  executor.for_each_piece(states.size(), sum_piece, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      agrees_[i] = std::ranges::all_of(
          digits, [&](const JointStates::Digit& d) { return i / d.stride % d.states == number / d.stride % d.states; });
  });
}

std::vector<double> StateSum::law(double beta, const Executor& executor, double& log_z) const {
  std::vector<double> p(energies_.size());
  const double z = executor.sum_in_order(p.size(), sum_piece, [&](Index begin, Index end) {
    double sum = 0.0;
    for (Index i = begin; i < end; ++i) sum += p[i] = counts(i) ? std::exp(-beta * energies_[i]) : 0.0;
    return sum;
  });
  for (double& each : p) each /= z;
  log_z = std::log(z) - beta * lowest_ - (num_normal_ > 0.0 ? 0.5 * num_normal_ * std::log(beta) : 0.0);
  return p;
}

void StateSum::add_energy(double beta, const std::vector<double>& law, const Executor& executor,
                          ThermalAverages& out) const {
  const double mean = executor.sum_in_order(law.size(), sum_piece, [&](Index begin, Index end) {
    double sum = 0.0;
    for (Index i = begin; i < end; ++i) sum += law[i] * energies_[i];
    return sum;
  });
  const double variance = executor.sum_in_order(law.size(), sum_piece, [&](Index begin, Index end) {
    double sum = 0.0;
    for (Index i = begin; i < end; ++i) sum += law[i] * (energies_[i] - mean) * (energies_[i] - mean);
    return sum;
  });
  const auto units = static_cast<double>(num_all_units(model_.layout()));
  // What normal units add is independent of the states, ½ k/β and ½ k/β² (state_energies.hpp).
  const double all = mean + lowest_ + (num_normal_ > 0.0 ? 0.5 * num_normal_ / beta : 0.0);
  add_exact(out.averages, "energy", all);
  add_exact(out.averages, "energy_per_unit", all / units);
  add_exact(out.averages, "specific_heat", (beta * beta * variance + 0.5 * num_normal_) / units);
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
  std::vector<double> all = law(beta, executor, found.log_z_but_constant);
  add_energy(beta, all, executor, found.thermal);
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
    const double squares = std::ranges::find(averages, "squared_magnetization", &ThermalAverage::name)->value;
    add_exact(averages, "structure_factor", at_least);
    add_exact(averages, "correlation_length", correlation_length(n * squares, at_least, *wave_number));
  }
  for (Index k = what_.names().size() - what_.distances().size(); k < what_.names().size(); ++k)
    add_exact(found.thermal.correlations, what_.names()[k], sums.means[k]);
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
