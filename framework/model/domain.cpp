#include <harmonium/framework/model/domain.hpp>

#include <algorithm>
#include <vector>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::optional<Index> first_outside(const Layer& layer, ConstMatrixRef values, Domain domain) {
  const UnitType& unit = *layer.unit;
  const Index width = unit.width(), num_states = domain == Domain::states ? unit.num_states() : 0;
  std::vector<Real> states(num_states * width);
  if (num_states > 0) unit.states({states.data(), num_states, width, width});
  const auto is_state = [&](const Real* at) {
    for (Index k = 0; k < num_states; ++k)
      if (std::equal(at, at + width, &states[k * width])) return true;
    return false;
  };
  const auto least = static_cast<Real>(unit.least()), greatest = static_cast<Real>(unit.greatest());
  const auto within = [&](Real v) { return v >= least && v <= greatest; };
  for (Index r = 0; r < values.rows; ++r)
    for (Index c = 0; c < values.cols; c += width) {
      const Real* at = values.row(r) + c;
      if (num_states > 0 ? !is_state(at) : !std::all_of(at, at + width, within)) return r;
    }
  return std::nullopt;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
