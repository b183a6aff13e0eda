#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::vector<Real> means_without_field(const UnitType& unit, Index columns) {
  const std::vector<Real> zero(columns, 0), one(columns, 1);
  std::vector<Real> means(columns);
  ConstFields fields{{zero.data(), 1, columns, columns}};
  if (unit.has_curvature()) fields.curvature = {one.data(), 1, columns, columns};
  unit.moments(fields, {means.data(), 1, columns, columns}, {});
  return means;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
