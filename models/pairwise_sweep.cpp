#include <algorithm>
#include <array>
#include <cassert>
#include <tuple>
#include <vector>

#include <harmonium/framework/kernels/kernels.hpp>
#include <harmonium/models/pairwise.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

bool Pairwise::two_states(LayerId layer) const {
  const UnitType& unit = *layout_[layer].unit;
  return unit.width() == 1 && unit.num_states() == 2 && !unit.has_curvature();
}

bool Pairwise::follows(LayerId layer, std::span<const Block* const> blocks) const {
  std::vector<const Block*> own;
  for (const Block& block : blocks_)
    if (block.layer == layer) own.push_back(&block);
  const auto same = [&] {
    return std::ranges::equal(own, blocks, [](const Block* a, const Block* b) { return a->units == b->units; });
  };
  if (same()) return true;
  if (!gaussian(layer)) return false;
  // A draw from the joint law is its own reversal.
  std::ranges::reverse(own);
  return same();
}

void Pairwise::redraw_in_order(const Draw& draw, ChainView x) const {
  const Index units = layout_[draw.layer].size, rows = x.rows();
  assert(draw.begin == 0 && draw.end == units && draw.states && draw.mean.empty() && draw.second.empty());
  const MatrixRef state = x[draw.layer];

  std::vector<Real> from_others;
  CoupledUnits<Real> coupled;
  for (const Coupling& c : couplings_) {
    if (c.lateral() && c.a == draw.layer) coupled.coupling = tensor(c.block);
    if (c.lateral() || (c.a != draw.layer && c.b != draw.layer) || !from_others.empty()) continue;
    from_others.resize(rows * units);
    const MatrixRef field{from_others.data(), rows, units, units};
    add_up_fields(draw.layer, 0, units, x, false, field);
    coupled.field = field;
  }
  coupled.bias = bias(draw.layer);
  coupled.scale = draw.scale;
  if (draw.held) coupled.held = draw.held->units(draw.layer, x.begin, x.end);
  std::array<Real, 2> domain{};
  layout_[draw.layer].unit->states({domain.data(), 2, 1, 1});
  std::tie(coupled.low, coupled.high) = std::minmax(domain[0], domain[1]);

  std::vector<Real> scratch(sweep_scratch(units));
  if (const SparseLateral* few = sparse(draw.layer)) {
    kernels_of<Real>().sparse_sweep(draw.addresses, few->view(), coupled, state, scratch.data());
  } else {
    kernels_of<Real>().sweep(draw.addresses, coupled, state, scratch.data());
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
