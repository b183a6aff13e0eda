#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include <harmonium/framework/model/chains.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A matrix in double: itself, or a copy where it is float.
class ExactMatrix {
 public:
  template <class T>
  explicit ExactMatrix(MatrixView<const T> m) {
    if constexpr (std::is_same_v<T, double>) {
      view_ = m;
    } else {
      copy_.reserve(m.rows * m.cols);  // not resized: zeros first are a second pass over a large tensor
      for (Index r = 0; r < m.rows; ++r) copy_.insert(copy_.end(), m.row(r), m.row(r) + m.cols);
      view_ = {copy_.data(), m.rows, m.cols, m.cols};
    }
  }
  ExactMatrix(const ExactMatrix&) = delete;
  ExactMatrix& operator=(const ExactMatrix&) = delete;
  const MatrixView<const double>& operator*() const { return view_; }

 private:
  std::vector<double> copy_;
  MatrixView<const double> view_;
};

/// Rows of all layers in double, for what is computed in double in both precisions: energies, free energies, scores. A layer
/// is copied when it is first asked for, in single precision; for one thread.
class ExactRows {
 public:
  explicit ExactRows(ConstChainView x) : x_(x), layers_(x.chains->num_layers()) {}

  Index rows() const { return x_.rows(); }
  MatrixView<const double> operator[](LayerId layer) const {
    std::unique_ptr<ExactMatrix>& own = layers_[layer];
    if (!own) own = std::make_unique<ExactMatrix>(x_[layer]);
    return **own;
  }

 private:
  ConstChainView x_;
  mutable PerLayer<std::unique_ptr<ExactMatrix>> layers_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
