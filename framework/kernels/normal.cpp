#include <harmonium/framework/kernels/normal.hpp>

#include <cmath>
#include <numbers>

#include <harmonium/framework/kernels/kernels.hpp>

namespace harmonium {
inline namespace v1 {

std::span<const double> NormalDraws::row(Index r) {
  const std::uint32_t chain = block_.first_chain + static_cast<std::uint32_t>(r);
  if (quad_ != static_cast<std::int64_t>(chain / 4)) {
    quad_ = static_cast<std::int64_t>(chain / 4);
    for (std::uint32_t draw = 0; draw < 2; ++draw)
      kernels().words(block_, chain / 4, block_.first_site, draw, cols_, &words_[draw * 4 * cols_]);
  }
  const std::uint32_t* first = &words_[(chain % 4) * cols_];
  const std::uint32_t* second = first + 4 * cols_;
  for (Index c = 0; c < cols_; ++c)
    normal_[c] =
        std::sqrt(-2.0 * std::log(uniform_f64(first[c]))) * std::cos(2.0 * std::numbers::pi * uniform_f64(second[c]));
  return normal_;
}

}  // namespace v1
}  // namespace harmonium
