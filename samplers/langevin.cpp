#include <harmonium/samplers/langevin.hpp>

#include <limits>
#include <string>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/tile_sampler.hpp>
#include <harmonium/samplers/langevin_tile.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

bool continuous(const Layer& layer) { return goes_by_energy(*layer.unit); }

}  // namespace

void LangevinOptions::bind(OptionBinder& o) {
  o.option("step_size", step_size, "step of the discretized diffusion, in squared units of the continuous layers",
           more_than(0));
  o.option("inner_steps", inner_steps, "Langevin steps before the discrete layers are redrawn", at_least(1));
  o.option("adjusted", adjusted,
           "accept or refuse each Langevin step, so that the target is invariant; without it draws are biased");
  bind_tile(o, tile);
}

void Langevin::check(const Target& target) const {
  const Layout& layout = target.model.layout();
  bool any_continuous = false, any_discrete = false;
  for (const Layer& layer : layout.layers()) {
    (continuous(layer) ? any_continuous : any_discrete) = true;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (options_.adjusted || !continuous(layer)) continue;
    if (layer.unit->min() > -infinity || layer.unit->max() < infinity)
      throw CapabilityError(
          fmt::format("sampler 'langevin': a unit of layer '{}' is a number {}, which steps that are not adjusted "
                      "leave. Set adjusted = true.",
                      layer.name, layer.unit->domain()));
  }
  if (!any_continuous) {
    check_no_stack(target, "langevin");
    refuse_without_slope(layout, "langevin");
  }
  check_state_gradients(target, "langevin");
  if (any_discrete) check_block_conditionals(target, "langevin", "which its discrete layers are drawn from");
}

double Langevin::products_per_step() const {
  const auto inner = static_cast<double>(options_.inner_steps);
  // Adjusted, each proposal takes an energy and a gradient, and the start of a step does too.
  return 1.0 + (options_.adjusted ? 2.0 * (inner + 1.0) : inner);
}

void Langevin::memory(const EnergyModel& model, MemoryNeed& need) const {
  add_block_memory(model, options_.tile, need);
  const Layout& layout = model.layout();
  double moving = 0.0;
  for (const Layer& layer : layout.layers())
    if (continuous(layer)) moving += static_cast<double>(layer.columns());
  const double rows = options_.tile > 0 ? static_cast<double>(options_.tile) : 256.0;
  const double proposal = options_.adjusted ? static_cast<double>(layout.columns(layout.all())) * sizeof(Real) : 0.0;
  const double slopes = moving * (sizeof(Real) + (options_.adjusted ? 2.0 : 1.0) * sizeof(double));
  need.add_passing("the proposals and their slopes, for a tile", rows * (proposal + slopes), "the sampler's tile");
}

SamplerReport Langevin::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                                LastMeans*) {
  const Layout& layout = target.model.layout();
  const LayerSet moving = layers_with_slope(layout);
  const BlockMoves blocks(target, chains, execution.random, layout.all() - moving);
  LangevinMoves dynamics{blocks, options_, moving - target.held_layers(), {}, {}};
  for (const LayerId l : layout.ids(dynamics.moving)) chains.write(l);
  for (const std::uint32_t rung : chains.rung()) dynamics.betas.push_back(target.beta_of(rung));
  for (Index inner = 0; inner < options_.inner_steps; ++inner)
    dynamics.of_inner.push_back(execution.random.child("inner" + std::to_string(inner)));

  const std::uint64_t start = chains.step();
  AcceptanceCount count;
  execution.executor.for_each_piece(chains.size(), Tiling::of(chains.size(), options_.tile).rows,
                                    [&](Index begin, Index end) {
                                      const ChainView x(chains, begin, end);
                                      LangevinTile tile(dynamics, x);
                                      std::uint64_t accepted = 0;
                                      for (Index s = 0; s < steps; ++s) {
                                        if (!dynamics.moving.empty()) accepted += tile.advance(start + s);
                                        for (const Block* block : blocks.blocks)
                                          redraw_block(blocks, *block, x, 0, block->size, execution.random, start + s);
                                      }
                                      if (options_.adjusted && !dynamics.moving.empty())
                                        count.add(steps * options_.inner_steps * x.rows(), accepted);
                                    });
  chains.set_step(start + steps);
  return count.report(SamplerReport::usual_min_acceptance);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
