#pragma once

#include <cstdint>

#include <harmonium/framework/model/chains.hpp>

namespace harmonium::testing {

/// Logical chains of a row at each rung, in random states that are the same at each call.
inline Chains started_ladders(const Layout& layout, Index logical, Index rungs) {
  Chains chains(layout, logical * rungs);
  for (Index r = 0; r < chains.size(); ++r) chains.rung()[r] = static_cast<std::uint32_t>(r % rungs);
  for (const LayerId l : layout.ids()) layout[l].unit->sample_uniform(DrawBlock::of({8, 9}, 0, 0, l), chains.write(l));
  return chains;
}

}  // namespace harmonium::testing
