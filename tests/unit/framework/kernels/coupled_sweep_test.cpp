// The in-order sweep by sums over ones, beside the plain loop in double and beside products.
#include <algorithm>
#include <concepts>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/tests/support/coupled_machine.hpp>

namespace coupled_sweep_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// A machine that tells which way swept it: a unit that is held at 0 has couplings that are infinite, which products make fields of
/// that are no numbers, and so all units low, and sums do not look at.
template <class T>
CoupledMachine<T> telltale(Index rows, Index units, double share) {
  CoupledMachine<T> m(rows, units, 0);
  m.start_from_bits(share);
  const Index marked = units - 1, stride = units + CoupledMachine<T>::margin;
  m.bias.assign(units, T{9});
  m.held.assign(m.held.size(), 0);
  for (Index i = 0; i < units; ++i)
    for (Index j = 0; j < units; ++j) m.coupling[i * stride + j] = 0;
  for (Index i = 0; i < marked; ++i)
    m.coupling[i * stride + marked] = m.coupling[marked * stride + i] = std::numeric_limits<T>::infinity();
  for (Index r = 0; r < rows; ++r) {
    m.start[r * stride + marked] = 0;
    m.held[r * stride + marked] = 1;
  }
  return m;
}

template <class T>
bool by_sums(const CoupledMachine<T>& m, ProductWay way) {
  return m.swept_by(kernels(), 2 + 8, way)[0] == T{1};  // probability 0.9999 of it, by the word of unit 0
}

}  // namespace

TEST_CASE_TEMPLATE("sums over ones draw every unit in order given the others as they stand", T, float, double) {
  TieCount<T> ties;
  for (const Kernels* kernels : available_kernels()) {
    CAPTURE(kernels->name);
    for (const Index rows : {1, 3, 4, 5, 17, 32, 33, 70, 130})
      for (const Index units : {65, 66, 127, 128, 129, 192, 200, 333}) {
        CAPTURE(rows);
        CAPTURE(units);
        const int with = static_cast<int>((rows * 7 + units) % 16);
        CAPTURE(with);
        CoupledMachine<T> m(rows, units, static_cast<std::uint32_t>(units % 5));
        m.start_from_bits(units % 3 == 0 ? 0.1 : 0.6);
        const SweepVerdict verdict = examine(m, with, m.swept_by(*kernels, with, ProductWay::sparse_sums));
        REQUIRE(verdict.wrong == 0);
        ties.add(verdict);
      }
  }
  CHECK(ties.plausible());
}

TEST_CASE_TEMPLATE("sums take every option, chains by any number, and wide layers", T, float, double) {
  for (const Kernels* kernels : available_kernels()) {
    CAPTURE(kernels->name);
    for (int with = 0; with < 16; ++with) {
      CoupledMachine<T> m(37, 150, 0xfffffffe);
      m.start_from_bits(0.3);
      REQUIRE(examine(m, with, m.swept_by(*kernels, with, ProductWay::sparse_sums)).wrong == 0);
    }
    CoupledMachine<T> wide(6, 1100, 2);
    wide.start_from_bits(0.2);
    CHECK(examine(wide, 15, wide.swept_by(*kernels, 15, ProductWay::sparse_sums)).wrong == 0);
  }
}

TEST_CASE_TEMPLATE("sums come to the same bits with couplings copied and where they are", T, float, double) {
  constexpr Index rows = 300, few = 20, units = 200, stride = units + CoupledMachine<T>::margin;
  constexpr double share = 0.1;
  REQUIRE(copies_couplings(static_cast<Index>(0.9 * share * rows * units), units));
  REQUIRE_FALSE(copies_couplings(static_cast<Index>(1.4 * share * few * units), units));
  CoupledMachine<T> m(rows, units, 4);
  m.start_from_bits(share);
  const std::vector<T> whole = m.swept_by(kernels(), 2, ProductWay::sparse_sums);
  std::vector<T> cut;
  for (Index r = 0; r < rows; r += few) {
    CoupledMachine<T> part = m;
    part.rows = few;
    part.block.first_chain += static_cast<std::uint32_t>(r);
    part.start.assign(m.start.begin() + static_cast<std::ptrdiff_t>(r * stride),
                      m.start.begin() + static_cast<std::ptrdiff_t>((r + few) * stride));
    const std::vector<T> swept = part.swept_by(kernels(), 2, ProductWay::sparse_sums);
    cut.insert(cut.end(), swept.begin(), swept.end());
  }
  CHECK(same_bits(whole, cut));
}

