// Products of states by sums of integers: the same bits on all instruction sets and however they are cut, exact where numbers fit.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/kernels/bit_products.hpp>
#include <harmonium/framework/kernels/integer_products.hpp>
#include <harmonium/framework/kernels/kernels.hpp>
#include <harmonium/tests/support/kernels.hpp>

namespace integer_tiles_test {

using namespace harmonium;
using harmonium::testing::same_bits;

namespace {

std::mt19937 words(5);

std::vector<float> some_bits(Index n, double density) {
  std::bernoulli_distribution one(density);
  std::vector<float> x(n);
  for (float& v : x) v = one(words) ? 1.0f : 0.0f;
  return x;
}

std::vector<float> some_grays(Index n) {
  std::uniform_int_distribution<int> level(0, 255);
  std::vector<float> x(n);
  for (float& v : x) v = static_cast<float>(level(words)) / 255.0f;
  return x;
}

std::vector<float> between(float low, float high, Index n) {
  std::uniform_real_distribution<float> number(low, high);
  std::vector<float> x(n);
  for (float& v : x) v = number(words);
  return x;
}

double number_of(MatrixView<const float> w, Transpose op, Index i, Index c) {
  return static_cast<double>(op == Transpose::yes ? w(c, i) : w(i, c));
}

struct Sizes {
  Index rows, inner, cols;
};

// Around the sizes of tiles (16 and 32 rows, 64 numbers, 16 columns) and of the rows of each kind of instructions.
const Sizes sizes[] = {{1, 1, 1},     {2, 63, 15},  {3, 64, 16},  {4, 65, 17},  {5, 3, 40},   {16, 128, 32},
                       {17, 127, 33}, {32, 20, 31}, {33, 200, 5}, {9, 300, 17}, {70, 130, 50}};

std::vector<float> made(const StateFactor& x, Transpose op, MatrixView<const float> w, Index rows, Index cols,
                        const IntegerTiles& tiles, int pieces = 3) {
  std::vector<float> out(rows * cols);
  REQUIRE(integer_product(x, op, w, {1.0f, 0.0f, pieces}, {out.data(), rows, cols, cols}, tiles));
  return out;
}

}  // namespace

TEST_CASE("all instructions that multiply bytes give the bits of tiles that are worked number by number") {
  const auto all = available_integer_tiles();
  CHECK(all.front()->name == "baseline");
  for (const Sizes& s : sizes)
    for (const Transpose states_op : {Transpose::no, Transpose::yes})
      for (const Transpose op : {Transpose::no, Transpose::yes})
        for (const int pieces : {2, 3})
          for (const float white : {1.0f, 255.0f}) {
            const Index rows = s.rows, inner = s.inner, cols = s.cols, pad = 3;
            CAPTURE(rows);
            CAPTURE(inner);
            CAPTURE(cols);
            const bool turned = states_op == Transpose::yes;
            const Index tall = turned ? inner : rows, wide = turned ? rows : inner;
            const auto states = white == 1.0f ? some_bits(tall * (wide + pad), 0.5) : some_grays(tall * (wide + pad));
            const StateFactor x{{states.data(), tall, wide, wide + pad}, states_op, white};
            const Index w_tall = op == Transpose::yes ? cols : inner, w_wide = op == Transpose::yes ? inner : cols;
            const auto numbers = between(-2.0f, 3.0f, w_tall * (w_wide + pad));
            const MatrixView<const float> w{numbers.data(), w_tall, w_wide, w_wide + pad};
            const auto before = between(-1.0f, 1.0f, rows * (cols + pad));
            std::vector<float> reference;
            for (const IntegerTiles* each : all) {
              std::vector<float> out = before;
              REQUIRE(integer_product(x, op, w, {0.7f, 0.3f, pieces}, {out.data(), rows, cols, cols + pad}, *each));
              if (reference.empty()) reference = out;
              CHECK(same_bits(out, reference));
            }
            Index beyond = 0;
            for (Index r = 0; r < rows; ++r)
              for (Index c = cols; c < cols + pad; ++c)
                beyond += reference[r * (cols + pad) + c] == before[r * (cols + pad) + c] ? 0 : 1;
            CHECK(beyond == 0);
          }
}

TEST_CASE("fields by sums of integers are rounded once where numbers are whole multiples of a step") {
  // The largest of each column is 8355710 of 2^-24, so that a step is that.
  for (const Sizes& s : sizes)
    for (const Transpose op : {Transpose::no, Transpose::yes}) {
      const Index rows = s.rows, inner = s.inner, cols = s.cols;
      std::uniform_int_distribution<int> multiple(-8355710, 8355710);
      std::vector<float> numbers(inner * cols);
      for (Index i = 0; i < inner; ++i)
        for (Index c = 0; c < cols; ++c) {
          const int m = i == c % inner ? -8355710 : multiple(words);
          numbers[op == Transpose::yes ? c * inner + i : i * cols + c] = static_cast<float>(m) * 0x1p-24f;
        }
      const MatrixView<const float> w{numbers.data(), op == Transpose::yes ? cols : inner,
                                      op == Transpose::yes ? inner : cols, op == Transpose::yes ? inner : cols};
      const auto states = some_bits(rows * inner, 0.5);
      const MatrixView<const float> x{states.data(), rows, inner, inner};
      std::vector<float> out(rows * cols, std::numeric_limits<float>::quiet_NaN());
      state_product(x, op, w, 0.0f, {out.data(), rows, cols, cols}, ProductWay::integer_tiles);
      Index wrong = 0;
      for (Index r = 0; r < rows; ++r)
        for (Index c = 0; c < cols; ++c) {
          double sum = 0.0;  // exact
          for (Index i = 0; i < inner; ++i) sum += static_cast<double>(x(r, i)) * number_of(w, op, i, c);
          wrong += out[r * cols + c] == static_cast<float>(sum) ? 0 : 1;
        }
      CHECK(wrong == 0);
    }
}

// 784 × 500 weights within ±0.3, one state of four a 1: each of some 196 weights is rounded by at most half a step of 3.6e-8, with a
// standard deviation of 1.04e-8, and the field, below 8, by 2.4e-7. Of 25,000 fields the largest error lies near 4.2 deviations
// of 1.45e-7: 0.85e-6 in all. With two bytes a step is 9.2e-6, 256 times as long.
TEST_CASE("fields of 24 bits are within 1e-6 of double precision, those of 16 within 3e-4") {
  const Index rows = 50, inner = 784, cols = 500;
  const auto states = some_bits(rows * inner, 0.25), numbers = between(-0.3f, 0.3f, inner * cols);
  const MatrixView<const float> x{states.data(), rows, inner, inner}, w{numbers.data(), inner, cols, cols};
  std::vector<float> three(rows * cols), two(rows * cols);
  state_product(x, Transpose::no, w, 0.0f, {three.data(), rows, cols, cols}, ProductWay::integer_tiles);
  state_product(x, Transpose::no, w, 0.0f, {two.data(), rows, cols, cols}, ProductWay::integer_tiles_16);
  double of_three = 0.0, of_two = 0.0;
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < cols; ++c) {
      double sum = 0.0;
      for (Index i = 0; i < inner; ++i) sum += static_cast<double>(x(r, i)) * number_of(w, Transpose::no, i, c);
      of_three = std::max(of_three, std::abs(static_cast<double>(three[r * cols + c]) - sum));
      of_two = std::max(of_two, std::abs(static_cast<double>(two[r * cols + c]) - sum));
    }
  CHECK(of_three < 1e-6);
  CHECK(of_two < 3e-4);
  CHECK(of_two > 1e-5);  // else they were not of 16 bits
}

