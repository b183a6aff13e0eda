#include <harmonium/framework/inference/moment_agreement.hpp>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <xtensor-blas/xlinalg.hpp>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/core/xtensor.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index most_taken = 1000;

struct FirstAndSecond {
  explicit FirstAndSecond(const Matrix<double>& x) {
    const auto n = static_cast<double>(x.shape(0));
    const Vector<double> center = xt::mean(x, {0});
    const Matrix<double> apart = x - center;
    const BlasCall room;
    const Matrix<double> c = xt::linalg::dot(xt::transpose(apart), apart) / n;
    means.assign(center.begin(), center.end());
    for (Index i = 0; i < means.size(); ++i) variance += c(i, i) / static_cast<double>(means.size());
    for (Index i = 0; i < means.size(); ++i)
      for (Index j = i + 1; j < means.size(); ++j) pairs.push_back(c(i, j));
  }
  std::vector<double> means, pairs;
  double variance = 0.0;  ///< mean over columns
};

/// `scale`: the square of what such numbers could differ by; what is 10^-5 of that is rounding.
LinearAgreement agreement(const std::vector<double>& a, const std::vector<double>& b, double scale) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const double rounding = 1e-10 * scale * static_cast<double>(a.size());
  const auto u = as_xtensor(std::span<const double>(a)), v = as_xtensor(std::span<const double>(b));
  const Vector<double> x = u - xt::mean(u)(), y = v - xt::mean(v)();
  const double xx = xt::sum(x * x)(), yy = xt::sum(y * y)(), xy = xt::sum(x * y)();
  if (xx <= rounding || yy <= rounding) return {none, none};
  return {xy / std::sqrt(xx * yy), xy / yy};
}

}  // namespace

std::vector<ObservedColumn> observed_columns(const Layout& layout, Index most) {
  std::vector<ObservedColumn> all, taken;
  for (const LayerId l : layout.ids())
    if (layout.observed().contains(l))
      for (Index c = 0; c < layout[l].columns(); ++c) all.push_back({l, c});
  const Index count = std::min(most, all.size());
  for (Index k = 0; k < count; ++k) taken.push_back(all[k * all.size() / count]);
  return taken;
}

Matrix<double> values_of(const Chains& rows, const std::vector<ObservedColumn>& columns, Index first, Index step) {
  Matrix<double> x = xt::zeros<double>({(rows.size() - first + step - 1) / step, columns.size()});
  for (Index c = 0; c < columns.size(); ++c) {
    const ConstMatrixRef from = rows.read(columns[c].layer);
    for (Index r = 0; r < x.shape(0); ++r) x(r, c) = static_cast<double>(from(first + r * step, columns[c].place));
  }
  return x;
}

MomentAgreement compare_moments(const Layout& layout, const Chains& draws, const Chains& data) {
  const std::vector<ObservedColumn> columns = observed_columns(layout, most_taken);
  const FirstAndSecond drawn(values_of(draws, columns, 0, 1)), all(values_of(data, columns, 0, 1)),
      even(values_of(data, columns, 0, 2)), odd(values_of(data, columns, 1, 2));
  const double of_means = all.variance, of_pairs = all.variance * all.variance;
  return {agreement(drawn.means, all.means, of_means), agreement(drawn.pairs, all.pairs, of_pairs),
          agreement(even.means, odd.means, of_means), agreement(even.pairs, odd.pairs, of_pairs)};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
