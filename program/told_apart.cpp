#include <harmonium/program/told_apart.hpp>

#include <cmath>

#include <boost/math/distributions/students_t.hpp>

namespace harmonium {
inline namespace v1 {

bool MeanDifference::told() const { return least_told && std::abs(value) > *least_told; }

MeanDifference difference_of_means(const SeedMean& one, const SeedMean& other) {
  constexpr double level = 0.975;  // 95 % between both sides
  MeanDifference found{one.mean - other.mean};
  if (!one.error || !other.error) return found;
  found.error = std::hypot(*one.error, *other.error);
  found.least_told = 0.0;
  if (*found.error == 0.0) return found;
  // Shares of the variance, whose squares do not vanish where an error is small.
  const double share = std::pow(*one.error / *found.error, 2.0), rest = std::pow(*other.error / *found.error, 2.0);
  const auto freedom = [](const SeedMean& mean) { return static_cast<double>(mean.count) - 1.0; };
  found.degrees = 1.0 / (share * share / freedom(one) + rest * rest / freedom(other));
  found.least_told = *found.error * boost::math::quantile(boost::math::students_t(*found.degrees), level);
  return found;
}

}  // namespace v1
}  // namespace harmonium
