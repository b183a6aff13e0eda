#pragma once

#include <string>

#include <harmonium/program/work/observation.hpp>

namespace harmonium {
inline namespace v1 {

/// What `observe` found, as tables for people, and as one JSON object.
std::string observation_text(const Observation& found);
std::string observation_json(const Observation& found);

}  // namespace v1
}  // namespace harmonium
