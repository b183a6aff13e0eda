#pragma once

#include <optional>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The coupling of two Potts units of q states, q × q, in the zero-sum gauge: J(a, b) − J(·, b) − J(a, ·) + J(·, ·), a dot
/// being the mean over states. The same law of the states as before, with biases to match; of all gauges the one of smallest
/// Frobenius norm.
std::vector<double> zero_sum(ConstMatrixRef coupling);

/// sites × sites, symmetric with zero diagonal: how strongly two units of a lateral coupling (sites·q × sites·q) are
/// coupled. Frobenius norms in the zero-sum gauge, without the rows and columns of state `left_out` (a gap), less the
/// average product correction F_i F_j / F, F_i being the mean over partners and F that over all pairs (Dunn, Wahl & Gloor
/// 2008; Ekeberg et al. 2013).
std::vector<double> contact_scores(ConstMatrixRef coupling, Index states, std::optional<Index> left_out);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
