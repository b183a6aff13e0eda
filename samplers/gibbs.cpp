#include <harmonium/samplers/gibbs.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/model/tiling.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// What is redrawn in one go.
struct Turn {
  const Block* block;  ///< the first one, where several are drawn
  bool by_kernel;      ///< by the model's own kernel: the block, or all blocks of its layer in order
  bool divisible;      ///< its units may be cut into pieces that are drawn side by side
  Index units;

  LayerId layer() const { return block->layer; }
};

/// What every task of one call shares.
struct Sweep {
  const Target& target;
  Chains& chains;
  RandomSource random;
  LastMeans* last;
  std::vector<Real> betas;  ///< of each row; empty: all 1
  std::vector<Turn> turns;  ///< of blocks that are not wholly held, in order
  Index first_last = 0;     ///< turns from here on leave their means behind

  const Layout& layout() const { return target.model.layout(); }
};

/// Whether the blocks from `first` on are the units of a layer, each by itself and in order.
bool units_in_order(const std::vector<Block>& blocks, Index first, const Layer& layer) {
  if (first + layer.size > blocks.size()) return false;
  for (Index u = 0; u < layer.size; ++u) {
    const Block& block = blocks[first + u];
    if (block.layer != blocks[first].layer || block.units.size() != 1 || block.units[0] != u) return false;
  }
  return true;
}

std::vector<Turn> turns_of(const Target& target) {
  const std::vector<Block>& blocks = target.model.block_conditionals()->blocks();
  const LayerKernel* kernel = target.model.layer_kernel();
  const bool mixed = target.base && !target.untempered();
  std::vector<Turn> turns;
  for (Index i = 0; i < blocks.size();) {
    const Block& block = blocks[i];
    const Layer& layer = target.model.layout()[block.layer];
    const bool kernel_draws = kernel && !mixed && kernel->draws(block.layer);
    const bool in_order = kernel_draws && !block.whole() && units_in_order(blocks, i, layer);
    const bool by_kernel = in_order || (kernel_draws && block.whole());
    const bool divisible = !in_order && (!by_kernel || kernel->divisible(block.layer));
    if (!(target.held && target.held->holds(block.layer)))
      turns.push_back({&block, by_kernel, divisible, in_order ? layer.size : block.size});
    i += in_order ? layer.size : 1;
  }
  return turns;
}

/// Positions of the last turns that are whole layers, independent of each other given the rest: those whose means a
/// sweep can leave behind.
Index first_of_last(const Sweep& sweep) {
  const BlockConditionals& conditionals = *sweep.target.model.block_conditionals();
  Index first = sweep.turns.size();
  LayerSet free;
  while (first > 0 && sweep.turns[first - 1].block->whole()) {
    LayerSet wider = free, given = sweep.layout().all();
    wider.add(sweep.turns[first - 1].layer());
    for (const LayerId l : sweep.layout().ids())
      if (wider.contains(l)) given.remove(l);
    if (!conditionals.independent(wider, given)) break;
    free = wider;
    --first;
  }
  return first;
}

/// Block fields → mix by β → draw → put back what is held: the reference that a model's own kernel agrees with.
void redraw_by_fields(const Sweep& sweep, const Block& block, ChainView x, Index begin, Index end, std::uint64_t step,
                      MatrixRef mean, MatrixRef second) {
  const Layer& layer = sweep.layout()[block.layer];
  const Index width = layer.unit->width(), columns = (end - begin) * width, rows = x.rows();
  std::vector<Real> linear(rows * columns), curvature, drawn(rows * columns),
      mean_drawn(mean.empty() ? 0 : rows * columns);
  Fields fields{{linear.data(), rows, columns, columns}};
  if (layer.unit->has_curvature()) {
    curvature.resize(rows * columns);
    fields.curvature = {curvature.data(), rows, columns, columns};
  }
  sweep.target.model.block_conditionals()->fields(block, begin, end, x, fields);

  if (sweep.target.base && !sweep.target.untempered()) {
    std::vector<Real> base_linear(linear.size()), base_curvature(curvature.size());
    Fields base{{base_linear.data(), rows, columns, columns}};
    if (!curvature.empty()) base.curvature = {base_curvature.data(), rows, columns, columns};
    sweep.target.base->block_conditionals()->fields(block, begin, end, x, base);
    for (Index r = 0; r < rows; ++r) {
      const Real beta = sweep.betas[x.begin + r];
      for (Index i = r * columns; i < (r + 1) * columns; ++i) {
        linear[i] = beta * linear[i] + (1 - beta) * base_linear[i];
        if (!curvature.empty()) curvature[i] = beta * curvature[i] + (1 - beta) * base_curvature[i];
      }
    }
  } else if (!sweep.betas.empty()) {
    fields.scale = sweep.betas.data() + x.begin;
  }

  const MatrixRef state = x[block.layer];
  const Index first_unit = block.whole() ? begin : block.units[begin];
  const auto chain = static_cast<std::uint32_t>(sweep.chains.first_chain() + x.begin);
  DrawBlock addresses = DrawBlock::of(sweep.random, chain, step, block.layer);
  MatrixRef out{drawn.data(), rows, columns, columns};
  MatrixRef mean_out = mean.empty() ? MatrixRef{} : MatrixRef{mean_drawn.data(), rows, columns, columns};
  if (!second.empty())
    layer.unit->moments(fields, {}, second.columns(first_unit * width, first_unit * width + columns));
  const auto held =
      sweep.target.held ? sweep.target.held->units(block.layer, x.begin, x.end) : MatrixView<const std::uint8_t>{};
  // The sites of a scattered block are not neighbours: each of its units is drawn at its own address.
  const Index units = end - begin, together = block.whole() ? units : 1;
  for (Index k = 0; k < units; k += together) {
    const Index unit = block.whole() ? begin : block.units[begin + k];
    addresses.first_site = static_cast<std::uint32_t>(unit);
    const Index at = k * width, count = together * width;
    ConstFields part{ConstMatrixRef(fields.linear).columns(at, at + count)};
    if (!curvature.empty()) part.curvature = ConstMatrixRef(fields.curvature).columns(at, at + count);
    part.scale = fields.scale;
    layer.unit->sample(part, addresses, out.columns(at, at + count),
                       mean.empty() ? MatrixRef{} : mean_out.columns(at, at + count));
    for (Index r = 0; r < rows; ++r) {
      for (Index c = 0; c < count; ++c) {
        const Index column = unit * width + c;
        const bool fixed = !held.empty() && held(r, column / width);
        if (!fixed) state(r, column) = out(r, at + c);
        if (!mean.empty()) mean(r, column) = fixed ? state(r, column) : mean_out(r, at + c);
        if (!second.empty() && fixed) second(r, column) = state(r, column) * state(r, column);
      }
    }
  }
}

