#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/tests/support/kernels.hpp>

namespace sparse_sweep_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr Index margin = 3;

/// What the units are at first: one of their two states, or any number, as gray data are.
enum class Start { states, numbers };

/// A ring of units, each coupled with its two neighbors, in the classes of the places 2k, of 2k + 1, and, where the ring
/// is odd, of the last.
template <class T>
struct Ring {
  Index rows, units;
  std::vector<std::uint32_t> order, neighbor;
  std::vector<Index> class_end, begin;
  std::vector<T> value, field, bias, scale, start;
  std::vector<std::uint8_t> held;
  DrawBlock block;
  T low;

  Ring(Index rows_, Index units_, std::uint32_t first_chain, T low_, Start from)
      : rows(rows_), units(units_), block(DrawBlock::of({3, 4}, first_chain, 5, LayerId{6})), low(low_) {
    RandomStream words(DrawBlock::of({1, 2}, 0, 0, LayerId{0}), 0, static_cast<std::uint32_t>(rows * 1000 + units));
    const auto number = [&] { return 2 * uniform<T>(words()) - 1; };
    const Index even = units / 2 * 2;
    for (const Index first : {Index{0}, Index{1}}) {
      for (Index u = first; u < even; u += 2) order.push_back(static_cast<std::uint32_t>(u));
      class_end.push_back(order.size());
    }
    if (even < units) order.push_back(static_cast<std::uint32_t>(even));
    class_end.push_back(order.size());  // perhaps a class of none
    std::vector<T> bond;
    for (Index u = 0; u < units; ++u) bond.push_back(2 * number());
    for (Index u = 0; u < units; ++u) {
      begin.push_back(neighbor.size());
      neighbor.push_back(static_cast<std::uint32_t>((u + units - 1) % units));
      value.push_back(bond[(u + units - 1) % units]);
      neighbor.push_back(static_cast<std::uint32_t>((u + 1) % units));
      value.push_back(bond[u]);
    }
    begin.push_back(neighbor.size());
    for (Index i = 0; i < units; ++i) bias.push_back(number());
    for (Index r = 0; r < rows; ++r) scale.push_back(number() + 1);
    for (Index k = 0; k < rows * (units + margin); ++k) {
      field.push_back(number());
      const T any = number();
      start.push_back(from == Start::numbers ? any : any < 0 ? low : T{1});
      held.push_back(words() % 4 == 0 ? 1 : 0);
    }
  }

  CoupledUnits<T> view(int with) const {
    CoupledUnits<T> u{{}};
    if (with & 1) u.field = {field.data(), rows, units, units + margin};
    if (with & 2) u.bias = bias.data();
    if (with & 4) u.scale = scale.data();
    if (with & 8) u.held = {held.data(), rows, units, units + margin};
    u.low = low;
    u.high = 1;
    return u;
  }

  std::vector<T> swept(const Kernels& kernels, int with) const {
    std::vector<T> state = start, scratch(sweep_scratch(units), std::numeric_limits<T>::quiet_NaN());
    const SparseCoupling<T> coupling{order.data(), class_end.data(), class_end.size(),
                                     begin.data(), neighbor.data(),  value.data()};
    half_of<T>(kernels).sparse_sweep(block, coupling, view(with), {state.data(), rows, units, units + margin},
                                     scratch.data());
    return state;
  }
};

/// Decisions that are not those of the plain loop, in double, and are not so near to even that rounding decides.
template <class T>
Index mistakes(const Ring<T>& m, int with, const std::vector<T>& after) {
  Index wrong = 0;
  const CoupledUnits<T> u = m.view(with);
  for (Index r = 0; r < m.rows; ++r) {
    const Index row = r * (m.units + margin);
    std::vector<double> x(m.start.begin() + static_cast<std::ptrdiff_t>(row),
                          m.start.begin() + static_cast<std::ptrdiff_t>(row + m.units));
    for (const std::uint32_t c : m.order) {
      double field = (u.field.data ? u.field(r, c) : 0.0) + (u.bias ? u.bias[c] : 0.0);
      for (Index e = m.begin[c]; e < m.begin[c + 1]; ++e) field += static_cast<double>(m.value[e]) * x[m.neighbor[e]];
      const double p =
          1.0 / (1.0 + std::exp(-(1.0 - static_cast<double>(m.low)) * (u.scale ? u.scale[r] : 1.0) * field));
      const double word = static_cast<double>(uniform<T>(m.block.word(r, c)));
      const T found = after[row + c];
      // Four terms below 4 in size and an exponential: 40 units in the last place are more than they can be off by.
      const bool tie = std::abs(word - p) <= 40.0 * std::numeric_limits<T>::epsilon();
      if (u.held.data && u.held(r, c)) wrong += found != m.start[row + c];
      else wrong += tie ? found != m.low && found != T{1} : found != (word < p ? T{1} : m.low);
      x[c] = static_cast<double>(found);
    }
    for (Index c = m.units; c < m.units + margin; ++c) wrong += after[row + c] != m.start[row + c];
  }
  return wrong;
}

}  // namespace

