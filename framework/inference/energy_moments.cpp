#include <harmonium/framework/inference/energy_moments.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/execution/part_of_work.hpp>
#include <harmonium/framework/inference/conditional_energies.hpp>
#include <harmonium/framework/inference/elimination.hpp>
#include <harmonium/framework/inference/joint_states.hpp>
#include <harmonium/framework/inference/normal_units.hpp>
#include <harmonium/framework/inference/state_energies.hpp>
#include <harmonium/framework/model/domain.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double few_enumerated_bits = 18, most_enumerated_bits = 24;  // of joint states: an instant, and some seconds
constexpr double few_given_bits = 16;  // of states given which many units are summed out: some seconds

/// Over the joint states of all units that have states; [begin, end) at a time. What k normal ones add is independent of these:
/// k/(2β) to the mean, and k/(2β²) to the variance.
EnergyMoments by_enumeration(const EnergyModel& model, double beta, const Executor& executor) {
  constexpr std::uint64_t piece = 1024;
  const StateEnergies of_states(model);
  const JointStates states(model.layout(), of_states.counted());
  const std::uint64_t pieces = (states.size() + piece - 1) / piece;
  std::vector<WeighedEnergy> parts(pieces);
  std::vector<double> least(pieces);
  std::vector<std::uint64_t> lowest(pieces);  // the number of a state of that energy
  executor.for_each_piece(pieces, 16, [&](Index first, Index last) {
    Chains rows(model.layout(), std::min(piece, states.size()));
    std::vector<double> energies(rows.size());
    std::vector<WeighedEnergy> weighed;
    for (Index p = first; p < last; ++p) {
      executor.check_stop();
      const std::uint64_t begin = p * piece, end = std::min(states.size(), begin + piece);
      states.write(begin, end, rows);
      const std::span<double> own = std::span(energies).first(end - begin);
      of_states.evaluate(rows, own);
      weighed.clear();
      for (const double e : own) weighed.push_back({-beta * e, e, 0.0});
      parts[p] = mixture(weighed);
      const auto best = std::ranges::min_element(own);
      least[p] = *best;
      lowest[p] = begin + static_cast<std::uint64_t>(best - own.begin());
    }
  });
  const WeighedEnergy all = mixture(parts);
  const double each = of_states.num_normal() > 0 ? 0.5 * static_cast<double>(of_states.num_normal()) / beta : 0.0;
  const auto best = std::ranges::min_element(least);
  EnergyMoments found{all.mean + each, all.variance + (each > 0.0 ? each / beta : 0.0), *best};
  const std::optional<NormalUnits> normal = NormalUnits::of(model);
  if (!normal) return found;
  const std::uint64_t state = lowest[static_cast<Index>(best - least.begin())];
  Chains& row = found.ground_state.emplace(model.layout(), 1);
  states.write(state, state + 1, row);
  normal->put_means(row);
  return found;
}

/// Those of `given` alone, given which all other units are summed out.
EnergyMoments by_conditionals(const EnergyModel& model, LayerSet given, double beta, const Executor& executor) {
  const ConditionalEnergies energies(model, given, nullptr);
  const JointStates states(model.layout(), given);
  const auto [lowest, state] = energies.lowest(states, {}, executor);
  std::vector<double> shares;
  const WeighedEnergy all = energies.law(beta, states, {}, executor, shares);
  const double each = energies.num_normal() > 0 ? 0.5 * static_cast<double>(energies.num_normal()) / beta : 0.0;
  EnergyMoments found{all.mean + each, all.variance + (each > 0.0 ? each / beta : 0.0), lowest};
  Chains& row = found.ground_state.emplace(model.layout(), 1);
  states.write(state, state + 1, row);
  energies.settle(row);
  return found;
}

/// The layers of such a sum, of at most 2^16 states, which are fewer than those of all units.
std::optional<LayerSet> given_few(const EnergyModel& model) {
  const std::optional<LayerSet> given = ConditionalEnergies::layers_with(model, {});
  const double bits = given ? model.layout().log2_states(*given) : 0.0;
  if (!given || bits > few_given_bits || bits >= StateEnergies::log2_states(model)) return {};
  return given;
}

/// Where it keeps the limits; nothing where not.
std::optional<Elimination> elimination_within(const EnergyModel& model, const EliminationLimits& limits) {
  try {
    if (degeneracy(coupling_graph(model)) > limits.degeneracy) return {};
    std::optional<Elimination> elimination(std::in_place, model, limits.table_bits);
    if (elimination->order().log2_work > limits.work_bits) return {};
    return elimination;
  } catch (const CapabilityError&) {
    return {};
  }
}