/// One turn of one tile, units [begin, end) of it.
void redraw(const Sweep& sweep, Index position, ChainView x, Index begin, Index end, std::uint64_t step,
            bool leave_means) {
  const Turn& turn = sweep.turns[position];
  MatrixRef mean, second;
  if (leave_means && sweep.last && position >= sweep.first_last) {
    const auto l = static_cast<Index>(turn.layer());
    if (!sweep.last->mean[l].empty()) mean = sweep.last->mean[l].slice(x.begin, x.end);
    if (l < sweep.last->second.size() && !sweep.last->second[l].empty())
      second = sweep.last->second[l].slice(x.begin, x.end);
  }
  if (!turn.by_kernel) {
    redraw_by_fields(sweep, *turn.block, x, begin, end, step, mean, second);
    return;
  }
  LayerKernel::Draw draw{turn.layer(), begin, end};
  draw.scale = sweep.betas.empty() ? nullptr : sweep.betas.data() + x.begin;
  draw.held = sweep.target.held;
  draw.addresses =
      DrawBlock::of(sweep.random, static_cast<std::uint32_t>(sweep.chains.first_chain() + x.begin), step, turn.layer());
  draw.addresses.first_site = static_cast<std::uint32_t>(begin);
  draw.mean = mean;
  draw.second = second;
  draw.states = mean.empty() || !sweep.last || sweep.last->states;
  sweep.target.model.layer_kernel()->redraw(draw, x);
}

}  // namespace

void Gibbs::check(const Target& target) const {
  if (!target.model.block_conditionals())
    throw CapabilityError("sampler 'gibbs': the model offers no block conditionals, which Gibbs sampling draws from.");
  if (target.base && !target.base->block_conditionals())
    throw CapabilityError("sampler 'gibbs': the base distribution offers no block conditionals.");
}

SamplerReport Gibbs::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                             LastMeans* last) {
  Sweep sweep{target, chains, execution.random, last, {}, turns_of(target)};
  sweep.first_last = first_of_last(sweep);
  if (last) {
    for (Index i = sweep.first_last; i < sweep.turns.size(); ++i)
      if (steps > 0 && !last->mean[static_cast<Index>(sweep.turns[i].layer())].empty())
        last->filled.add(sweep.turns[i].layer());
  }
  if (!target.untempered()) {
    for (const std::uint32_t rung : chains.rung()) sweep.betas.push_back(static_cast<Real>(target.beta_of(rung)));
  }
  for (const LayerId l : target.model.layout().ids()) chains.read(l);  // Current as Real before threads ask.
  for (const Turn& turn : sweep.turns) chains.write(turn.layer());

  const Tiling tiling = Tiling::of(chains.size(), options_.tile);
  const std::uint64_t start = chains.step();
  if (tiling.one_tile(chains.size())) {
    // Few chains: the units of a layer are shared out instead, or strips of the chains where they cannot be.
    for (Index s = 0; s < steps; ++s) {
      for (Index i = 0; i < sweep.turns.size(); ++i) {
        const Turn& turn = sweep.turns[i];
        if (turn.divisible) {
          const ChainView x(chains, 0, chains.size());
          execution.executor.for_each_piece(
              turn.units, turn.block->whole() ? Tiling::panel(turn.units) : turn.units,
              [&](Index begin, Index end) { redraw(sweep, i, x, begin, end, start + s, s + 1 == steps); });
        } else {
          execution.executor.for_each_piece(chains.size(), Tiling::strip, [&](Index begin, Index end) {
            redraw(sweep, i, ChainView(chains, begin, end), 0, turn.units, start + s, s + 1 == steps);
          });
        }
      }
    }
  } else {
    // A task is one tile and all its steps: no barrier between blocks.
    execution.executor.for_each_piece(chains.size(), tiling.rows, [&](Index begin, Index end) {
      const ChainView x(chains, begin, end);
      for (Index s = 0; s < steps; ++s)
        for (Index i = 0; i < sweep.turns.size(); ++i)
          redraw(sweep, i, x, 0, sweep.turns[i].units, start + s, s + 1 == steps);
    });
  }
  chains.set_step(start + steps);
  return {};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
