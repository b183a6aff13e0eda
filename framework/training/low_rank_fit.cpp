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
#include <harmonium/framework/core/products.hpp>
#include <harmonium/framework/kernels/kernels.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index rows_of_piece = 512, states_of_piece = 128;

Matrix<double> with_ones(const Matrix<double>& points) {
  const Index last = points.shape(1);
  Matrix<double> extended = zeros<double>(points.shape(0), last + 1);
  xt::view(extended, xt::all(), xt::range(Index{0}, last)) = points;
  xt::view(extended, xt::all(), static_cast<std::ptrdiff_t>(last)) = 1.0;
  return extended;
}

Matrix<double> all_states(Index units) {
  Matrix<double> states = zeros<double>(Index{1} << units, units);
  for (Index s = 0; s < states.shape(0); ++s)
    for (Index j = 0; j < units; ++j) states(s, j) = static_cast<double>(s >> j & 1);
  return states;
}

}  // namespace

/// Each piece of the work adds to slopes of its own, and these are added in order.
struct LowRankLikelihood::Pieces {
  std::vector<std::vector<double>> slopes;

  Pieces(Index number, Index size) : slopes((number + size - 1) / size) {}
  std::span<double> at(Index piece, Index parameters) {
    slopes[piece].resize(parameters, 0.0);
    return slopes[piece];
  }
  void add_to(std::span<double> sum) const {
    for (const std::vector<double>& part : slopes)
      if (!part.empty()) in_place(sum) += as_xtensor(std::span(part));
  }
};

LowRankLikelihood::LowRankLikelihood(const PlacedRows& rows, Index hidden, const Executor& executor)
    : rows_(&rows),
      executor_(&executor),
      extended_(with_ones(rows.places)),
      states_(all_states(hidden)),
      metric_(product(Matrix<double>(xt::transpose(rows.directions)), rows.directions)),
      hidden_(hidden),
      planes_(hidden * extended_.shape(1)) {
  HARMONIUM_ASSERT(hidden >= 1 && hidden <= most_fitted_units);
}

MatrixView<const double> LowRankLikelihood::planes(std::span<const double> parameters) const {
  const Index columns = extended_.shape(1);
  return {parameters.data(), hidden_, columns, columns};
}

double LowRankLikelihood::latent_part(std::span<const double> parameters, std::span<double> slopes) const {
  const Index number = extended_.shape(0), columns = extended_.shape(1);
  const std::span<const double> weights = rows_->weights;
  std::vector<double> logs(number, 0.0);
  Pieces pieces(number, rows_of_piece);
  executor_->for_each_piece(number, rows_of_piece, [&](Index begin, Index end) {
    const MatrixView<const double> places = as_matrix(extended_).slice(begin, end);
    Matrix<double> seen = zeros<double>(end - begin, hidden_);
    gemm(Transpose::no, Transpose::yes, 1.0, places, planes(parameters), 0.0, as_matrix(seen));
    kernels_of<double>().softplus_sum(as_matrix(std::as_const(seen)), nullptr, nullptr, logs.data() + begin);
    if (slopes.empty()) return;
    kernels_of<double>().logistic(as_matrix(std::as_const(seen)), nullptr, nullptr, as_matrix(seen));
    seen *= xt::view(as_xtensor(weights.subspan(begin, end - begin)), xt::all(), xt::newaxis());
    const std::span<double> part = pieces.at(begin / rows_of_piece, planes_);
    gemm(Transpose::yes, Transpose::no, 1.0, as_matrix(std::as_const(seen)), places, 0.0,
         MatrixView<double>{part.data(), hidden_, columns, columns});
  });
  if (!slopes.empty()) pieces.add_to(slopes.first(planes_));
  return sum_in_order(as_xtensor(std::span(std::as_const(logs))) * as_xtensor(weights));
}

Matrix<double> LowRankLikelihood::fields(std::span<const double> parameters, Index begin, Index end,
                                         std::span<double> logs) const {
  const Index d = metric_.shape(0);
  const MatrixView<const double> states = as_matrix(states_).slice(begin, end);
  Matrix<double> tilts = zeros<double>(end - begin, d + 1);  // λ_h, then c·h
  gemm(Transpose::no, Transpose::no, 1.0, states, planes(parameters), 0.0, as_matrix(tilts));
  for (Index s = 0; s < end - begin; ++s) {
    double own = tilts(s, d);
    for (Index a = 0; a < d; ++a) own -= tilts(s, a) * rows_->center[a];
    if (!logs.empty()) logs[s] = own;
  }
  const std::span<const double> field = parameters.subspan(planes_);
  Matrix<double> fields =
      xt::broadcast(xt::view(as_xtensor(field), xt::newaxis()), std::array<Index, 2>{end - begin, field.size()});
  gemm(Transpose::no, Transpose::yes, 1.0, MatrixView<const double>{tilts.data(), end - begin, d, d + 1},
       as_matrix(rows_->directions), 1.0, as_matrix(fields));
  return fields;
}

