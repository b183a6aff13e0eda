#include <harmonium/framework/inference/tempering_ladder.hpp>

#include <algorithm>
#include <numeric>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::vector<double> even_ladder(Index rungs) {
  std::vector<double> ladder;
  for (Index k = 0; k < rungs; ++k) ladder.push_back(1.0 - static_cast<double>(k) / static_cast<double>(rungs - 1));
  return ladder;
}

std::vector<double> at_equal_parts(std::span<const double> positions, std::span<const double> lengths, Index num) {
  std::vector<double> upto{0.0};
  for (const double length : lengths) upto.push_back(upto.back() + length);
  std::vector<double> placed{positions.front()};
  Index at = 0;
  for (Index k = 1; k < num; ++k) {
    const double wanted = upto.back() * static_cast<double>(k) / static_cast<double>(num);
    while (at + 1 < lengths.size() && upto[at + 1] < wanted) ++at;
    const double part = (wanted - upto[at]) / (upto[at + 1] - upto[at]);
    placed.push_back(positions[at] + part * (positions[at + 1] - positions[at]));
  }
  placed.push_back(positions.back());
  return placed;
}

std::vector<double> balanced_ladder(const std::vector<double>& ladder, std::span<const double> rejection) {
  const double total = std::accumulate(rejection.begin(), rejection.end(), 0.0);
  if (!(total > 0.0)) return ladder;
  // A pair that never rejects still takes a little room, so that the rungs stay apart.
  const double min = 1e-3 * total / static_cast<double>(rejection.size());
  std::vector<double> lengths(rejection.begin(), rejection.end());
  for (double& length : lengths) length = std::max(length, min);
  return at_equal_parts(ladder, lengths, lengths.size());
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
