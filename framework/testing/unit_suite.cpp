#include <harmonium/framework/testing/unit_suite.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/testing/chi_square.hpp>
#include <harmonium/framework/testing/unit_addresses.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

constexpr Index units = 3, unit_draws = 40'000;
/// Standard deviations that a mean of independent draws exceeds with probability 1e-9.
constexpr double far_out_of_units = 6.1;

class UnitSuite {
 public:
  UnitSuite(const UnitType& unit, CheckReport& report) : unit_(unit), report_(report), columns_(units * unit.width()) {
    std::mt19937_64 words(31);
    const auto draw = [&](double low, double high) {
      return low + (high - low) * static_cast<double>(words() >> 11) * 0x1p-53;
    };
    for (Index c = 0; c < columns_; ++c) {
      linear_.push_back(static_cast<Real>(draw(-1.5, 1.5)));
      bias_.push_back(static_cast<Real>(draw(-0.5, 0.5)));
      curvature_.push_back(static_cast<Real>(draw(0.7, 1.7)));
    }
    if (unit.num_states() > 0) {
      values_.resize(unit.num_states() * unit.width());
      unit.states({values_.data(), unit.num_states(), unit.width(), unit.width()});
    }
  }

  void run() {
    check_domain();
    find_moments();
    if (unit_.num_states() > 0) check_sums();
    else check_differences();
    check_linear_of_mean();
    check_draws();
    check_unit_addresses(unit_, report_);
    check_means_beside_draws();
  }

 private:
  double weight(Index u, Index state) const {
    double score = 0.0;
    for (Index c = 0; c < unit_.width(); ++c) {
      const auto v = static_cast<double>(values_[state * unit_.width() + c]);
      score +=
          (static_cast<double>(linear_[u * unit_.width() + c]) + static_cast<double>(bias_[u * unit_.width() + c])) * v;
      if (unit_.has_curvature()) score -= 0.5 * static_cast<double>(curvature_[u * unit_.width() + c]) * v * v;
    }
    return std::exp(scale_ * score);
  }
  double total(Index u) const {
    double sum = 0.0;
    for (Index s = 0; s < unit_.num_states(); ++s) sum += weight(u, s);
    return sum;
  }

  void check_domain() {
    std::string complaint;
    for (const Real v : values_)
      if (static_cast<double>(v) < unit_.min() || static_cast<double>(v) > unit_.max())
        complaint = fmt::format("the state {} lies outside of [{}, {}]", v, unit_.min(), unit_.max());
    const std::vector<Real> drawn = [&] {
      std::vector<Real> out(100 * columns_);
      unit_.sample_uniform({.key = 77}, {out.data(), 100, columns_, columns_});
      return out;
    }();
    for (const Real v : drawn)
      if (!(static_cast<double>(v) >= unit_.min() && static_cast<double>(v) <= unit_.max()))
        complaint = fmt::format("sample_uniform gives {}, outside of [{}, {}]", v, unit_.min(), unit_.max());
    report_.judge("domain", complaint, fmt::format("states and uniform draws lie in it: {}", unit_.domain()));
  }

  ConstFields fields(Index rows) const {
    ConstFields f{{linear_rows_.data(), rows, columns_, columns_}};
    if (unit_.has_curvature()) f.curvature = {curvature_.data(), rows, columns_, 0};
    f.bias = bias_.data();
    f.scale = scales_.data();
    return f;
  }

  void find_moments() {
    scales_.assign(unit_draws, static_cast<Real>(scale_));
    for (Index r = 0; r < unit_draws; ++r) linear_rows_.insert(linear_rows_.end(), linear_.begin(), linear_.end());
    mean_.resize(columns_);
    second_.resize(columns_);
    unit_.moments(fields(1), {mean_.data(), 1, columns_, columns_},
                  unit_.has_curvature() ? MatrixRef{second_.data(), 1, columns_, columns_} : MatrixRef{});
  }

  double log_partition(Index column = 0, double by_linear = 0.0, double by_curvature = 0.0) const {
    std::vector<double> linear(linear_.begin(), linear_.end()), bias(bias_.begin(), bias_.end()),
        curvature(curvature_.begin(), curvature_.end());
    linear[column] += by_linear;
    curvature[column] += by_curvature;
    BasicFields<const double> f{{linear.data(), 1, columns_, columns_}};
    if (unit_.has_curvature()) f.curvature = {curvature.data(), 1, columns_, columns_};
    f.bias = bias.data();
    f.scale = &scale_;
    double sum = 0.25;  // it adds to what is there
    unit_.add_log_partition(f, {&sum, 1});
    return sum - 0.25;
  }

