#include <harmonium/program/work/parameter_errors.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <xtensor-blas/xlinalg.hpp>
#include <xtensor/xview.hpp>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/program/work/followed_objective.hpp>
#include <harmonium/program/work/gradients_of_parts.hpp>
#include <harmonium/program/work/pairwise_moments.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index rows_a_parameter = 4, most_parts = 20000, parts_at_once = 256;
constexpr Index most_parameters = 5000, most_differences = 500;  // a minute or so

bool is_pseudo_likelihood(const Followed& followed) {
  return *followed.estimator.find("type") == make_value("pseudo_likelihood");
}

/// `least`: the rows that they take, of what.
void check_rows(const Dataset& train, Index least, const std::string& of) {
  const auto refuse = [&](const std::string& why) {
    throw DataError(fmt::format("--errors: {}: {}", train.name(), why));
  };
  if (train.weighted()) refuse("its rows are weighed, as independent ones are not. Errors are of rows of one weight.");
  if (train.has_missing()) refuse("entries are missing. Errors are of complete rows.");
  if (train.rows() < least)
    refuse(fmt::format("errors of {} take {} rows or more, and there are {}.", of, least, train.rows()));
}

Followed objective_of(const EnergyModel& model, const Value& config) {
  const auto refuse = [](const char* why) { throw CapabilityError(std::string("--errors: ") + why); };
  if (!model.layout().latent().empty())
    refuse(
        "the model has latent units, which may change places: rows do not tell the parameters of each. It is for "
        "models without.");
  if (!without_regularizers(config))
    refuse("the run has regularizers, which move the optimum by more than chance knows of. It is for runs without.");
  const std::optional<Followed> followed = followed_by(model, config);
  if (!followed || followed->objective == Objective::drawn)
    refuse(
        "the run's estimator has no gradient of each row without chance. Train by pseudo_likelihood, or for the "
        "likelihood.");
  return *followed;
}

/// The covariance of a row's gradient with respect to the numbers, by those of parts of the rows.
Matrix<double> covariance(GradientsOfParts& gradients, const Dataset& train, const std::vector<Places>& numbers) {
  const Index parts = std::min(train.rows(), most_parts), k = numbers.size();
  Matrix<double> s = zeros<double>(k, k), some = zeros<double>(parts_at_once, k);
  Vector<double> sum = zeros<double>(k);
  Index filled = 0;
  const auto add = [&] {
    const auto rows = xt::view(some, xt::range(Index{0}, filled), xt::all());
    s += xt::linalg::dot(xt::transpose(rows), rows);
    filled = 0;
  };
  gradients.each(train, parts, [&](const GradientOfPart& part, Index rows) {
    const double weight = std::sqrt(static_cast<double>(rows));
    for (Index a = 0; a < k; ++a) {
      some(filled, a) = weight * part.mean[numbers[a].front()];
      sum(a) += weight * some(filled, a);
    }
    if (++filled == parts_at_once) add();
  });
  if (filled > 0) add();
  return (s - xt::linalg::outer(sum, sum) / static_cast<double>(train.rows())) / static_cast<double>(parts - 1);
}

/// The curvature of the mean over rows, by differences of its gradient.
Matrix<double> curvature(EnergyModel& model, GradientsOfParts& gradients, const Dataset& train,
                         const std::vector<Places>& numbers, const Execution& execution) {
  const double step = std::is_same_v<Real, double> ? 1e-6 : 1e-2;
  const Index k = numbers.size();
  const WholeData whole(train, model.layout());
  const std::vector<double> here = gradients.estimated(whole);
  const std::vector<Real> before(model.parameters().begin(), model.parameters().end());
  Matrix<double> h = zeros<double>(k, k);
  for (Index a = 0; a < k; ++a) {
    execution.executor.check_stop();
    model.update_parameters([&](std::span<Real> theta) {
      for (const Index place : numbers[a]) theta[place] += static_cast<Real>(step);
    });
    const std::vector<double> beside = gradients.estimated(whole);
    model.update_parameters([&](std::span<Real> theta) { std::ranges::copy(before, theta.begin()); });
    for (Index b = 0; b < k; ++b) h(a, b) = (beside[numbers[b].front()] - here[numbers[b].front()]) / step;
    if (execution.display)
      execution.display->progress(static_cast<double>(a + 1) / static_cast<double>(k), "standard errors");
  }
  return (h + xt::transpose(h)) / 2.0;
}

