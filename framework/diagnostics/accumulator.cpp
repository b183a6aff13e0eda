#include <harmonium/framework/diagnostics/accumulator.hpp>

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <harmonium/framework/core/state_archive.hpp>

namespace harmonium {
inline namespace v1 {

void BinningAccumulator::add(double value) {
  for (Index l = 0;; ++l) {
    if (l == levels_.size()) levels_.emplace_back();
    Level& level = levels_[l];
    ++level.count;
    const double before = value - level.mean;
    level.mean += before / static_cast<double>(level.count);
    level.squares += before * (value - level.mean);
    level.waits = !level.waits;
    if (level.waits) {
      level.pending = value;
      return;
    }
    value = 0.5 * (level.pending + value);
  }
}

double BinningAccumulator::mean() const { return levels_.empty() ? 0.0 : levels_[0].mean; }

double BinningAccumulator::variance() const {
  if (count() < 2) return std::numeric_limits<double>::infinity();
  return levels_[0].squares / static_cast<double>(count() - 1);
}

Index BinningAccumulator::levels() const {
  Index n = 0;
  while (n < levels_.size() && levels_[n].count >= 2) ++n;
  return n;
}

double BinningAccumulator::error(Index level) const {
  const Level& l = levels_[level];
  if (l.count < 2) return std::numeric_limits<double>::infinity();
  const auto n = static_cast<double>(l.count);
  return std::sqrt(l.squares / (n - 1.0) / n);
}

double BinningAccumulator::error() const {
  Index longest = 0;
  while (longest + 1 < levels_.size() && levels_[longest + 1].count >= min_bins) ++longest;
  if (count() < min_bins) return std::numeric_limits<double>::infinity();
  return error(longest);
}

double BinningAccumulator::autocorrelation_time() const {
  const double ratio = error() / error(0);
  return ratio * ratio;
}

void BinningAccumulator::state(StateArchive& archive) {
  std::vector<std::uint64_t> counts, waits;
  std::vector<double> numbers;
  for (const Level& l : levels_) {
    counts.push_back(l.count);
    waits.push_back(l.waits ? 1 : 0);
    numbers.insert(numbers.end(), {l.mean, l.squares, l.pending});
  }
  constexpr Index most_levels = 64;  // each holds half as many bins as the one below it
  archive.field("counts", counts, FieldSize::up_to(most_levels));
  archive.field("waits", waits, counts.size());
  archive.field("numbers", numbers, 3 * counts.size());
  if (!archive.loading()) return;
  for (Index l = 0; l < counts.size(); ++l) {
    const std::uint64_t halved = l == 0 ? counts[0] : counts[l - 1] / 2;
    if (counts[l] != halved || counts[l] == 0)
      archive.refuse("counts", fmt::format("is of no series: level {} has {} bins", l, counts[l]));
    if (waits[l] != counts[l] % 2)
      archive.refuse("waits", fmt::format("is of no series: level {} has {} bins", l, counts[l]));
    if (numbers[3 * l + 1] < 0.0) archive.refuse("numbers", "holds a sum of squares that is negative");
  }
  levels_.resize(counts.size());
  for (Index l = 0; l < levels_.size(); ++l)
    levels_[l] = {counts[l], numbers[3 * l], numbers[3 * l + 1], numbers[3 * l + 2], waits[l] != 0};
}

}  // namespace v1
}  // namespace harmonium
