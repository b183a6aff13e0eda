#include <harmonium/framework/inference/bound_states.hpp>

#include <algorithm>
#include <cmath>

#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void set_to_bound(const Layout& layout, Bound bound, Index begin, Index end, Chains& chains) {
  const bool highest = bound == Bound::highest;
  for (const LayerId l : layout.ids()) {
    const Layer& layer = layout[l];
    const MatrixRef x = chains.write(l).slice(begin, end);
    if (layer.unit->num_states() == 0) {
      const auto low = static_cast<Real>(layer.unit->min()), high = static_cast<Real>(layer.unit->max());
      for (Index r = 0; r < x.rows; ++r)
        for (Real& v : x[r]) v = std::clamp(highest ? std::abs(v) : -std::abs(v), low, high);
      continue;
    }
    const UnitStates states(*layer.unit);
    const ConstMatrixRef values = states.view();
    const auto state = values[highest ? values.rows - 1 : 0];
    for (Index r = 0; r < x.rows; ++r)
      for (Index c = 0; c < x.cols; ++c) x(r, c) = state[c % state.size()];
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
