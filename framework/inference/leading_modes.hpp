#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The leading singular vectors of the largest coupling of two layers, or within one, where its smaller side has no more than
/// 3,000 columns. Where all couplings are of listed pairs, of the symmetric matrix of the layer's units that the longest list
/// makes, the columns of a unit having the numbers of their states. Of a symmetric matrix they are its eigenvectors by the absolute
/// value of their eigenvalues, of those with λ and −λ that with λ first: of the Ising model on a torus the uniform one, then the
/// staggered one.
struct LeadingModes {
  LeadingModes() = default;
  /// No coupling, and nothing else, where there is none such.
  explicit LeadingModes(const EnergyModel& model);

  std::string coupling;
  LayerId first{}, second{};            ///< whose columns its rows and its columns are
  std::vector<double> singular_values;  ///< descending, ten at most
  bool smaller_is_first = true;
  Matrix<double> of_smaller;  ///< singular vectors of the side with fewer columns, one a column of this, in that order
  Matrix<double> of_larger;   ///< those of the other side, times the singular values
};

/// Where rows lie along the leading modes: the shares of data and of draws in the cells that the data's medians make.
struct ModeOccupancy {
  Index num_modes =
      0;  ///< there are 2^num_modes cells; 0, and no shares: there are no rows, or no modes of an observed layer
  std::vector<double> of_data, of_draws;  ///< of each cell; bit k: above the median along mode k
};

/// Along at most three modes, of the observed layer of the coupling. Rows without holes.
ModeOccupancy mode_occupancy(const LeadingModes& modes, const Layout& layout, const Chains& draws, const Chains& data);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
