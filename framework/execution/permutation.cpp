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

std::uint64_t Permutation::encrypt(std::uint64_t x) const {
  std::uint64_t high = x >> low_bits_;
  std::uint64_t low = x & ((std::uint64_t{1} << low_bits_) - 1);
  for (std::size_t round = 0; round < rounds; round += 2) {
    high ^= mix64(round_keys_[round] ^ low) >> (64 - high_bits_);
    low ^= mix64(round_keys_[round + 1] ^ high) >> (64 - low_bits_);
  }
  return high << low_bits_ | low;
}

Index Permutation::operator()(Index i) const {
  if (i >= size_) throw std::out_of_range("a position outside the permutation");
  std::uint64_t x = i;
  do {
    x = encrypt(x);
  } while (x >= size_);
  return static_cast<Index>(x);
}

}  // namespace v1
}  // namespace harmonium
