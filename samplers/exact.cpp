#include <harmonium/samplers/exact.hpp>

#include <algorithm>
#include <cmath>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/enumeration.hpp>
#include <harmonium/framework/model/tiling.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>
#include <harmonium/samplers/blocks.hpp>
#include <harmonium/samplers/held_states.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Cumulative probabilities of all states, of the logs of these.
std::vector<double> cumulative(std::vector<double> table) {
  double sum = 0.0;
  for (double& p : table) p = sum += std::exp(p);
  return table;
}

/// The state whose stretch of the unit interval holds u; two words give u 64 bits, finer than any state's probability.
std::uint64_t invert(const std::vector<double>& table, const DrawBlock& addresses, Index row) {
  constexpr std::uint32_t site = 0xffffffffu;  // no unit's
  const double high = addresses.word(row, site, 0), low = addresses.word(row, site, 1);
  const double u = (high + (low + 0.5) * 0x1p-32) * 0x1p-32 * table.back();
  const auto found = std::ranges::upper_bound(table, u);
  return static_cast<std::uint64_t>(
      std::min<std::ptrdiff_t>(found - table.begin(), static_cast<std::ptrdiff_t>(table.size()) - 1));
}

DrawBlock addresses_of(const Execution& execution, const Chains& chains, Index row, std::uint64_t step, LayerId layer) {
  return DrawBlock::of(execution.random, static_cast<std::uint32_t>(chains.first_chain() + row), step, layer);
}

/// Says of an error which sampler it is of, and what would serve.
template <class Try>
auto named(const Try& attempt) {
  try {
    return attempt();
  } catch (const CapabilityError& error) {
    throw CapabilityError(std::string("sampler 'exact': ") + error.what() + " Try 'gibbs' or 'parallel_tempering'.");
  }
}

HeldStates held_states(const Target& target, Index num_rows, double most_bits) {
  return named([&] { return HeldStates(target.model, *target.held, num_rows, most_bits); });
}

/// Rows that `alike` says have one law, which share a table.
std::vector<std::vector<Index>> groups_of(Index num_rows, FunctionRef<bool(Index, Index)> alike) {
  std::vector<std::vector<Index>> groups;
  for (Index r = 0; r < num_rows; ++r) {
    const auto own = std::ranges::find_if(groups, [&](const auto& group) { return alike(group.front(), r); });
    if (own == groups.end()) groups.push_back({r});
    else own->push_back(r);
  }
  return groups;
}

bool same_temperature(const Target& target, const Chains& chains, Index a, Index b) {
  return target.beta_of(chains.rung()[a]) == target.beta_of(chains.rung()[b]);
}

/// Draws what is free in the layers that are enumerated; returns those that are not, and not held.
LayerSet draw_given_units(const Target& target, double most_bits, Chains& chains, std::uint64_t step,
                          const Execution& execution) {
  const HeldStates states = held_states(target, chains.size(), most_bits);
  const auto groups = groups_of(chains.size(), [&](Index a, Index b) {
    return same_temperature(target, chains, a, b) && states.alike(chains, a, b);
  });
  for (const std::vector<Index>& group : groups) {
    const double beta = target.beta_of(chains.rung()[group.front()]);
    const std::vector<double> table =
        cumulative(states.log_probabilities(chains, group.front(), beta, execution.executor));
    for (const Index r : group)
      states.write(invert(table, addresses_of(execution, chains, r, step, target.model.layout().id(0)), 0), r, chains);
  }
  return states.summed();
}

/// What was summed out is independent given the rest: whole layers from their conditionals.
void draw_summed(const Target& target, LayerSet summed, Chains& chains, std::uint64_t step,
                 const Execution& execution) {
  const Layout& layout = target.model.layout();
  std::vector<Real> betas;
  for (const std::uint32_t rung : chains.rung()) betas.push_back(static_cast<Real>(target.beta_of(rung)));
  for (const Block& block : target.model.block_conditionals()->blocks()) {
    if (!summed.contains(block.layer)) continue;
    const Layer& layer = layout[block.layer];
    const MatrixRef state = chains.write(block.layer);
    for_each_piece(execution.executor, Tiling::of(chains.size()), chains.size(), block.size,
                   [&](Index r0, Index r1, Index u0, Index u1) {
                     const Index width = layer.unit->width(), columns = (u1 - u0) * width;
                     UnitBuffer buffer(*layer.unit, r1 - r0, columns);
                     Fields fields = buffer.fields();
                     target.model.block_conditionals()->fields(block, u0, u1, {chains, r0, r1}, fields);
                     if (!target.untempered()) fields.scale = betas.data() + r0;
                     DrawBlock addresses = addresses_of(execution, chains, r0, step, block.layer);
                     addresses.first_site = static_cast<std::uint32_t>(u0);
                     layer.unit->sample(fields, addresses, state.slice(r0, r1).columns(u0 * width, u1 * width), {});
                   });
  }
}

