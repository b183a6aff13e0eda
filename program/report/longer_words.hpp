#pragma once

#include <string>

#include <harmonium/framework/config/value.hpp>

namespace harmonium {
inline namespace v1 {

/// "'harmonium resume RUN --epochs N'", with how much of it is made again, by whether the run was to keep checkpoints; of a run whose schedule
/// goes by its length a new one, of which that is right.
std::string longer_words(const Value& config);

}  // namespace v1
}  // namespace harmonium
