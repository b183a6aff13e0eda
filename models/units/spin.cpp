#include <harmonium/models/units/spin.hpp>

#include <cmath>
#include <vector>

#include <harmonium/framework/kernels/kernels.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// With x = 2s − 1, exp(θx) ∝ exp(2θs): a spin is a binary unit at twice the scale.
template <class T>
std::vector<T> twice(const T* scale, Index rows) {
  std::vector<T> doubled(rows, T{2});
  if (scale)
    for (Index r = 0; r < rows; ++r) doubled[r] = 2 * scale[r];
  return doubled;
}

void bits_to_spins(MatrixRef x) {
  for (Index r = 0; r < x.rows; ++r)
    for (Index c = 0; c < x.cols; ++c) x(r, c) = 2 * x(r, c) - 1;
}

}  // namespace

void SpinUnit::states(MatrixRef out) const {
  out(0, 0) = -1;
  out(1, 0) = 1;
}

void SpinUnit::add_log_partition(const BasicFields<const double>& fields, std::span<double> sums) const {
  // log(2 cosh θ) = log(1 + e^{2θ}) − θ
  const std::vector<double> doubled = twice(fields.scale, fields.linear.rows);
  kernels_of<double>().softplus_sum(fields.linear, fields.bias, doubled.data(), sums.data());
  for (Index r = 0; r < fields.linear.rows; ++r) {
    double sum = 0.0;
    for (Index c = 0; c < fields.linear.cols; ++c) sum += fields.linear(r, c) + (fields.bias ? fields.bias[c] : 0.0);
    sums[r] -= 0.5 * doubled[r] * sum;
  }
}

void SpinUnit::moments(const ConstFields& fields, MatrixRef mean, MatrixRef) const {
  if (mean.empty()) return;
  const std::vector<Real> doubled = twice(fields.scale, fields.linear.rows);
  kernels_of<Real>().logistic(fields.linear, fields.bias, doubled.data(), mean);
  bits_to_spins(mean);
}

void SpinUnit::sample(const ConstFields& fields, const DrawBlock& addresses, MatrixRef out, MatrixRef mean) const {
  const std::vector<Real> doubled = twice(fields.scale, fields.linear.rows);
  kernels_of<Real>().bernoulli(addresses, fields.linear, fields.bias, doubled.data(), out, mean);
  bits_to_spins(out);
  if (!mean.empty()) bits_to_spins(mean);
}

void SpinUnit::linear_of_mean(std::span<const double> mean, double, double num_rows, std::span<double> linear) const {
  const double p = (0.5 * (mean[0] + 1.0) * num_rows + 0.5) / (num_rows + 1.0);
  linear[0] = 0.5 * std::log(p / (1.0 - p));
}

void SpinUnit::sample_uniform(const DrawBlock& addresses, MatrixRef out) const {
  for (Index r = 0; r < out.rows; ++r)
    for (Index c = 0; c < out.cols; ++c)
      out(r, c) =
          addresses.word(r, addresses.first_site + static_cast<std::uint32_t>(c)) < 0x80000000u ? Real{1} : Real{-1};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