  void check_sums() {
    double expected = 0.0;
    for (Index u = 0; u < units; ++u) expected += std::log(total(u));
    const double told = log_partition();
    const double rounding = 64.0 * std::numeric_limits<Real>::epsilon();
    report_.judge(
        "log partition function against the sum over states",
        std::abs(told - expected) <= 1e-12 ? "" : fmt::format("{:.12g}, and the sum is {:.12g}", told, expected),
        fmt::format("{} units, difference {:.2g}", units, std::abs(told - expected)));
    std::string complaint;
    for (Index u = 0; u < units; ++u)
      for (Index c = 0; c < unit_.width(); ++c) {
        double first = 0.0, square = 0.0;
        for (Index s = 0; s < unit_.num_states(); ++s) {
          const auto v = static_cast<double>(values_[s * unit_.width() + c]);
          first += weight(u, s) / total(u) * v;
          square += weight(u, s) / total(u) * v * v;
        }
        const Index at = u * unit_.width() + c;
        const auto m = static_cast<double>(mean_[at]), q = static_cast<double>(second_[at]);
        const double bound = rounding * std::max({1.0, std::abs(unit_.min()), std::abs(unit_.max())});
        if (!(std::abs(m - first) <= bound)) complaint = fmt::format("E[x] = {:.9g}, and the sum is {:.9g}", m, first);
        else if (unit_.has_curvature() && !(std::abs(q - square) <= bound))
          complaint = fmt::format("E[x^2] = {:.9g}, and the sum is {:.9g}", q, square);
      }
    report_.judge("moments against sums over states", complaint, "first and second");
  }

  void check_differences() {
    std::string complaint;
    double worst = 0.0;
    constexpr double h = 0x1p-8;
    const auto slope = [&](auto&& f, double by) {
      return (8.0 * (f(by) - f(-by)) - (f(2 * by) - f(-2 * by))) / (12.0 * by);
    };
    for (Index c = 0; c < columns_; ++c) {
      const auto compare = [&](const char* what, double told, auto&& f, double factor) {
        const double fine = factor * slope(f, h), coarse = factor * slope(f, 2 * h);
        const double bound = std::abs(fine - coarse) +
                             (1e-12 / h + 64.0 * std::numeric_limits<Real>::epsilon()) * (1.0 + std::abs(told));
        worst = std::max(worst, std::abs(told - fine));
        if (!(std::abs(told - fine) <= bound))
          complaint =
              fmt::format("{} = {:.9g}, and the log partition function's derivative says {:.9g}", what, told, fine);
      };
      compare(
          "E[x]", static_cast<double>(mean_[c]), [&](double by) { return log_partition(c, by, 0.0); }, 1.0 / scale_);
      if (unit_.has_curvature())
        compare(
            "E[x^2]", static_cast<double>(second_[c]), [&](double by) { return log_partition(c, 0.0, by); },
            -2.0 / scale_);
    }
    report_.judge("moments against differences of the log partition function", complaint,
                  fmt::format("largest difference {:.2g}", worst));
  }

  void check_draws() {
    const DrawBlock addresses{.key = 12345, .first_chain = 0, .step = 3, .layer = 1};
    std::vector<Real> all(unit_draws * columns_);
    unit_.sample(fields(unit_draws), addresses, {all.data(), unit_draws, columns_, columns_}, {});
    // A few rows alone, from a row that is no multiple of four on.
    constexpr Index first = 6, few = 7;
    DrawBlock own = addresses;
    own.first_chain = first;
    std::vector<Real> part(few * columns_);
    unit_.sample(fields(few), own, {part.data(), few, columns_, columns_}, {});
    report_.judge(
        "a row's draws are by its own address",
        std::equal(part.begin(), part.end(), all.begin() + first * columns_)
            ? ""
            : fmt::format("rows {} to {} drawn alone are not what they are among the others", first, first + few - 1),
        "rows drawn alone are what they are among others");
    check_uniform_draws();
    if (unit_.num_states() > 0) judge_discrete(all);
    else judge_continuous(all);
  }

