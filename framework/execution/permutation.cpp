#include <algorithm>
#include <bit>
#include <harmonium/framework/execution/permutation.hpp>
#include <harmonium/framework/execution/stream.hpp>
#include <stdexcept>

namespace harmonium {
inline namespace v1 {

Permutation::Permutation(Index n, std::uint64_t key) : size_(n) {
  // Two halves of a bit or more each: an empty half would leave the other one unmixed.
  const int bits = std::max(2, n < 2 ? 0 : static_cast<int>(std::bit_width(n - 1)));
  high_bits_ = bits / 2;
  low_bits_ = bits - high_bits_;
  for (int round = 0; round < rounds; ++round) {
    round_keys_[static_cast<std::size_t>(round)] = hash64(key, static_cast<std::uint64_t>(round), n);
  }
}

template <std::size_t Lanes>
void Permutation::encrypt(std::array<std::uint64_t, Lanes>& x) const {
  std::array<std::uint64_t, Lanes> high{}, low{};
  for (std::size_t k = 0; k < Lanes; ++k) {
    high[k] = x[k] >> low_bits_;
    low[k] = x[k] & ((std::uint64_t{1} << low_bits_) - 1);
  }
  for (std::size_t round = 0; round < rounds; round += 2) {
    for (std::size_t k = 0; k < Lanes; ++k) high[k] ^= mix64(round_keys_[round] ^ low[k]) >> (64 - high_bits_);
    for (std::size_t k = 0; k < Lanes; ++k) low[k] ^= mix64(round_keys_[round + 1] ^ high[k]) >> (64 - low_bits_);
  }
  for (std::size_t k = 0; k < Lanes; ++k) x[k] = high[k] << low_bits_ | low[k];
}

Index Permutation::operator()(Index i) const {
  if (i >= size_) throw std::out_of_range("a position outside the permutation");
  std::array<std::uint64_t, 1> x{i};
  do encrypt(x);
  while (x[0] >= size_);
  return static_cast<Index>(x[0]);
}

void Permutation::apply(std::span<Index> positions) const {
  constexpr std::size_t lanes = 8;
  if (std::ranges::any_of(positions, [&](Index i) { return i >= size_; }))
    throw std::out_of_range("a position outside the permutation");
  std::array<std::size_t, lanes> of{};  // which position a lane works on; none: their number
  std::array<std::uint64_t, lanes> x{};
  std::size_t begun = 0, left = positions.size();
  const auto begin_next = [&](std::size_t lane) {
    of[lane] = begun;
    x[lane] = begun < positions.size() ? positions[begun++] : 0;
  };
  for (std::size_t lane = 0; lane < lanes; ++lane) begin_next(lane);
  while (left > 0) {
    encrypt(x);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (x[lane] >= size_ || of[lane] == positions.size()) continue;  // outside goes round once more
      positions[of[lane]] = static_cast<Index>(x[lane]);
      --left;
      begin_next(lane);
    }
  }
}

}  // namespace v1
}  // namespace harmonium
