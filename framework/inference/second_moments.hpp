#pragma once

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/model/unit_type.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// E[x²] of each column, shaped as `fields.linear`, of units of any kind: of those with states by a sum over these,
/// of others with a curvature as UnitType::moments has it, else as E[x]² + d² log Z / dθ², the second a central difference (to some 10^-6 of it).
/// `fields` have no bias or scale apart.
Matrix<double> second_moments(const UnitType& unit, const ConstFields& fields);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
