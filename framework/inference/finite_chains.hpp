#pragma once

#include <span>

#include <harmonium/framework/model/chains.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Beyond this no sample of a density lies that serves: its square, and so its energy, is no number in single precision
/// (whose largest is 3.4e38), and a Gaussian unit that wide has a precision of less than 1e-38. Data in units so small are
/// to be scaled.
inline constexpr double farthest_sample = 1e19;

/// Throws NumericalError where a continuous unit of a chain is no finite number or beyond `farthest_sample`: of a model
/// without density, or under steps that are too long for it, chains run away. What runs away slowly is below that for long.
void check_finite(const Chains& chains, const Layout& layout);

/// Throws NumericalError where an energy of the rows of x is not a number: whatever is proposed to a chain that stands
/// there would be refused for ever.
void check_energies(std::span<const double> energies, ConstChainView x);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
