#pragma once

#include <optional>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Frobenius norm of the coupling of two units in the zero-sum gauge (zero_sum_gauge.hpp), without the row and column of state
/// `left_out` (a gap; Ekeberg et al. 2013).
double coupling_norm(ConstMatrixRef coupling, std::optional<Index> left_out);

/// sites × sites, symmetric with zero diagonal: that norm of each two units of a lateral coupling (sites·q × sites·q).
std::vector<double> coupling_norms(ConstMatrixRef coupling, Index states, std::optional<Index> left_out);

/// Of such norms F the average product correction, F_ij − F_i F_j / F, F_i being the mean over partners and F that over all
/// pairs (Dunn, Wahl & Gloor 2008). The diagonal stays 0.
std::vector<double> corrected_by_average_product(std::vector<double> norms, Index sites);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