TEST_CASE_TEMPLATE("instruction sets that fuse multiply and add sweep by sums to the same bits", T, float, double) {
  const auto all = available_kernels();
  if (all.size() < 3) return;
  for (const Index rows : {1, 4, 5, 31, 64, 100})
    for (const Index units : {65, 100, 333}) {
      CAPTURE(rows);
      CAPTURE(units);
      CoupledMachine<T> m(rows, units, 3);
      m.start_from_bits(0.3);
      REQUIRE(same_bits(m.swept_by(*all[1], 15, ProductWay::sparse_sums),
                        m.swept_by(*all[2], 15, ProductWay::sparse_sums)));
    }
}

TEST_CASE_TEMPLATE("the check notices couplings within a block, or across blocks, that sums leave out", T, float,
                   double) {
  constexpr Index margin = CoupledMachine<T>::margin;
  const auto without = [](CoupledMachine<T> m, bool within) {
    const CoupledMachine<T> right = m;
    for (Index i = 0; i < m.units; ++i)
      for (Index j = 0; j < m.units; ++j)
        if ((i / 64 == j / 64) == within) m.coupling[i * (m.units + margin) + j] = 0;
    return examine(right, 15, m.swept_by(kernels(), 15, ProductWay::sparse_sums)).wrong;
  };
  for (const Index rows : {Index{4}, Index{32}}) {
    CoupledMachine<T> m(rows, 150, 0);
    m.start_from_bits(0.3);
    CHECK(without(m, true) > rows);
    CHECK(without(m, false) > rows);
  }
}

TEST_CASE_TEMPLATE("which way is taken follows from what was asked, from the states and from the share of ones", T,
                   float, double) {
  const CostOfSweeps cost = CostOfSweeps::here(std::same_as<T, double>);
  for (const Index rows : {2, 40, 200}) {
    CAPTURE(rows);
    constexpr Index units = 1000;
    const double limit = cost.limit(rows, units);
    REQUIRE(limit > 0.05);
    CoupledMachine<T> below = telltale<T>(rows, units, 0.9 * std::min(limit, 1.0));
    CHECK(by_sums(below, ProductWay::automatic));
    CHECK_FALSE(by_sums(below, ProductWay::gemm));
    if (limit < 0.9) {
      const CoupledMachine<T> above = telltale<T>(rows, units, 1.1 * limit);
      CHECK_FALSE(by_sums(above, ProductWay::automatic));
      CHECK(by_sums(above, ProductWay::sparse_sums));
    }
    CoupledMachine<T> spins = below;
    spins.low = -1;
    CHECK_FALSE(spins.swept_by(kernels(), 2 + 8, ProductWay::sparse_sums)[0] == T{1});
    below.start[7] = T{0.5};  // no bit
    CHECK_FALSE(by_sums(below, ProductWay::sparse_sums));
  }
  CHECK_FALSE(by_sums(telltale<T>(40, 64, 0.1), ProductWay::sparse_sums));  // a block, and no other
  CHECK(by_sums(telltale<T>(40, 65, 0.1), ProductWay::sparse_sums));
}

TEST_CASE("sums are for more ones in a wide layer than in a narrow one, and for none where it is one block") {
  for (const char* isa : {"baseline", "v3", "v4"})
    for (const CostOfSweeps& cost : {CostOfSweeps::of(isa), CostOfSweeps::of(isa).in_double()})
      for (const Index rows : {1, 32, 256}) {
        CHECK(cost.limit(rows, 64) <= 0.0);
        CHECK(cost.limit(rows, 2000) > cost.limit(rows, 200));
        CHECK(cost.limit(rows, 2000) > 0.1);
      }
}

}  // namespace coupled_sweep_test
