#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <harmonium/framework/testing/chi_square.hpp>
#include <harmonium/framework/testing/unit_subject.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

/// Standard deviations that a mean of independent draws exceeds with probability 1e-9.
constexpr double far_out_of_units = 6.1;

/// The number of a drawn state, or that of all states where it is none.
Index state_of(const UnitSubject& s, const Real* x) {
  for (Index state = 0; state < s.unit.num_states(); ++state)
    if (std::equal(x, x + s.unit.width(), &s.values[state * s.unit.width()])) return state;
  return s.unit.num_states();
}

void judge_discrete(const UnitSubject& s, const std::vector<Real>& all) {
  const Index states = s.unit.num_states(), width = s.unit.width();
  std::string complaint;
  ChiSquare law, rows, neighbors;
  const auto p = [&](Index u) {
    std::vector<double> of(states);
    for (Index state = 0; state < states; ++state) of[state] = s.weight(u, state) / s.total(u);
    return of;
  };
  const auto product = [&](const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> both;
    for (const double x : a)
      for (const double y : b) both.push_back(x * y);
    return both;
  };
  std::vector<std::uint64_t> pairs(states * states, 0), beside(states * states, 0);
  for (Index u = 0; u < UnitSubject::units; ++u) {
    std::vector<std::uint64_t> counts(states, 0);
    for (Index r = 0; r < UnitSubject::num_draws; ++r) {
      const Index state = state_of(s, &all[r * s.columns + u * width]);
      if (state == states) {
        s.report.add(CheckOutcome::failed, "draws",
                     fmt::format("a draw is {}, which is no state of the unit", all[r * s.columns + u * width]));
        return;
      }
      ++counts[state];
      if (u == 0 && r % 2 == 0) ++pairs[state * states + state_of(s, &all[(r + 1) * s.columns])];
      if (u == 0) ++beside[state * states + state_of(s, &all[r * s.columns + width])];
    }
    law.add(counts, p(u));
  }
  rows.add(pairs, product(p(0), p(0)));
  neighbors.add(beside, product(p(0), p(1)));
  if (law.rejected()) complaint = "the law is another one: " + law.summary();
  else if (rows.rejected()) complaint = "neighboring rows are not independent: " + rows.summary();
  else if (neighbors.rejected()) complaint = "neighboring units are not independent: " + neighbors.summary();
  s.report.judge("draws", complaint, law.summary());
}

void judge_continuous(const UnitSubject& s, const std::vector<Real>& all) {
  std::string complaint;
  double worst = 0.0;
  const auto x = [&](Index r, Index c) { return static_cast<double>(all[r * s.columns + c]); };
  for (Index c = 0; c < s.columns; ++c) {
    const auto m = static_cast<double>(s.mean[c]);
    double sum = 0.0, squares = 0.0, fourths = 0.0, pairs = 0.0;
    for (Index r = 0; r < UnitSubject::num_draws; ++r) {
      sum += x(r, c);
      squares += x(r, c) * x(r, c);
      fourths += std::pow(x(r, c), 4);
      if (r % 2 == 0) pairs += (x(r, c) - m) * (x(r + 1, c) - m);
    }
    const auto n = static_cast<double>(UnitSubject::num_draws);
    const double variance = squares / n - (sum / n) * (sum / n);
    const auto judge = [&](const char* what, double off, double deviation) {
      worst = std::max(worst, std::abs(off) / deviation);
      if (!(std::abs(off) <= far_out_of_units * deviation))
        complaint = fmt::format("{}: off by {:.3g}, {:.1f} standard errors", what, off, std::abs(off) / deviation);
    };
    judge("the mean of draws", sum / n - m, std::sqrt(variance / n));
    if (s.unit.has_curvature())
      judge("the mean square of draws", squares / n - static_cast<double>(s.second[c]),
            std::sqrt((fourths / n - squares / n * squares / n) / n));
    judge("the covariance of neighboring rows", 2.0 * pairs / n, variance / std::sqrt(n / 2.0));
    if (c + s.unit.width() < s.columns) {
      double beside = 0.0, other = 0.0;
      const Index d = c + s.unit.width();
      for (Index r = 0; r < UnitSubject::num_draws; ++r) {
        beside += (x(r, c) - m) * (x(r, d) - static_cast<double>(s.mean[d]));
        other += std::pow(x(r, d) - static_cast<double>(s.mean[d]), 2);
      }
      judge("the covariance of neighboring units", beside / n, std::sqrt(variance * other / n / n));
    }
  }
  s.report.judge("draws", complaint,
                 fmt::format("means of {} draws, at most {:.1f} standard errors off", UnitSubject::num_draws, worst));
}

