#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

double LadderReport::rate(Index k) const {
  return proposed[k] == 0 ? 0.0 : static_cast<double>(accepted[k]) / static_cast<double>(proposed[k]);
}

double LadderReport::least_rate() const {
  double least = 1.0;
  for (Index k = 0; k < proposed.size(); ++k) least = std::min(least, rate(k));
  return least;
}

void LadderReport::add(const LadderReport& other) {
  if (betas != other.betas) {
    *this = other;
    return;
  }
  for (Index k = 0; k < proposed.size(); ++k) {
    proposed[k] += other.proposed[k];
    accepted[k] += other.accepted[k];
  }
  round_trips += other.round_trips;
}

std::string LadderReport::words() const {
  double greatest = 0.0;
  for (Index k = 0; k < proposed.size(); ++k) greatest = std::max(greatest, rate(k));
  return fmt::format("{} temperatures, exchanges accepted {:.2f} to {:.2f} of the time, {} round trip{}", betas.size(),
                     least_rate(), greatest, round_trips, round_trips == 1 ? "" : "s");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
