#pragma once

#include <string>

#include <harmonium/program/work/observation.hpp>

namespace harmonium {
inline namespace v1 {

/// What log Z differs by along the temperatures, as a table; nothing of one temperature. Where it is not known, that and why.
std::string log_z_text(const Observation& found);
/// The members of one temperature: an object each, or null, and nothing else.
std::string log_z_json(const ObservedTemperature& t);

}  // namespace v1
}  // namespace harmonium
