#include <harmonium/framework/kernels/integer_tiles.hpp>
#include <harmonium/framework/kernels/kernels.hpp>

#include <cmath>
#include <concepts>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/tests/support/kernels.hpp>

namespace kernels_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr Index row_counts[] = {0, 1, 2, 3, 4, 5, 9};
constexpr Index col_counts[] = {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 67, 500, 959, 961, 2000};
constexpr std::uint32_t first_chains[] = {0, 1, 2, 3, 0xfffffffe};

/// A matrix within a wider one, which is filled with a value that must stay.
template <class T>
struct Tile {
  static constexpr Index margin = 3;
  Index rows, cols;
  std::vector<T> data;

  Tile(Index rows_, Index cols_) : rows(rows_), cols(cols_), data(rows_ * (cols_ + margin), T{-7}) {}
  MatrixView<T> view() { return {data.data(), rows, cols, cols + margin}; }
  bool margin_untouched() const {
    for (Index r = 0; r < rows; ++r) {
      for (Index c = 0; c < margin; ++c) {
        if (data[r * (cols + margin) + cols + c] != T{-7}) return false;
      }
    }
    return true;
  }
};

/// Fields, a bias and scales with something of everything: ordinary values, large ones, exact zeros, infinities.
template <class T>
struct Case {
  Tile<T> field;
  std::vector<T> bias, scale;
  DrawBlock block;

  Case(Index rows, Index cols, std::uint32_t first_chain)
      : field(rows, cols), bias(cols), scale(rows), block(DrawBlock::of({3, 4}, first_chain, 5, LayerId{6})) {
    RandomStream words(DrawBlock::of({1, 2}, 0, 0, LayerId{0}), 0, static_cast<std::uint32_t>(rows * 10000 + cols));
    const auto number = [&] { return 2 * uniform<T>(words()) - 1; };
    for (T& b : bias) b = number();
    for (T& s : scale) s = number() + 1;
    for (Index r = 0; r < rows; ++r) {
      for (Index c = 0; c < cols; ++c) field.view()(r, c) = number() * (c % 5 == 0 ? T{200} : T{6});
      if (cols > 6) field.view()(r, r % cols) = 0;
      if (cols > 8) field.view()(r, (r + 7) % cols) = std::numeric_limits<T>::infinity() * (r % 2 == 0 ? 1 : -1);
    }
  }
};

template <class T>
struct Results {
  Tile<T> state, mean, logistic;
  std::vector<double> softplus;

  Results(const Kernels& kernels, Case<T>& in, bool with_bias, bool with_scale, bool with_mean)
      : state(in.field.rows, in.field.cols), mean(state), logistic(state), softplus(in.field.rows, 0.25) {
    const KernelsOf<T>& k = half_of<T>(kernels);
    const T* bias = with_bias ? in.bias.data() : nullptr;
    const T* scale = with_scale ? in.scale.data() : nullptr;
    k.bernoulli(in.block, in.field.view(), bias, scale, state.view(), with_mean ? mean.view() : MatrixView<T>{});
    k.logistic(in.field.view(), bias, scale, logistic.view());
    k.softplus_sum(in.field.view(), bias, scale, softplus.data());
  }
};