TEST_CASE_TEMPLATE("a sparse sweep draws class by class given the others as they stand, at all sizes", T, float,
                   double) {
  for (const Kernels* kernels : available_kernels()) {
    CAPTURE(kernels->name);
    for (const Index rows : {1, 2, 4, 5, 7, 16, 31, 32, 33, 40, 65})
      for (Index units = 3; units <= 70; units += 1 + units / 10) {
        CAPTURE(rows);
        CAPTURE(units);
        const int with = static_cast<int>((rows * 7 + units) % 16);
        CAPTURE(with);
        for (const Start from : {Start::states, Start::numbers}) {
          const Ring<T> m(rows, units, static_cast<std::uint32_t>(units % 5), units % 2 == 0 ? T{-1} : T{0}, from);
          REQUIRE(mistakes(m, with, m.swept(*kernels, with)) == 0);
        }
      }
  }
}

TEST_CASE_TEMPLATE("all instruction sets, and any number of rows, sweep few couplings to the same bits", T, float,
                   double) {
  for (const Index rows : {1, 2, 5, 37})
    for (const Index units : {7, 40, 333}) {
      CAPTURE(rows);
      CAPTURE(units);
      const Ring<T> m(rows, units, 3, units == 40 ? 0 : -1, units == 7 ? Start::numbers : Start::states);
      const std::vector<T> expected = m.swept(*available_kernels().front(), 15);
      for (const Kernels* kernels : available_kernels()) REQUIRE(same_bits(m.swept(*kernels, 15), expected));
      // The first row by itself.
      Ring<T> first = m;
      first.rows = 1;
      const std::vector<T> alone = first.swept(kernels(), 15);
      for (Index c = 0; c < units; ++c) REQUIRE(alone[c] == expected[c]);
      // One number that is neither state, of a unit without weight in the last row: all the rest as before.
      Ring<T> gray = m;
      for (Index e = 0; e < 2; ++e) gray.value[e] = 0;
      for (Index e = 0; e < gray.value.size(); ++e)
        if (gray.neighbor[e] == 0) gray.value[e] = 0;
      const std::vector<T> before = gray.swept(kernels(), 7);
      gray.start[(rows - 1) * (units + margin)] = T{0.25};
      REQUIRE(same_bits(gray.swept(kernels(), 7), before));
    }
}

TEST_CASE_TEMPLATE("the check notices units that are drawn at once though they are coupled", T, float, double) {
  constexpr Index units = 400;
  for (const Index rows : {Index{1}, Index{32}}) {
    Ring<T> right(rows, units, 0, 0, Start::states);
    for (std::uint32_t u = 0; u < units; ++u) right.order[u] = u;
    right.class_end.clear();
    for (Index u = 1; u <= units; ++u) right.class_end.push_back(u);
    CHECK(mistakes(right, 15, right.swept(kernels(), 15)) == 0);
    Ring<T> wrong = right;
    wrong.class_end = {units};
    // Of one chain a class is drawn at once; of many, one unit after the other, which is right in any order.
    const Index found = mistakes(right, 15, wrong.swept(kernels(), 15));
    CAPTURE(found);
    CHECK((rows == 1 ? found > units / 20 : found == 0));
    wrong.value.assign(wrong.value.size(), T{0});
    CHECK(mistakes(right, 15, wrong.swept(kernels(), 15)) > rows * units / 20);
  }
}

}  // namespace sparse_sweep_test
