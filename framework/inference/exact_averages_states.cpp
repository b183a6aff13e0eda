// The states that `observe --exact` sums over, and their energies.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/energy_differences.hpp>
#include <harmonium/framework/inference/exact_averages.hpp>
#include <harmonium/framework/inference/state_energies.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index energy_piece = 1024, agreement_piece = 16384;

bool holds_any(const HeldState& held, const Layout& layout, LayerSet set) {
  for (const LayerId l : layout.ids(set))
    for (Index u = 0; u < layout[l].size; ++u)
      if (held.holds(l, u)) return true;
  return false;
}

}  // namespace

LayerSet StateSum::summed_over(const EnergyModel& model, LayerId layer, double joint) {
  const Layout& layout = model.layout();
  LayerSet all;
  for (const LayerId l : layout.ids())
    if (layout[l].unit->num_states() > 0) all.add(l);
  const double bits = layout.log2_states(all);
  if (bits <= joint || !all.contains(layer)) return all;
  const std::optional<LayerSet> fewest = ConditionalEnergies::layers_with(model, LayerSet().add(layer));
  return fewest && layout.log2_states(*fewest) < bits ? *fewest : all;
}

double StateSum::log2_states(const EnergyModel& model, LayerId layer) {
  const double joint = StateEnergies::log2_states(model);
  return std::isinf(joint) ? joint : model.layout().log2_states(summed_over(model, layer));
}

double StateSum::bytes(const EnergyModel& model, const LayerObservables& what) {
  const Layout& layout = model.layout();
  LayerSet own;
  own.add(what.layer());
  const double states = std::exp2(log2_states(model, what.layer())), n = static_cast<double>(what.num_units());
  const bool normal = layout[what.layer()].unit->num_states() == 0;
  const bool integrated =
      std::ranges::any_of(layout.layers(), [](const Layer& l) { return l.unit->num_states() == 0; });
  return sizeof(double) * ((integrated ? 3.0 : 2.0) * states +
                           (normal ? n * (states + 2.0 * n) : 2.0 * std::exp2(layout.log2_states(own))));
}

StateSum::StateSum(const EnergyModel& model, const LayerObservables& what, const Executor& executor,
                   const HeldState* held, double joint)
    : model_(model), what_(what), counted_(summed_over(model, what.layer(), joint)) {
  const Layout& layout = model.layout();
  check_energy(model);
  const double bits = layout.log2_states(counted_);
  if (bits > most_bits)
    throw CapabilityError(fmt::format(
        "a sum over all states has 2^{:.4g} of them, and 2^{:g} are the most. Run chains.", bits, most_bits));
  states_ = JointStates(layout, counted_);
  if (counted_.contains(what.layer())) {
    LayerSet own;
    own.add(what.layer());
    of_layer_ = JointStates(layout, own);
    inner_ = states_.digit(what.layer(), 0).stride;
  }
  const bool others_have_states = std::ranges::any_of(layout.ids(layout.all() - counted_),
                                                      [&](LayerId l) { return layout[l].unit->num_states() > 0; });
  if (others_have_states) {
    given_.emplace(model, counted_, held);
    num_normal_ = static_cast<double>(given_->num_normal());
  } else {
    find_energies(executor, held);
  }
  if (held) leave_out(*held, executor);
  num_states_ = agrees_.empty() ? states_.size() : static_cast<std::uint64_t>(std::ranges::count(agrees_, 1));
  if (given_) {
    lowest_ = given_->lowest(states_, agrees_, executor).energy;
    return;
  }
  lowest_ = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < energies_.size(); ++i)
    if (counts(i)) lowest_ = std::min(lowest_, energies_[i]);
  for (double& e : energies_) e -= lowest_;
}

/// Those of joint states.
void StateSum::find_energies(const Executor& executor, const HeldState* held) {
  const Layout& layout = model_.layout();
  const StateEnergies energies(model_);
  num_normal_ = static_cast<double>(energies.num_normal());
  const bool holds_normal = held && holds_any(*held, layout, layout.all() - counted_);
  if (holds_normal || !counted_.contains(what_.layer()))
    normal_.emplace(model_, states_, what_.layer(), executor, held);
  energies_.resize(states_.size());
  executor.for_each_piece(states_.size(), 16 * energy_piece, [&](Index first, Index last) {
    Chains rows(layout, std::min<Index>(energy_piece, states_.size()));
    for (Index begin = first; begin < last; begin += energy_piece) {
      const Index end = std::min(last, begin + energy_piece);
      states_.write(begin, end, rows);
      energies.evaluate(rows, std::span(energies_).subspan(begin, end - begin));
    }
  });
  if (holds_normal) {  // those of all states have told whether the precision is the same in them
    energies_ = normal_->least_energies();
    num_normal_ = static_cast<double>(normal_->num_free());
  }
  check_finite(energies_);
}

/// Finds the states in which the held units of the layers that have states are as they are held.
void StateSum::leave_out(const HeldState& held, const Executor& executor) {
  const Layout& layout = model_.layout();
  Chains row(layout, 1);
  states_.write(0, 1, row);
  held.write(row);
  const std::uint64_t number = states_.number(row, 0);
  std::vector<JointStates::Digit> digits;
  for (const LayerId l : layout.ids()) {
    if (!counted_.contains(l)) continue;
    for (Index u = 0; u < layout[l].size; ++u)
      if (held.holds(l, u)) digits.push_back(states_.digit(l, u));
  }
  agrees_.resize(states_.size());
  executor.for_each_piece(states_.size(), agreement_piece, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      agrees_[i] = std::ranges::all_of(
          digits, [&](const JointStates::Digit& d) { return i / d.stride % d.states == number / d.stride % d.states; });
  });
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
