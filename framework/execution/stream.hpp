#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <harmonium/framework/core/types.hpp>
#include <limits>
#include <string_view>

/// Every random word has an address, and its value is a pure function of it: never of the thread, the tile, the order
/// of blocks, the vector width, what is held fixed, or what anybody else has drawn.
///   key     = hash64(seed, purpose, step >> 32)
///   counter = (site, layer << 24 | draw, chain >> 2, step & 0xffffffff)
///   word    = number (chain & 3) of the four of Threefry4x32-13(counter, (key & 0xffffffff, key >> 32, 0, 0)).
/// A site is what draws within a layer, usually a unit; draws number the words of one site; chain numbers are global.
namespace harmonium {
inline namespace v1 {

/// The finaliser of splitmix64 (Steele, Lea and Flood, OOPSLA'14; constants of Stafford's variant 13): a bijection of
/// the 64-bit words that leaves no visible trace of its argument's structure.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Hash of three words: h <- mix64((h ^ word) + 0x9e3779b97f4a7c15) over `a`, `b`, `c`, from h = 0. A bijection in each
/// argument while the other two are held, so that two addresses that differ in one of them never collide.
constexpr std::uint64_t hash64(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;
  return mix64((mix64((mix64(a + golden) ^ b) + golden) ^ c) + golden);
}

using Words4 = std::array<std::uint32_t, 4>;

/// Threefry4x32 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11), the four words
/// that belong to a counter. 12 rounds are the fewest that the authors found to pass BigCrush, 20 their default;
/// known answers are published for 13 and for 20.
template <int Rounds>
constexpr Words4 threefry4x32(Words4 counter, const Words4& key) {
  static_assert(Rounds >= 0 && Rounds <= 72);
  constexpr int rotations[8][2] = {{10, 26}, {11, 21}, {13, 27}, {23, 5}, {6, 20}, {17, 11}, {25, 10}, {18, 20}};
  constexpr std::uint32_t parity = 0x1bd11bda;
  const std::uint32_t schedule[5] = {key[0], key[1], key[2], key[3], parity ^ key[0] ^ key[1] ^ key[2] ^ key[3]};
  const auto rotate = [](std::uint32_t x, int bits) { return (x << bits) | (x >> (32 - bits)); };
  auto [x0, x1, x2, x3] = counter;
  x0 += schedule[0];
  x1 += schedule[1];
  x2 += schedule[2];
  x3 += schedule[3];
  for (int round = 0; round < Rounds; ++round) {
    const auto& bits = rotations[round % 8];
    if (round % 2 == 0) {
      x0 += x1;
      x1 = rotate(x1, bits[0]) ^ x0;
      x2 += x3;
      x3 = rotate(x3, bits[1]) ^ x2;
    } else {
      x0 += x3;
      x3 = rotate(x3, bits[0]) ^ x0;
      x2 += x1;
      x1 = rotate(x1, bits[1]) ^ x2;
    }
    if (round % 4 == 3) {
      const int i = (round + 1) / 4;
      x0 += schedule[i % 5];
      x1 += schedule[(i + 1) % 5];
      x2 += schedule[(i + 2) % 5];
      x3 += schedule[(i + 3) % 5] + static_cast<std::uint32_t>(i);
    }
  }
  return {x0, x1, x2, x3};
}

/// Rounds of the generator; changing it changes every draw of every run.
inline constexpr int generator_rounds = 13;

/// A word as a number strictly between 0 and 1: (n + 1/2) 2^-23 of its upper 23 bits n. Exact, and symmetric about 1/2,
/// so that neither u nor 1 - u is ever 0 and log(u) is finite.
constexpr float uniform_f32(std::uint32_t word) { return (static_cast<float>(word >> 9) + 0.5f) * 0x1p-23f; }

/// A word as a number strictly between 0 and 1: (word + 1/2) 2^-32. Exact, and symmetric about 1/2.
constexpr double uniform_f64(std::uint32_t word) { return (static_cast<double>(word) + 0.5) * 0x1p-32; }

template <std::floating_point T>
constexpr T uniform(std::uint32_t word) {
  static_assert(std::same_as<T, float> || std::same_as<T, double>);
  if constexpr (std::same_as<T, float>) {
    return uniform_f32(word);
  } else {
    return uniform_f64(word);
  }
}

/// Hash of a component's path in the configuration ("estimator/negative/sampler"): 64-bit FNV-1a over its bytes. The
/// empty path is the root and has purpose 0.
std::uint64_t purpose_of(std::string_view path);

/// What a run hands down for a component to draw from: the seed of the run and the component's purpose. Two components
/// with different purposes draw independent words, so that adding a component leaves the others' draws alone.
struct RandomSource {
  std::uint64_t seed = 0;
  std::uint64_t purpose = 0;

  /// The source of a component below this one: child("a").child("b") has the purpose of the path "a/b".
  RandomSource child(std::string_view name) const;

  /// The key of all words of `step`; the same for 2^32 steps, whose counters differ.
  std::uint64_t key(std::uint64_t step) const { return hash64(seed, purpose, step >> 32); }
};

/// The addresses of a tile of chains at one step and layer: row r is chain first_chain + r (modulo 2^32). Plain data.
struct DrawBlock {
  std::uint64_t key = 0;
  std::uint32_t first_chain = 0;
  std::uint32_t step = 0;
  std::uint32_t layer = 0;
  std::uint32_t first_site = 0;  ///< sites that functions taking this count from 0 start here

  /// Throws std::length_error for a layer of number 256 or more, which has no address.
  static DrawBlock of(RandomSource source, std::uint32_t first_chain, std::uint64_t step, LayerId layer);

  /// Draws of one site are numbered below this.
  static constexpr std::uint32_t draws = 1u << 24;

  /// The word of number `draw` (< `draws`) at `site` (after the first), for the chain of `row`.
  std::uint32_t word(Index row, std::uint32_t site, std::uint32_t draw = 0) const {
    HARMONIUM_ASSERT(draw < draws);
    const std::uint32_t chain = first_chain + static_cast<std::uint32_t>(row);
    const Words4 words =
        threefry4x32<generator_rounds>({site, layer << 24 | draw, chain >> 2, step},
                                       {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32), 0, 0});
    return words[chain & 3];
  }
};

/// The words of one chain and site, draw = 0, 1, 2, ..., as a uniform random bit generator that the distributions of
/// Boost.Random and of the standard library take. A copy repeats what the original goes on to draw.
class RandomStream {
 public:
  using result_type = std::uint32_t;
  static constexpr bool has_fixed_range = false;  // Boost.Random: min and max are functions
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  RandomStream(const DrawBlock& block, Index row, std::uint32_t site) : block_(block), row_(row), site_(site) {}

  /// Throws std::length_error once all 2^24 words have been drawn.
  result_type operator()() {
    if (draw_ == DrawBlock::draws) exhausted();
    return block_.word(row_, site_, draw_++);
  }

 private:
  [[noreturn]] static void exhausted();

  DrawBlock block_;
  Index row_;
  std::uint32_t site_;
  std::uint32_t draw_ = 0;
};

}  // namespace v1
}  // namespace harmonium
