#include <harmonium/framework/training/low_rank_fit.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <type_traits>

#include <fmt/format.h>
#include <nlopt.h>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/kernels/kernels.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index points_of_piece = 512;

Matrix<double> with_ones(const Matrix<double>& points) {
  Matrix<double> extended = zeros<double>(points.shape(0), points.shape(1) + 1);
  xt::view(extended, xt::all(), xt::range(Index{0}, points.shape(1))) = points;
  xt::view(extended, xt::all(), static_cast<std::ptrdiff_t>(points.shape(1))) = 1.0;
  return extended;
}

}  // namespace

LowRankLikelihood::LowRankLikelihood(const OverlapLaw& law, const OverlapRows& rows, Index hidden,
                                     const Executor& executor)
    : executor_(&executor),
      points_(with_ones(law.points)),
      rows_(with_ones(rows.at)),
      log_mass_(law.log_mass),
      weights_(rows.weights),
      hidden_(hidden) {}

Index LowRankLikelihood::num_parameters() const { return (hidden_ + 1) * points_.shape(1) - 1; }

std::vector<double> LowRankLikelihood::log_factors(const Matrix<double>& extended,
                                                   std::span<const double> parameters) const {
  const Index columns = extended.shape(1), number = extended.shape(0);
  const MatrixView<const double> planes{parameters.data(), hidden_, columns, columns};
  const std::span<const double> field = parameters.subspan(hidden_ * columns);
  std::vector<double> logs(number, 0.0);
  executor_->for_each_piece(number, points_of_piece, [&](Index begin, Index end) {
    Matrix<double> fields = zeros<double>(end - begin, hidden_);
    const MatrixView<const double> points = as_matrix(extended).slice(begin, end);
    gemm(Transpose::no, Transpose::yes, 1.0, points, planes, 0.0, as_matrix(fields));
    for (Index r = begin; r < end; ++r)
      for (Index a = 0; a < field.size(); ++a) logs[r] += field[a] * extended(r, a);
    kernels_of<double>().softplus_sum(as_matrix(fields), nullptr, nullptr, logs.data() + begin);
  });
  return logs;
}

void LowRankLikelihood::add_slopes(const Matrix<double>& extended, std::span<const double> parameters,
                                   std::span<const double> weights, std::span<double> slopes) const {
  const Index columns = extended.shape(1), number = extended.shape(0);
  const MatrixView<const double> planes{parameters.data(), hidden_, columns, columns};
  std::vector<std::vector<double>> parts((number + points_of_piece - 1) / points_of_piece);
  executor_->for_each_piece(number, points_of_piece, [&](Index begin, Index end) {
    const std::span<const double> own = weights.subspan(begin, end - begin);
    constexpr double nothing = 1e-18;  // of a sum that is 1
    if (std::ranges::all_of(own, [](double w) { return std::abs(w) < nothing; })) return;
    Matrix<double> weighted = zeros<double>(end - begin, columns), means = zeros<double>(end - begin, hidden_);
    const MatrixView<const double> points = as_matrix(extended).slice(begin, end);
    xt::noalias(weighted) = as_xtensor(points) * xt::view(as_xtensor(own), xt::all(), xt::newaxis());
    gemm(Transpose::no, Transpose::yes, 1.0, points, planes, 0.0, as_matrix(means));
    kernels_of<double>().logistic(as_matrix(std::as_const(means)), nullptr, nullptr, as_matrix(means));
    std::vector<double>& part = parts[begin / points_of_piece];
    part.resize(slopes.size(), 0.0);
    gemm(Transpose::yes, Transpose::no, 1.0, as_matrix(std::as_const(means)), as_matrix(std::as_const(weighted)), 0.0,
         MatrixView<double>{part.data(), hidden_, columns, columns});
    for (Index r = 0; r < end - begin; ++r)
      for (Index a = 0; a + 1 < columns; ++a) part[hidden_ * columns + a] += weighted(r, a);
  });
  for (const std::vector<double>& part : parts)
    if (!part.empty()) in_place(slopes) += as_xtensor(std::span(part));
}

