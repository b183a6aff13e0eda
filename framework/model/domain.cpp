#include <harmonium/framework/model/domain.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

bool takes(const UnitType& unit, double value) {
  return value >= unit.min() && value <= unit.max() && (!unit.has_base() || std::isfinite(unit.log_base(value)));
}

bool takes_counts(const UnitType& unit) { return unit.num_states() == 0 && takes(unit, 1.0) && !takes(unit, 0.5); }

bool is_normal(const UnitType& unit) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return unit.num_states() == 0 && unit.has_curvature() && !unit.has_base() && unit.min() == -infinity &&
         unit.max() == infinity;
}

std::optional<Index> first_outside(const Layer& layer, ConstMatrixRef values, Domain domain) {
  const UnitType& unit = *layer.unit;
  const bool states_only = domain == Domain::states && unit.num_states() > 0;
  const UnitStates states(unit);
  const Index width = unit.width();
  const auto min = static_cast<Real>(unit.min()), max = static_cast<Real>(unit.max());
  const auto within = [&, base = unit.has_base()](Real v) {
    return v >= min && v <= max && (!base || std::isfinite(unit.log_base(static_cast<double>(v))));
  };
  for (Index r = 0; r < values.rows; ++r)
    for (Index c = 0; c < values.cols; c += width) {
      const std::span<const Real> x = values[r].subspan(c, width);
      if (states_only ? states.find(x) == states.size() : !std::ranges::all_of(x, within)) return r;
    }
  return std::nullopt;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
