#include <harmonium/samplers/blocks.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/inference/scaled_copy.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void bind_tile(OptionBinder& o, Index& tile) {
  o.option("tile", tile,
           "chains that one task works on; part of what results depend on in their last bits; 0 takes up to 256",
           at_least(0));
}

namespace {

/// What the fields of some units must stay below (UnitType::linear_limit) they may pass at β above 1.
void check_laws(const Target& target, std::string_view sampler) {
  const double coldest =
      target.ladder.empty() ? target.beta : *std::max_element(target.ladder.begin(), target.ladder.end());
  if (coldest <= 1.0 || std::ranges::none_of(target.model.layout().layers(),
                                             [](const Layer& l) { return std::isfinite(l.unit->linear_limit()); }))
    return;
  try {
    scaled_copy(target.model, coldest);
  } catch (const NumericalError& e) {
    throw CapabilityError(fmt::format("sampler '{}': at beta = {:g} {}.", sampler, coldest, e.what()));
  }
}

}  // namespace

void check_no_stack(const Target& target, std::string_view sampler) {
  if (stacked_machines(target.model))
    throw CapabilityError(fmt::format(
        "sampler '{}': the model is a stack of machines, whose units have no conditionals given all others. The "
        "sampler of a stack is 'top_down'.",
        sampler));
}

void check_block_conditionals(const Target& target, std::string_view sampler, std::string_view purpose) {
  if (!target.model.block_conditionals()) check_no_stack(target, sampler);
  if (!target.model.block_conditionals())
    throw CapabilityError(fmt::format("sampler '{}': the model offers no block conditionals, {}.", sampler, purpose));
  if (target.base && !target.base->block_conditionals())
    throw CapabilityError(fmt::format("sampler '{}': the base distribution offers no block conditionals.", sampler));
  check_laws(target, sampler);
}

BlockMoves::BlockMoves(const Target& t, Chains& c, RandomSource words, LayerSet layers)
    : target(t), chains(c), random(words) {
  if (const BlockConditionals* conditionals = target.model.block_conditionals())
    for (const Block& block : conditionals->blocks())
      if (layers.contains(block.layer) && !target.held_layers().contains(block.layer)) blocks.push_back(&block);
  if (!target.untempered())
    for (const std::uint32_t rung : chains.rung()) betas.push_back(static_cast<Real>(target.beta_of(rung)));
  chains.real();
  for (const Block* block : blocks) chains.write(block->layer);
}

DrawBlock BlockMoves::addresses(RandomSource source, const Block& block, ConstChainView x, std::uint64_t step) const {
  return DrawBlock::of(source, static_cast<std::uint32_t>(chains.first_chain() + x.begin), step, block.layer);
}

BlockFields::BlockFields(const BlockMoves& moves, const Block& block, Index begin, Index end, ConstChainView x) {
  const UnitType& unit = *moves.layout()[block.layer].unit;
  const Index columns = (end - begin) * unit.width(), rows = x.rows();
  buffer_.resize(unit, rows, columns);
  fields_ = buffer_.fields();
  moves.target.model.block_conditionals()->fields(block, begin, end, x, fields_);

  if (!moves.mixed()) {
    if (!moves.betas.empty()) fields_.scale = moves.betas.data() + x.begin;
    return;
  }
  UnitBuffer base_buffer(unit, rows, columns);
  const Fields base = base_buffer.fields();
  moves.target.base->block_conditionals()->fields(block, begin, end, x, base);
  const auto mix = [](Real beta, std::span<Real> own, std::span<const Real> other) {
    // Rows are short: an expression of arrays for each would cost more than its arithmetic.
    std::ranges::transform(own, other, own.begin(), [beta](Real a, Real b) { return beta * a + (1 - beta) * b; });
  };
  for (Index r = 0; r < rows; ++r) {
    const Real beta = moves.betas[x.begin + r];
    mix(beta, fields_.linear[r], base.linear[r]);
    if (!fields_.curvature.empty()) mix(beta, fields_.curvature[r], base.curvature[r]);
  }
}

