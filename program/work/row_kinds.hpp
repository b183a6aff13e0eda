#pragma once

#include <vector>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The most operations of sums over what was not seen, of all rows together: some ten seconds.
inline constexpr double most_operations_of_sums = 2e11;
/// The most ways to fill in a row that is summed over whatever all rows take: few missing bits, or a class.
inline constexpr double always_summed = 16.0;

/// How the sum over what was not seen of each row is found. Both lists ascend.
struct RowKinds {
  std::vector<Index> exact;      ///< by summing over all states, of what is missing or of the latent units
  std::vector<Index> estimated;  ///< these are too many, or the latent units are coupled
  Index with_holes = 0;          ///< rows of which an entry is missing
  std::vector<double> seen;      ///< share of rows in which each column was seen; empty where nothing is missing
};

/// Rows whose sums take least come first, as many as take `most_operations_of_sums`, and all that are filled in in `always_summed`
/// ways at most; of the others, and of all with holes where values are not states (`probability` is false), sums are estimated.
RowKinds kinds_of_rows(const EnergyModel& model, const Dataset& data, bool probability);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
