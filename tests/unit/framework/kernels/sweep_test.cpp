#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/tests/support/coupled_machine.hpp>

namespace sweep_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE_TEMPLATE("a sweep draws every unit in order given the others as they stand, at all sizes", T, float, double) {
  TieCount<T> ties;
  for (const Kernels* kernels : available_kernels()) {
    CAPTURE(kernels->name);
    for (Index rows = 1; rows <= 40; ++rows) {
      for (Index units = 1; units <= 40; ++units) {
        CAPTURE(rows);
        CAPTURE(units);
        const int with = static_cast<int>((rows * 7 + units) % 16);
        CAPTURE(with);
        const CoupledMachine<T> m(rows, units, static_cast<std::uint32_t>(units % 5), units % 2 == 0 ? T{-1} : T{0});
        const SweepVerdict verdict = examine(m, with, m.swept(*kernels, with));
        REQUIRE(verdict.wrong == 0);
        ties.add(verdict);
      }
    }
  }
  CHECK(ties.plausible());
}

TEST_CASE_TEMPLATE("a sweep takes every option, chains by any number, and wide layers", T, float, double) {
  for (const Kernels* kernels : available_kernels()) {
    CAPTURE(kernels->name);
    for (int with = 0; with < 16; ++with)
      for (const Index rows : {Index{3}, Index{33}, Index{70}}) {
        const CoupledMachine<T> m(rows, 27, 0xfffffffe);
        REQUIRE(examine(m, with, m.swept(*kernels, with)).wrong == 0);
      }
    const CoupledMachine<T> wide(37, 333, 2, -1);
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
      const CoupledMachine<T> m(rows, units, 3);
      REQUIRE(same_bits(m.swept(*all[1], 15), m.swept(*all[2], 15)));
    }
}

TEST_CASE_TEMPLATE("the check notices couplings within a tile, or across tiles, that are left out", T, float, double) {
  constexpr Index margin = CoupledMachine<T>::margin;
  const auto without = [](CoupledMachine<T> m, bool within) {
    CoupledMachine<T> right = m;
    for (Index i = 0; i < m.units; ++i)
      for (Index j = 0; j < m.units; ++j)
        if ((i / 8 == j / 8) == within) m.coupling[i * (m.units + margin) + j] = 0;
    return examine(right, 15, m.swept(kernels(), 15)).wrong;
  };
  for (const Index rows : {Index{4}, Index{32}}) {
    const CoupledMachine<T> m(rows, 40, 0);
    CHECK(without(m, true) > rows);
    CHECK(without(m, false) > rows);
  }
}

TEST_CASE_TEMPLATE("a field that is not a number draws the lower state", T, float, double) {
  constexpr Index margin = CoupledMachine<T>::margin;
  for (const Kernels* kernels : available_kernels())
    for (const Index rows : {Index{2}, Index{32}}) {
      CoupledMachine<T> m(rows, 9, 0, -1);
      m.bias.assign(9, std::numeric_limits<T>::quiet_NaN());
      const std::vector<T> after = m.swept(*kernels, 2);
      for (Index r = 0; r < rows; ++r)
        for (Index c = 0; c < 9; ++c) REQUIRE(after[r * (9 + margin) + c] == T{-1});
    }
}

}  // namespace sweep_test