TEST_CASE("sums of integers give the same bits however rows and columns are cut") {
  const Index rows = 41, inner = 300, cols = 75;
  const auto numbers = between(-1.0f, 1.0f, inner * cols), tall = between(0.0f, 1.0f, rows * cols);
  for (const bool gray : {false, true}) {
    auto states = gray ? some_grays(rows * inner) : some_bits(rows * inner, 0.6);
    std::fill_n(states.begin(), 10 * inner, 1.0f);  // bits among grays: pieces of the matrix are of another kind
    const MatrixView<const float> x{states.data(), rows, inner, inner}, w{numbers.data(), inner, cols, cols};
    std::vector<float> whole(rows * cols), cut(rows * cols);
    state_product(x, Transpose::no, w, 0.0f, {whole.data(), rows, cols, cols}, ProductWay::integer_tiles);
    const MatrixView<float> out{cut.data(), rows, cols, cols};
    for (Index r = 0; r < rows; r += 7)
      for (Index c = 0; c < cols; c += 19) {
        const Index last = std::min(r + 7, rows), end = std::min(c + 19, cols);
        state_product(x.slice(r, last), Transpose::no, w.columns(c, end), 0.0f, out.slice(r, last).columns(c, end),
                      ProductWay::integer_tiles);
      }
    CHECK(same_bits(whole, cut));
    const MatrixView<const float> b{tall.data(), rows, cols, cols};
    std::vector<float> gradient(inner * cols, 0.5f), in_panels = gradient;
    add_state_outer_products(-0.1f, x, b, {gradient.data(), inner, cols, cols}, ProductWay::integer_tiles);
    for (Index i = 0; i < inner; i += 77) {
      const Index end = std::min(i + 77, inner);
      add_state_outer_products(-0.1f, x.columns(i, end), b, {in_panels.data() + i * cols, end - i, cols, cols},
                               ProductWay::integer_tiles);
    }
    CHECK(same_bits(gradient, in_panels));
  }
}

