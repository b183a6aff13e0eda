#pragma once

#include <optional>
#include <span>
#include <vector>

#include <harmonium/framework/inference/latent_mixture.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// How the sum over what was not seen of a row is found, the way that takes least, and what that takes, in multiplications and
/// additions; infinite where there is none.
struct SumOfRow {
  double operations;
  bool over_latent;
};

/// Of rows that can be filled in in so many ways, each of which takes `operations_of_way`. The choice is each row's own: its figure
/// does not depend on the rows beside it.
std::vector<SumOfRow> cheapest_sums(std::span<const double> ways_of_rows, double operations_of_way,
                                    const std::optional<LatentMixture>& mixture);

/// The rows of each way. Throws CapabilityError where there is none for a row.
struct RowsByWay {
  std::vector<Index> filled_in, over_latent;

  RowsByWay(std::span<const SumOfRow> sums, std::span<const double> ways);
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
