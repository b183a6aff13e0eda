#include <harmonium/framework/execution/stream.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include <boost/random/normal_distribution.hpp>
#include <doctest/doctest.h>

namespace stream_test {

using namespace harmonium;

namespace {

// Known answers of Random123 (tests/kat_vectors), evaluated by the compiler.
constexpr Words4 zeros{};
constexpr Words4 ones{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
constexpr Words4 pi_counter{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344};
constexpr Words4 pi_key{0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89};
static_assert(threefry4x32<13>(zeros, zeros) == Words4{0x531c7e4f, 0x39491ee5, 0x2c855a92, 0x3d6abf9a});
static_assert(threefry4x32<13>(ones, ones) == Words4{0xc4189358, 0x1c9cc83a, 0xd5881c67, 0x6a0a89e0});
static_assert(threefry4x32<13>(pi_counter, pi_key) == Words4{0x4aa71d8f, 0x734738c2, 0x431fc6a8, 0xae6debf1});
static_assert(threefry4x32<20>(zeros, zeros) == Words4{0x9c6ca96a, 0xe17eae66, 0xfc10ecd4, 0x5256a7d8});
static_assert(threefry4x32<20>(ones, ones) == Words4{0x2a881696, 0x57012287, 0xf6c7446e, 0xa16a6732});
static_assert(threefry4x32<20>(pi_counter, pi_key) == Words4{0x59cd1dbb, 0xb8879579, 0x86b5d00c, 0xac8b6d84});

// splitmix64 from state 0, as published with the generator: its output number i is mix64(i * golden).
static_assert(mix64(0x9e3779b97f4a7c15u) == 0xe220a8397b1dcdafu);
static_assert(mix64(2 * 0x9e3779b97f4a7c15u) == 0x6e789e6aa1b965f4u);

static_assert(std::uniform_random_bit_generator<RandomStream>);

/// A word by its whole address, for each way in which two addresses can be neighbors.
struct Address {
  std::uint64_t seed = 2024, purpose = 7, step = 0;
  std::uint32_t chain = 0, site = 0, draw = 0, layer = 1;

  std::uint32_t word() const { return DrawBlock::of({seed, purpose}, chain, step, LayerId{layer}).word(0, site, draw); }
  /// The same address under a generator that mixes too little: what the tests below must notice.
  std::uint32_t weak_word() const {
    return threefry4x32<5>({site, layer << 24 | draw, chain >> 2, static_cast<std::uint32_t>(step)},
                           {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(purpose), 0, 0})[chain & 3];
  }
};

/// Chi-square of the bytes of the words, 255 degrees of freedom, as a normal score (Wilson and Hilferty).
double byte_score(const std::vector<std::uint32_t>& words) {
  std::vector<double> counts(256);
  for (const std::uint32_t word : words) {
    for (int shift = 0; shift < 32; shift += 8) counts[(word >> shift) & 255] += 1;
  }
  const double expected = static_cast<double>(words.size()) * 4 / 256;
  double chi2 = 0;
  for (const double count : counts) chi2 += (count - expected) * (count - expected) / expected;
  const double v = 2.0 / (9 * 255);
  return (std::cbrt(chi2 / 255) - (1 - v)) / std::sqrt(v);
}

/// Correlation of paired words as a normal score: of their values, and of their bits (agreement of n fair bits has
/// variance n / 4). The larger of the two in absolute value.
double pair_score(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  double product = 0, equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += 12 * (uniform_f64(a[i]) - 0.5) * (uniform_f64(b[i]) - 0.5);
    equal += 32 - std::popcount(a[i] ^ b[i]);
  }
  const double n = static_cast<double>(a.size());
  return std::max(std::abs(product) / std::sqrt(n), std::abs(equal - 16 * n) / std::sqrt(8 * n));
}

/// Scores of 2^16 words that count up one field of the address, and of their neighbors.
template <class Set, class Word>
std::vector<double> scores(const Set& set, const Word& word) {
  std::vector<std::uint32_t> words, next;
  for (std::uint32_t i = 0; i <= 65536; ++i) {
    Address address;
    set(address, i);
    words.push_back(word(address));
  }
  next.assign(words.begin() + 1, words.end());
  words.pop_back();
  return {std::abs(byte_score(words)), pair_score(words, next)};
}

template <class Word>
std::vector<double> scores_of_all_fields(const Word& word) {
  std::vector<double> all;
  const auto add = [&](const auto& set) {
    for (const double score : scores(set, word)) all.push_back(score);
  };
  add([](Address& a, std::uint32_t i) { a.site = i; });
  add([](Address& a, std::uint32_t i) { a.chain = i; });
  add([](Address& a, std::uint32_t i) { a.chain = 4 * i; });
  add([](Address& a, std::uint32_t i) { a.step = i; });
  add([](Address& a, std::uint32_t i) { a.step = std::uint64_t{i} << 32; });
  add([](Address& a, std::uint32_t i) { a.layer = i % 256, a.site = i / 256; });
  add([](Address& a, std::uint32_t i) { a.draw = i; });
  add([](Address& a, std::uint32_t i) { a.seed = i; });
  add([](Address& a, std::uint32_t i) { a.purpose = i; });
  return all;
}

// Three normal scores (two behind each pair score) for each of nine fields: 27 comparisons with 5.6 raise a false alarm
// with a probability below 6e-7. The power: a correlation of 0.03 of values, or of 0.006 of bits, is seen at 2 sigma.
constexpr double score_limit = 5.6;

}  // namespace

TEST_CASE("words of neighboring addresses look independent and uniform") {
  const std::vector<double> all = scores_of_all_fields([](const Address& address) { return address.word(); });
  for (const double score : all) CHECK(score < score_limit);
}

TEST_CASE("the tests of the words notice a generator with too few rounds") {
  const std::vector<double> all = scores_of_all_fields([](const Address& address) { return address.weak_word(); });
  int noticed = 0;
  for (const double score : all) noticed += score > score_limit;
  CHECK(noticed >= 4);
}

TEST_CASE("a word is where its address says") {
  const RandomSource source{0x0123456789abcdefu, 42};
  const std::uint64_t step = 5ull << 32 | 77;
  const DrawBlock block = DrawBlock::of(source, 13, step, LayerId{3});
  const std::uint64_t key = hash64(source.seed, source.purpose, 5);
  CHECK(block.key == key);
  const Words4 words = threefry4x32<13>({9, 3u << 24 | 6, 4, 77},
                                        {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32), 0, 0});
  for (Index row = 3; row < 7; ++row) CHECK(block.word(row, 9, 6) == words[row - 3]);  // chains 16 to 19

