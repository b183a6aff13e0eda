#pragma once

#include <harmonium/framework/model/chains.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

enum class Bound : std::uint8_t { lowest, highest };

/// Rows [begin, end) with every unit at its lowest state, or at its highest; of continuous units, which have values already,
/// on one side of the middle of their law.
void set_to_bound(const Layout& layout, Bound bound, Index begin, Index end, Chains& chains);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
