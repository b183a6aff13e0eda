#pragma once

#include <vector>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/model/chains.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A column of an observed layer.
struct ObservedColumn {
  LayerId layer;
  Index place;
};
/// At most so many of all observed columns, evenly spread.
std::vector<ObservedColumn> observed_columns(const Layout& layout, Index most);
/// Their values in rows first, first + step, ...
Matrix<double> values_of(const Chains& rows, const std::vector<ObservedColumn>& columns, Index first, Index step);

/// How two lists of numbers go together; not a number where one of them is constant.
struct LinearAgreement {
  double pearson = 0.0;  ///< correlation
  double slope = 0.0;    ///< of the first regressed on the second
};

/// Moments of draws beside those of data, over the observed columns, of which at most 1,000, evenly spread, are taken.
struct MomentAgreement {
  LinearAgreement means;         ///< E[x_i]
  LinearAgreement correlations;  ///< C_ij = E[x_i x_j] − E[x_i] E[x_j], i < j
  /// The same of even and odd rows of the data: what noise leaves of 1.
  LinearAgreement means_of_halves, correlations_of_halves;
};

/// Of rows without holes, at least four on either side.
MomentAgreement compare_moments(const Layout& layout, const Chains& draws, const Chains& data);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
