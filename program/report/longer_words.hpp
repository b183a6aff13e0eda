#pragma once

#include <string>

#include <harmonium/framework/config/value.hpp>

namespace harmonium {
inline namespace v1 {

/// "'harmonium resume RUN --epochs N'", with how much of it is made again, by whether the run was to keep checkpoints.
std::string longer_words(const Value& config);

}  // namespace v1
}  // namespace harmonium
