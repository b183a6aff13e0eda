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

/// Calls work(rows, weights) for the rows that weigh, a thousand at a time.
template <class Work>
void for_rows(const Dataset& data, const Executor& executor, const Work& work) {
  constexpr Index at_once = 1024;
  Matrix<double> rows = zeros<double>(std::min(at_once, data.rows()), data.cols());
  std::vector<double> weights;
  for (Index r = 0; r < data.rows(); ++r) {
    if (data.weight(r) > 0.0) {
      data.fetch<double>(r, 0, as_matrix(rows).slice(weights.size(), weights.size() + 1));
      weights.push_back(data.weight(r));
    }
    if (weights.size() < rows.shape(0) && r + 1 < data.rows()) continue;
    executor.check_stop();
    work(xt::view(rows, xt::range(Index{0}, weights.size())), as_xtensor(std::span(std::as_const(weights))));
    weights.clear();
  }
}

Matrix<double> covariance_of(const Dataset& data, const Executor& executor) {
  const Index columns = data.cols();
  Vector<double> mean = zeros<double>(columns);
  double total = 0.0;
  for_rows(data, executor, [&](const auto& rows, const auto& weights) {
    mean += xt::sum(rows * xt::view(weights, xt::all(), xt::newaxis()), {0});
    total += xt::sum(weights)();
  });
  mean /= total;
  Matrix<double> covariance = zeros<double>(columns, columns);
  for_rows(data, executor, [&](const auto& rows, const auto& weights) {
    const Matrix<double> scaled =
        (rows - xt::view(mean, xt::newaxis())) * xt::sqrt(xt::view(weights, xt::all(), xt::newaxis()) / total);
    gemm(Transpose::yes, Transpose::no, 1.0, as_matrix(scaled), as_matrix(scaled), 1.0, as_matrix(covariance));
  });
  return covariance;
}

/// Whether the next direction varies clearly less than the last of so many.
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
        varied > 0 ? fmt::format("Take a 'rank' of {} at most, or the initializer 'normal'.", varied)
                   : "Take 'normal'."));
  if (ends_clearly(variances, number)) return;
  Index other = number;
  while (other < varied && !ends_clearly(variances, other)) ++other;
  if (other > most_principal_directions)
    for (other = number; other > 0 && !ends_clearly(variances, other);) --other;
  throw ConfigError(
      fmt::format("the data vary alike along directions {} and {}, and with rank = {} either could be "
                  "meant. Take {}the initializer 'normal'.",
                  number, number + 1, number, other > 0 ? fmt::format("rank = {}, or ", other) : ""));
}

}  // namespace

PrincipalDirections principal_directions(const Dataset& data, Index number, const Executor& executor) {
  const Index columns = data.cols();
  if (columns > most_principal_columns)
    throw ConfigError(fmt::format("the data have {} columns, and principal directions of more than {} take too long.",
                                  columns, most_principal_columns));
  const Matrix<double> covariance = covariance_of(data, executor);
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
