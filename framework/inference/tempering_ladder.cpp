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

std::vector<double> balanced_ladder(const std::vector<double>& ladder, std::span<const double> rejection) {
  const Index pairs = rejection.size();
  const double total = std::accumulate(rejection.begin(), rejection.end(), 0.0);
  if (!(total > 0.0)) return ladder;
  // A pair that never rejects still takes a little room, so that the rungs stay apart.
  const double min = 1e-3 * total / static_cast<double>(pairs);
  std::vector<double> barrier{0.0};  // cumulated from the target down
  for (const double rate : rejection) barrier.push_back(barrier.back() + std::max(rate, min));
  std::vector<double> moved = ladder;
  Index at = 0;
  for (Index k = 1; k < pairs; ++k) {
    const double wanted = barrier[pairs] * static_cast<double>(k) / static_cast<double>(pairs);
    while (at + 1 < pairs && barrier[at + 1] < wanted) ++at;
    const double part = (wanted - barrier[at]) / (barrier[at + 1] - barrier[at]);
    moved[k] = ladder[at] + part * (ladder[at + 1] - ladder[at]);
  }
  return moved;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
