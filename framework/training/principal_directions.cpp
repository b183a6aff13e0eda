#include <harmonium/framework/training/principal_directions.hpp>

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>
#include <xtensor-blas/xlinalg.hpp>
#include <xtensor/xsort.hpp>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Rows about their mean, each times the root of its weight, so that the product with its transpose is their covariance.
Matrix<double> deviations_of(const Dataset& data) {
  std::vector<Index> of_weight;
  for (Index r = 0; r < data.rows(); ++r)
    if (data.weight(r) > 0.0) of_weight.push_back(r);
  const Index number = std::min<Index>(of_weight.size(), most_principal_rows);
  Matrix<double> rows = zeros<double>(number, data.cols());
  Vector<double> weights = zeros<double>(number);
  for (Index k = 0; k < number; ++k) {
    const Index row = of_weight[k * of_weight.size() / number];
    data.fetch<double>(row, 0, as_matrix(rows).slice(k, k + 1));
    weights(k) = data.weight(row);
  }
  weights /= xt::sum(weights)();
  const auto column = xt::view(weights, xt::all(), xt::newaxis());
  const Vector<double> mean = xt::sum(rows * column, {0});
  rows = (rows - xt::view(mean, xt::newaxis())) * xt::sqrt(column);
  return rows;
}

/// How many directions may be asked for: nonzero variances, largest first, that no next one equals.
bool ends_clearly(std::span<const double> variances, Index number) {
  constexpr double alike = 1e-6;  // of the largest: what rounding could turn about
  return variances[number - 1] - variances[number] > alike * variances[0];
}

void check(std::span<const double> variances, Index number) {
  constexpr double rounding = 1e-12;  // of units whose values are some 1 apart
  const double least = std::max(rounding, 1e-9 * variances[0]);
  const auto varied =
      static_cast<Index>(std::ranges::find_if(variances, [&](double v) { return !(v > least); }) - variances.begin());
  if (varied < number)
    throw ConfigError(fmt::format(
        "the data vary along {} direction{} alone, and rank is {}. {}", varied, varied == 1 ? "" : "s", number,
        varied > 0 ? fmt::format("Take rank = {}, or the initializer 'normal'.", varied) : "Take 'normal'."));
  if (ends_clearly(variances, number)) return;
  Index other = number;
  while (other < varied && !ends_clearly(variances, other)) ++other;
  throw ConfigError(
      fmt::format("the data vary alike along directions {} and {}, and with rank = {} either could be "
                  "meant. Take rank = {}.",
                  number, number + 1, number, other));
}

}  // namespace

PrincipalDirections principal_directions(const Dataset& data, Index number) {
  const Index columns = data.cols();
  if (columns > most_principal_columns)
    throw ConfigError(fmt::format("the data have {} columns, and principal directions of more than {} take too long.",
                                  columns, most_principal_columns));
  const Matrix<double> rows = deviations_of(data);
  Matrix<double> covariance = zeros<double>(columns, columns);
  gemm(Transpose::yes, Transpose::no, 1.0, as_matrix(rows), as_matrix(rows), 0.0, as_matrix(covariance));
  const BlasCall room;
  const auto eigen = xt::linalg::eigh(covariance);
  std::vector<double> variances(std::get<0>(eigen).rbegin(), std::get<0>(eigen).rend());
  variances.push_back(0.0);  // after the last
  check(variances, number);

  PrincipalDirections found{zeros<double>(columns, number), {}};
  for (Index a = 0; a < number; ++a) {
    const auto direction = xt::col(std::get<1>(eigen), static_cast<std::ptrdiff_t>(columns - 1 - a));
    // An eigenvector may have either sign, which libraries choose differently.
    const double large = 0.5 * xt::amax(xt::abs(direction))();
    const double first = *std::ranges::find_if(direction, [&](double u) { return std::abs(u) >= large; });
    xt::col(found.directions, static_cast<std::ptrdiff_t>(a)) = (first > 0.0 ? 1.0 : -1.0) * direction;
    found.deviation.push_back(std::sqrt(variances[a]));
  }
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
