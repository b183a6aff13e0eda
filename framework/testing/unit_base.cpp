// Units with a base measure: their sums and draws against log h itself.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <fmt/format.h>

#include <harmonium/framework/model/domain.hpp>
#include <harmonium/framework/testing/chi_square.hpp>
#include <harmonium/framework/testing/unit_subject.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

/// One unit of the subject: h(x) exp(β((θ + b)x − ½γx²)), summed over counts or integrated.
class BaseLaw {
 public:
  BaseLaw(const UnitSubject& s, Index column)
      : unit_(s.unit),
        linear_(s.scale * (static_cast<double>(s.linear[column]) + static_cast<double>(s.bias[column]))),
        curvature_(s.unit.has_curvature() ? s.scale * static_cast<double>(s.curvature[column]) : 0.0),
        counts_(takes_counts(s.unit)) {}

  bool counts() const { return counts_; }
  double weight(double x) const {
    const double log_weight = unit_.log_base(x) + linear_ * x - 0.5 * curvature_ * x * x;
    return std::isfinite(log_weight) ? std::exp(log_weight) : 0.0;
  }
  /// Of [from, to), where counts are summed; of counts themselves from `from` to before `to`.
  double mass(double from, double to) const {
    if (counts_) {
      double sum = 0.0;
      for (auto n = static_cast<std::int64_t>(std::ceil(from)); static_cast<double>(n) < to; ++n)
        sum += weight(static_cast<double>(n));
      return sum;
    }
    const auto of = [&](double x) { return weight(x); };
    if (from == 0.0 || to == 0.0) return boost::math::quadrature::tanh_sinh<double>(12).integrate(of, from, to);
    // Nothing but 0 has a pole. Away from it the rule above asks for more digits of the ends than short cells have.
    return boost::math::quadrature::gauss_kronrod<double, 61>::integrate(of, from, to, 15, 1e-13);
  }

 private:
  const UnitType& unit_;
  double linear_, curvature_;
  bool counts_;
};

/// What cuts the line into cells of some size: about the mean, by standard deviations of the draws. Nothing is beyond the ends.
std::vector<double> cells_of(const UnitSubject& s, Index c, const std::vector<Real>& all) {
  double sum = 0.0, squares = 0.0;
  for (Index r = 0; r < UnitSubject::num_draws; ++r) {
    const auto x = static_cast<double>(all[r * s.columns + c]);
    sum += x;
    squares += x * x;
  }
  const double n = UnitSubject::num_draws, mean = sum / n, deviation = std::sqrt(squares / n - mean * mean);
  std::vector<double> cuts{0.0};  // where a base measure may have a pole or a kink
  for (const double by : {-100.0, -1.5, -1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 100.0})
    cuts.push_back(std::clamp(mean + by * deviation, s.unit.min(), s.unit.max()));
  std::ranges::sort(cuts);
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

}  // namespace

void check_base_measure(const UnitSubject& s) {
  if (!s.unit.has_base()) return;
  const DrawBlock addresses{.key = 271, .first_chain = 0, .step = 3, .layer = 1};
  std::vector<Real> all(UnitSubject::num_draws * s.columns);
  s.unit.sample(s.fields(UnitSubject::num_draws), addresses, {all.data(), UnitSubject::num_draws, s.columns, s.columns},
                {});
  std::string of_sum, of_draws;
  ChiSquare law;
  double total = 0.0;
  for (Index c = 0; c < s.columns; ++c) {
    const BaseLaw own(s, c);
    const std::vector<double> cuts = cells_of(s, c, all);
    std::vector<double> masses;
    for (Index k = 0; k + 1 < cuts.size(); ++k) masses.push_back(own.mass(cuts[k], cuts[k + 1]));
    const double sum = std::accumulate(masses.begin(), masses.end(), 0.0);
    total += std::log(sum);
    std::vector<std::uint64_t> counts(masses.size(), 0);
    for (Index r = 0; r < UnitSubject::num_draws; ++r) {
      const auto x = static_cast<double>(all[r * s.columns + c]);
      if (!takes(s.unit, x)) of_draws = fmt::format("a draw is {}, which is no value of the unit", x);
      const auto above = std::ranges::upper_bound(cuts, x);
      ++counts[std::clamp<std::ptrdiff_t>(above - cuts.begin() - 1, 0, static_cast<std::ptrdiff_t>(counts.size()) - 1)];
    }
    for (double& m : masses) m /= sum;
    law.add(counts, masses);
  }
  const double told = s.log_partition();
  if (!(std::abs(told - total) <= 1e-8 * (1.0 + std::abs(total))))
    of_sum = fmt::format("{:.12g}, and the sum of h(x) exp(...) is {:.12g}", told, total);
  if (of_draws.empty() && law.rejected()) of_draws = "the law is another one: " + law.summary();
  s.report.judge("log partition function against the base measure", of_sum,
                 fmt::format("{} units, difference {:.2g}", UnitSubject::units, std::abs(told - total)));
  s.report.judge("draws against the base measure", of_draws, law.summary());
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
