#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <vector>

#include <harmonium/framework/kernels/coupled_sweep.hpp>
#include <harmonium/tests/support/kernels.hpp>

namespace harmonium::testing {

/// Coupled units with numbers of no special kind, and chains in states of any value.
template <class T>
struct CoupledMachine {
  static constexpr Index margin = 3;
  Index rows, units;
  std::vector<T> coupling, field, bias, scale, start;
  std::vector<std::uint8_t> held;
  DrawBlock block;
  T low, high;

  CoupledMachine(Index rows_, Index units_, std::uint32_t first_chain, T low_ = 0)
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

  /// States of 0 and 1, of which so many are 1.
  CoupledMachine& start_from_bits(double share) {
    RandomStream words(DrawBlock::of({5, 6}, 0, 0, LayerId{0}), 0, static_cast<std::uint32_t>(rows * 1000 + units));
    for (T& x : start) x = uniform<double>(words()) < share ? T{1} : T{0};
    return *this;
  }

  std::vector<T> swept(const Kernels& kernels, int with) const {
    std::vector<T> state = start, scratch(sweep_scratch(units), std::numeric_limits<T>::quiet_NaN());
    half_of<T>(kernels).sweep(block, view(with), {state.data(), rows, units, units + margin}, scratch.data());
    return state;
  }

  std::vector<T> swept_by(const Kernels& kernels, int with, ProductWay way) const {
    std::vector<T> state = start;
    sweep_coupled(half_of<T>(kernels), block, view(with), {state.data(), rows, units, units + margin}, way);
    return state;
  }
};

struct SweepVerdict {
  Index wrong = 0;  ///< decisions that are not the law's, or what must not have changed
  Index ties = 0;   ///< words so near to the probability that rounding may decide
  double expected_ties = 0.0;
};

/// The plain loop, in double: each unit in its turn by its own word, given what the kernel made of those before it. So a
/// decision that rounding turned does not hide those after it.
template <class T>
SweepVerdict examine(const CoupledMachine<T>& m, int with, const std::vector<T>& after) {
  constexpr Index margin = CoupledMachine<T>::margin;
  SweepVerdict verdict;
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

/// Ties of many sweeps of numbers of type T.
template <class T>
class TieCount {
 public:
  void add(const SweepVerdict& verdict) {
    ties_ += verdict.ties;
    expected_ += verdict.expected_ties;
  }
  /// Whether they are as many as chance makes, Poisson numbers: up to six standard deviations; in double none.
  bool plausible() const {
    if (std::same_as<T, double> && ties_ > 0) return false;
    return static_cast<double>(ties_) <= expected_ + 6.0 * std::sqrt(expected_) + 1.0;
  }

 private:
  Index ties_ = 0;
  double expected_ = 0.0;
};

}  // namespace harmonium::testing
