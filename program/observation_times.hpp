#pragma once

#include <string>

#include <harmonium/program/work/observation.hpp>

namespace harmonium {
inline namespace v1 {

/// "9.84 ± 0.61", two digits of the error, or "not known" where the series do not tell it.
std::string time_text(const ObservedNumber& number);

/// Why times are not known; nothing where all are.
std::string unknown_times_text(const Observation& found);

}  // namespace v1
}  // namespace harmonium
