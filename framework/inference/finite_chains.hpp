#pragma once

#include <harmonium/framework/model/chains.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Throws NumericalError where a continuous unit of a chain is no finite number: of a model without density, or under
/// steps that are too long for it, chains run away.
void check_finite(const Chains& chains, const Layout& layout);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