template <class Body>
void for_each_shape(const Body& body) {
  for (const Index rows : row_counts) {
    for (const Index cols : col_counts) {
      for (const std::uint32_t first_chain : first_chains) body(rows, cols, first_chain);
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("kernels compute the same bits on every instruction set", T, float, double) {
  const auto all = available_kernels();
  for_each_shape([&](Index rows, Index cols, std::uint32_t first_chain) {
    CAPTURE(rows);
    CAPTURE(cols);
    CAPTURE(first_chain);
    Case<T> in(rows, cols, first_chain);
    for (int with = 0; with < 8; ++with) {
      const Results<T> expected(*all[0], in, with & 1, with & 2, with & 4);
      REQUIRE(expected.state.margin_untouched());
      REQUIRE(expected.mean.margin_untouched());
      REQUIRE(expected.logistic.margin_untouched());
      if (with & 4) REQUIRE(same_bits(expected.mean.data, expected.logistic.data));
      for (const Kernels* kernels : all) {
        CAPTURE(kernels->name);
        const Results<T> found(*kernels, in, with & 1, with & 2, with & 4);
        REQUIRE(same_bits(found.state.data, expected.state.data));
        REQUIRE(same_bits(found.mean.data, expected.mean.data));
        REQUIRE(same_bits(found.logistic.data, expected.logistic.data));
        REQUIRE(same_bits(found.softplus, expected.softplus));
      }
    }
  });
}

TEST_CASE_TEMPLATE("states follow from the words at their addresses", T, float, double) {
  // Where u is this close to the mean, rounding may decide.
  const double tie = std::same_as<T, float> ? 1e-6 : 1e-14;
  for (const Kernels* kernels : available_kernels()) {
    for_each_shape([&](Index rows, Index cols, std::uint32_t first_chain) {
      Case<T> in(rows, cols, first_chain);
      Results<T> out(*kernels, in, true, true, true);
      Index wrong = 0, ties = 0;
      for (Index r = 0; r < rows; ++r) {
        for (Index c = 0; c < cols; ++c) {
          const T u = uniform<T>(in.block.word(r, static_cast<std::uint32_t>(c)));
          const T mean = out.mean.view()(r, c), state = out.state.view()(r, c);
          ties += std::abs(u - mean) < tie;
          wrong += std::abs(u - mean) >= tie && state != (u < mean ? 1 : 0);
        }
      }
      REQUIRE(wrong == 0);
      REQUIRE(ties <= 1);
    });
  }
}

TEST_CASE("vector and scalar words are the same") {
  const DrawBlock block = DrawBlock::of({3, 4}, 0, 5, LayerId{6});
  for (const Kernels* kernels : available_kernels()) {
    for (const Index n : col_counts) {
      const std::uint32_t first_site = 0xfffffff0, quad = 0x3ffffffe, draw = 0xabcdef;
      std::vector<std::uint32_t> words(4 * n + 1, 99);
      kernels->words(block, quad, first_site, draw, n, words.data());
      for (std::uint32_t w = 0; w < 4; ++w) {
        for (std::uint32_t i = 0; i < n; ++i)
          REQUIRE(words[w * n + i] == block.word(4 * quad + w, first_site + i, draw));
      }
      REQUIRE(words.back() == 99);
    }
  }
}

TEST_CASE_TEMPLATE("kernels may write over their input", T, float, double) {
  for (const Kernels* kernels : available_kernels()) {
    const KernelsOf<T>& k = half_of<T>(*kernels);
    for_each_shape([&](Index rows, Index cols, std::uint32_t first_chain) {
      Case<T> in(rows, cols, first_chain);
      const Results<T> expected(*kernels, in, true, true, true);
      const T* bias = in.bias.data();
      const T* scale = in.scale.data();

      Tile<T> state = in.field, mean(rows, cols);
      k.bernoulli(in.block, state.view(), bias, scale, state.view(), mean.view());
      REQUIRE(same_bits(state.data, expected.state.data));
      REQUIRE(same_bits(mean.data, expected.mean.data));

      mean = in.field;
      k.bernoulli(in.block, mean.view(), bias, scale, state.view(), mean.view());
      REQUIRE(same_bits(state.data, expected.state.data));
      REQUIRE(same_bits(mean.data, expected.mean.data));

      Tile<T> out = in.field;
      k.logistic(out.view(), bias, scale, out.view());
      REQUIRE(same_bits(out.data, expected.logistic.data));
    });
  }
}

TEST_CASE_TEMPLATE("a tile draws what its parts draw", T, float, double) {
  const KernelsOf<T>& k = kernels_of<T>();
  Case<T> in(9, 67, 2);
  Results<T> whole(kernels(), in, true, true, true);
  for (Index cut = 0; cut <= 9; ++cut) {
    Tile<T> state(9, 67), mean(9, 67);
    DrawBlock below = in.block;
    below.first_chain += static_cast<std::uint32_t>(cut);
    const MatrixView<T> field = in.field.view();
    k.bernoulli(in.block, field.slice(0, cut), in.bias.data(), in.scale.data(), state.view().slice(0, cut),
                mean.view().slice(0, cut));
    k.bernoulli(below, field.slice(cut, 9), in.bias.data(), in.scale.data() + cut, state.view().slice(cut, 9),
                mean.view().slice(cut, 9));
    CHECK(same_bits(state.data, whole.state.data));
    CHECK(same_bits(mean.data, whole.mean.data));
  }
}

TEST_CASE("the kernels are the best, or those asked for") {
  const auto all = available_kernels();
  CHECK(all.front()->name == "baseline");
  for (const Kernels* each : all) CHECK(&kernels_named(each->name) == each);
  const char* asked = std::getenv("HARMONIUM_ISA");
  const std::string_view asked_level =
      std::string_view(asked == nullptr ? "" : asked).substr(0, instruction_set().find('+'));
  CHECK(kernels().name == (asked == nullptr ? all.back()->name : asked_level));
  CHECK(&kernels() == &kernels());
  CHECK(&kernels_of<float>() == &kernels().f32);
  CHECK(&kernels_of<double>() == &kernels().f64);
}

TEST_CASE("an unknown instruction set is a mistake that names the choices") {
  std::string names;
  for (const Kernels* each : available_kernels()) names += (names.empty() ? "" : ", ") + std::string(each->name);
  const auto tiles = available_integer_tiles();
  for (const IntegerTiles* each : std::span(tiles).subspan(1)) names += ", " + std::string(each->name);
  const std::string message =
      "environment: variable HARMONIUM_ISA: 'v5' is no instruction set to run with (this machine has " + names +
      "). Name one of these, or unset the variable for the best.";
  CHECK_THROWS_WITH_AS(kernels_named("v5"), message.c_str(), ConfigError);
  CHECK_THROWS_AS(kernels_named(""), ConfigError);
  CHECK_THROWS_AS(kernels_named("baseline+amx"), ConfigError);
  for (const IntegerTiles* each : available_integer_tiles()) {
    CHECK(kernels_named(each->name).name == each->level);
    CHECK(&integer_tiles_named(each->name) == each);
  }
  CHECK(&integer_tiles_named("v3") == available_integer_tiles().front());
}

}  // namespace kernels_test
