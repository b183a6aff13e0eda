#include <harmonium/framework/inference/descent.hpp>

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index rows_a_task = 64;  // rows of one task

/// Rows [begin, end): one sweep over all blocks; whether anything changed.
bool sweep(const EnergyModel& model, ChainView x, const HeldMask* held) {
  const BlockConditionals& conditionals = *model.block_conditionals();
  const Layout& layout = model.layout();
  bool changed = false;
  for (const Block& block : conditionals.blocks()) {
    if (held && held->holds(block.layer)) continue;
    const UnitType& unit = *layout[block.layer].unit;
    const Index width = unit.width();
    UnitBuffer buffer(unit, x.rows(), block.size * width);
    const Fields fields = buffer.fields();
    const UnitStates states(unit);
    conditionals.fields(block, 0, block.size, x, fields);
    const auto units = held ? held->units(block.layer, x.begin, x.end) : MatrixView<const std::uint8_t>{};
    const MatrixRef state = x[block.layer];
    for (Index r = 0; r < x.rows(); ++r) {
      for (Index k = 0; k < block.size; ++k) {
        const Index u = block.whole() ? k : block.units[k];
        if (!units.empty() && units(r, u)) continue;
        const std::span<Real> own = state[r].subspan(u * width, width);
        double best = log_weight(fields, r, k * width, own);
        std::span<const Real> to;
        for (Index s = 0; s < states.size(); ++s) {
          const double there = log_weight(fields, r, k * width, states[s]);
          if (there <= best) continue;
          best = there;
          to = states[s];
        }
        if (to.empty()) continue;
        std::ranges::copy(to, own.begin());
        changed = true;
      }
    }
  }
  return changed;
}

}  // namespace

void check_descent(const EnergyModel& model) {
  if (!model.block_conditionals())
    throw CapabilityError("descent: the model offers no block conditionals, by which units find their lowest state.");
  for (const Layer& layer : model.layout().layers())
    if (layer.unit->num_states() == 0)
      throw CapabilityError(fmt::format(
          "descent: the units of layer '{}' are continuous, and it goes through discrete states only.", layer.name));
}

void descend(const EnergyModel& model, Chains& chains, const Executor& executor, const HeldMask* held) {
  check_descent(model);
  for (const LayerId l : model.layout().ids()) chains.write(l);  // threads may only ask for the form that is current
  // Rounding could in principle send units round in a circle; a descent is over after some tens of sweeps.
  constexpr int most_sweeps = 10'000;
  executor.for_each_piece(chains.size(), rows_a_task, [&](Index begin, Index end) {
    for (int s = 0; s < most_sweeps && sweep(model, ChainView(chains, begin, end), held); ++s) executor.check_stop();
  });
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