namespace {

/// Fields → draw → put back what is held: the reference that a model's own kernel agrees with.
void redraw_by_fields(const BlockMoves& moves, const Block& block, ChainView x, Index begin, Index end,
                      RandomSource source, std::uint64_t step, MatrixRef mean, MatrixRef second) {
  const Layer& layer = moves.layout()[block.layer];
  const Index width = layer.unit->width(), columns = (end - begin) * width, rows = x.rows();
  std::vector<Real> drawn(rows * columns), mean_drawn(mean.empty() ? 0 : rows * columns);
  const BlockFields block_fields(moves, block, begin, end, x);
  const Fields& fields = *block_fields;

  const MatrixRef state = x[block.layer];
  const Index first_unit = block.whole() ? begin : block.units[begin];
  DrawBlock addresses = moves.addresses(source, block, x, step);
  MatrixRef out{drawn.data(), rows, columns, columns};
  MatrixRef mean_out = mean.empty() ? MatrixRef{} : MatrixRef{mean_drawn.data(), rows, columns, columns};
  if (!second.empty())
    layer.unit->moments(fields, {}, second.columns(first_unit * width, first_unit * width + columns));
  const auto held =
      moves.target.held ? moves.target.held->units(block.layer, x.begin, x.end) : MatrixView<const std::uint8_t>{};
  // The sites of a scattered block are not neighbors: each of its units is drawn at its own address.
  const Index units = end - begin, together = block.whole() ? units : 1;
  for (Index k = 0; k < units; k += together) {
    const Index unit = block.whole() ? begin : block.units[begin + k];
    addresses.first_site = static_cast<std::uint32_t>(unit);
    const Index at = k * width, count = together * width;
    layer.unit->sample(fields.columns(at, at + count), addresses, out.columns(at, at + count),
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

}  // namespace

const LayerKernel* kernel_for(const BlockMoves& moves, const Block& block) {
  const LayerKernel* kernel = moves.target.model.layer_kernel();
  return kernel && kernel->draws(block.layer) && block.whole() && !moves.mixed() ? kernel : nullptr;
}

void redraw_block(const BlockMoves& moves, const Block& block, ChainView x, Index begin, Index end, RandomSource source,
                  std::uint64_t step, const LeftByDraw& left) {
  const LayerKernel* kernel = kernel_for(moves, block);
  if (!kernel) {
    redraw_by_fields(moves, block, x, begin, end, source, step, left.mean, left.second);
    return;
  }
  LayerKernel::Draw draw{block.layer, begin, end};
  draw.scale = moves.betas.empty() ? nullptr : moves.betas.data() + x.begin;
  draw.held = moves.target.held;
  draw.addresses = moves.addresses(source, block, x, step);
  draw.addresses.first_site = static_cast<std::uint32_t>(begin);
  draw.mean = left.mean;
  draw.second = left.second;
  draw.products = left.products;
  draw.states = left.states || left.mean.empty();
  draw.backward = moves.backward;
  kernel->redraw(draw, x);
}

void add_block_memory(const EnergyModel& model, Index tile, MemoryNeed& need) {
  Index widest = 0;
  for (const Layer& layer : model.layout().layers()) widest = std::max(widest, layer.columns());
  constexpr double matrices = 4.0;  // linear and curvature, of the model and of a base
  const double rows = tile > 0 ? static_cast<double>(tile) : 256.0;
  need.add_passing("the fields of a layer, for a tile", matrices * rows * static_cast<double>(widest) * sizeof(Real),
                   "the sampler's tile");
}

bool may_be_cut(const BlockMoves& moves, const Block& block) {
  if (!block.whole()) return false;
  const LayerKernel* kernel = moves.target.model.layer_kernel();
  return !(kernel && kernel->draws(block.layer) && !kernel->divisible(block.layer));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
