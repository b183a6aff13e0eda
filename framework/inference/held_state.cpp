#include <harmonium/framework/inference/held_state.hpp>

#include <algorithm>

namespace harmonium {
inline namespace HARMONIUM_ABI {

bool holds_unit(const HeldMask& mask, LayerId layer, Index row, Index unit) {
  const MatrixView<const std::uint8_t> held = mask.units(layer, row, row + 1);
  return mask.holds(layer) || (!held.empty() && held(0, unit) != 0);
}

void HeldState::write(Chains& chains) const {
  chains.copy_to_all(units.layers(), state, 0);
  for (Index l = 0; l < state.num_layers(); ++l) {
    const auto layer = static_cast<LayerId>(l);
    const MatrixView<const std::uint8_t> held = units.units(layer, 0, 1);
    if (held.empty()) continue;
    const ConstMatrixRef from = state.read(layer);
    const MatrixRef to = chains.write(layer);
    const Index width = to.cols / held.cols;
    for (Index u = 0; u < held.cols; ++u)
      for (Index r = 0; held(0, u) && r < to.rows; ++r)
        std::copy_n(from.row(0) + u * width, width, to.row(r) + u * width);
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