  // Blocks that begin elsewhere, but name the same chain, share its words; chain numbers wrap around.
  CHECK(DrawBlock::of(source, 10, step, LayerId{3}).word(5, 1) == block.word(2, 1));
  CHECK(DrawBlock::of(source, 0xffffffff, step, LayerId{3}).word(14, 1) == block.word(0, 1));
  CHECK_THROWS_AS(DrawBlock::of(source, 0, 0, LayerId{256}), std::length_error);
}

// Regression values: a change of any of them changes every draw of every run.
TEST_CASE("words keep their values") {
  const RandomSource source{1, purpose_of("estimator/negative/sampler")};
  CHECK(purpose_of("a") == 0xaf63dc4c8601ec8cu);  // published test vector of FNV-1a
  CHECK(hash64(0, 0, 0) == 0x238275bc38fcbe91u);
  CHECK(source.key(0) == 0x75920c2e19bb9acu);
  CHECK(DrawBlock::of(source, 2, 3, LayerId{1}).word(0, 4, 5) == 0xa7213c22u);
}

TEST_CASE("hash64 depends on each argument and on their order") {
  CHECK(hash64(1, 2, 3) != hash64(2, 1, 3));
  CHECK(hash64(1, 2, 3) != hash64(1, 3, 2));
  CHECK(hash64(0, 0, 1) != hash64(0, 1, 0));
  CHECK(hash64(0, 1, 0) != hash64(1, 0, 0));
}

TEST_CASE("a purpose is the hash of a path") {
  const RandomSource root{5};
  CHECK(root.purpose == purpose_of(""));
  CHECK(root.child("a").purpose == purpose_of("a"));
  CHECK(root.child("a").child("b").purpose == purpose_of("a/b"));
  CHECK(root.child("estimator").child("negative").child("sampler").purpose == purpose_of("estimator/negative/sampler"));
  CHECK(root.child("ab").purpose != root.child("a").child("b").purpose);
  CHECK(root.child("a").seed == 5);
}

TEST_CASE("uniform numbers are exact, symmetric, and never 0 or 1") {
  CHECK(uniform_f32(0) == 0x1p-24f);
  CHECK(uniform_f32(0xffffffff) == 1 - 0x1p-24f);
  CHECK(uniform_f64(0) == 0x1p-33);
  CHECK(uniform_f64(0xffffffff) == 1 - 0x1p-33);
  for (std::uint32_t word = 0; word < 0xff000000u; word += 0x00fedcbbu) {
    CHECK(uniform_f32(word) == 1 - uniform_f32(~word));
    CHECK(uniform_f64(word) == 1 - uniform_f64(~word));
    CHECK(uniform<float>(word) == static_cast<float>((2.0 * (word >> 9) + 1) / 0x1p24));
    CHECK(uniform<double>(word) == (2.0 * word + 1) / 0x1p33);
  }
}

TEST_CASE("a stream is the words of a site, for any distribution") {
  const DrawBlock block = DrawBlock::of({1, 2}, 3, 4, LayerId{5});
  RandomStream stream(block, 6, 7);
  for (std::uint32_t draw = 0; draw < 100; ++draw) CHECK(stream() == block.word(6, 7, draw));

  boost::random::normal_distribution<double> boost_normal;
  std::normal_distribution<double> std_normal;
  double sum = 0, squares = 0;
  for (int i = 0; i < 10000; ++i) {
    const double x = boost_normal(stream), y = std_normal(stream);
    sum += x + y;
    squares += x * x + y * y;
  }
  // Normal scores of mean and variance of 20000 numbers; false alarms with a probability below 4e-7.
  CHECK(std::abs(sum) / std::sqrt(20000.) < 5.2);
  CHECK(std::abs(squares - 20000) / std::sqrt(40000.) < 5.2);
}

TEST_CASE("a stream ends with an error rather than with the words of another") {
  RandomStream stream(DrawBlock::of({1, 2}, 3, 4, LayerId{5}), 6, 7);
  std::uint32_t all = 0;
  for (std::uint32_t i = 0; i < DrawBlock::draws; ++i) all |= stream();
  CHECK(all == 0xffffffff);
  CHECK_THROWS_AS(stream(), std::length_error);
  CHECK_THROWS_AS(stream(), std::length_error);
}

}  // namespace stream_test
