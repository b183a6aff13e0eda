#include <harmonium/models/units/gamma.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/random/gamma_distribution.hpp>

#include <harmonium/framework/model/natural_parameters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr const char* about_rate =
    "rate of the law without a field, 1 / mean of the shape 1; a unit's field stays below it";

}  // namespace

void GammaUnit::Options::bind(OptionBinder& o) {
  o.option("shape", shape, "of the law: below 1 with a pole at 0, 1 exponential, then with a mode above 0",
           more_than(0));
  o.option("rate", rate, about_rate, more_than(0));
}

void ExponentialUnit::Options::bind(OptionBinder& o) { o.option("rate", rate, about_rate, more_than(0)); }

GammaUnit::GammaUnit(Options options)
    : options_(options), log_constant_(options.shape * std::log(options.rate) - std::lgamma(options.shape)) {}

double GammaUnit::max() const { return infinity; }

double GammaUnit::log_base(double x) const {
  if (x < 0.0) return -infinity;
  const double power = options_.shape == 1.0 ? 0.0 : (options_.shape - 1.0) * std::log(x);
  return log_constant_ + power - options_.rate * x;
}

/// λ − β(θ + b); 0 where there is no law.
template <class T>
double GammaUnit::rate_of(const BasicFields<T>& f, Index r, Index c) const {
  const NaturalParameters n(f, r, c);
  return std::max(0.0, options_.rate - n.scale * n.linear);
}

void GammaUnit::add_log_partition(const BasicFields<const double>& fields, std::span<double> sums) const {
  for (Index r = 0; r < fields.linear.rows; ++r) {
    double sum = 0.0;
    for (Index c = 0; c < fields.linear.cols; ++c) sum -= std::log(rate_of(fields, r, c) / options_.rate);
    sums[r] += options_.shape * sum;
  }
}

void GammaUnit::moments(const ConstFields& fields, MatrixRef mean, MatrixRef) const {
  if (mean.empty()) return;
  for (Index r = 0; r < fields.linear.rows; ++r)
    for (Index c = 0; c < fields.linear.cols; ++c)
      mean(r, c) = static_cast<Real>(options_.shape / rate_of(fields, r, c));
}

Real GammaUnit::draw(double rate, const DrawBlock& addresses, Index r, Index c) const {
  if (rate == 0.0) return std::numeric_limits<Real>::infinity();
  RandomStream words(addresses, r, addresses.first_site + static_cast<std::uint32_t>(c));
  const double x = boost::random::gamma_distribution<double>(options_.shape, 1.0 / rate)(words);
  // A small shape draws numbers that Real has none for, and 0 is no value of such a unit.
  return std::max(static_cast<Real>(x), options_.shape == 1.0 ? Real{0} : std::numeric_limits<Real>::min());
}

void GammaUnit::sample(const ConstFields& fields, const DrawBlock& addresses, MatrixRef out, MatrixRef mean) const {
  for (Index r = 0; r < fields.linear.rows; ++r) {
    for (Index c = 0; c < fields.linear.cols; ++c) {
      const double rate = rate_of(fields, r, c);
      out(r, c) = draw(rate, addresses, r, c);
      if (!mean.empty()) mean(r, c) = static_cast<Real>(options_.shape / rate);
    }
  }
}

void GammaUnit::linear_of_mean(std::span<const double> mean, double, double num_rows, std::span<double> linear) const {
  const double least = 0.5 / (num_rows + 1.0) * options_.shape / options_.rate;
  linear[0] = options_.rate - options_.shape / std::max(mean[0], least);
}

void GammaUnit::sample_uniform(const DrawBlock& addresses, MatrixRef out) const {
  for (Index r = 0; r < out.rows; ++r)
    for (Index c = 0; c < out.cols; ++c) out(r, c) = draw(options_.rate, addresses, r, c);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
