#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include <harmonium/framework/inference/rungs.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

double LadderReport::rate(Index k) const {
  return proposed[k] == 0 ? 0.0 : static_cast<double>(accepted[k]) / static_cast<double>(proposed[k]);
}

double LadderReport::min_rate() const {
  double min = 1.0;
  for (Index k = 0; k < proposed.size(); ++k)
    if (proposed[k] > 0) min = std::min(min, rate(k));
  return min;
}

double LadderReport::mean_rate() const {
  double sum = 0.0, pairs = 0.0;
  for (Index k = 0; k < proposed.size(); ++k) {
    if (proposed[k] == 0) continue;
    sum += rate(k);
    ++pairs;
  }
  return pairs > 0 ? sum / pairs : 0.0;
}

bool LadderReport::any_proposed() const {
  return std::ranges::any_of(proposed, [](std::uint64_t n) { return n > 0; });
}

void LadderReport::add(const LadderReport& other) {
  if (betas != other.betas) {
    *this = other;
    return;
  }
  std::ranges::transform(proposed, other.proposed, proposed.begin(), std::plus());
  std::ranges::transform(accepted, other.accepted, accepted.begin(), std::plus());
  round_trips += other.round_trips;
}

void LadderReport::state(StateArchive& archive) {
  constexpr Index most_rungs = Index{1} << 20;
  archive.field("betas", betas, FieldSize::up_to(most_rungs));
  check_ladder(archive, "betas", betas);
  const Index pairs = std::max<Index>(betas.size(), 1) - 1;
  archive.field("proposed", proposed, pairs);
  archive.field("accepted", accepted, pairs);
  archive.field("round_trips", round_trips);
  if (!archive.loading()) return;
  for (Index k = 0; k < pairs; ++k)
    if (accepted[k] > proposed[k])
      archive.refuse("accepted",
                     fmt::format("has {} of {} exchanges of rungs {} and {}", accepted[k], proposed[k], k, k + 1));
}

void check_ladder(const StateArchive& archive, std::string_view name, std::span<const double> betas) {
  if (!archive.loading()) return;
  for (Index k = 0; k < betas.size(); ++k)
    if (!(betas[k] >= 0.0) || (k > 0 && betas[k] > betas[k - 1]))
      archive.refuse(name, fmt::format("is no ladder: inverse temperatures descend to 0 or more, and number {} is {}",
                                       k + 1, betas[k]));
}

std::string LadderReport::summary() const {
  const char* const kind = of_machines(*this) ? "machines" : "temperatures";
  const std::string rungs = fmt::format("{} {}{}", betas.size(), kind,
                                        base ? " down to the model without its couplings (base = \"biases\")" : "");
  if (!any_proposed()) return fmt::format("{}, and no exchange was due", rungs);
  double max = 0.0;
  for (Index k = 0; k < proposed.size(); ++k) max = std::max(max, rate(k));
  return fmt::format("{}, exchanges accepted {:.2f} to {:.2f} of the time, {} round trip{}", rungs, min_rate(), max,
                     round_trips, round_trips == 1 ? "" : "s");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
