#include <harmonium/program/work/ladder_gaps.hpp>

#include <string>

#include <fmt/format.h>

#include <harmonium/framework/inference/rungs.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void warn_of_gaps(const LadderReport& ladder, Display& display) {
  constexpr double low = 0.05;
  for (Index k = 0; k < ladder.proposed.size(); ++k) {
    if (ladder.proposed[k] == 0 || ladder.rate(k) >= low) continue;
    const std::string between = of_machines(ladder)
                                    ? fmt::format("machines {} and {} of the ladder, the target being 1,", k + 1, k + 2)
                                    : fmt::format("beta = {:.4g} and {:.4g}", ladder.betas[k], ladder.betas[k + 1]);
    display.warn(
        fmt::format("only {:.2g} of the exchanges between {} were accepted, so that the ladder does not connect "
                    "them. Add rungs between.",
                    ladder.rate(k), between));
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
