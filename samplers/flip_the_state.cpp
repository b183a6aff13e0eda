#include <harmonium/samplers/flip_the_state.hpp>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/acceptance.hpp>
#include <harmonium/samplers/unit_moves.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr std::uint32_t gibbs_draw = 2;

Index flip(const UnitMove& unit, double gibbs_probability) {
  const double all = weights_of(unit);
  const std::span<const double> weights = unit.work;
  if (unit.uniform(gibbs_draw) < gibbs_probability)
    return pick_state(weights, all, unit.uniform(UnitMove::state_draw), weights.size());
  // 1 − p would cancel where p is near 1: the other weights are added up.
  const auto others = [&](Index without) {
    double sum = 0.0;
    for (Index s = 0; s < weights.size(); ++s) sum += s == without ? 0.0 : weights[s];
    return sum;
  };
  const double leaving = others(unit.state);
  ++unit.proposed;
  const Index proposal = pick_state(weights, leaving, unit.uniform(UnitMove::state_draw), unit.state);
  if (proposal == unit.state || !accepts_ratio(leaving, others(proposal), unit.uniform(UnitMove::acceptance_draw)))
    return unit.state;
  ++unit.accepted;
  return proposal;
}

}  // namespace

void FlipTheStateOptions::bind(OptionBinder& o) {
  o.option("gibbs_probability", gibbs_probability,
           "how often a unit is drawn from its conditional instead; 0 leaves chains periodic where fields are zero",
           within(0, 1));
  bind_tile(o, tile);
}

void FlipTheState::check(const Target& target) const {
  check_block_conditionals(target, "flip_the_state", "whose probabilities it proposes by. Try 'langevin'");
  for (const Layer& layer : target.model.layout().layers())
    if (layer.unit->num_states() > 0) return;
  throw CapabilityError(
      "sampler 'flip_the_state': no layer of the model is discrete, so that there is no state to flip. Try 'gibbs', "
      "'metropolis' or 'langevin'.");
}

void FlipTheState::memory(const EnergyModel& model, MemoryNeed& need) const {
  add_block_memory(model, options_.tile, need);
}

SamplerReport FlipTheState::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                                    LastMeans*) {
  const std::uint64_t start = chains.step();
  const BlockMoves moves(target, chains, execution.random, target.model.layout().all());
  AcceptanceCount count;
  const auto rule = [&](const UnitMove& unit) { return flip(unit, options_.gibbs_probability); };
  for_each_visit(
      moves, options_.tile, steps, moves.blocks.size(), execution.executor,
      [&](Index, Index visit) -> const Block& { return *moves.blocks[visit]; },
      [&](const Block& block) { return may_be_cut(moves, block); },
      [&](Index, const Block& block, ChainView x, Index begin, Index end, Index step) {
        if (moves.layout()[block.layer].unit->num_states() == 0) {
          redraw_block(moves, block, x, begin, end, moves.random, start + step);
        } else {
          move_units(moves, block, x, begin, end, start + step, gibbs_draw + 1, count, rule);
        }
      });
  chains.set_step(start + steps);
  return count.report(0.0);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
