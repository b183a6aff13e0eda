#include <harmonium/framework/model/finite_unit.hpp>

#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/assert.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/model/natural_parameters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The law of one unit at its natural parameters.
class FiniteLaw {
 public:
  explicit FiniteLaw(const std::vector<double>& values) : values_(values), p_(values.size()) {}
  /// At θ and γ, times β.
  FiniteLaw& at(const NaturalParameters& n) {
    for (Index k = 0; k < p_.size(); ++k) p_[k] = n.scale * (n.linear - 0.5 * n.curvature * values_[k]) * values_[k];
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
  double mean_square() const {
    double sum = 0.0;
    for (Index k = 0; k < p_.size(); ++k) sum += values_[k] * values_[k] * p_[k];
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

/// θ and γ of a unit alone.
NaturalParameters parameters_of(double theta, double gamma) {
  BasicFields<const double> fields{{&theta, 1, 1, 1}};
  fields.curvature = {&gamma, 1, 1, 1};
  return {fields, 0, 0};
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
    for (Index c = 0; c < fields.linear.cols; ++c) sums[r] += law.at({fields, r, c}).log_partition();
}

void FiniteUnit::moments(const ConstFields& fields, MatrixRef mean, MatrixRef second) const {
  if (mean.empty() && second.empty()) return;
  FiniteLaw law(values_);
  for (Index r = 0; r < fields.linear.rows; ++r) {
    for (Index c = 0; c < fields.linear.cols; ++c) {
      law.at({fields, r, c});
      if (!second.empty()) second(r, c) = static_cast<Real>(law.mean_square());
      if (!mean.empty()) mean(r, c) = static_cast<Real>(law.mean());  // which may be the fields' own memory
    }
  }
}

void FiniteUnit::sample(const ConstFields& fields, const DrawBlock& addresses, MatrixRef out, MatrixRef mean) const {
  FiniteLaw law(values_);
  for (Index r = 0; r < out.rows; ++r) {
    for (Index c = 0; c < out.cols; ++c) {
      law.at({fields, r, c});  // before `out`, which may be the fields' own memory
      out(r, c) = static_cast<Real>(law.draw(uniform_of(addresses, r, c)));
      if (!mean.empty()) mean(r, c) = static_cast<Real>(law.mean());
    }
  }
}

void FiniteUnit::linear_of_mean(std::span<const double> mean, double curvature, double num_rows,
                                std::span<double> linear) const {
  const double wanted = (mean[0] * num_rows + 0.5 * (min() + max())) / (num_rows + 1.0);
  const double gamma = has_curvature() ? curvature : 0.0;
  FiniteLaw law(values_);
  const auto mean_at = [&](double theta) { return law.at(parameters_of(theta, gamma)).mean(); };
  double low = -1.0, high = 1.0;  // the mean rises with θ
  while (mean_at(low) > wanted) low *= 2.0;
  while (mean_at(high) < wanted) high *= 2.0;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = 0.5 * (low + high);
    (mean_at(middle) < wanted ? low : high) = middle;
  }
  linear[0] = 0.5 * (low + high);
}

void FiniteUnit::sample_uniform(const DrawBlock& addresses, MatrixRef out) const {
  FiniteLaw law(values_);
  law.at(parameters_of(0.0, 0.0));
  for (Index r = 0; r < out.rows; ++r)
    for (Index c = 0; c < out.cols; ++c) out(r, c) = static_cast<Real>(law.draw(uniform_of(addresses, r, c)));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