  void check_uniform_draws() {
    constexpr Index rows = 20, first_unit = 1;
    const Index width = unit_.width(), few = columns_ - first_unit * width;
    const DrawBlock addresses{.key = 12345, .first_chain = 0, .step = 4, .layer = 1};
    DrawBlock own = addresses;
    own.first_site = static_cast<std::uint32_t>(unit_.num_states() > 0 ? first_unit : first_unit * width);
    std::vector<Real> all(rows * columns_), part(rows * few);
    unit_.sample_uniform(addresses, {all.data(), rows, columns_, columns_});
    unit_.sample_uniform(own, {part.data(), rows, few, few});
    bool same = true;
    for (Index r = 0; r < rows; ++r)
      same = same && std::equal(&part[r * few], &part[r * few] + few, &all[r * columns_ + first_unit * width]);
    report_.judge(
        "a unit's uniform draws are by its own address",
        same ? ""
             : fmt::format("units from number {} on drawn alone are not what they are among the others", first_unit),
        "units drawn alone are what they are among others");
  }

  /// The fields that give the means of these units give them back; of so many rows that their number is no part of it.
  void check_linear_of_mean() {
    const double rounding = 1e4 * std::numeric_limits<Real>::epsilon();
    std::string complaint;
    for (Index u = 0; u < units; ++u) {
      const Index width = unit_.width(), first = u * width;
      const std::vector<double> wanted(&mean_[first], &mean_[first] + width);
      std::vector<double> linear(width);
      unit_.linear_of_mean(wanted, static_cast<double>(curvature_[first]), 1e12, linear);
      const std::vector<Real> of_mean(linear.begin(), linear.end());
      std::vector<Real> mean(width);
      ConstFields f{{of_mean.data(), 1, width, width}};
      if (unit_.has_curvature()) f.curvature = {&curvature_[first], 1, width, width};
      unit_.moments(f, {mean.data(), 1, width, width}, {});
      for (Index c = 0; c < width; ++c)
        if (!(std::abs(static_cast<double>(mean[c]) - wanted[c]) <= rounding * (1.0 + std::abs(wanted[c]))))
          complaint = fmt::format("under the linear parameters of the mean {:.9g}, E[x] = {:.9g}", wanted[c], mean[c]);
      // A mean at the border of the domain, too, has finite ones.
      for (const double border : {unit_.min(), unit_.max()}) {
        if (!std::isfinite(border) || width > 1) continue;
        unit_.linear_of_mean({&border, 1}, static_cast<double>(curvature_[first]), 100.0, linear);
        if (!std::isfinite(linear[0]))
          complaint = fmt::format("the linear parameter of the mean {} of 100 rows is {}", border, linear[0]);
      }
    }
    report_.judge("parameters of a mean", complaint, "linear_of_mean gives means back, and is finite at the border");
  }

  /// What a draw leaves behind as E[x] is that of `moments`, and drawing it changes no draw; output over input does not
  /// either.
  void check_means_beside_draws() {
    const DrawBlock addresses{.key = 4321, .first_chain = 1, .step = 9, .layer = 0};
    constexpr Index rows = 37;
    std::vector<Real> bare(rows * columns_), beside(rows * columns_), told(rows * columns_), mean(rows * columns_);
    const auto view = [&](std::vector<Real>& x) { return MatrixRef{x.data(), rows, columns_, columns_}; };
    unit_.sample(fields(rows), addresses, view(bare), {});
    unit_.sample(fields(rows), addresses, view(beside), view(told));
    unit_.moments(fields(rows), view(mean), {});
    std::string complaint;
    const double rounding = 64.0 * std::numeric_limits<Real>::epsilon();
    for (Index i = 0; i < mean.size(); ++i)
      if (!(std::abs(static_cast<double>(told[i] - mean[i])) <=
            rounding * (1.0 + std::abs(static_cast<double>(mean[i])))))
        complaint = fmt::format("sample leaves E[x] = {:.9g} behind, and moments says {:.9g}", told[i], mean[i]);
    if (bare != beside) complaint = "draws are other ones where their means are asked for";
    std::vector<Real> over(linear_rows_.begin(), linear_rows_.begin() + static_cast<std::ptrdiff_t>(rows * columns_));
    ConstFields f = fields(rows);
    f.linear = view(over);
    unit_.sample(f, addresses, view(over), {});
    if (bare != over) complaint = "draws are other ones where they are written over the fields";
    report_.judge("means beside draws", complaint, "those of moments; draws stay the same");
  }

  Index state_of(const Real* x) const {
    for (Index s = 0; s < unit_.num_states(); ++s)
      if (std::equal(x, x + unit_.width(), &values_[s * unit_.width()])) return s;
    return unit_.num_states();
  }

