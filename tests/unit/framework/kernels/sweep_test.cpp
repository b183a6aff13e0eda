#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/tests/support/kernels.hpp>

namespace sweep_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr Index margin = 3;

/// Coupled units with numbers of no special kind, and chains in states of any value.
template <class T>
struct Machine {
  Index rows, units;
  std::vector<T> coupling, field, bias, scale, start;
  std::vector<std::uint8_t> held;
  DrawBlock block;
  T low, high;

  Machine(Index rows_, Index units_, std::uint32_t first_chain, T low_ = 0)
      : rows(rows_), units(units_), block(DrawBlock::of({3, 4}, first_chain, 5, LayerId{6})), low(low_), high(1) {
    RandomStream words(DrawBlock::of({1, 2}, 0, 0, LayerId{0}), 0, static_cast<std::uint32_t>(rows * 1000 + units));
    const auto number = [&] { return 2 * uniform<T>(words()) - 1; };
    coupling.resize(units * (units + margin), T{-7});
    for (Index i = 0; i < units; ++i)
      for (Index j = 0; j <= i; ++j)
        coupling[i * (units + margin) + j] = coupling[j * (units + margin) + i] = i == j ? T{0} : number();
    for (Index i = 0; i < units; ++i) bias.push_back(number());
    for (Index r = 0; r < rows; ++r) scale.push_back(number() + 1);
    for (Index k = 0; k < rows * (units + margin); ++k) {
      field.push_back(number());
      start.push_back(number());
      held.push_back(words() % 4 == 0 ? 1 : 0);
    }
  }

  CoupledUnits<T> view(int with) const {
    CoupledUnits<T> u{{coupling.data(), units, units, units + margin}};
    if (with & 1) u.field = {field.data(), rows, units, units + margin};
    if (with & 2) u.bias = bias.data();
    if (with & 4) u.scale = scale.data();
    if (with & 8) u.held = {held.data(), rows, units, units + margin};
    u.low = low;
    u.high = high;
    return u;
  }

  std::vector<T> swept(const Kernels& kernels, int with) const {
    std::vector<T> state = start, scratch(sweep_scratch(units), std::numeric_limits<T>::quiet_NaN());
    half_of<T>(kernels).sweep(block, view(with), {state.data(), rows, units, units + margin}, scratch.data());
    return state;
  }
};

struct Verdict {
  Index wrong = 0;  ///< decisions that are not the law's, or what must not have changed
  Index ties = 0;   ///< words so near to the probability that rounding may decide
  double expected_ties = 0.0;
};

/// The plain loop, in double: each unit in its turn by its own word, given what the kernel made of those before it. So a
/// decision that rounding turned does not hide those after it.
template <class T>
Verdict examine(const Machine<T>& m, int with, const std::vector<T>& after) {
  Verdict verdict;
  const CoupledUnits<T> u = m.view(with);
  for (Index r = 0; r < m.rows; ++r) {
    const Index row = r * (m.units + margin);
    std::vector<double> x(m.start.begin() + static_cast<std::ptrdiff_t>(row),
                          m.start.begin() + static_cast<std::ptrdiff_t>(row + m.units));
    for (Index c = 0; c < m.units; ++c) {
      double field = u.field.data ? u.field(r, c) : 0.0, size = std::abs(field);
      const auto add = [&](double term) {
        field += term;
        size += std::abs(term);
      };
      if (u.bias) add(u.bias[c]);
      for (Index j = 0; j < m.units; ++j) add(static_cast<double>(u.coupling(c, j)) * x[j]);
      const double scale = (static_cast<double>(u.high) - static_cast<double>(u.low)) * (u.scale ? u.scale[r] : 1.0);
      const double p = 1.0 / (1.0 + std::exp(-scale * field));
      const double word = static_cast<double>(uniform<T>(m.block.word(r, static_cast<std::uint32_t>(c))));
      // No sum of n terms and 7 corrections is off by more than (n + 20) units in the last place of their sizes, of
      // which p takes a quarter, and exp adds a few of its own.
      const double tie =
          std::numeric_limits<T>::epsilon() * (0.25 * scale * size * 2.0 * (static_cast<double>(m.units) + 20.0) + 4.0);
      const T found = after[row + c];
      if (u.held.data && u.held(r, c)) {
        verdict.wrong += found != m.start[row + c];
      } else {
        verdict.expected_ties += 2.0 * tie;
        if (std::abs(word - p) <= tie) {
          ++verdict.ties;
          verdict.wrong += found != u.low && found != u.high;
        } else {
          verdict.wrong += found != (word < p ? u.high : u.low);
        }
      }
      x[c] = static_cast<double>(found);
    }
    for (Index c = m.units; c < m.units + margin; ++c) verdict.wrong += after[row + c] != m.start[row + c];
  }
  return verdict;
}

}  // namespace

