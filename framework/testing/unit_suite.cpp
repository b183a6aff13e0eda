#include <harmonium/framework/testing/unit_suite.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <harmonium/framework/testing/unit_addresses.hpp>
#include <harmonium/framework/testing/unit_subject.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

void check_domain(const UnitSubject& s) {
  std::string complaint;
  for (const Real v : s.values)
    if (static_cast<double>(v) < s.unit.min() || static_cast<double>(v) > s.unit.max())
      complaint = fmt::format("the state {} lies outside of [{}, {}]", v, s.unit.min(), s.unit.max());
  const std::vector<Real> drawn = [&] {
    std::vector<Real> out(100 * s.columns);
    s.unit.sample_uniform({.key = 77}, {out.data(), 100, s.columns, s.columns});
    return out;
  }();
  for (const Real v : drawn)
    if (!(static_cast<double>(v) >= s.unit.min() && static_cast<double>(v) <= s.unit.max()))
      complaint = fmt::format("sample_uniform gives {}, outside of [{}, {}]", v, s.unit.min(), s.unit.max());
  s.report.judge("domain", complaint, fmt::format("states and uniform draws lie in it: {}", s.unit.domain()));
}

void check_sums(const UnitSubject& s) {
  double expected = 0.0;
  for (Index u = 0; u < UnitSubject::units; ++u) expected += std::log(s.total(u));
  const double told = s.log_partition();
  const double rounding = 64.0 * std::numeric_limits<Real>::epsilon();
  s.report.judge(
      "log partition function against the sum over states",
      std::abs(told - expected) <= 1e-12 ? "" : fmt::format("{:.12g}, and the sum is {:.12g}", told, expected),
      fmt::format("{} units, difference {:.2g}", UnitSubject::units, std::abs(told - expected)));
  std::string complaint;
  for (Index u = 0; u < UnitSubject::units; ++u)
    for (Index c = 0; c < s.unit.width(); ++c) {
      double first = 0.0, square = 0.0;
      for (Index state = 0; state < s.unit.num_states(); ++state) {
        const auto v = static_cast<double>(s.values[state * s.unit.width() + c]);
        first += s.weight(u, state) / s.total(u) * v;
        square += s.weight(u, state) / s.total(u) * v * v;
      }
      const Index at = u * s.unit.width() + c;
      const auto m = static_cast<double>(s.mean[at]), q = static_cast<double>(s.second[at]);
      const double bound = rounding * std::max({1.0, std::abs(s.unit.min()), std::abs(s.unit.max())});
      if (!(std::abs(m - first) <= bound)) complaint = fmt::format("E[x] = {:.9g}, and the sum is {:.9g}", m, first);
      else if (s.unit.has_curvature() && !(std::abs(q - square) <= bound))
        complaint = fmt::format("E[x^2] = {:.9g}, and the sum is {:.9g}", q, square);
    }
  s.report.judge("moments against sums over states", complaint, "first and second");
}

void check_differences(const UnitSubject& s) {
  std::string complaint;
  double worst = 0.0;
  constexpr double h = 0x1p-8;
  const auto slope = [&](auto&& f, double by) {
    return (8.0 * (f(by) - f(-by)) - (f(2 * by) - f(-2 * by))) / (12.0 * by);
  };
  for (Index c = 0; c < s.columns; ++c) {
    const auto compare = [&](const char* what, double told, auto&& f, double factor) {
      const double fine = factor * slope(f, h), coarse = factor * slope(f, 2 * h);
      const double bound =
          std::abs(fine - coarse) + (1e-12 / h + 64.0 * std::numeric_limits<Real>::epsilon()) * (1.0 + std::abs(told));
      worst = std::max(worst, std::abs(told - fine));
      if (!(std::abs(told - fine) <= bound))
        complaint =
            fmt::format("{} = {:.9g}, and the log partition function's derivative says {:.9g}", what, told, fine);
    };
    compare(
        "E[x]", static_cast<double>(s.mean[c]), [&](double by) { return s.log_partition(c, by, 0.0); }, 1.0 / s.scale);
    if (s.unit.has_curvature())
      compare(
          "E[x^2]", static_cast<double>(s.second[c]), [&](double by) { return s.log_partition(c, 0.0, by); },
          -2.0 / s.scale);
  }
  s.report.judge("moments against differences of the log partition function", complaint,
                 fmt::format("largest difference {:.2g}", worst));
}

/// The fields that give the means of these units give them back; of so many rows that their number is no part of it.
void check_linear_of_mean(const UnitSubject& s) {
  const double rounding = 1e4 * std::numeric_limits<Real>::epsilon();
  std::string complaint;
  for (Index u = 0; u < UnitSubject::units; ++u) {
    const Index width = s.unit.width(), first = u * width;
    const std::vector<double> wanted(&s.mean[first], &s.mean[first] + width);
    std::vector<double> linear(width);
    s.unit.linear_of_mean(wanted, static_cast<double>(s.curvature[first]), 1e12, linear);
    const std::vector<Real> of_mean(linear.begin(), linear.end());
    std::vector<Real> mean(width);
    ConstFields f{{of_mean.data(), 1, width, width}};
    if (s.unit.has_curvature()) f.curvature = {&s.curvature[first], 1, width, width};
    s.unit.moments(f, {mean.data(), 1, width, width}, {});
    for (Index c = 0; c < width; ++c)
      if (!(std::abs(static_cast<double>(mean[c]) - wanted[c]) <= rounding * (1.0 + std::abs(wanted[c]))))
        complaint = fmt::format("under the linear parameters of the mean {:.9g}, E[x] = {:.9g}", wanted[c], mean[c]);
    // A mean at the border of the domain, too, has finite ones.
    for (const double border : {s.unit.min(), s.unit.max()}) {
      if (!std::isfinite(border) || width > 1) continue;
      s.unit.linear_of_mean({&border, 1}, static_cast<double>(s.curvature[first]), 100.0, linear);
      if (!std::isfinite(linear[0]))
        complaint = fmt::format("the linear parameter of the mean {} of 100 rows is {}", border, linear[0]);
    }
  }
  s.report.judge("parameters of a mean", complaint, "linear_of_mean gives means back, and is finite at the border");
}

}  // namespace

void check_unit(const UnitType& unit, CheckReport& report) {
  UnitSubject s(unit, report);
  check_domain(s);
  s.find_moments();
  if (unit.num_states() > 0) check_sums(s);
  else check_differences(s);
  check_linear_of_mean(s);
  check_unit_draws(s);
  check_base_measure(s);
  check_unit_addresses(unit, report);
  check_means_beside_draws(s);
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
