#include <harmonium/framework/testing/pair_independence.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <xtensor-blas/xlinalg.hpp>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/testing/chi_square.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

/// Standard deviations beyond which a number counts as so many, lest a few decide.
constexpr double clipped = 2.5;
/// Calls in which some number is further out are left out: nearly all rows are alike in them.
constexpr double furthest = 4.0;

/// Subtracts the mean and divides by the standard deviation; false where there is none.
bool standardize(std::vector<double>& x) {
  const auto n = static_cast<double>(x.size());
  double mean = 0.0, variance = 0.0, size = 0.0;
  for (const double v : x) mean += v / n;
  for (const double v : x) {
    variance += (v - mean) * (v - mean) / n;
    size = std::max(size, std::abs(v));
  }
  if (!(variance > 1e-12 * size * size)) return false;
  for (double& v : x) v = (v - mean) / std::sqrt(variance);
  return true;
}

/// Beyond which a sum of `n` terms of at most `most` in size is no accident of one among `tests`.
double bernstein(double n, double most, double tests) {
  const double rarity = std::log(2.0 * tests / false_alarm), linear = rarity * most / 3.0;
  return linear + std::sqrt(linear * linear + 2.0 * rarity * n);
}

/// One side of a table: `num` vectors of `length` numbers each, any two of which are to be independent.
class Side {
 public:
  Side(std::vector<double> z, Index num, Index length, double most, double tests)
      : z_(std::move(z)), num_(num), length_(length), most_(most), tests_(tests) {}

  void examine(const char* name, double bias, std::string& complaint, double& worst) const {
    if (num_ < 2 || length_ == 0) return;  // BLAS takes no matrix without rows or columns
    std::vector<double> of_lag(num_, 0.0), pairs(num_, 0.0);
    const double limit = bernstein(static_cast<double>(length_), most_, tests_);
    const auto z = as_xtensor(MatrixView<const double>{z_.data(), num_, length_, length_});
    const Matrix<double> products = xt::linalg::dot(z, xt::transpose(z));
    for (Index a = 0; a < num_; ++a)
      for (Index b = a + 1; b < num_; ++b) {
        const double sum = products(a, b) + bias;
        const Index lag = b - a;
        if (a / lag % 2 == 0) {  // none is in two pairs
          of_lag[lag] += sum;
          ++pairs[lag];
        }
        if (const double excess = std::abs(sum) / limit; excess > std::max(worst, 1.0)) {
          worst = excess;
          complaint = fmt::format("{0} {1} and {0} {2} correlate at {3:.2f} (limit {4:.2f})", name, a, b,
                                  sum / static_cast<double>(length_), limit / static_cast<double>(length_));
        }
      }
    for (Index lag = 1; lag < num_; ++lag) {
      const double n = pairs[lag] * static_cast<double>(length_), most = bernstein(n, most_, tests_);
      if (const double excess = std::abs(of_lag[lag]) / most; excess > std::max(worst, 1.0)) {
        worst = excess;
        complaint = fmt::format("{0} k and {0} k + {1} correlate at {2:.2g} (limit {3:.2g})", name, lag,
                                of_lag[lag] / n, most / n);
      }
    }
  }
  double of_pair() const {
    const auto n = static_cast<double>(length_);
    return bernstein(n, most_, tests_) / n;
  }
  double of_lag() const {
    const double n = static_cast<double>(length_ * num_) / 2.0;
    return bernstein(n, most_, tests_) / n;
  }

 private:
  std::vector<double> z_;
  Index num_, length_;
  double most_, tests_;
};

}  // namespace

struct PairIndependence::Standardized {
  std::vector<double> z;  ///< call after call
  Index calls = 0;
  double most = 1.0;  ///< the largest |z|
};

PairIndependence::Standardized PairIndependence::standardized() const {
  Standardized all;
  std::vector<double> z(rows_);
  for (Index c = 0; c < calls_; ++c) {
    std::copy_n(&x_[c * rows_], rows_, z.begin());
    if (!standardize(z)) continue;
    // Two values stay what they are; a long tail is cut off.
    if (std::ranges::any_of(z, [](double v) { return std::abs(v) > clipped; })) {
      for (double& v : z) v = std::clamp(v, -clipped, clipped);
      if (!standardize(z)) continue;
    }
    double most = 0.0;
    for (const double v : z) most = std::max(most, std::abs(v));
    if (most > furthest) continue;
    all.most = std::max(all.most, most);
    all.z.insert(all.z.end(), z.begin(), z.end());
    ++all.calls;
  }
  return all;
}

Index PairIndependence::unanimous_values() const {
  std::set<double> values;
  for (Index c = 0; c < calls_; ++c) {
    const double* const first = &x_[c * rows_];
    if (std::all_of(first, first + rows_, [&](double v) { return v == *first; })) values.insert(*first);
  }
  return values.size();
}

PairIndependence::Findings PairIndependence::examine(Index tables, const char* row, const char* call) const {
  Findings findings;
  if (const Index values = unanimous_values(); values > 1) {
    findings.used = calls_;
    findings.complaint =
        fmt::format("in some of the {0}s all {1}s are alike, and at {2} different values", call, row, values);
    return findings;
  }
  const Standardized all = standardized();
  findings.used = all.calls;
  const auto sums = [](Index n) { return static_cast<double>(n) * static_cast<double>(n + 1) / 2.0; };
  const double tests = static_cast<double>(tables) * (sums(rows_) + sums(calls_));
  std::vector<double> by_row(all.z.size());
  for (Index c = 0; c < all.calls; ++c)
    for (Index r = 0; r < rows_; ++r) by_row[r * all.calls + c] = all.z[c * rows_ + r];
  const Side of_rows(std::move(by_row), rows_, all.calls, all.most * all.most, tests);
  const Side of_calls(all.z, all.calls, rows_, all.most * all.most, tests);
  double worst = 0.0;
  // The rows of a call add up to 0, which makes any two correlate at −1 / (rows − 1).
  of_rows.examine(row, static_cast<double>(all.calls) / static_cast<double>(rows_ - 1), findings.complaint, worst);
  of_calls.examine(call, 0.0, findings.complaint, worst);
  findings.of_pair = std::max(of_rows.of_pair(), of_calls.of_pair());
  findings.of_lag = std::max(of_rows.of_lag(), of_calls.of_lag());
  return findings;
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