  void judge_discrete(const std::vector<Real>& all) {
    const Index states = unit_.num_states(), width = unit_.width();
    std::string complaint;
    ChiSquare law, rows, neighbors;
    const auto p = [&](Index u) {
      std::vector<double> of(states);
      for (Index s = 0; s < states; ++s) of[s] = weight(u, s) / total(u);
      return of;
    };
    const auto product = [&](const std::vector<double>& a, const std::vector<double>& b) {
      std::vector<double> both;
      for (const double x : a)
        for (const double y : b) both.push_back(x * y);
      return both;
    };
    std::vector<std::uint64_t> pairs(states * states, 0), beside(states * states, 0);
    for (Index u = 0; u < units; ++u) {
      std::vector<std::uint64_t> counts(states, 0);
      for (Index r = 0; r < unit_draws; ++r) {
        const Index s = state_of(&all[r * columns_ + u * width]);
        if (s == states) {
          report_.add(CheckOutcome::failed, "draws",
                      fmt::format("a draw is {}, which is no state of the unit", all[r * columns_ + u * width]));
          return;
        }
        ++counts[s];
        if (u == 0 && r % 2 == 0) ++pairs[s * states + state_of(&all[(r + 1) * columns_])];
        if (u == 0) ++beside[s * states + state_of(&all[r * columns_ + width])];
      }
      law.add(counts, p(u));
    }
    rows.add(pairs, product(p(0), p(0)));
    neighbors.add(beside, product(p(0), p(1)));
    if (law.rejected()) complaint = "the law is another one: " + law.summary();
    else if (rows.rejected()) complaint = "neighboring rows are not independent: " + rows.summary();
    else if (neighbors.rejected()) complaint = "neighboring units are not independent: " + neighbors.summary();
    report_.judge("draws", complaint, law.summary());
  }

  void judge_continuous(const std::vector<Real>& all) {
    std::string complaint;
    double worst = 0.0;
    const auto x = [&](Index r, Index c) { return static_cast<double>(all[r * columns_ + c]); };
    for (Index c = 0; c < columns_; ++c) {
      const auto m = static_cast<double>(mean_[c]);
      double sum = 0.0, squares = 0.0, fourths = 0.0, pairs = 0.0;
      for (Index r = 0; r < unit_draws; ++r) {
        sum += x(r, c);
        squares += x(r, c) * x(r, c);
        fourths += std::pow(x(r, c), 4);
        if (r % 2 == 0) pairs += (x(r, c) - m) * (x(r + 1, c) - m);
      }
      const auto n = static_cast<double>(unit_draws);
      const double variance = squares / n - (sum / n) * (sum / n);
      const auto judge = [&](const char* what, double off, double deviation) {
        worst = std::max(worst, std::abs(off) / deviation);
        if (!(std::abs(off) <= far_out_of_units * deviation))
          complaint = fmt::format("{}: off by {:.3g}, {:.1f} standard errors", what, off, std::abs(off) / deviation);
      };
      judge("the mean of draws", sum / n - m, std::sqrt(variance / n));
      if (unit_.has_curvature())
        judge("the mean square of draws", squares / n - static_cast<double>(second_[c]),
              std::sqrt((fourths / n - squares / n * squares / n) / n));
      judge("the covariance of neighboring rows", 2.0 * pairs / n, variance / std::sqrt(n / 2.0));
      if (c + unit_.width() < columns_) {
        double beside = 0.0, other = 0.0;
        const Index d = c + unit_.width();
        for (Index r = 0; r < unit_draws; ++r) {
          beside += (x(r, c) - m) * (x(r, d) - static_cast<double>(mean_[d]));
          other += std::pow(x(r, d) - static_cast<double>(mean_[d]), 2);
        }
        judge("the covariance of neighboring units", beside / n, std::sqrt(variance * other / n / n));
      }
    }
    report_.judge("draws", complaint,
                  fmt::format("means of {} draws, at most {:.1f} standard errors off", unit_draws, worst));
  }

  const UnitType& unit_;
  CheckReport& report_;
  Index columns_;
  double scale_ = 0.75;
  std::vector<Real> linear_, bias_, curvature_, values_, mean_, second_, scales_, linear_rows_;
};

}  // namespace

void check_unit(const UnitType& unit, CheckReport& report) { UnitSuite(unit, report).run(); }

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