/// The inverse of a matrix that is positive where rows tell all parameters.
Matrix<double> inverse(const Matrix<double>& m) {
  constexpr double least = 1e-12;
  const auto refuse = [] {
    throw NumericalError(
        "--errors: the rows do not tell all parameters apart, such as that of a unit which never changes, or of "
        "categorical units, whose couplings have a gauge: of these there are no errors.");
  };
  Vector<double> scale = xt::diagonal(m);
  if (!(xt::amin(scale)() > least * xt::amax(scale)())) refuse();
  scale = 1.0 / xt::sqrt(scale);
  const Matrix<double> scaled = m * scale * xt::view(scale, xt::all(), xt::newaxis());
  Matrix<double> root;
  try {
    root = xt::linalg::cholesky(scaled);
  } catch (const std::runtime_error&) {
    refuse();
  }
  const Vector<double> pivots = xt::diagonal(root);
  if (!(xt::amin(pivots)() > std::sqrt(least))) refuse();
  return xt::linalg::inv(scaled) * scale * xt::view(scale, xt::all(), xt::newaxis());
}

}  // namespace

RowMoments moments_by_estimator(EnergyModel& model, GradientsOfParts& gradients, const Dataset& train,
                                const std::vector<Places>& numbers, bool of_likelihood, const Execution& execution) {
  if (numbers.size() > most_differences && !of_likelihood)
    throw CapabilityError(
        fmt::format("--errors: {} parameters of units of this kind take a difference of gradients each, and {} are the "
                    "most.",
                    numbers.size(), most_differences));
  RowMoments found{{}, covariance(gradients, train, numbers), {}};
  if (!of_likelihood) found.curvature = curvature(model, gradients, train, numbers, execution);
  return found;
}

ParameterErrors parameter_errors(EnergyModel& model, const Dataset& train, const Value& config,
                                 const Registries& registries, const Execution& execution) {
  const Followed followed = objective_of(model, config);
  const std::vector<Places> numbers = own_numbers(model);
  const bool of_likelihood = followed.objective != Objective::own;
  if (of_likelihood)
    check_rows(train, rows_a_parameter * numbers.size(),
               fmt::format("{} parameters by the likelihood", numbers.size()));
  else check_rows(train, rows_a_parameter * train.cols(), fmt::format("{} columns", train.cols()));
  if (numbers.size() > most_parameters)
    throw CapabilityError(
        fmt::format("--errors: the model has {} parameters, and {} are the most.", numbers.size(), most_parameters));
  RowMoments moments;
  if (const auto pairwise =
          of_likelihood || is_pseudo_likelihood(followed) ? PairwiseMoments::of(model, numbers) : std::nullopt) {
    const WholeData whole(train, model.layout());
    moments = (*pairwise)(whole.rows().read(model.layout().id(0)), of_likelihood, execution);
  } else {
    Value unused;
    const auto estimator = registries.make<GradientEstimator>(followed.estimator, unused);
    GradientsOfParts gradients(model, *estimator, of_likelihood ? Objective::likelihood : Objective::own, 1, execution);
    gradients.begin(train, {});
    if (of_likelihood) gradients.leave_model_side();
    moments = moments_by_estimator(model, gradients, train, numbers, of_likelihood, execution);
  }
  const auto n = static_cast<double>(train.rows());
  Matrix<double> of_all;
  if (of_likelihood) {
    of_all = inverse(moments.covariance);
  } else {
    const Matrix<double> h = inverse(moments.curvature);
    of_all = xt::linalg::dot(h, Matrix<double>(xt::linalg::dot(moments.covariance, h)));
  }
  ParameterErrors found{std::vector<double>(model.parameters().size(), 0.0),
                        of_likelihood ? "those of the likelihood, by the inverse Fisher information of the rows"
                                      : "those of the run's objective, by its curvature and the covariance of its "
                                        "gradients (sandwich)"};
  for (Index a = 0; a < numbers.size(); ++a)
    for (const Index place : numbers[a]) found.errors[place] = std::sqrt(of_all(a, a) / n);
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