bool holds_units(const Target& target) { return target.held && target.held->any_units(); }

}  // namespace

void Exact::check(const Target& target) const {
  if (target.base)
    throw CapabilityError("sampler 'exact': it draws from the model itself and takes no base distribution.");
  if (!target.model.block_conditionals()) check_no_stack(target, "exact");
  if (!target.model.block_conditionals())
    throw CapabilityError("sampler 'exact': the model offers no block conditionals to draw the remaining layers from.");
  const LayerSet summed = holds_units(target) ? held_states(target, 1, options_.max_bits).summed() : named([&] {
    return Enumeration(target.model, target.held_layers(), options_.max_bits).summed();
  });
  if (!summed.empty() && !target.model.block_conditionals()->independent(summed, target.model.layout().all() - summed))
    throw CapabilityError(
        "sampler 'exact': Gaussian units are coupled with one another, and it draws what it does not enumerate unit by "
        "unit. Try 'gibbs' or 'parallel_tempering'.");
}

void Exact::memory(const EnergyModel& model, MemoryNeed& need) const {
  need.add("the enumerated states", std::exp2(Enumeration::log2_states(model)) * sizeof(double),
           "the sampler's max_bits");
}

void Exact::keep_tables_of(const Target& target, const Chains& chains) {
  const std::span<const Real> now = target.model.parameters();
  if (model_ != &target.model || !std::ranges::equal(parameters_, now)) {
    tables_.clear();
    model_ = &target.model;
    parameters_.assign(now.begin(), now.end());
  }
  std::erase_if(tables_, [&](const auto& table) {
    return std::ranges::none_of(chains.rung(), [&](std::uint32_t rung) { return target.beta_of(rung) == table.first; });
  });
}

SamplerReport Exact::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                             LastMeans*) {
  const Layout& layout = target.model.layout();
  if (steps == 0) return {};
  chains.set_step(chains.step() + steps);  // Each step forgets the last one: only the last is drawn.
  const std::uint64_t step = chains.step() - 1;
  for (const LayerId l : layout.ids()) chains.write(l);
  const LayerSet summed = holds_units(target) ? draw_given_units(target, options_.max_bits, chains, step, execution)
                                              : draw_given_layers(target, chains, step, execution);
  draw_summed(target, summed, chains, step, execution);
  return {};
}

LayerSet Exact::draw_given_layers(const Target& target, Chains& chains, std::uint64_t step,
                                  const Execution& execution) {
  const Layout& layout = target.model.layout();
  const LayerSet held = target.held_layers();
  const Enumeration enumeration(target.model, held, options_.max_bits);
  // One table a temperature where nothing is held, and it is kept; with held layers one of each state of these.
  if (held.empty()) keep_tables_of(target, chains);
  const std::vector<LayerId> held_ids = layout.ids(held);
  const auto alike = [&](Index a, Index b) {
    return same_temperature(target, chains, a, b) && std::ranges::all_of(held_ids, [&](LayerId l) {
             return std::ranges::equal(chains.read(l)[a], chains.read(l)[b]);
           });
  };
  for (const std::vector<Index>& group : groups_of(chains.size(), alike)) {
    const double beta = target.beta_of(chains.rung()[group.front()]);
    std::vector<double> own;
    if (!held.empty()) {
      Chains given(layout, 1);
      given.copy_rows(layout.all(), {chains, group.front(), group.front() + 1});
      own = cumulative(enumeration.log_probabilities(beta, &given, execution.executor));
    } else if (!tables_.contains(beta)) {  // one that is stopped half-way is not kept
      tables_.emplace(beta, cumulative(enumeration.log_probabilities(beta, nullptr, execution.executor)));
    }
    const std::vector<double>& table = held.empty() ? tables_.at(beta) : own;
    for (const Index r : group) {
      Chains one(layout, 1);
      const std::uint64_t state = invert(table, addresses_of(execution, chains, r, step, layout.id(0)), 0);
      enumeration.states(state, state + 1, one);
      chains.copy_rows(enumeration.enumerated(), one, r);
    }
  }
  return enumeration.summed();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
