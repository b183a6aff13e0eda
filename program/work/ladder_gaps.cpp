#include <harmonium/program/work/ladder_gaps.hpp>

#include <fmt/format.h>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void warn_of_gaps(const LadderReport& ladder, Display& display) {
  constexpr double low = 0.05;
  for (Index k = 0; k < ladder.proposed.size(); ++k)
    if (ladder.proposed[k] > 0 && ladder.rate(k) < low)
      display.warn(
          fmt::format("only {:.2g} of the exchanges between beta = {:.4g} and {:.4g} were accepted, so that the ladder "
                      "does not connect them. Add rungs between.",
                      ladder.rate(k), ladder.betas[k], ladder.betas[k + 1]));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