std::optional<EnergyMoments> by_elimination(const EnergyModel& model, double beta, const Executor& executor,
                                            const EliminationLimits& limits, Display* display) {
  const std::optional<Elimination> elimination = elimination_within(model, limits);
  if (!elimination) return {};
  PartOfWork sum(display, 0.0, limits.ground_state ? 0.6 : 1.0, "mean energy"),
      least(display, 0.6, 1.0, "ground state");
  const WeighedEnergy all = elimination->energy(beta, executor, &sum);
  if (!limits.ground_state) return EnergyMoments{all.mean, all.variance, std::numeric_limits<double>::quiet_NaN()};
  const Elimination::GroundState ground = elimination->ground_state(executor, &least);
  return EnergyMoments{all.mean, all.variance, ground.energy, ground.row(model.layout())};
}

/// Of each state its energy, two exponentials, and what writing it takes.
double work_of_enumeration(const EnergyModel& model) {
  constexpr double exponentials = 40.0, writing_a_unit = 30.0;
  const Layout& layout = model.layout();
  LayerSet counted;
  double units = 0.0;
  for (const LayerId l : layout.ids())
    if (layout[l].unit->num_states() > 0) {
      counted.add(l);
      units += static_cast<double>(layout[l].size);
    }
  const double free_energies = (layout.all() - counted).empty() ? 1.0 : 2.0;
  const double of_energy = model.free_energy() ? free_energies * model.free_energy()->operations(counted)
                                               : 2.0 * static_cast<double>(model.parameters().size());
  return std::exp2(layout.log2_states(counted)) * (of_energy + exponentials + writing_a_unit * units);
}

/// Of each state, once for the moments and once for the least: an energy, fields, and of each unit that is summed out exponentials.
double work_of_conditionals(const EnergyModel& model, LayerSet given) {
  constexpr double of_a_unit = 80.0;
  const Layout& layout = model.layout();
  const double units = static_cast<double>(layout.columns(layout.all())),
               products = 2.0 * static_cast<double>(model.parameters().size());
  return 2.0 * std::exp2(layout.log2_states(given)) * (2.0 * products + of_a_unit * units);
}

/// The first layer whose units are in the way of a sum over states.
const Layer* continuous_layer(const EnergyModel& model) {
  if (!std::isinf(StateEnergies::log2_states(model))) return nullptr;
  const Layer* found = nullptr;
  for (const Layer& layer : model.layout().layers())
    if (layer.unit->num_states() == 0 && (!found || (is_normal(*found->unit) && !is_normal(*layer.unit))))
      found = &layer;
  return found;
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

EnergyMoments energy_moments(const EnergyModel& model, double beta, const Executor& executor,
                             const EliminationLimits& limits, Display* display) {
  if (const Layer* layer = continuous_layer(model))
    throw CapabilityError(
        fmt::format("it is a sum over all states, and units of layer '{}' are continuous. 'harmonium observe' measures "
                    "it.",
                    layer->name));
  const double bits = StateEnergies::log2_states(model);
  if (bits <= few_enumerated_bits) return by_enumeration(model, beta, executor);
  if (const auto given = given_few(model)) return by_conditionals(model, *given, beta, executor);
  if (const auto found = by_elimination(model, beta, executor, limits, display)) return *found;
  if (bits <= most_enumerated_bits) return by_enumeration(model, beta, executor);
  throw CapabilityError(
      fmt::format("it is a sum over all states of all units, which are 2^{:.4g} and may be 2^{:g}, or takes couplings "
                  "so sparse that "
                  "units can be summed out one by one with small tables. 'harmonium observe' measures it.",
                  bits, most_enumerated_bits));
}

EnergyMomentsWork energy_moments_work(const EnergyModel& model, const EliminationLimits& limits) {
  // A mean and a variance; and the least energy.
  const double of_an_entry = limits.ground_state ? 30.0 : 20.0;
  const double bits = StateEnergies::log2_states(model);
  if (continuous_layer(model)) return {};
  if (bits > few_enumerated_bits) {
    if (const auto given = given_few(model)) return {.of_states = work_of_conditionals(model, *given)};
    if (const auto elimination = elimination_within(model, limits))
      return {.of_tables = of_an_entry * std::exp2(elimination->order().log2_work),
              .table_bytes = sizeof(WeighedEnergy) * std::exp2(elimination->order().log2_held)};
  }
  if (bits > most_enumerated_bits) return {};
  return {.of_states = work_of_enumeration(model)};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
