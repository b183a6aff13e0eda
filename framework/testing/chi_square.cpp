#include <harmonium/framework/testing/chi_square.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <boost/math/distributions/chi_squared.hpp>
#include <fmt/format.h>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

void ChiSquare::add(std::span<const std::uint64_t> counts, std::span<const double> law) {
  if (counts.size() != law.size()) throw std::invalid_argument("as many counts as the law has states");
  double n = 0.0;
  for (const std::uint64_t c : counts) n += static_cast<double>(c);
  struct Cell {
    double observed, expected;
  };
  std::vector<Cell> cells;
  Cell pool{0.0, 0.0};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Cell cell{static_cast<double>(counts[i]), n * law[i]};
    if (cell.expected >= 5.0) {
      cells.push_back(cell);
    } else {
      pool.observed += cell.observed;
      pool.expected += cell.expected;
    }
  }
  if (pool.expected >= 5.0) {
    cells.push_back(pool);
  } else if (pool.expected > 0.0 || pool.observed > 0.0) {
    if (cells.empty()) throw std::invalid_argument("too few draws for a chi-square test");
    Cell& smallest = *std::min_element(cells.begin(), cells.end(),
                                       [](const Cell& a, const Cell& b) { return a.expected < b.expected; });
    smallest.observed += pool.observed;
    smallest.expected += pool.expected;
  }
  for (const Cell& cell : cells)
    statistic_ += (cell.observed - cell.expected) * (cell.observed - cell.expected) / cell.expected;
  degrees_ += static_cast<double>(cells.size()) - 1.0;
}

void ChiSquare::add_pair(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  if (a.size() != b.size()) throw std::invalid_argument("two tables of one shape");
  double pool_a = 0.0, pool_b = 0.0, cells = 0.0;
  const auto add_cell = [&](double own, double other) {
    statistic_ += (own - other) * (own - other) / (own + other);
    ++cells;
  };
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] + b[i] >= 10) {
      add_cell(static_cast<double>(a[i]), static_cast<double>(b[i]));
    } else {
      pool_a += static_cast<double>(a[i]);
      pool_b += static_cast<double>(b[i]);
    }
  }
  if (pool_a + pool_b >= 10.0) add_cell(pool_a, pool_b);
  degrees_ += std::max(cells - 1.0, 0.0);
}

double ChiSquare::p_value() const {
  return boost::math::cdf(boost::math::complement(boost::math::chi_squared(degrees_), statistic_));
}

double ChiSquare::limit() const {
  return boost::math::quantile(boost::math::complement(boost::math::chi_squared(degrees_), false_alarm));
}

double ChiSquare::margin(double noncentrality) const {
  // Mean and variance of the noncentral chi-square; it is close to normal where it is far out.
  return (degrees_ + noncentrality - limit()) / std::sqrt(2.0 * (degrees_ + 2.0 * std::max(noncentrality, 0.0)));
}

std::string ChiSquare::summary() const {
  return fmt::format("chi-square {:.1f} with {:.0f} degrees of freedom, limit {:.1f} (p = {:.3g})", statistic_,
                     degrees_, limit(), p_value());
}

double noncentrality(std::span<const double> q, std::span<const double> p, double n) {
  double sum = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += (q[i] - p[i]) * (q[i] - p[i]) / p[i];
  return n * sum;
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
