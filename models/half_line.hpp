#pragma once

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether exp(−½ zᵀPz + bᵀz) is sure to have a finite integral over the z whose first `num_free` coordinates are any
/// numbers and whose others are at least 0; `precision` is P, n × n, symmetric.
///
/// With S what is left of P once the free coordinates are integrated out, the integral is finite if and only if S is
/// strictly copositive, which is hard to decide (Murty & Kabadi 1987). Sufficient, and necessary up to two such
/// coordinates: the matrix of S's diagonal and of its negative entries is positive definite.
bool surely_integrable(MatrixView<const double> precision, Index num_free);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
