#pragma once

#include <algorithm>
#include <string>

#include <harmonium/framework/testing/report.hpp>

/// What a report of checks says.
namespace harmonium::testing {

inline bool has_outcome(const CheckReport& report, const std::string& check, CheckOutcome outcome) {
  return std::ranges::any_of(report.results(),
                             [&](const auto& r) { return r.outcome == outcome && r.check.starts_with(check); });
}

/// Whether a check whose name begins with `check` failed, or passed.
inline bool fails(const CheckReport& report, const std::string& check) {
  return has_outcome(report, check, CheckOutcome::failed);
}
inline bool passes(const CheckReport& report, const std::string& check) {
  return has_outcome(report, check, CheckOutcome::passed);
}

}  // namespace harmonium::testing
