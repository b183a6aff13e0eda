#pragma once

#include <array>
#include <cstdint>
#include <harmonium/framework/core/types.hpp>
#include <span>

namespace harmonium {
inline namespace v1 {

/// A bijection of [0, n) that `key` chooses, computed by address: no table, no state, any order, any thread. With a key
/// made of the seed and the epoch it is the order in which minibatches visit the data.
///
/// A Feistel network (Luby and Rackoff, SIAM J. Comput. 17, 1988) over the next power of two, followed until it lands
/// in [0, n) again (cycle walking: Black and Rogaway, CT-RSA 2002), which takes two steps or fewer on average. Over 2^m
/// points with m > 3 every Feistel permutation is even; nothing that statistics of minibatches see depends on it.
class Permutation {
 public:
  Permutation(Index n, std::uint64_t key);

  Index size() const { return size_; }

  /// Where position `i` goes. Throws std::out_of_range unless i < n.
  Index operator()(Index i) const;

  /// The same of each of `positions`, in place, and several times as fast: the rounds of one position wait for each other, and
  /// those of others fill the time. Throws std::out_of_range where one is not below n, and has then changed nothing.
  void apply(std::span<Index> positions) const;

 private:
  // Small domains mix slowly. With independent round functions, an order of n points occurs with a probability whose
  // relative deviation from 1 / n! has the mean square 3e-14 (n = 4), 2e-5 (n = 5), 2.5e-3 (n = 8), by enumeration.
  static constexpr int rounds = 24;

  /// Several positions side by side, each by itself.
  template <std::size_t Lanes>
  void encrypt(std::array<std::uint64_t, Lanes>& x) const;

  Index size_;
  int low_bits_;
  int high_bits_;
  std::array<std::uint64_t, rounds> round_keys_{};
};

}  // namespace v1
}  // namespace harmonium
