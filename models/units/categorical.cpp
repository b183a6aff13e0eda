#include <harmonium/models/units/categorical.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <harmonium/framework/core/numerics.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// β(θ_k + b_k) of one unit.
template <class T>
void natural(const BasicFields<const T>& f, Index r, Index first, std::span<double> out) {
  const double scale = f.scale ? static_cast<double>(f.scale[r]) : 1.0;
  for (Index k = 0; k < out.size(); ++k)
    out[k] =
        scale * (static_cast<double>(f.linear(r, first + k)) + (f.bias ? static_cast<double>(f.bias[first + k]) : 0.0));
}

/// Turns natural parameters into probabilities; gives their sum before it was divided out, 1 or a little beside.
void to_probabilities(std::span<double> x) {
  const double top = *std::max_element(x.begin(), x.end());
  double sum = 0.0;
  for (double& v : x) sum += v = std::exp(v - top);
  for (double& v : x) v /= sum;
}

}  // namespace

void CategoricalUnit::states(MatrixRef out) const {
  for (Index s = 0; s < states_; ++s)
    for (Index k = 0; k < states_; ++k) out(s, k) = s == k ? Real{1} : Real{0};
}

void CategoricalUnit::add_log_partition(const BasicFields<const double>& fields, std::span<double> sums) const {
  std::vector<double> x(states_);
  for (Index r = 0; r < fields.linear.rows; ++r) {
    for (Index c = 0; c < fields.linear.cols; c += states_) {
      natural(fields, r, c, x);
      sums[r] += logsumexp(x);
    }
  }
}

void CategoricalUnit::moments(const ConstFields& fields, MatrixRef mean, MatrixRef) const {
  if (mean.empty()) return;
  std::vector<double> p(states_);
  for (Index r = 0; r < fields.linear.rows; ++r) {
    for (Index c = 0; c < fields.linear.cols; c += states_) {
      natural(fields, r, c, p);
      to_probabilities(p);
      for (Index k = 0; k < states_; ++k) mean(r, c + k) = static_cast<Real>(p[k]);
    }
  }
}

void CategoricalUnit::sample(const ConstFields& fields, const DrawBlock& addresses, MatrixRef out,
                             MatrixRef mean) const {
  std::vector<double> p(states_);
  for (Index r = 0; r < fields.linear.rows; ++r) {
    for (Index c = 0; c < fields.linear.cols; c += states_) {
      natural(fields, r, c, p);
      to_probabilities(p);
      double rest = uniform_f64(addresses.word(r, addresses.first_site + static_cast<std::uint32_t>(c / states_)));
      Index drawn = 0;
      while (drawn + 1 < states_ && rest >= p[drawn]) rest -= p[drawn++];
      for (Index k = 0; k < states_; ++k) {
        out(r, c + k) = k == drawn ? Real{1} : Real{0};
        if (!mean.empty()) mean(r, c + k) = static_cast<Real>(p[k]);
      }
    }
  }
}

void CategoricalUnit::linear_of_mean(std::span<const double> mean, double, double num_rows,
                                     std::span<double> linear) const {
  double sum = 0.0;
  for (Index k = 0; k < states_; ++k)
    sum += linear[k] = std::log((mean[k] * num_rows + 0.5) / (num_rows + 0.5 * static_cast<double>(states_)));
  for (Index k = 0; k < states_; ++k) linear[k] -= sum / static_cast<double>(states_);
}

void CategoricalUnit::sample_uniform(const DrawBlock& addresses, MatrixRef out) const {
  for (Index r = 0; r < out.rows; ++r) {
    for (Index c = 0; c < out.cols; c += states_) {
      const double u = uniform_f64(addresses.word(r, addresses.first_site + static_cast<std::uint32_t>(c / states_)));
      const auto drawn = std::min(static_cast<Index>(u * static_cast<double>(states_)), states_ - 1);
      for (Index k = 0; k < states_; ++k) out(r, c + k) = k == drawn ? Real{1} : Real{0};
    }
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
