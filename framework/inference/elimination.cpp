#include <harmonium/framework/inference/elimination.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/elimination_rules.hpp>
#include <harmonium/framework/inference/elimination_sweep.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// A unit of one state makes no table larger.
void drop_held(std::vector<std::vector<Index>>& neighbors, const std::vector<std::optional<Index>>& held) {
  for (Index u = 0; u < neighbors.size(); ++u) {
    if (held[u]) neighbors[u].clear();
    else std::erase_if(neighbors[u], [&](Index other) { return held[other].has_value(); });
  }
}

/// Integrating over a normal unit leaves a coupling of each two that it is coupled with. Throws by `refuse` where these are
/// so many that they alone make too large a table.
template <class Refuse>
void integrate_over(const Layout& layout, std::vector<std::vector<Index>>& neighbors, double max_bits,
                    const Refuse& refuse) {
  Index unit = 0;
  for (const Layer& layer : layout.layers())
    for (Index u = 0; u < layer.size; ++u, ++unit) {
      if (layer.unit->num_states() > 0) continue;
      const std::vector<Index> partners = std::exchange(neighbors[unit], {});
      if (const double others = static_cast<double>(partners.size()) - 1.0; others > max_bits)
        refuse("at least ", others);
      for (const Index p : partners) {
        std::erase(neighbors[p], unit);
        for (const Index other : partners)
          if (other != p) neighbors[p].push_back(other);
        std::ranges::sort(neighbors[p]);
        neighbors[p].erase(std::unique(neighbors[p].begin(), neighbors[p].end()), neighbors[p].end());
      }
    }
}

/// By weights scaled by a power of two a table, where no term of any sum underflows, and else, at very low temperatures, by their
/// logarithms, which takes several times as long.
template <class Scaled, class Logarithms>
WeighedEnergy swept(const PairwiseFactors& factors, const EliminationOrder& order, double beta,
                    const Executor& executor, Display* display) {
  {
    const EliminationSweep<Scaled> sweep(factors, order, {beta}, executor, display);
    if (!sweep.out_of_range()) return sweep.total();
  }
  return EliminationSweep<Logarithms>(factors, order, {beta}, executor, display).total();
}

}  // namespace

Elimination::Elimination(const EnergyModel& model, double max_bits, const HeldState* held) {
  const auto refuse = [&](const char* how, double bits) {
    throw CapabilityError(fmt::format(
        "summing units out one by one would take a table of {}2^{:.4g} entries, more than the limit of 2^{:g} "
        "(option max_bits). Take a model with fewer couplings, or 'ais'.",
        how, bits, max_bits));
  };
  std::vector<std::vector<Index>> neighbors = coupling_graph(model);
  std::vector<std::optional<Index>> numbers;
  if (held) {
    numbers = numbers_of_held(model.layout(), *held);
    drop_held(neighbors, numbers);
  }
  integrate_over(model.layout(), neighbors, max_bits, refuse);
  // Every other unit has two states or more.
  if (const auto bits = static_cast<double>(degeneracy(neighbors)); bits > max_bits) refuse("at least ", bits);
  factors_ = PairwiseFactors::of(model);
  if (held) factors_.hold(numbers);
  std::vector<Index> states;
  for (const auto& s : factors_.single) states.push_back(s.size());
  order_ = EliminationOrder::of(neighbors, states);
  if (order_.units.size() < states.size()) refuse("at least ", order_.log2_largest);
  if (order_.log2_largest > max_bits) refuse("", order_.log2_largest);
}

double Elimination::log_sum(double beta, const Executor& executor, Display* display) const {
  return swept<ScaledSum, LogSum>(factors_, order_, beta, executor, display).log_weight +
         factors_.normal.log_volume(beta);
}

WeighedEnergy Elimination::energy(double beta, const Executor& executor, Display* display) const {
  WeighedEnergy all = swept<ScaledEnergySum, LogEnergySum>(factors_, order_, beta, executor, display);
  // What k normal units add is independent of the states, ½ k/β and ½ k/β² (state_energies.hpp).
  if (const auto k = static_cast<double>(factors_.normal.units().size()); k > 0.0)
    all += {factors_.normal.log_volume(beta), 0.5 * k / beta, 0.5 * k / (beta * beta)};
  return all;
}

Elimination::GroundState Elimination::ground_state(const Executor& executor, Display* display) const {
  const EliminationSweep<Least> sweep(factors_, order_, {}, executor, display);
  GroundState ground;
  ground.states = sweep.states();
  ground.energy = factors_.energy(ground.states);
  ground.normal = factors_.normal;
  return ground;
}

Chains Elimination::GroundState::row(const Layout& layout) const {
  Chains one(layout, 1);
  write_states(layout, states, one, 0);
  normal.put_means(one);
  return one;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
