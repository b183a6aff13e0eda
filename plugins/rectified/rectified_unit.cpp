#include "rectified_unit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <boost/math/special_functions/erf.hpp>

#include <harmonium/framework/model/natural_parameters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double pi = std::numbers::pi, root_2 = std::numbers::sqrt2;
/// Below this t the tail's continued fraction takes the place of erfc, which begins to lose digits.
constexpr double tail = -6.0;

/// t + λ(t), the mean in units of σ. In the tail by Laplace's continued fraction Φ(t)/φ(t) = 1/(s + 1/(s + 2/(s + …))),
/// s = −t, of which λ − s is the part after the first s.
double scaled_mean(double t) {
  if (t > tail) {
    const double phi = std::exp(-0.5 * t * t) / std::sqrt(2.0 * pi), Phi = 0.5 * std::erfc(-t / root_2);
    return t + phi / Phi;
  }
  double rest = 0.0;
  for (int k = 60; k >= 1; --k) rest = k / (-t + rest);
  return rest;
}

/// ½ t² + log Φ(t), without a difference of large numbers in the tail.
double log_mills(double t) {
  if (t > tail) return 0.5 * t * t + std::log(0.5 * std::erfc(-t / root_2));
  return -std::log((scaled_mean(t) - t) * std::sqrt(2.0 * pi));
}

/// What one unit's law is: normal, and cut off below 0.
struct Law {
  double mean_of_normal, deviation;
  double t() const { return mean_of_normal / deviation; }
  double log_partition() const { return log_mills(t()) + std::log(deviation * std::sqrt(2.0 * pi)); }
  double mean() const { return deviation * scaled_mean(t()); }
  double second() const { return deviation * deviation + mean_of_normal * mean(); }
};

template <class T>
Law law_of(const BasicFields<const T>& f, Index r, Index c) {
  const NaturalParameters n(f, r, c);
  return {n.linear / n.curvature, 1.0 / std::sqrt(n.scale * n.curvature)};
}

