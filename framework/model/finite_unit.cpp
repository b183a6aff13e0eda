#include <harmonium/framework/model/finite_unit.hpp>

#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/assert.hpp>
#include <harmonium/framework/core/numerics.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The law of one unit at the natural parameter θ.
class FiniteLaw {
 public:
  explicit FiniteLaw(const std::vector<double>& values) : values_(values), p_(values.size()) {}
  FiniteLaw& at(double theta) {
    for (Index k = 0; k < p_.size(); ++k) p_[k] = theta * values_[k];
    log_partition_ = logsumexp(p_);
    for (double& p : p_) p = std::exp(p - log_partition_);
    return *this;
  }
  double log_partition() const { return log_partition_; }
  double mean() const {
    double sum = 0.0;
    for (Index k = 0; k < p_.size(); ++k) sum += values_[k] * p_[k];
    return sum;
  }
  double draw(double uniform) const {
    Index k = 0;
    while (k + 1 < p_.size() && uniform >= p_[k]) uniform -= p_[k++];
    return values_[k];
  }

 private:
  const std::vector<double>& values_;
  std::vector<double> p_;
  double log_partition_ = 0.0;
};

template <class T>
double theta_of(const BasicFields<const T>& f, Index r, Index c) {
  const double linear = static_cast<double>(f.linear(r, c)) + (f.bias ? static_cast<double>(f.bias[c]) : 0.0);
  return (f.scale ? static_cast<double>(f.scale[r]) : 1.0) * linear;
}

double uniform_of(const DrawBlock& addresses, Index r, Index c) {
  return uniform_f64(addresses.word(r, addresses.first_site + static_cast<std::uint32_t>(c)));
}

}  // namespace

FiniteUnit::FiniteUnit(std::vector<double> values)
    : values_(std::move(values)), domain_(fmt::format("from {} to {}", values_.front(), values_.back())) {
  HARMONIUM_ASSERT(values_.size() >= 2 && std::ranges::is_sorted(values_));
}

void FiniteUnit::states(MatrixRef out) const {
  for (Index k = 0; k < values_.size(); ++k) out(k, 0) = static_cast<Real>(values_[k]);
}

std::optional<ByteCode> FiniteUnit::byte_code() const {
  const double low = values_.front(), step = values_[1] - low;
  const bool whole = low == std::floor(low) && step == std::floor(step);
  const double last = static_cast<double>(values_.size() - 1);
  if (!whole || last > 255.0 || low < -128.0 || low > 127.0 || step > 127.0) return {};
  for (Index k = 0; k < values_.size(); ++k)
    if (values_[k] != low + step * static_cast<double>(k)) return {};
  return ByteCode{static_cast<decltype(ByteCode::low)>(low), static_cast<decltype(ByteCode::step)>(step)};
}

void FiniteUnit::add_log_partition(const BasicFields<const double>& fields, std::span<double> sums) const {
  FiniteLaw law(values_);
  for (Index r = 0; r < fields.linear.rows; ++r)
    for (Index c = 0; c < fields.linear.cols; ++c) sums[r] += law.at(theta_of(fields, r, c)).log_partition();
}

void FiniteUnit::moments(const ConstFields& fields, MatrixRef mean, MatrixRef) const {
  FiniteLaw law(values_);
  for (Index r = 0; r < mean.rows; ++r)
    for (Index c = 0; c < mean.cols; ++c) mean(r, c) = static_cast<Real>(law.at(theta_of(fields, r, c)).mean());
}

void FiniteUnit::sample(const ConstFields& fields, const DrawBlock& addresses, MatrixRef out, MatrixRef mean) const {
  FiniteLaw law(values_);
  for (Index r = 0; r < out.rows; ++r) {
    for (Index c = 0; c < out.cols; ++c) {
      law.at(theta_of(fields, r, c));  // before `out`, which may be the fields' own memory
      out(r, c) = static_cast<Real>(law.draw(uniform_of(addresses, r, c)));
      if (!mean.empty()) mean(r, c) = static_cast<Real>(law.mean());
    }
  }
}

void FiniteUnit::linear_of_mean(std::span<const double> mean, double, double num_rows, std::span<double> linear) const {
  const double wanted = (mean[0] * num_rows + 0.5 * (min() + max())) / (num_rows + 1.0);
  FiniteLaw law(values_);
  double low = -1.0, high = 1.0;  // the mean rises with θ
  while (law.at(low).mean() > wanted) low *= 2.0;
  while (law.at(high).mean() < wanted) high *= 2.0;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = 0.5 * (low + high);
    (law.at(middle).mean() < wanted ? low : high) = middle;
  }
  linear[0] = 0.5 * (low + high);
}

void FiniteUnit::sample_uniform(const DrawBlock& addresses, MatrixRef out) const {
  FiniteLaw law(values_);
  law.at(0.0);
  for (Index r = 0; r < out.rows; ++r)
    for (Index c = 0; c < out.cols; ++c) out(r, c) = static_cast<Real>(law.draw(uniform_of(addresses, r, c)));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
