#include <harmonium/samplers/locally_balanced.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/acceptance.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/samplers/blocks.hpp>
#include <harmonium/samplers/gibbs.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr std::uint32_t neighbor_word = 0, taking_word = 1;

LayerSet discrete_layers(const Layout& layout, LayerSet of) {
  LayerSet set;
  for (const LayerId l : layout.ids(of))
    if (layout[l].unit->num_states() > 0) set.add(l);
  return set;
}

/// `held`, and all layers but those of `free`.
HeldMask all_but(const HeldMask* held, LayerSet free, const Layout& layout) {
  HeldMask mask = held ? *held : HeldMask();
  for (const LayerId l : layout.ids(layout.all() - free)) mask.hold(l);
  return mask;
}

/// One move of every row of a tile. `words`: of the tile's first row. Returns how many were accepted.
Index move_rows(const NeighborMoves& plan, ChainView x, const DrawBlock& words) {
  Neighborhood here(plan, x), there(plan, x);
  here.look();
  std::vector<Index> way_back(x.rows(), plan.neighbors());
  for (Index r = 0; r < x.rows(); ++r) {
    if (!here.any(r)) continue;
    way_back[r] = here.go(r, here.pick(r, uniform_f64(words.word(r, 0, neighbor_word))));
  }
  there.look();
  Index accepted = 0;
  for (Index r = 0; r < x.rows(); ++r) {
    if (way_back[r] == plan.neighbors()) continue;
    if (accepts(here.log_sums()[r] - there.log_sums()[r], uniform_f64(words.word(r, 0, taking_word)))) ++accepted;
    else there.go(r, way_back[r]);
  }
  return accepted;
}

}  // namespace

void LocallyBalancedOptions::bind(OptionBinder& o) {
  static constexpr OptionBinder::Choice<Balance> balances[] = {{"barker", Balance::barker}, {"sqrt", Balance::sqrt}};
  o.option("moves", moves, "moves of each row in a step; 0: one for each ten discrete units", at_least(0));
  o.choice("balance", balance, balances,
           "how much a neighbor is wanted that is t times as probable: t / (1 + t), or its root");
  o.option("marginal", marginal, "move the observed layers with all others summed out, and then draw these");
}

void LocallyBalanced::check(const Target& target) const {
  const Layout& layout = target.model.layout();
  if (discrete_layers(layout, options_.marginal ? layout.observed() : layout.all()).empty())
    throw CapabilityError(
        "sampler 'locally_balanced': no layer that is to move is discrete, so that rows have no neighbors. Try "
        "'gibbs', 'hmc' or 'langevin'.");
  if (options_.marginal) check_marginal(target);
  for (const EnergyModel* model : {&target.model, target.base})
    if (!options_.marginal && model && (!model->free_energy() || !model->free_energy()->closed(layout.all())))
      throw CapabilityError(
          "sampler 'locally_balanced': the model offers no ratios of the probabilities of neighbors. Try 'gibbs' or "
          "'metropolis'.");
  if (discrete_layers(layout, layout.all()) != layout.all())
    check_block_conditionals(target, "locally_balanced", "which its continuous layers are drawn from");
}

void LocallyBalanced::check_marginal(const Target& target) const {
  const auto refuse = [](const char* why) {
    throw CapabilityError(fmt::format("sampler 'locally_balanced', marginal: {} Set marginal = false.", why));
  };
  const EnergyModel& model = target.model;
  const Layout& layout = model.layout();
  if (target.base || !target.ladder.empty()) refuse("rows at several temperatures have no common free energy.");
  if (!model.free_energy() || !model.free_energy()->closed(layout.observed()))
    refuse("the latent units cannot be summed out in closed form.");
  if (!posterior_factorizes(model)) refuse("the latent units are coupled given the observed ones.");
  if (!target.held) return;
  for (const LayerId l : layout.ids(layout.latent()))
    if (target.held->holds(l) || !target.held->units(l, 0, 1).empty())
      refuse("latent units are held, and cannot be summed out then.");
}

void LocallyBalanced::memory(const EnergyModel& model, MemoryNeed& need) const {
  add_block_memory(model, 0, need);
  double neighbors = 0.0;
  for (const Layer& layer : model.layout().layers())
    neighbors += static_cast<double>(layer.size) * static_cast<double>(layer.unit->num_states());
  need.add_passing("the neighbors of a tile", 3.0 * 256.0 * neighbors * sizeof(double), "the model's discrete units");
}

SamplerReport LocallyBalanced::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                                       LastMeans*) {
  const Layout& layout = target.model.layout();
  const LayerSet kept = options_.marginal ? layout.observed() : layout.all();
  const LayerSet moving = discrete_layers(layout, kept) - target.held_layers();
  const LayerSet others = layout.all() - moving - target.held_layers();
  const NeighborMoves plan(target, kept, moving, options_.balance);
  Index units = 0;
  for (const LayerId l : plan.layers) units += layout[l].size;
  const Index moves = options_.moves > 0 ? options_.moves : std::max<Index>(units / 10, 1);
  // What was summed out is of the state before the moves, and nothing may be drawn given it before it is drawn itself.
  const LayerSet summed = layout.all() - kept;
  const HeldMask for_summed = all_but(target.held, summed, layout),
                 for_others = all_but(target.held, others - summed, layout);
  const Execution of_others = execution.part("others");
  std::vector<RandomSource> words;
  for (Index m = 0; m < moves; ++m) words.push_back(execution.random.child("move" + std::to_string(m)));
  for (const LayerId l : layout.ids()) chains.write(l);  // each as Real, before threads ask for it
  AcceptanceCount count;
  Gibbs gibbs;
  for (Index s = 0; s < steps; ++s) {
    const std::uint64_t step = chains.step();
    if (!plan.layers.empty())
      execution.executor.for_each_piece(chains.size(), Tiling::of(chains.size()).rows, [&](Index begin, Index end) {
        const auto chain = chains.first_chain() + static_cast<std::uint32_t>(begin);
        std::uint64_t accepted = 0;
        for (const RandomSource& own : words)
          accepted +=
              move_rows(plan, ChainView(chains, begin, end), DrawBlock::of(own, chain, step, plan.layers.front()));
        count.add(moves * (end - begin), accepted);
      });
    for (const HeldMask* held : {&for_summed, &for_others}) {
      const Target redrawn{target.model, target.base, target.beta, target.ladder, held};
      if (held->layers() != layout.all()) gibbs.advance(redrawn, chains, 1, of_others);
      chains.set_step(step);
    }
    chains.set_step(step + 1);
  }
  return count.report(0.0);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
