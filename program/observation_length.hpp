#pragma once

#include <string>

#include <harmonium/program/work/observation.hpp>

namespace harmonium {
inline namespace v1 {

/// How long chains are beside the longest autocorrelation time, what that means, and what to do about it.
std::string length_text(const Observation& found);

/// How often a ladder renewed its chains, where there is one: what only the exchange of temperatures renews is not in the series of one
/// of them.
std::string round_trips_text(const Observation& found);

}  // namespace v1
}  // namespace harmonium