double LowRankLikelihood::log_z(std::span<const double> parameters, std::span<double> slopes) const {
  const Index number = states_.shape(0), d = metric_.shape(0);
  std::vector<double> logs(number);
  executor_->for_each_piece(number, states_of_piece, [&](Index begin, Index end) {
    const std::span<double> own = std::span(logs).subspan(begin, end - begin);
    const Matrix<double> of_bits = fields(parameters, begin, end, own);
    kernels_of<double>().softplus_sum(as_matrix(of_bits), nullptr, nullptr, own.data());
  });
  const double log_z = logsumexp(logs);
  if (slopes.empty()) return log_z;

  Pieces pieces(number, states_of_piece);
  executor_->for_each_piece(number, states_of_piece, [&](Index begin, Index end) {
    Matrix<double> shares = zeros<double>(end - begin, 1);  // of the states in Z, with a minus
    for (Index s = begin; s < end; ++s) shares(s - begin, 0) = -std::exp(logs[s] - log_z);
    constexpr double nothing = -1e-18;  // of a sum that is 1
    if (std::ranges::all_of(shares, [](double share) { return share > nothing; })) return;
    Matrix<double> means = fields(parameters, begin, end, {});
    kernels_of<double>().logistic(as_matrix(std::as_const(means)), nullptr, nullptr, as_matrix(means));
    Matrix<double> places = zeros<double>(end - begin, d + 1);  // E[y | h], then 1; both times the share
    gemm(Transpose::no, Transpose::no, 1.0, as_matrix(std::as_const(means)), as_matrix(rows_->directions), 0.0,
         MatrixView<double>{places.data(), end - begin, d, d + 1});
    for (Index a = 0; a < d; ++a) xt::col(places, static_cast<std::ptrdiff_t>(a)) -= rows_->center[a];
    xt::col(places, static_cast<std::ptrdiff_t>(d)) = 1.0;
    places *= shares;
    const std::span<double> part = pieces.at(begin / states_of_piece, num_parameters());
    gemm(Transpose::yes, Transpose::no, 1.0, as_matrix(states_).slice(begin, end), as_matrix(std::as_const(places)),
         0.0, MatrixView<double>{part.data(), hidden_, d + 1, d + 1});
    gemm(Transpose::yes, Transpose::no, 1.0, as_matrix(std::as_const(shares)), as_matrix(std::as_const(means)), 0.0,
         MatrixView<double>{part.data() + planes_, 1, means.shape(1), means.shape(1)});
  });
  pieces.add_to(slopes);
  return log_z;
}

double LowRankLikelihood::decay(std::span<const double> parameters, std::span<double> slopes) const {
  constexpr double deviation = 5.0;
  const double strength = 1.0 / (2.0 * deviation * deviation * rows_->number);
  const Index d = metric_.shape(0);
  double sum = 0.0;
  for (Index j = 0; j < hidden_; ++j) {
    const double* plane = parameters.data() + j * (d + 1);
    for (Index a = 0; a < d; ++a) {
      double slope = 0.0;
      for (Index b = 0; b < d; ++b) slope += metric_(a, b) * plane[b];
      sum += strength * plane[a] * slope;
      if (!slopes.empty()) slopes[j * (d + 1) + a] -= 2.0 * strength * slope;
    }
  }
  return sum;
}

double LowRankLikelihood::operator()(std::span<const double> parameters, std::span<double> slopes) const {
  const std::span<const double> field = parameters.subspan(planes_), means = rows_->means;
  std::ranges::fill(slopes, 0.0);
  double mean = latent_part(parameters, slopes);
  mean += sum_in_order(as_xtensor(field) * as_xtensor(means));
  if (!slopes.empty()) in_place(slopes.subspan(planes_)) += as_xtensor(means);
  return mean - log_z(parameters, slopes) - decay(parameters, slopes);
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

FittedMachine fit_low_rank(const PlacedRows& rows, const LowRankMachine& start, Index evaluations,
                           const Executor& executor) {
  const LowRankLikelihood likelihood(rows, start.planes.shape(0), executor);
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
    throw NumericalError(
        fmt::format("the search for the likeliest machine found none ({})", nlopt_result_to_string(ended)));

  FittedMachine found{start, search.best_value};
  const auto middle = search.best.begin() + static_cast<std::ptrdiff_t>(start.planes.size());
  std::copy(search.best.begin(), middle, found.machine.planes.begin());
  found.machine.field.assign(middle, search.best.end());
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
