#pragma once

#include <harmonium/framework/core/types.hpp>

namespace harmonium::testing {

/// Of tests that count over hundreds of seeds how often an interval contains what it should: that does not hang on the precision, and
/// other tests hold the figures themselves against exact ones in both.
inline constexpr bool in_single = sizeof(Real) == sizeof(float);

}  // namespace harmonium::testing
