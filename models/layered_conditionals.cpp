#include <algorithm>

#include <harmonium/models/layered.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

const std::vector<Block>& LayeredConditionals::blocks() const { return model_.blocks_; }

void LayeredConditionals::fields(const Block& block, Index begin, Index end, ConstChainView x,
                                 const Fields& out) const {
  const Index width = model_.layout()[block.layer].unit->width();
  const bool curved = !out.curvature.empty();
  const auto fill = [&](Index first, Index last, MatrixRef linear, MatrixRef curvature) {
    model_.fields_without_bias(block.layer, first, last, x, true, linear);
    const Real* b = model_.bias(block.layer) + first;
    for (Index r = 0; r < linear.rows; ++r)
      for (Index c = 0; c < linear.cols; ++c) linear(r, c) += b[c];
    if (!curved) return;
    const std::vector<Real> gamma = model_.precisions(block.layer, first, last);
    for (Index r = 0; r < curvature.rows; ++r) std::copy(gamma.begin(), gamma.end(), curvature.row(r));
  };
  if (block.whole()) {
    fill(begin * width, end * width, out.linear, out.curvature);
    return;
  }
  for (Index k = begin; k < end; ++k) {
    const Index unit = block.units[k], at = (k - begin) * width;
    fill(unit * width, (unit + 1) * width, out.linear.columns(at, at + width),
         curved ? out.curvature.columns(at, at + width) : MatrixRef{});
  }
}

bool LayeredConditionals::independent(LayerSet free, LayerSet given) const {
  // A path between two free layers through layers that are neither free nor given would couple them: those count too.
  const Layout& layout = model_.layout();
  if (!(layout.all() - free - given).empty()) return false;
  return std::ranges::none_of(model_.terms(), [&](const auto& t) { return couples_any(*t, free, layout); });
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
