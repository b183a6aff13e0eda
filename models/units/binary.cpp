#include <harmonium/models/units/binary.hpp>

#include <cmath>

#include <harmonium/framework/kernels/kernels.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void BinaryUnit::states(MatrixRef out) const {
  out(0, 0) = 0;
  out(1, 0) = 1;
}

void BinaryUnit::add_log_partition(const BasicFields<const double>& fields, std::span<double> sums) const {
  kernels_of<double>().softplus_sum(fields.linear, fields.bias, fields.scale, sums.data());
}

void BinaryUnit::moments(const ConstFields& fields, MatrixRef mean, MatrixRef) const {
  if (!mean.empty()) kernels_of<Real>().logistic(fields.linear, fields.bias, fields.scale, mean);
}

void BinaryUnit::sample(const ConstFields& fields, const DrawBlock& addresses, MatrixRef out, MatrixRef mean) const {
  kernels_of<Real>().bernoulli(addresses, fields.linear, fields.bias, fields.scale, out, mean);
}

void BinaryUnit::linear_of_mean(std::span<const double> mean, double, double num_rows, std::span<double> linear) const {
  const double p = (mean[0] * num_rows + 0.5) / (num_rows + 1.0);
  linear[0] = std::log(p / (1.0 - p));
}

void BinaryUnit::sample_uniform(const DrawBlock& addresses, MatrixRef out) const {
  for (Index r = 0; r < out.rows; ++r) {
    for (Index c = 0; c < out.cols; ++c)
      out(r, c) =
          addresses.word(r, addresses.first_site + static_cast<std::uint32_t>(c)) < 0x80000000u ? Real{1} : Real{0};
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