// Each of `rows` probabilities is rounded by at most half of 1 / 8355710, the sum to single precision: below 64 by 2^-19.
TEST_CASE("outer products of states with probabilities are those of double precision to the rounding") {
  const Index rows = 100, inner = 70, cols = 45;
  const auto states = some_bits(rows * inner, 0.3), means = between(0.0f, 1.0f, rows * cols);
  const MatrixView<const float> a{states.data(), rows, inner, inner}, b{means.data(), rows, cols, cols};
  std::vector<float> out(inner * cols, 0.0f);
  add_state_outer_products(1.0f, a, b, {out.data(), inner, cols, cols}, ProductWay::integer_tiles);
  double most = 0.0;
  for (Index i = 0; i < inner; ++i)
    for (Index c = 0; c < cols; ++c) {
      double sum = 0.0;
      for (Index r = 0; r < rows; ++r) sum += static_cast<double>(a(r, i)) * static_cast<double>(b(r, c));
      most = std::max(most, std::abs(static_cast<double>(out[i * cols + c]) - sum));
    }
  CHECK(most < 100 * 0.5 / 8355710 + 0x1p-19);
}

TEST_CASE("every gray level is a byte, and what is neither a level nor a bit is left to other ways") {
  std::vector<float> levels(256);
  for (Index k = 0; k < 256; ++k) levels[k] = static_cast<float>(static_cast<double>(k) / 255.0);
  const std::vector<float> one{2.0f};
  const MatrixView<const float> w{one.data(), 1, 1, 1}, x{levels.data(), 256, 1, 1};
  for (const IntegerTiles* each : available_integer_tiles()) {
    const auto out = made({x, Transpose::no, 255.0f}, Transpose::no, w, 256, 1, *each);
    const bool doubled = std::ranges::equal(out, levels, [](float f, float level) { return f == 2.0f * level; });
    CHECK(doubled);
    for (const float odd : {0.5f, -1.0f, 2.0f, 1e30f, 1.0f / 254.0f, std::nextafter(1.0f / 255.0f, 1.0f),
                            std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
      for (const Transpose op : {Transpose::no, Transpose::yes}) {
        std::vector<float> states(40, 0.0f), result(2, 7.0f);
        states[37] = odd;
        const std::vector<float> numbers(40, 1.0f);
        const MatrixView<const float> lying{states.data(), 2, 20, 20}, turned{states.data(), 20, 2, 2};
        for (const float white : {1.0f, 255.0f})
          CHECK_FALSE(integer_product({op == Transpose::yes ? turned : lying, op, white}, Transpose::no,
                                      {numbers.data(), 20, 1, 1}, {1.0f, 0.0f, 3}, {result.data(), 2, 1, 1}, *each));
        CHECK(result == std::vector<float>(2, 7.0f));
      }
  }
}

TEST_CASE("columns of zeros, of the smallest and of the largest numbers, and such as hold no number at all") {
  constexpr float huge = std::numeric_limits<float>::max(), tiny = std::numeric_limits<float>::denorm_min();
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> numbers{0.0f, tiny, huge, infinity, nan,  -0.5f,   //
                                   0.0f, tiny, 0.0f, 1.0f,     1.0f, 0.25f};  // 2 × 6
  const std::vector<float> states{1.0f, 1.0f, 0.0f, 1.0f};
  const MatrixView<const float> w{numbers.data(), 2, 6, 6}, x{states.data(), 2, 2, 2};
  for (const IntegerTiles* each : available_integer_tiles()) {
    const auto out = made({x, Transpose::no, 1.0f}, Transpose::no, w, 2, 6, *each);
    for (const Index r : {0, 1}) {
      CHECK(out[6 * r] == 0.0f);
      CHECK(std::abs(out[6 * r + 1]) < 1e-30f);
      CHECK(std::isnan(out[6 * r + 3]));
      CHECK(std::isnan(out[6 * r + 4]));
    }
    CHECK(out[2] == doctest::Approx(static_cast<double>(huge)).epsilon(1e-6));
    CHECK(out[8] == 0.0f);
    CHECK(out[5] == doctest::Approx(-0.25).epsilon(1e-6));
    CHECK(out[11] == doctest::Approx(0.25).epsilon(1e-6));
  }
}

TEST_CASE("no sum overflows, however long the rows are") {
  const Index inner = 70000, cols = 2;
  const std::vector<float> white(inner, 1.0f);
  std::vector<float> numbers(inner * cols, 0.75f);
  for (Index i = 0; i < inner; ++i) numbers[i * cols] = -0.75f;
  for (const IntegerTiles* each : available_integer_tiles()) {
    const auto out = made({{white.data(), 1, inner, inner}, Transpose::no, 255.0f}, Transpose::no,
                          {numbers.data(), inner, cols, cols}, 1, cols, *each);
    CHECK(out[0] == doctest::Approx(-52500.0).epsilon(1e-6));
    CHECK(out[1] == doctest::Approx(52500.0).epsilon(1e-6));
  }
}

// A state differs from that of exact fields where its uniform number lies between the two probabilities, which are apart by at most a
// quarter of the error of the field, 1e-6, and the rounding of the draw, some 2^-22: 5e-7 in all, and 5e-8 on average. Of 4 million states
// less than one is expected to; 8 or more with a probability below 1e-5. Fields of 16 bits are off by 3e-5, and an eighth of that
// in their means: 15 are expected, and at most one with a probability of 5e-6.
TEST_CASE("states drawn by fields of 24 bits are those of double precision, but where the number lies at the edge") {
  const Index rows = 200, inner = 784, cols = 500;
  const auto states = some_bits(rows * inner, 0.25), numbers = between(-0.3f, 0.3f, inner * cols);
  const MatrixView<const float> x{states.data(), rows, inner, inner}, w{numbers.data(), inner, cols, cols};
  const std::vector<double> numbers_64(numbers.begin(), numbers.end()), states_64(states.begin(), states.end());
  std::vector<double> means(rows * cols);
  gemm(Transpose::no, Transpose::no, 1.0, MatrixView<const double>{states_64.data(), rows, inner, inner},
       MatrixView<const double>{numbers_64.data(), inner, cols, cols}, 0.0, {means.data(), rows, cols, cols});
  std::ranges::transform(means, means.begin(), [](double field) { return 1.0 / (1.0 + std::exp(-field)); });
  Index differ = 0, of_two = 0, far = 0;
  std::vector<float> three(rows * cols), two(rows * cols), by_three(rows * cols), by_two(rows * cols);
  const auto view = [&](std::vector<float>& of) { return MatrixView<float>{of.data(), rows, cols, cols}; };
  state_product(x, Transpose::no, w, 0.0f, view(three), ProductWay::integer_tiles);
  state_product(x, Transpose::no, w, 0.0f, view(two), ProductWay::integer_tiles_16);
  for (std::uint32_t step = 0; step < 40; ++step) {
    const DrawBlock block = DrawBlock::of({3, 4}, 0, step, LayerId{6});
    kernels().f32.bernoulli(block, view(three), nullptr, nullptr, view(by_three), {});
    kernels().f32.bernoulli(block, view(two), nullptr, nullptr, view(by_two), {});
    for (Index at = 0; at < means.size(); ++at) {
      const auto u = static_cast<double>(uniform_f32(block.word(at / cols, static_cast<std::uint32_t>(at % cols))));
      const float state = u < means[at] ? 1.0f : 0.0f;
      of_two += by_two[at] == state ? 0 : 1;
      if (by_three[at] == state) continue;
      ++differ;
      far += std::abs(u - means[at]) < 5e-7 ? 0 : 1;
    }
  }
  CHECK(far == 0);
  CHECK(differ < 8);
  CHECK(of_two > 1);
  CHECK(of_two < 60);
  MESSAGE(differ << " and " << of_two << " differ");
}

}  // namespace integer_tiles_test
