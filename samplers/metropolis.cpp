#include <harmonium/samplers/metropolis.hpp>

#include <harmonium/framework/inference/acceptance.hpp>
#include <harmonium/framework/kernels/normal.hpp>
#include <harmonium/samplers/unit_moves.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr std::uint32_t walk_acceptance_draw = 2;  // of a continuous unit, whose normal number takes 0 and 1

Index propose_any_other(const UnitMove& unit, double rest_probability) {
  // What the draw says of acceptance where it does not say to rest is as uniform.
  const double awake = unit.uniform(UnitMove::acceptance_draw) - rest_probability;
  if (awake < 0.0) return unit.state;
  const Index others = unit.log_weights.size() - 1;
  const auto skipped =
      std::min(static_cast<Index>(unit.uniform(UnitMove::state_draw) * static_cast<double>(others)), others - 1);
  const Index proposal = skipped < unit.state ? skipped : skipped + 1;
  ++unit.proposed;
  const double log_ratio = unit.log_weights[proposal] - unit.log_weights[unit.state];
  if (!accepts(log_ratio, awake / (1.0 - rest_probability))) return unit.state;
  ++unit.accepted;
  return proposal;
}

/// A random walk of the units [begin, end) of a block of continuous units of one column.
void walk(const BlockMoves& moves, const Block& block, ChainView x, Index begin, Index end, std::uint64_t step,
          double scale, AcceptanceCount& count) {
  const UnitType& type = *moves.layout()[block.layer].unit;
  const Index width = type.width(), rows = x.rows();
  const BlockFields block_fields(moves, block, begin, end, x);
  const Fields& fields = *block_fields;
  const MatrixRef state = x[block.layer];
  const auto held =
      moves.target.held ? moves.target.held->units(block.layer, x.begin, x.end) : MatrixView<const std::uint8_t>{};
  const double min = type.min(), max = type.max();
  std::uint64_t proposed = 0, accepted = 0;

  DrawBlock addresses = moves.addresses(moves.random, block, x, step);
  const Index together = block.whole() ? end - begin : 1;
  for (Index first = begin; first < end; first += together) {
    const Index first_column = (block.whole() ? first : block.units[first]) * width, columns = together * width;
    addresses.first_site = static_cast<std::uint32_t>(first_column);
    NormalDraws normal(addresses, columns);
    SiteUniforms uniforms(addresses, columns, walk_acceptance_draw + 1);
    for (Index r = 0; r < rows; ++r) {
      uniforms.go_to(r);
      const std::span<const double> z = normal.row(r);
      const double beta = fields.scale ? static_cast<double>(fields.scale[r]) : 1.0;
      for (Index c = 0; c < columns; ++c) {
        const Index column = first_column + c, at = (first - begin) * width + c;
        if (!held.empty() && held(r, column / width)) continue;
        ++proposed;
        const auto from = static_cast<double>(state(r, column));
        const auto value = static_cast<Real>(from + scale * z[c]);
        const auto to = static_cast<double>(value);
        double log_ratio = static_cast<double>(fields.linear(r, at)) * (to - from);
        if (!fields.curvature.empty())
          log_ratio -= 0.5 * static_cast<double>(fields.curvature(r, at)) * (to - from) * (to + from);
        if (to < min || to > max) continue;
        if (!accepts(beta * log_ratio, uniforms(c, walk_acceptance_draw))) continue;
        ++accepted;
        state(r, column) = value;
      }
    }
  }
  count.add(proposed, accepted);
}

}  // namespace

void MetropolisOptions::bind(OptionBinder& o) {
  o.option("scale", scale, "standard deviation of the proposals of continuous units", more_than(0));
  o.option(
      "rest_probability", rest_probability,
      "how often a discrete unit stays as it is without a proposal; 0 leaves chains periodic where fields are zero",
      within(0, 0.99));
  bind_tile(o, tile);
}

void Metropolis::check(const Target& target) const {
  check_block_conditionals(target, "metropolis", "whose differences decide what is accepted. Try 'langevin'");
}

void Metropolis::memory(const EnergyModel& model, MemoryNeed& need) const {
  add_block_memory(model, options_.tile, need);
}

SamplerReport Metropolis::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                                  LastMeans*) {
  const std::uint64_t start = chains.step();
  const BlockMoves moves(target, chains, execution.random, target.model.layout().all());
  AcceptanceCount of_discrete, of_continuous;
  for_each_visit(
      moves, options_.tile, steps, moves.blocks.size(), execution.executor,
      [&](Index, Index visit) -> const Block& { return *moves.blocks[visit]; },
      [](const Block& block) { return block.whole(); },
      [&](Index, const Block& block, ChainView x, Index begin, Index end, Index step) {
        const UnitType& unit = *moves.layout()[block.layer].unit;
        if (unit.has_base()) {  // of which ratios of energies know nothing
          redraw_block(moves, block, x, begin, end, moves.random, start + step);
        } else if (unit.num_states() == 0) {
          walk(moves, block, x, begin, end, start + step, options_.scale, of_continuous);
        } else {
          move_units(moves, block, x, begin, end, start + step, UnitMove::acceptance_draw + 1, of_discrete,
                     [&](const UnitMove& move) { return propose_any_other(move, options_.rest_probability); });
        }
      });
  chains.set_step(start + steps);
  return of_continuous.any() ? of_continuous.report(SamplerReport::usual_min_acceptance) : of_discrete.report(0.0);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
