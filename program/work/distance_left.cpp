#include <harmonium/program/work/distance_left.hpp>

#include <algorithm>
#include <cmath>

#include <xtensor-blas/xlinalg.hpp>
#include <xtensor/xadapt.hpp>
#include <xtensor/xview.hpp>

#include <harmonium/framework/core/xtensor.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index fewest_parts_a_parameter = 4, parts_a_parameter = 8, most_parts = 2000;
constexpr Index fewest_parts = 500;  // where there are rows: of one parameter the variance of so many is known to 6 %
/// To the largest deviation of a gradient, and to the largest variance of a direction once all are scaled to the deviation 1: below, it
/// is the rounding of float.
constexpr double least_deviation = 1e-5, least_variance = 1e-8;

}  // namespace

Index DistanceLeft::parts_for(Index parameters, Index rows) {
  const Index parts = std::min({rows, std::max(fewest_parts, parts_a_parameter * parameters), most_parts});
  return parts >= fewest_parts_a_parameter * parameters ? parts : 0;
}

void DistanceLeft::add(std::span<const double> mean, Index rows) {
  means_.insert(means_.end(), mean.begin(), mean.end());
  counts_.push_back(static_cast<double>(rows));
}

std::optional<DistanceLeft::Ratios> DistanceLeft::ratios() const {
  const Index parts = counts_.size(), parameters = means_.size() / parts;
  Matrix<double> x = Matrix<double>::from_shape({parts, parameters});
  std::ranges::copy(means_, x.begin());
  const Vector<double> counts = xt::adapt(counts_, {counts_.size()});
  const double rows = xt::sum(counts)(), f = static_cast<double>(parts - 1);
  const Vector<double> g = xt::linalg::dot(xt::transpose(x), counts) / rows;
  x = (x - g) * xt::view(xt::sqrt(counts / f), xt::all(), xt::newaxis());
  const Vector<double> deviations = xt::sqrt(xt::sum(x * x, {0}));
  const Vector<double> scale = xt::where(deviations > least_deviation * xt::amax(deviations)(), 1.0 / deviations, 0.0);
  x *= scale;
  const auto [variances, directions] = xt::linalg::eigh(Matrix<double>(xt::linalg::dot(xt::transpose(x), x)));
  const Vector<double> along = xt::linalg::dot(xt::transpose(directions), Vector<double>(g * scale));
  Vector<double> step = zeros<double>(parameters), variance = step;  // S⁻¹g, and the diagonal of S⁻¹
  double k = 0.0;
  for (Index d = 0; d < parameters; ++d) {
    if (!(variances(d) > least_variance * variances(parameters - 1))) continue;
    const auto direction = xt::view(directions, xt::all(), d);
    step += along(d) / variances(d) * direction;
    variance += direction * direction / variances(d);
    k += 1.0;
  }
  if (k == 0.0) return {};
  double squares = 0.0, told = 0.0, most = 0.0;
  Ratios found;
  for (Index a = 0; a < parameters; ++a) {
    if (scale(a) == 0.0) continue;
    const double square = rows * step(a) * step(a) / variance(a);
    squares += square;
    told += 1.0;
    if (square > most) most = square, found.parameter = a;
  }
  // What chance makes of T² (Hotelling) is k f/(f − k − 1), of k parameters and a covariance of f degrees of freedom. Each term is what the
  // last of k adds to it.
  const double excess = f * (f - 1.0) / ((f - k) * (f - k - 1.0));
  found.rms = std::sqrt(squares / (told * excess));
  found.most = std::sqrt(most / excess);
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
