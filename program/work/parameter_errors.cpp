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
#include <harmonium/program/work/rows_for_errors.hpp>
#include <harmonium/program/work/sequence_remarks.hpp>
#include <harmonium/program/work/unseen_states.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index rows_a_parameter = 4, most_parts = 20000, parts_at_once = 256;
constexpr Index most_parameters = 5000, most_differences = 500;  // a minute or so

bool is_pseudo_likelihood(const Followed& followed) {
  return *followed.estimator.find("type") == make_value("pseudo_likelihood");
}

[[noreturn]] void refuse_rows(const Dataset& train, const std::string& why) {
  throw DataError(fmt::format("--errors: {}: {}", train.name(), why));
}

void refuse_holes(const Dataset& train) {
  if (train.weighted())
    refuse_rows(train, "its rows are weighed, as independent ones are not. Errors are of rows of one weight.");
  if (train.has_missing()) refuse_rows(train, "entries are missing. Errors are of complete rows.");
}

/// Of so many parameters; by the likelihood, whose matrix of gradients is inverted, four rows to each of all.
void check_count(const Dataset& train, Index parameters, bool of_likelihood, const RowsForErrors& of_own) {
  const Index least = of_likelihood ? rows_a_parameter * parameters : of_own.least;
  if (train.rows() >= least) return;
  const bool in_laws = !of_likelihood && of_own.of_unit < parameters;
  refuse_rows(train,
              fmt::format("errors of {} parameter{}{} take {} rows or more, and there are {}. Take more rows, or fewer "
                          "parameters: mask couplings that are none, or share them as a lattice does (uniform = true).",
                          parameters, parameters == 1 ? "" : "s",
                          of_likelihood ? " by the likelihood"
                          : in_laws     ? fmt::format(", of which up to {} {} in the law of one unit given the others,",
                                                      of_own.of_unit, of_own.of_unit == 1 ? "is" : "are")
                                        : "",
                          least, train.rows()));
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

/// The slope along a direction: that by a number is at the first of its places.
double slope(const std::vector<double>& gradient, const Direction& along, const std::vector<Places>& numbers) {
  double sum = 0.0;
  for (const auto& [number, weight] : along) sum += weight * gradient[numbers[number].front()];
  return sum;
}

/// The covariance of a row's gradient along the directions, by those of parts of the rows.
Matrix<double> covariance(GradientsOfParts& gradients, const Dataset& train, const std::vector<Places>& numbers,
                          const std::vector<Direction>& directions) {
  const Index parts = std::min(train.rows(), most_parts), k = directions.size();
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
      some(filled, a) = weight * slope(part.mean, directions[a], numbers);
      sum(a) += weight * some(filled, a);
    }
    if (++filled == parts_at_once) add();
  });
  if (filled > 0) add();
  return (s - xt::linalg::outer(sum, sum) / static_cast<double>(train.rows())) / static_cast<double>(parts - 1);
}

/// The curvature of the mean over rows, by differences of its gradient.
Matrix<double> curvature(EnergyModel& model, GradientsOfParts& gradients, const Dataset& train,
                         const std::vector<Places>& numbers, const std::vector<Direction>& directions,
                         const Execution& execution) {
  const double step = std::is_same_v<Real, double> ? 1e-6 : 1e-2;
  const Index k = directions.size();
  const WholeData whole(train, model.layout());
  const std::vector<double> here = gradients.estimated(whole);
  const std::vector<Real> before(model.parameters().begin(), model.parameters().end());
  Matrix<double> h = zeros<double>(k, k);
  for (Index a = 0; a < k; ++a) {
    execution.executor.check_stop();
    model.update_parameters([&](std::span<Real> theta) {
      for (const auto& [number, weight] : directions[a])
        for (const Index place : numbers[number]) theta[place] += static_cast<Real>(step * weight);
    });
    std::vector<double> change = gradients.estimated(whole);
    model.update_parameters([&](std::span<Real> theta) { std::ranges::copy(before, theta.begin()); });
    for (Index p = 0; p < change.size(); ++p) change[p] = (change[p] - here[p]) / step;
    for (Index b = 0; b < k; ++b) h(a, b) = slope(change, directions[b], numbers);
    if (execution.display)
      execution.display->progress(static_cast<double>(a + 1) / static_cast<double>(k), "standard errors");
  }
  return (h + xt::transpose(h)) / 2.0;
}

/// Units and states that rows never have, refused: their parameters have no finite optimum.
void refuse_unseen(const std::vector<std::string>& units, const Dataset& train, const Value& config) {
  if (units.empty()) return;
  const std::string no_gaps = advice_without_gaps(train, config);
  throw NumericalError(fmt::format(
      "--errors: {}: the rows do not tell such a parameter, whose optimum is not finite.{}", named_briefly(units),
      no_gaps.empty() ? " Leave the column out of the model, or make its rare states one." : no_gaps));
}

