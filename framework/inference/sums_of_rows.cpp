#include <harmonium/framework/inference/sums_of_rows.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/rows_with_holes.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::vector<SumOfRow> cheapest_sums(std::span<const double> ways_of_rows, double operations_of_way,
                                    const std::optional<LatentMixture>& mixture) {
  constexpr double none = std::numeric_limits<double>::infinity();
  std::vector<SumOfRow> sums;
  for (const double ways : ways_of_rows) {
    const double filled_in = ways <= most_completions ? ways * operations_of_way : none;
    const double over_latent = mixture && ways > 1.0 ? mixture->operations_of_row() : none;
    sums.push_back({std::min(filled_in, over_latent), over_latent < filled_in});
  }
  return sums;
}

RowsByWay::RowsByWay(std::span<const SumOfRow> sums, std::span<const double> ways) {
  for (Index r = 0; r < sums.size(); ++r) {
    if (std::isinf(sums[r].operations))
      throw CapabilityError(fmt::format(
          "row {} can be filled in in {:g} ways, and at most {:g} are summed over, or so many latent states given "
          "which the observed units are independent.",
          r, ways[r], most_completions));
    (sums[r].over_latent ? over_latent : filled_in).push_back(r);
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
