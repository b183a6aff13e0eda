#include <harmonium/framework/inference/column_drift.hpp>

#include <cmath>

#include <harmonium/framework/core/assert.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void ColumnDrift::add(ConstMatrixRef before, ConstMatrixRef after) {
  HARMONIUM_ASSERT(before.rows == after.rows && before.cols == after.cols);
  sums_.resize(after.cols, 0.0);
  squares_.resize(after.cols, 0.0);
  for (Index r = 0; r < after.rows; ++r)
    for (Index c = 0; c < after.cols; ++c) {
      const double d = static_cast<double>(after(r, c)) - static_cast<double>(before(r, c));
      sums_[c] += d;
      squares_[c] += d * d;
    }
}

std::optional<ColumnDrift::Move> ColumnDrift::move() const {
  Move most;
  for (Index c = 0; c < sums_.size(); ++c) {
    if (squares_[c] == 0.0) continue;
    const double ratio = sums_[c] / std::sqrt(squares_[c]);
    if (std::abs(ratio) > std::abs(most.ratio)) most = {c, ratio};
  }
  if (most.ratio == 0.0) return {};
  if (std::abs(most.ratio) <= std::sqrt(2.0 * std::log(2.0 * static_cast<double>(sums_.size()) / level))) return {};
  return most;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
