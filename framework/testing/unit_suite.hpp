#pragma once

#include <harmonium/framework/model/unit_type.hpp>
#include <harmonium/framework/testing/report.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// Holds a kind of unit to the exponential family on its domain: log partition and moments against sums over its states,
/// or, of continuous units, moments against differences of the log partition by the fields; draws against these, and
/// independent of those of the next row and the next unit; the words of each by its own address (unit_addresses.hpp); the
/// parameters that a mean has. Fixed seeds, false alarms below 1e-8 in all.
void check_unit(const UnitType& unit, CheckReport& report);

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
