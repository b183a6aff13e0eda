#pragma once

#include <algorithm>

#include <harmonium/framework/testing/unit_suite.hpp>

namespace harmonium::testing {

/// How many of the promises of units this one breaks.
inline std::size_t failures(const UnitType& unit) {
  CheckReport report;
  conformance::check_unit(unit, report);
  return static_cast<std::size_t>(std::ranges::count(report.results(), CheckOutcome::failed, &CheckResult::outcome));
}

}  // namespace harmonium::testing
