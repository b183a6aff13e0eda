#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A tensor of θ in double, for energies and fields that are computed in double: itself, or in single precision a copy, which is
/// made when it is first asked for and serves until θ changes. A copy for each product would cost more than the product of a few
/// rows.
class ExactCouplings {
 public:
  ExactCouplings() = default;
  /// A term that is copied belongs to another θ.
  ExactCouplings(const ExactCouplings&) {}
  ExactCouplings& operator=(const ExactCouplings&) = delete;

  /// θ has changed, and `w` is the tensor from now on. Not while others read.
  void follow(ConstMatrixRef w);
  /// The values of `w`. Several threads may ask at once. Of a tensor that it does not follow it makes a copy in `own`.
  MatrixView<const double> of(ConstMatrixRef w, std::vector<double>& own) const;

 private:
  const Real* followed_ = nullptr;
  mutable std::mutex making_;
  mutable std::atomic<bool> made_ = false;
  mutable std::vector<double> copy_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