TEST_CASE_TEMPLATE("a sweep draws every unit in order given the others as they stand, at all sizes", T, float, double) {
  Index ties = 0;
  double expected = 0.0;
  for (const Kernels* kernels : available_kernels()) {
    CAPTURE(kernels->name);
    for (Index rows = 1; rows <= 40; ++rows) {
      for (Index units = 1; units <= 40; ++units) {
        CAPTURE(rows);
        CAPTURE(units);
        const int with = static_cast<int>((rows * 7 + units) % 16);
        CAPTURE(with);
        const Machine<T> m(rows, units, static_cast<std::uint32_t>(units % 5), units % 2 == 0 ? T{-1} : T{0});
        const Verdict verdict = examine(m, with, m.swept(*kernels, with));
        REQUIRE(verdict.wrong == 0);
        ties += verdict.ties;
        expected += verdict.expected_ties;
      }
    }
  }
  // Poisson numbers of ties: six standard deviations.
  CHECK(static_cast<double>(ties) <= expected + 6.0 * std::sqrt(expected) + 1.0);
  if (std::same_as<T, double>) CHECK(ties == 0);
}

TEST_CASE_TEMPLATE("a sweep takes every option, chains by any number, and wide layers", T, float, double) {
  for (const Kernels* kernels : available_kernels()) {
    CAPTURE(kernels->name);
    for (int with = 0; with < 16; ++with)
      for (const Index rows : {Index{3}, Index{33}, Index{70}}) {
        const Machine<T> m(rows, 27, 0xfffffffe);
        REQUIRE(examine(m, with, m.swept(*kernels, with)).wrong == 0);
      }
    const Machine<T> wide(37, 333, 2, -1);
    CHECK(examine(wide, 15, wide.swept(*kernels, 15)).wrong == 0);
  }
}

TEST_CASE_TEMPLATE("instruction sets that fuse multiply and add sweep to the same bits", T, float, double) {
  const auto all = available_kernels();
  if (all.size() < 3) return;
  for (const Index rows : {1, 4, 5, 16, 17, 31, 32, 37, 64})
    for (const Index units : {1, 7, 8, 9, 40, 333}) {
      CAPTURE(rows);
      CAPTURE(units);
      const Machine<T> m(rows, units, 3);
      REQUIRE(same_bits(m.swept(*all[1], 15), m.swept(*all[2], 15)));
    }
}

TEST_CASE_TEMPLATE("the check notices couplings within a tile, or across tiles, that are left out", T, float, double) {
  const auto without = [](Machine<T> m, bool within) {
    Machine<T> right = m;
    for (Index i = 0; i < m.units; ++i)
      for (Index j = 0; j < m.units; ++j)
        if ((i / 8 == j / 8) == within) m.coupling[i * (m.units + margin) + j] = 0;
    return examine(right, 15, m.swept(kernels(), 15)).wrong;
  };
  for (const Index rows : {Index{4}, Index{32}}) {
    const Machine<T> m(rows, 40, 0);
    CHECK(without(m, true) > rows);
    CHECK(without(m, false) > rows);
  }
}

TEST_CASE_TEMPLATE("a field that is not a number draws the lower state", T, float, double) {
  for (const Kernels* kernels : available_kernels())
    for (const Index rows : {Index{2}, Index{32}}) {
      Machine<T> m(rows, 9, 0, -1);
      m.bias.assign(9, std::numeric_limits<T>::quiet_NaN());
      const std::vector<T> after = m.swept(*kernels, 2);
      for (Index r = 0; r < rows; ++r)
        for (Index c = 0; c < 9; ++c) REQUIRE(after[r * (9 + margin) + c] == T{-1});
    }
}

}  // namespace sweep_test
