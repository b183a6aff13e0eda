#pragma once

#include <harmonium/framework/config/options.hpp>

namespace harmonium {
inline namespace v1 {

/// Of the option `effort`: no more than what numbers of steps, which it multiplies, have room for.
inline Limit effort_limit() {
  return {"more than 0, at most 1000000", [](double effort) { return effort > 0.0 && effort <= 1e6; }};
}

}  // namespace v1
}  // namespace harmonium
