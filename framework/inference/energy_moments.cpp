#include <harmonium/framework/inference/energy_moments.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/inference/elimination.hpp>
#include <harmonium/framework/inference/joint_states.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double few_enumerated_bits = 18, most_enumerated_bits = 24;  // of joint states: an instant, and some seconds
constexpr double most_table_bits = 20, most_work_bits = 26;            // of elimination: some seconds
constexpr Index most_degeneracy = 12;                                  // denser graphs leave no small tables

/// Over the joint states of all units; [begin, end) at a time.
EnergyMoments by_enumeration(const EnergyModel& model, double beta, const Executor& executor) {
  constexpr std::uint64_t piece = 1024;
  const JointStates states(model.layout(), model.layout().all());
  const std::uint64_t pieces = (states.size() + piece - 1) / piece;
  std::vector<WeighedEnergy> parts(pieces);
  std::vector<double> least(pieces);
  executor.for_each_piece(pieces, 16, [&](Index first, Index last) {
    Chains rows(model.layout(), std::min(piece, states.size()));
    std::vector<double> energies(rows.size());
    std::vector<WeighedEnergy> weighed;
    for (Index p = first; p < last; ++p) {
      executor.check_stop();
      const std::uint64_t begin = p * piece, end = std::min(states.size(), begin + piece);
      states.write(begin, end, rows);
      const std::span<double> own = std::span(energies).first(end - begin);
      model.energy({rows, 0, end - begin}, own);
      weighed.clear();
      for (const double e : own) weighed.push_back({-beta * e, e, 0.0});
      parts[p] = mixture(weighed);
      least[p] = *std::ranges::min_element(own);
    }
  });
  const WeighedEnergy all = mixture(parts);
  return {all.mean, all.variance, *std::ranges::min_element(least)};
}

/// Where it takes little; nothing where not.
std::optional<Elimination> quick_elimination(const EnergyModel& model) {
  try {
    if (degeneracy(coupling_graph(model)) > most_degeneracy) return {};
    std::optional<Elimination> elimination(std::in_place, model, most_table_bits);
    if (elimination->order().log2_work > most_work_bits) return {};
    return elimination;
  } catch (const CapabilityError&) {
    return {};
  }
}

std::optional<EnergyMoments> by_elimination(const EnergyModel& model, double beta, const Executor& executor) {
  const std::optional<Elimination> elimination = quick_elimination(model);
  if (!elimination) return {};
  try {
    const WeighedEnergy all = elimination->energy(beta, executor);
    return EnergyMoments{all.mean, all.variance, elimination->ground_state(executor).energy};
  } catch (const CapabilityError&) {
    return {};
  }
}

/// Of each state its energy, two exponentials, and what writing it takes.
double work_of_enumeration(const EnergyModel& model) {
  constexpr double exponentials = 40.0, writing_a_unit = 30.0;
  const Layout& layout = model.layout();
  double units = 0.0;
  for (const Layer& layer : layout.layers()) units += static_cast<double>(layer.size);
  const double of_energy = model.free_energy() ? model.free_energy()->operations(layout.all())
                                               : 2.0 * static_cast<double>(model.parameters().size());
  return std::exp2(layout.log2_states(layout.all())) * (of_energy + exponentials + writing_a_unit * units);
}

}  // namespace

WeighedEnergy mixture(std::span<const WeighedEnergy> parts) {
  double most = -std::numeric_limits<double>::infinity();
  for (const WeighedEnergy& p : parts) most = std::max(most, p.log_weight);
  double sum = 0.0, mean = 0.0, variance = 0.0;
  for (const WeighedEnergy& p : parts) {
    const double share = std::exp(p.log_weight - most);
    sum += share;
    mean += share * p.mean;
  }
  mean /= sum;
  for (const WeighedEnergy& p : parts)
    variance += std::exp(p.log_weight - most) * (p.variance + (p.mean - mean) * (p.mean - mean));
  return {most + std::log(sum), mean, variance / sum};
}

bool has_few_states(const Layout& layout) { return layout.log2_states(layout.all()) <= most_enumerated_bits; }

EnergyMoments energy_moments(const EnergyModel& model, double beta, const Executor& executor) {
  const Layout& layout = model.layout();
  for (const Layer& layer : layout.layers())
    if (layer.unit->num_states() == 0)
      throw CapabilityError(fmt::format(
          "it is a sum over all states, and units of layer '{}' are continuous. 'harmonium observe' measures it.",
          layer.name));
  const double bits = layout.log2_states(layout.all());
  if (bits <= few_enumerated_bits) return by_enumeration(model, beta, executor);
  if (const auto found = by_elimination(model, beta, executor)) return *found;
  if (has_few_states(layout)) return by_enumeration(model, beta, executor);
  throw CapabilityError(fmt::format(
      "it is a sum over all states of all units, which are 2^{:.4g} and may be 2^{:g}, or takes couplings so "
      "sparse that units can be summed out one by one with tables of at most 2^{:g} numbers and 2^{:g} "
      "additions in all. 'harmonium observe' measures it.",
      bits, most_enumerated_bits, most_table_bits, most_work_bits));
}

EnergyMomentsWork energy_moments_work(const EnergyModel& model) {
  constexpr double of_an_entry = 160.0;  // a mean and a variance, with exponentials, and the least energy
  const Layout& layout = model.layout();
  for (const Layer& layer : layout.layers())
    if (layer.unit->num_states() == 0) return {};
  if (layout.log2_states(layout.all()) > few_enumerated_bits)
    if (const auto elimination = quick_elimination(model))
      return {.of_tables = of_an_entry * std::exp2(elimination->order().log2_work)};
  if (!has_few_states(layout)) return {};
  return {.of_states = work_of_enumeration(model)};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
