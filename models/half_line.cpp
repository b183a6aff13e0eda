#include <harmonium/models/half_line.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/core/joint_gaussian.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

bool surely_integrable(MatrixView<const double> precision, Index num_free) {
  const Index n = precision.rows, num_half = n - num_free;
  const auto free = precision.slice(0, num_free), half = precision.slice(num_free, n);
  std::vector<double> rest(num_half * num_half);
  const MatrixView<double> s{rest.data(), num_half, num_half, num_half};
  for (Index i = 0; i < num_half; ++i) std::copy_n(half.row(i) + num_free, num_half, s.row(i));
  if (num_free > 0) {
    const std::optional<JointGaussian> law = JointGaussian::of(free.columns(0, num_free));
    if (!law) return false;
    std::vector<double> means(num_half * num_free);
    const MatrixView<double> m{means.data(), num_half, num_free, num_free};
    for (Index i = 0; i < num_half; ++i) std::copy_n(half.row(i), num_free, m.row(i));
    law->means(m);
    gemm(Transpose::no, Transpose::no, -1.0, std::as_const(m), free.columns(num_free, n), 1.0, s);
  }
  for (Index i = 0; i < num_half; ++i)
    for (Index j = 0; j < num_half; ++j)
      if (i != j) s(i, j) = std::min(s(i, j), 0.0);
  return num_half == 0 || JointGaussian::of(s).has_value();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