/// Where a rising function, of which `below` tells whether it is still too low, takes its value: between low and high, to the
/// last bit.
template <class Below>
double bisect(double low, double high, const Below& below) {
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (below(middle) ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// A normal number given that it is at least s = −t, less s: by inversion, or far out by Marsaglia's (1964) method, whose
/// proposals √(s² − 2 log u) are accepted with probability s over themselves.
double excess(double s, const DrawBlock& addresses, Index r, std::uint32_t site, std::uint32_t first_draw = 0) {
  const auto u = [&](std::uint32_t draw) { return uniform_f64(addresses.word(r, site, first_draw + draw)); };
  if (s < -tail) return root_2 * boost::math::erfc_inv(u(0) * std::erfc(s / root_2)) - s;
  for (std::uint32_t draw = 0;; draw += 2) {
    const double z = std::sqrt(s * s - 2.0 * std::log(u(draw)));
    if (u(draw + 1) * z <= s) return z - s;
  }
}

/// A law on each side of 0, the left one mirrored; the share of the right one.
struct TwoSided {
  Law right, left;
  double log_partition, share;

  TwoSided(double field, double precision, double threshold)
      : right{(field - threshold) / precision, 1.0 / std::sqrt(precision)},
        left{(-field - threshold) / precision, right.deviation} {
    const double of_right = right.log_partition(), of_left = left.log_partition();
    log_partition = std::max(of_right, of_left) + std::log1p(std::exp(-std::abs(of_right - of_left)));
    share = std::exp(of_right - log_partition);
  }
  double mean() const { return share * right.mean() - (1.0 - share) * left.mean(); }
  double second() const { return share * right.second() + (1.0 - share) * left.second(); }
  double draw(const DrawBlock& addresses, Index r, std::uint32_t site) const {
    const bool above = uniform_f64(addresses.word(r, site)) < share;
    const Law& law = above ? right : left;
    const double size = std::max(0.0, law.deviation * excess(-law.t(), addresses, r, site, 1));
    return above ? size : -size;
  }
};

template <class T>
TwoSided two_sided(const BasicFields<const T>& f, Index r, Index c, double threshold) {
  const NaturalParameters n(f, r, c);
  return {n.scale * n.linear, n.scale * n.curvature, threshold};
}

}  // namespace

double RectifiedUnit::max() const { return std::numeric_limits<double>::infinity(); }

void RectifiedUnit::add_log_partition(const BasicFields<const double>& fields, std::span<double> sums) const {
  for (Index r = 0; r < fields.linear.rows; ++r) {
    for (Index c = 0; c < fields.linear.cols; ++c) {
      const Law law = law_of(fields, r, c);
      sums[r] += law.log_partition();
    }
  }
}

void RectifiedUnit::moments(const ConstFields& fields, MatrixRef mean, MatrixRef second) const {
  for (Index r = 0; r < fields.linear.rows; ++r) {
    for (Index c = 0; c < fields.linear.cols; ++c) {
      const Law law = law_of(fields, r, c);
      if (!second.empty()) second(r, c) = static_cast<Real>(law.second());
      if (!mean.empty()) mean(r, c) = static_cast<Real>(law.mean());
    }
  }
}

void RectifiedUnit::sample(const ConstFields& fields, const DrawBlock& addresses, MatrixRef out, MatrixRef mean) const {
  for (Index r = 0; r < fields.linear.rows; ++r) {
    for (Index c = 0; c < fields.linear.cols; ++c) {
      const Law law = law_of(fields, r, c);
      const auto site = addresses.first_site + static_cast<std::uint32_t>(c);
      out(r, c) = static_cast<Real>(std::max(0.0, law.deviation * excess(-law.t(), addresses, r, site)));
      if (!mean.empty()) mean(r, c) = static_cast<Real>(law.mean());
    }
  }
}

void RectifiedUnit::linear_of_mean(std::span<const double> mean, double curvature, double num_rows,
                                   std::span<double> linear) const {
  // scaled_mean rises from 0 to t without end, and is below 1/(−t) for t < 0 and above t for t > 0.
  const double deviation = 1.0 / std::sqrt(curvature);
  const double wanted = std::max(mean[0], 0.5 / (num_rows + 1.0) * deviation) / deviation;
  const double low = -1.0 / wanted - 1.0, high = wanted;
  linear[0] = bisect(low, high, [&](double t) { return scaled_mean(t) < wanted; }) * deviation * curvature;
}

void RectifiedUnit::sample_uniform(const DrawBlock& addresses, MatrixRef out) const {
  for (Index r = 0; r < out.rows; ++r)
    for (Index c = 0; c < out.cols; ++c)
      out(r, c) = static_cast<Real>(excess(0.0, addresses, r, addresses.first_site + static_cast<std::uint32_t>(c)));
}

void DoubleRectifiedUnit::Options::bind(OptionBinder& o) {
  o.option("threshold", threshold, "taken off a field on both sides: above 0 sparse numbers, below 0 two modes",
           finite());
}

double DoubleRectifiedUnit::min() const { return -std::numeric_limits<double>::infinity(); }
double DoubleRectifiedUnit::max() const { return std::numeric_limits<double>::infinity(); }
double DoubleRectifiedUnit::log_base(double x) const { return -options_.threshold * std::abs(x); }

void DoubleRectifiedUnit::add_log_partition(const BasicFields<const double>& fields, std::span<double> sums) const {
  for (Index r = 0; r < fields.linear.rows; ++r)
    for (Index c = 0; c < fields.linear.cols; ++c) sums[r] += two_sided(fields, r, c, options_.threshold).log_partition;
}

void DoubleRectifiedUnit::moments(const ConstFields& fields, MatrixRef mean, MatrixRef second) const {
  for (Index r = 0; r < fields.linear.rows; ++r) {
    for (Index c = 0; c < fields.linear.cols; ++c) {
      const TwoSided law = two_sided(fields, r, c, options_.threshold);
      if (!second.empty()) second(r, c) = static_cast<Real>(law.second());
      if (!mean.empty()) mean(r, c) = static_cast<Real>(law.mean());
    }
  }
}

void DoubleRectifiedUnit::sample(const ConstFields& fields, const DrawBlock& addresses, MatrixRef out,
                                 MatrixRef mean) const {
  for (Index r = 0; r < fields.linear.rows; ++r) {
    for (Index c = 0; c < fields.linear.cols; ++c) {
      const TwoSided law = two_sided(fields, r, c, options_.threshold);
      out(r, c) = static_cast<Real>(law.draw(addresses, r, addresses.first_site + static_cast<std::uint32_t>(c)));
      if (!mean.empty()) mean(r, c) = static_cast<Real>(law.mean());
    }
  }
}

void DoubleRectifiedUnit::linear_of_mean(std::span<const double> mean, double curvature, double,
                                         std::span<double> linear) const {
  // The mean rises with the field, and lies within Δ/γ of what it is without a threshold, or nearer to 0.
  const double about = mean[0] * curvature, width = std::abs(options_.threshold) + 1.0;
  double low = about - width, high = about + width;
  const auto below = [&](double field) { return TwoSided(field, curvature, options_.threshold).mean() < mean[0]; };
  while (!below(low)) low -= width;
  while (below(high)) high += width;
  linear[0] = bisect(low, high, below);
}

void DoubleRectifiedUnit::sample_uniform(const DrawBlock& addresses, MatrixRef out) const {
  const TwoSided law(0.0, 1.0, options_.threshold);
  for (Index r = 0; r < out.rows; ++r)
    for (Index c = 0; c < out.cols; ++c)
      out(r, c) = static_cast<Real>(law.draw(addresses, r, addresses.first_site + static_cast<std::uint32_t>(c)));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
