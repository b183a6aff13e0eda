#pragma once

#include <fmt/format.h>

#include <harmonium/framework/config/options.hpp>

namespace harmonium {
inline namespace v1 {

/// Of the option `effort`, and of `--effort`: no more than what numbers of steps, which it multiplies, have room for.
inline constexpr double most_effort = 1e6;

inline Limit effort_limit() {
  return {fmt::format("more than 0, at most {:.0f}", most_effort),
          [](double effort) { return effort > 0.0 && effort <= most_effort; }};
}

}  // namespace v1
}  // namespace harmonium
