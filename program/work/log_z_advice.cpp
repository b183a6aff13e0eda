#include <harmonium/program/work/log_z_advice.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/about_so_long.hpp>
#include <harmonium/framework/inference/effort.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// "--effort 2", twice what it was; empty where there is no such option, or no more of it.
std::string twice_as_long(const LengthOfWay& length) {
  if (length.effort)
    return 2.0 * *length.effort <= most_effort ? fmt::format("--effort {:g}", 2.0 * *length.effort) : "";
  return length.num_steps ? fmt::format("--set log_z.num_steps={:.0f}", 2.0 * *length.num_steps) : "";
}

}  // namespace

std::string advice_on(const LogPartitionEstimate& found, const std::string& what, const LengthOfWay& length,
                      const TimeTaken& taken) {
  if (found.agree || found.doubt == Doubt::other) return "";
  const std::string longer = twice_as_long(length), time = about_so_long(taken.seconds);
  const std::string more =
      longer.empty() ? "" : fmt::format("{} takes some {}", longer, about_so_long(2.0 * taken.seconds));
  const std::string seed = fmt::format(
      "--seed {} takes as long as this did, {}, and settles it where the start was unlucky", taken.seed + 1, time);
  const std::string begin = fmt::format("To settle {}: ", what);
  if (found.doubt == Doubt::contradicted) return begin + seed + (more.empty() ? "." : "; else " + more + ".");
  if (found.doubt == Doubt::too_few) return more.empty() ? "" : fmt::format("{}{}, this took {}.", begin, more, time);
  return begin + (more.empty() ? "" : more + "; ") + seed + ".";
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
