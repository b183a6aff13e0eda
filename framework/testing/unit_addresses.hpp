#pragma once

#include <harmonium/framework/model/unit_type.hpp>
#include <harmonium/framework/testing/report.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// That a kind of unit draws each unit of each row by words of its own: no two rows, and no two units, steps, layers or keys
/// share one (pair_independence.hpp), and a unit drawn alone, by its site, is what it is among others.
void check_unit_addresses(const UnitType& unit, CheckReport& report);

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