double LowRankLikelihood::decay(std::span<const double> parameters, std::span<double> slopes) const {
  constexpr double strength = 1e-4;
  const Index columns = points_.shape(1);
  double sum = 0.0;
  for (Index j = 0; j < hidden_; ++j)
    for (Index k = j * columns; k + 1 < (j + 1) * columns; ++k) {
      sum += strength * parameters[k] * parameters[k];
      if (!slopes.empty()) slopes[k] -= 2.0 * strength * parameters[k];
    }
  return sum;
}

double LowRankLikelihood::operator()(std::span<const double> parameters, std::span<double> slopes) const {
  const std::vector<double> of_rows = log_factors(rows_, parameters);
  std::vector<double> masses = log_factors(points_, parameters);
  in_place(std::span(masses)) += as_xtensor(std::span(log_mass_));
  const double log_z = logsumexp(masses);
  const double mean = sum_in_order(as_xtensor(std::span(of_rows)) * as_xtensor(std::span(weights_)));
  if (!slopes.empty()) {
    std::ranges::fill(slopes, 0.0);
    add_slopes(rows_, parameters, weights_, slopes);
    for (double& m : masses) m = -std::exp(m - log_z);
    add_slopes(points_, parameters, masses, slopes);
  }
  return mean - log_z - decay(parameters, slopes);
}

namespace {

/// What the library calls, and the best that it has called for: where rounding ends the search, that is what it found.
struct Search {
  const LowRankLikelihood& likelihood;
  const Executor& executor;
  nlopt_opt optimizer = nullptr;
  std::vector<double> best = {};
  double best_value = 0.0;
  std::exception_ptr failure = {};

  static double value(unsigned number, const double* x, double* slopes, void* self) {
    auto& search = *static_cast<Search*>(self);
    try {  // no exception may pass through a library in C
      search.executor.check_stop();
      const double found = search.likelihood({x, number}, {slopes, slopes ? number : 0u});
      if (std::isfinite(found) && (search.best.empty() || found > search.best_value)) {
        search.best.assign(x, x + number);
        search.best_value = found;
      }
      return found;
    } catch (...) {
      search.failure = std::current_exception();
      nlopt_force_stop(search.optimizer);
      return 0.0;
    }
  }
};

}  // namespace

LowRankMachine fit_low_rank(const OverlapLaw& law, const OverlapRows& rows, const LowRankMachine& start,
                            Index evaluations, const Executor& executor) {
  const LowRankLikelihood likelihood(law, rows, start.planes.shape(0), executor);
  std::vector<double> parameters(start.planes.begin(), start.planes.end());
  parameters.insert(parameters.end(), start.field.begin(), start.field.end());
  HARMONIUM_ASSERT(parameters.size() == likelihood.num_parameters());

  const std::unique_ptr<std::remove_pointer_t<nlopt_opt>, void (*)(nlopt_opt)> optimizer(
      nlopt_create(NLOPT_LD_LBFGS, static_cast<unsigned>(parameters.size())), nlopt_destroy);
  Search search{likelihood, executor, optimizer.get()};
  nlopt_set_max_objective(optimizer.get(), Search::value, &search);
  nlopt_set_maxeval(optimizer.get(), static_cast<int>(std::min<Index>(evaluations, std::numeric_limits<int>::max())));
  nlopt_set_ftol_abs(optimizer.get(), 1e-5);  // nats
  double value = 0.0;
  const nlopt_result ended = nlopt_optimize(optimizer.get(), parameters.data(), &value);
  if (search.failure) std::rethrow_exception(search.failure);
  // Where rounding ends the search (a failure by its code), what it has found holds.
  if (search.best.empty())
    throw NumericalError(fmt::format("initializer 'low_rank': the search for the likeliest machine found none ({}).",
                                     nlopt_result_to_string(ended)));

  LowRankMachine found = start;
  const auto middle = search.best.begin() + static_cast<std::ptrdiff_t>(found.planes.size());
  std::copy(search.best.begin(), middle, found.planes.begin());
  found.field.assign(middle, search.best.end());
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
