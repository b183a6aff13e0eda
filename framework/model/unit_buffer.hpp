#pragma once

#include <algorithm>
#include <vector>

#include <harmonium/framework/model/unit_type.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Memory for two numbers of each unit of a batch, rows × columns each: the fields of a layer, or its first and second
/// moments. The second is there only for units that have a curvature. Zeros at first.
class UnitBuffer {
 public:
  UnitBuffer() = default;
  UnitBuffer(const UnitType& unit, Index rows, Index columns) { resize(unit, rows, columns); }

  /// Keeps what it holds where the size stays the same.
  void resize(const UnitType& unit, Index rows, Index columns) {
    rows_ = rows;
    columns_ = columns;
    first_.resize(rows * columns);
    second_.resize(unit.has_curvature() ? rows * columns : 0);
  }
  MatrixRef first() { return view<MatrixRef>(first_); }
  ConstMatrixRef first() const { return view<ConstMatrixRef>(first_); }
  MatrixRef second() { return view<MatrixRef>(second_); }
  ConstMatrixRef second() const { return view<ConstMatrixRef>(second_); }

  Fields fields() { return {first(), second()}; }
  ConstFields fields() const { return {first(), second()}; }

 private:
  /// Empty where there is none.
  template <class View, class Values>
  View view(Values& values) const {
    return values.empty() ? View{} : View{values.data(), rows_, columns_, columns_};
  }

  Index rows_ = 0, columns_ = 0;
  std::vector<Real> first_, second_;
};

/// The states of a unit in its own order: num_states() × width().
class UnitStates {
 public:
  explicit UnitStates(const UnitType& unit) : size_(unit.num_states()), width_(unit.width()), values_(size_ * width_) {
    unit.states({values_.data(), size_, width_, width_});
  }
  Index size() const { return size_; }
  ConstMatrixRef view() const { return {values_.data(), size_, width_, width_}; }
  std::span<const Real> operator[](Index state) const {
    HARMONIUM_ASSERT(state < size_);
    return {values_.data() + state * width_, width_};
  }
  /// The state that `x` is; size() where it is none.
  Index find(std::span<const Real> x) const {
    Index state = 0;
    while (state < size_ && !std::ranges::equal(x, (*this)[state])) ++state;
    return state;
  }

 private:
  Index size_, width_;
  std::vector<Real> values_;
};

/// linear · x − ½ curvature · x² for a state x of the unit whose columns begin at `column`, in row r; bias and scale left out.
inline double log_weight(const ConstFields& fields, Index r, Index column, std::span<const Real> state) {
  double sum = 0.0;
  for (Index c = 0; c < state.size(); ++c) {
    const auto v = static_cast<double>(state[c]);
    sum += static_cast<double>(fields.linear(r, column + c)) * v;
    if (!fields.curvature.empty()) sum -= 0.5 * static_cast<double>(fields.curvature(r, column + c)) * v * v;
  }
  return sum;
}

/// The mean of each column of a layer under no field, of units with a curvature at curvature 1.
std::vector<Real> means_without_field(const UnitType& unit, Index columns);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
