#pragma once

#include <cstdint>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/execution/stream.hpp>

namespace harmonium {
inline namespace v1 {

/// What the rows of a run are dealt by, and bits of gray values drawn: of `data_seed` of its configuration, where that has one, else
/// of `seed`, else of 1.
inline RandomSource data_random(const Value& config) {
  std::uint64_t seed = 1;
  for (const char* name : {"seed", "data_seed"})
    if (const Value* own = config.find(name))
      if (const auto* number = std::get_if<std::int64_t>(&own->data)) seed = static_cast<std::uint64_t>(*number);
  return RandomSource{seed, 0}.child("data");
}

}  // namespace v1
}  // namespace harmonium
