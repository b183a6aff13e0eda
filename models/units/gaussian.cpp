#include <harmonium/models/units/gaussian.hpp>

#include <cmath>
#include <limits>
#include <numbers>

#include <harmonium/framework/kernels/normal.hpp>
#include <harmonium/framework/model/natural_parameters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

double GaussianUnit::min() const { return -std::numeric_limits<double>::infinity(); }
double GaussianUnit::max() const { return std::numeric_limits<double>::infinity(); }

void GaussianUnit::add_log_partition(const BasicFields<const double>& fields, std::span<double> sums) const {
  for (Index r = 0; r < fields.linear.rows; ++r) {
    double sum = 0.0;
    for (Index c = 0; c < fields.linear.cols; ++c) {
      const NaturalParameters n(fields, r, c);
      sum += 0.5 *
             (std::log(2.0 * std::numbers::pi / (n.scale * n.curvature)) + n.scale * n.linear * n.linear / n.curvature);
    }
    sums[r] += sum;
  }
}

void GaussianUnit::moments(const ConstFields& fields, MatrixRef mean, MatrixRef second) const {
  for (Index r = 0; r < fields.linear.rows; ++r) {
    for (Index c = 0; c < fields.linear.cols; ++c) {
      const NaturalParameters n(fields, r, c);
      const double m = n.linear / n.curvature;
      if (!second.empty()) second(r, c) = static_cast<Real>(m * m + 1.0 / (n.scale * n.curvature));
      if (!mean.empty()) mean(r, c) = static_cast<Real>(m);
    }
  }
}

void GaussianUnit::sample(const ConstFields& fields, const DrawBlock& addresses, MatrixRef out, MatrixRef mean) const {
  NormalDraws normal(addresses, fields.linear.cols);
  for (Index r = 0; r < fields.linear.rows; ++r) {
    const std::span<const double> z = normal.row(r);
    for (Index c = 0; c < fields.linear.cols; ++c) {
      const NaturalParameters n(fields, r, c);
      const double m = n.linear / n.curvature;
      out(r, c) = static_cast<Real>(m + z[c] / std::sqrt(n.scale * n.curvature));
      if (!mean.empty()) mean(r, c) = static_cast<Real>(m);
    }
  }
}

void GaussianUnit::linear_of_mean(std::span<const double> mean, double curvature, double,
                                  std::span<double> linear) const {
  linear[0] = curvature * mean[0];
}

void GaussianUnit::sample_uniform(const DrawBlock& addresses, MatrixRef out) const {
  NormalDraws normal(addresses, out.cols);
  for (Index r = 0; r < out.rows; ++r) {
    const std::span<const double> z = normal.row(r);
    for (Index c = 0; c < out.cols; ++c) out(r, c) = static_cast<Real>(z[c]);
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