/// The inverse of a matrix that is positive where rows tell all parameters.
Matrix<double> inverse(const Matrix<double>& m, const UnseenStates& unseen) {
  constexpr double least = 1e-12;
  const auto refuse = [&] {
    std::vector<std::string> causes = unseen.constant;
    if (!unseen.pairs.empty()) causes.push_back("never together are " + named_briefly(unseen.pairs));
    throw NumericalError(fmt::format(
        "--errors: the rows do not tell all parameters apart, and of these there are no errors{}",
        causes.empty()
            ? ". So it is with units that are always alike, or of which one follows from others."
            : ": " + named_briefly(causes) + ". Leave these columns out of the model, or make rare states one."));
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

/// The directions that the rows tell apart.
std::vector<Direction> directions_of(const EnergyModel& model, const std::vector<Places>& numbers, bool zero_sum) {
  if (!have_gauge(model, numbers)) return each_alone(numbers.size());
  if (!zero_sum)
    throw CapabilityError(
        "--errors: couplings and biases of categorical units have a gauge: many of them are the same law, and rows do "
        "not tell which. Add --gauge zero_sum for the errors of those that sum to zero over the states of each unit.");
  return zero_sum_directions(model, numbers);
}

RowMoments moments_of(EnergyModel& model, const Dataset& train, const WholeData& whole, const Followed& followed,
                      const std::vector<Places>& numbers, const std::vector<Direction>& directions,
                      const Registries& registries, const Execution& execution) {
  const bool of_likelihood = followed.objective != Objective::own;
  if (const auto pairwise =
          of_likelihood || is_pseudo_likelihood(followed) ? PairwiseMoments::of(model, numbers) : std::nullopt) {
    RowMoments found = (*pairwise)(whole.rows().read(model.layout().id(0)), of_likelihood, execution);
    if (directions.size() == numbers.size()) return found;  // without a gauge
    return {
        {}, along(directions, found.covariance), of_likelihood ? found.curvature : along(directions, found.curvature)};
  }
  Value unused;
  const auto estimator = registries.make<GradientEstimator>(followed.estimator, unused);
  GradientsOfParts gradients(model, *estimator, of_likelihood ? Objective::likelihood : Objective::own, 1, execution);
  gradients.begin(train, {});
  if (of_likelihood) gradients.leave_model_side();
  return moments_by_estimator(model, gradients, train, numbers, directions, of_likelihood, execution);
}

/// The variances of the numbers, which are sums of what the directions move them by.
std::vector<double> variances(const Matrix<double>& covariance, const std::vector<Direction>& directions,
                              Index numbers) {
  std::vector<Direction> of_number(numbers);  // the same, transposed
  for (Index d = 0; d < directions.size(); ++d)
    for (const auto& [number, weight] : directions[d]) of_number[number].emplace_back(d, weight);
  std::vector<double> found(numbers, 0.0);
  for (Index k = 0; k < numbers; ++k)
    for (const auto& [a, weight_a] : of_number[k])
      for (const auto& [b, weight_b] : of_number[k]) found[k] += weight_a * weight_b * covariance(a, b);
  return found;
}

}  // namespace

RowMoments moments_by_estimator(EnergyModel& model, GradientsOfParts& gradients, const Dataset& train,
                                const std::vector<Places>& numbers, const std::vector<Direction>& directions,
                                bool of_likelihood, const Execution& execution) {
  if (directions.size() > most_differences && !of_likelihood)
    throw CapabilityError(
        fmt::format("--errors: {} parameters of units of this kind take a difference of gradients each, and {} are the "
                    "most.",
                    directions.size(), most_differences));
  RowMoments found{{}, covariance(gradients, train, numbers, directions), {}};
  if (!of_likelihood) found.curvature = curvature(model, gradients, train, numbers, directions, execution);
  return found;
}

ParameterErrors parameter_errors(EnergyModel& model, const Dataset& train, const Value& config,
                                 const Registries& registries, const Execution& execution, const ErrorsAsked& asked) {
  const Followed followed = objective_of(model, config);
  const std::vector<Places> numbers = own_numbers(model);
  refuse_holes(train);
  const WholeData whole(train, model.layout());
  const UnseenStates unseen = unseen_states(model, whole.rows(), asked.names);
  refuse_unseen(unseen.units, train, config);
  const std::vector<Direction> directions = directions_of(model, numbers, asked.zero_sum);
  const bool of_likelihood = followed.objective != Objective::own;
  if (numbers.size() > most_parameters)
    throw CapabilityError(
        fmt::format("--errors: the model has {} parameters, and {} are the most.", numbers.size(), most_parameters));
  check_count(train, directions.size(), of_likelihood, rows_for_errors(model, numbers, directions));
  const RowMoments moments = moments_of(model, train, whole, followed, numbers, directions, registries, execution);
  Matrix<double> of_all;
  if (of_likelihood) {
    of_all = inverse(moments.covariance, unseen);
  } else {
    const Matrix<double> h = inverse(moments.curvature, unseen);
    of_all = xt::linalg::dot(h, Matrix<double>(xt::linalg::dot(moments.covariance, h)));
  }
  const std::vector<double> own = variances(of_all, directions, numbers.size());
  ParameterErrors found{std::vector<double>(model.parameters().size(), 0.0),
                        of_likelihood ? "those of the likelihood, by the inverse Fisher information of the rows"
                                      : "those of the run's objective, by its curvature and the covariance of its "
                                        "gradients (sandwich)",
                        unseen.pairs};
  for (Index a = 0; a < numbers.size(); ++a)
    for (const Index place : numbers[a]) found.errors[place] = std::sqrt(own[a] / static_cast<double>(train.rows()));
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