void check_uniform_draws(const UnitSubject& s) {
  constexpr Index rows = 20, first_unit = 1;
  const Index width = s.unit.width(), few = s.columns - first_unit * width;
  const DrawBlock addresses{.key = 12345, .first_chain = 0, .step = 4, .layer = 1};
  DrawBlock own = addresses;
  own.first_site = static_cast<std::uint32_t>(s.unit.num_states() > 0 ? first_unit : first_unit * width);
  std::vector<Real> all(rows * s.columns), part(rows * few);
  s.unit.sample_uniform(addresses, {all.data(), rows, s.columns, s.columns});
  s.unit.sample_uniform(own, {part.data(), rows, few, few});
  bool same = true;
  for (Index r = 0; r < rows; ++r)
    same = same && std::equal(&part[r * few], &part[r * few] + few, &all[r * s.columns + first_unit * width]);
  s.report.judge(
      "a unit's uniform draws are by its own address",
      same ? "" : fmt::format("units from number {} on drawn alone are not what they are among the others", first_unit),
      "units drawn alone are what they are among others");
}

}  // namespace

void check_unit_draws(const UnitSubject& s) {
  const DrawBlock addresses{.key = 12345, .first_chain = 0, .step = 3, .layer = 1};
  std::vector<Real> all(UnitSubject::num_draws * s.columns);
  s.unit.sample(s.fields(UnitSubject::num_draws), addresses, {all.data(), UnitSubject::num_draws, s.columns, s.columns},
                {});
  // A few rows alone, from a row that is no multiple of four on.
  constexpr Index first = 6, few = 7;
  DrawBlock own = addresses;
  own.first_chain = first;
  std::vector<Real> part(few * s.columns);
  s.unit.sample(s.fields(few), own, {part.data(), few, s.columns, s.columns}, {});
  s.report.judge(
      "a row's draws are by its own address",
      std::equal(part.begin(), part.end(), all.begin() + first * s.columns)
          ? ""
          : fmt::format("rows {} to {} drawn alone are not what they are among the others", first, first + few - 1),
      "rows drawn alone are what they are among others");
  check_uniform_draws(s);
  if (s.unit.num_states() > 0) judge_discrete(s, all);
  else judge_continuous(s, all);
}

void check_means_beside_draws(const UnitSubject& s) {
  const DrawBlock addresses{.key = 4321, .first_chain = 1, .step = 9, .layer = 0};
  constexpr Index rows = 37;
  std::vector<Real> bare(rows * s.columns), beside(rows * s.columns), told(rows * s.columns), mean(rows * s.columns);
  const auto view = [&](std::vector<Real>& x) { return MatrixRef{x.data(), rows, s.columns, s.columns}; };
  s.unit.sample(s.fields(rows), addresses, view(bare), {});
  s.unit.sample(s.fields(rows), addresses, view(beside), view(told));
  s.unit.moments(s.fields(rows), view(mean), {});
  std::string complaint;
  const double rounding = 64.0 * std::numeric_limits<Real>::epsilon();
  for (Index i = 0; i < mean.size(); ++i)
    if (!(std::abs(static_cast<double>(told[i] - mean[i])) <=
          rounding * (1.0 + std::abs(static_cast<double>(mean[i])))))
      complaint = fmt::format("sample leaves E[x] = {:.9g} behind, and moments says {:.9g}", told[i], mean[i]);
  if (bare != beside) complaint = "draws are other ones where their means are asked for";
  std::vector<Real> over(s.linear_rows.begin(), s.linear_rows.begin() + static_cast<std::ptrdiff_t>(rows * s.columns));
  ConstFields f = s.fields(rows);
  f.linear = view(over);
  s.unit.sample(f, addresses, view(over), {});
  if (bare != over) complaint = "draws are other ones where they are written over the fields";
  s.report.judge("means beside draws", complaint, "those of moments; draws stay the same");
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
