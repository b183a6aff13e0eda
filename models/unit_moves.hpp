#pragma once

#include <algorithm>
#include <vector>

#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What changes where one discrete unit of a row goes into another state.
class UnitMoves {
 public:
  explicit UnitMoves(const UnitType& unit) : states_(unit), width_(unit.width()) {}

  Index states() const { return states_.size(); }
  Index width() const { return width_; }
  double value(Index state, Index column) const { return static_cast<double>(states_[state][column]); }
  /// All of them, states × columns.
  std::vector<double> values() const {
    const ConstMatrixRef all = states_.view();
    return {all.data, all.data + states() * width_};
  }
  /// By how much a column moves when the unit that begins at `at` goes into `state`.
  double change(const Real* row, Index at, Index state, Index column) const {
    return value(state, column) - static_cast<double>(row[at + column]);
  }
  /// False for the state that it is in.
  bool moves(const Real* row, Index at, Index state) const {
    return !std::equal(row + at, row + at + width_, states_[state].begin());
  }
  /// to[j] = from[j] + Σ_c change_c W(c, j): the field of a layer that W couples with the unit, `columns` numbers.
  template <class T>
  void move_field(const Real* row, Index at, Index state, const T* from, const T* couplings, Index columns,
                  T* to) const {
    std::copy_n(from, columns, to);
    for (Index c = 0; c < width_; ++c) {
      const T by = static_cast<T>(change(row, at, state, c));
      if (by == 0) continue;
      std::transform(to, to + columns, couplings + c * columns, to, [by](T sum, T w) { return sum + by * w; });
    }
  }

 private:
  UnitStates states_;
  Index width_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
