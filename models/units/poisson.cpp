#include <harmonium/models/units/poisson.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <boost/random/poisson_distribution.hpp>

#include <harmonium/framework/model/natural_parameters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// A mean so large that its counts are no whole numbers in double precision is taken for what it is: a machine that diverges.
constexpr double largest_mean = 0x1p52;

template <class T>
double mean_of(const BasicFields<T>& f, Index r, Index c) {
  const NaturalParameters n(f, r, c);
  return std::exp(n.scale * n.linear);
}

Real draw(double mean, const DrawBlock& addresses, Index r, Index c) {
  if (mean == 0.0) return Real{0};
  if (!(mean <= largest_mean)) return std::numeric_limits<Real>::infinity();
  RandomStream words(addresses, r, addresses.first_site + static_cast<std::uint32_t>(c));
  return static_cast<Real>(boost::random::poisson_distribution<std::int64_t, double>(mean)(words));
}

}  // namespace

double PoissonUnit::max() const { return std::numeric_limits<double>::infinity(); }

double PoissonUnit::log_base(double x) const {
  return x >= 0.0 && x == std::floor(x) ? -std::lgamma(x + 1.0) : -std::numeric_limits<double>::infinity();
}

void PoissonUnit::add_log_partition(const BasicFields<const double>& fields, std::span<double> sums) const {
  for (Index r = 0; r < fields.linear.rows; ++r) {
    double sum = 0.0;
    for (Index c = 0; c < fields.linear.cols; ++c) sum += mean_of(fields, r, c);
    sums[r] += sum;
  }
}

void PoissonUnit::moments(const ConstFields& fields, MatrixRef mean, MatrixRef) const {
  if (mean.empty()) return;
  for (Index r = 0; r < fields.linear.rows; ++r)
    for (Index c = 0; c < fields.linear.cols; ++c) mean(r, c) = static_cast<Real>(mean_of(fields, r, c));
}

void PoissonUnit::sample(const ConstFields& fields, const DrawBlock& addresses, MatrixRef out, MatrixRef mean) const {
  for (Index r = 0; r < fields.linear.rows; ++r) {
    for (Index c = 0; c < fields.linear.cols; ++c) {
      const double m = mean_of(fields, r, c);
      out(r, c) = draw(m, addresses, r, c);
      if (!mean.empty()) mean(r, c) = static_cast<Real>(m);
    }
  }
}

void PoissonUnit::linear_of_mean(std::span<const double> mean, double, double num_rows,
                                 std::span<double> linear) const {
  linear[0] = std::log(std::max(mean[0], 0.5 / (num_rows + 1.0)));
}

void PoissonUnit::sample_uniform(const DrawBlock& addresses, MatrixRef out) const {
  for (Index r = 0; r < out.rows; ++r)
    for (Index c = 0; c < out.cols; ++c) out(r, c) = draw(1.0, addresses, r, c);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
