#include <harmonium/program/work/ladder_warnings.hpp>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include <harmonium/framework/inference/rungs.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void warn_of_gaps(const LadderReport& ladder, Display& display, const char* remedy) {
  constexpr double low = 0.05, none = 0.01;
  for (Index k = 0; k < ladder.proposed.size(); ++k) {
    if (ladder.proposed[k] == 0 || ladder.rate(k) >= low) continue;
    const std::string between = of_machines(ladder)
                                    ? fmt::format("machines {} and {} of the ladder, the target being 1,", k + 1, k + 2)
                                    : fmt::format("beta = {:.4g} and {:.4g}", ladder.betas[k], ladder.betas[k + 1]);
    display.warn(fmt::format("only {:.2g} of the exchanges between {} were accepted, so that the ladder {} them. {}",
                             ladder.rate(k), between, ladder.rate(k) < none ? "does not connect" : "hardly connects",
                             remedy));
  }
}

void warn_of_few_round_trips(const LadderReport& ladder, Index num_ladders, Display& display) {
  constexpr std::uint64_t few = 10;
  if (!ladder.any_proposed() || ladder.round_trips >= std::max<std::uint64_t>(num_ladders, few)) return;
  display.warn(fmt::format(
      "{} round trip{} of {} ladder{} is too few: rows may be in the modes that they began in, so that shares "
      "of modes are not to be believed. Raise --steps.",
      ladder.round_trips, ladder.round_trips == 1 ? "" : "s", num_ladders, num_ladders == 1 ? "" : "s"));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
