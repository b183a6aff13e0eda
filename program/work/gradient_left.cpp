#include <harmonium/program/work/gradient_left.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/program/work/distance_left.hpp>
#include <harmonium/program/work/followed_objective.hpp>
#include <harmonium/program/work/free_parameters.hpp>
#include <harmonium/program/work/gradients_of_parts.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index num_parts = 16, fewest_rows_of_part = 10;
constexpr double least_spread = 1e-5;  // of the gradients of rows; below, these are alike but for rounding

/// Estimates of each part, as many as take about a second; 0: that is too few.
Index repeats_of(const EnergyModel& model, const GradientEstimator& estimator, Index rows, Objective objective) {
  constexpr double fewest = 2.0, most = 16.0;
  if (objective != Objective::drawn) return 1;
  const double affordable = most_gradient_operations / operations_of_gradient(model, estimator.products(model, rows));
  return affordable < fewest ? 0 : static_cast<Index>(std::min(affordable, most));
}

/// Numbers of all entries of a gradient, one of each parameter: of a uniform tensor that of its first entry.
template <class T>
std::vector<double> one_of_each(const ParameterLayout& layout, std::span<const T> all) {
  const std::vector<bool> repeated = repeated_entries(layout, all.size());
  std::vector<double> found;
  for (Index k = 0; k < all.size(); ++k)
    if (!repeated[k]) found.push_back(static_cast<double>(all[k]));
  return found;
}

/// Mean and scatter of the gradients of parts, by their rows.
class Scatter {
 public:
  explicit Scatter(std::vector<double> parameters) : parameters_(std::move(parameters)) {}
  void add(const std::vector<double>& gradient, double variance, Index rows) {
    const auto count = static_cast<double>(rows);
    mean_.resize(gradient.size(), 0.0);
    const double share = count / (rows_ + count), own = along(gradient), growth = own - along_;
    along_ += share * growth;
    squares_along_ += count * growth * (own - along_);
    for (Index k = 0; k < mean_.size(); ++k) {
      const double change = gradient[k] - mean_[k];
      mean_[k] += share * change;
      squares_ += count * change * (gradient[k] - mean_[k]);
    }
    drawn_ += count * variance;
    rows_ += count;
  }
  Index parameters() const { return mean_.size(); }
  /// Nothing where the rows are alike but for rounding, or draws hide what is left.
  std::optional<GradientLeft> left(Index repeats, Objective objective) const {
    constexpr double most_drawn = 0.25;
    const double by_draws = drawn_ / (static_cast<double>(num_parts * repeats) * rows_);
    const double norm = std::inner_product(mean_.begin(), mean_.end(), mean_.begin(), 0.0) - by_draws;
    const double chance = squares_ / (static_cast<double>(num_parts - 1) * rows_) - by_draws;
    if (!(chance * rows_ >= least_spread * least_spread) || by_draws > most_drawn * std::max(norm, chance)) return {};
    return GradientLeft{.of = objective,
                        .rows = static_cast<Index>(rows_),
                        .norm = std::sqrt(std::max(norm, 0.0)),
                        .chance = std::sqrt(chance),
                        .along = along_ / std::sqrt(squares_along_ / (static_cast<double>(num_parts - 1) * rows_))};
  }

 private:
  /// gᵀθ; what an estimator learns beside θ stands behind.
  double along(const std::vector<double>& g) const {
    return std::inner_product(parameters_.begin(), parameters_.end(), g.begin(), 0.0);
  }

  std::vector<double> parameters_, mean_;
  double squares_ = 0.0, along_ = 0.0, squares_along_ = 0.0, drawn_ = 0.0, rows_ = 0.0;
};

/// "bias.visible (3)"; what an estimator learns beside θ has no name here. `parameter`: its place among one of each.
std::string name_of(const ParameterLayout& layout, Index parameter) {
  Index first = 0;
  for (const ParameterBlock& b : layout.blocks()) {
    const Index at = parameter - first, count = b.uniform ? free_entries(b) : b.size();
    first += count;
    if (parameter >= first) continue;
    if (b.uniform) return b.name;
    return b.cols == 1 ? fmt::format("{} ({})", b.name, at)
                       : fmt::format("{} ({}, {})", b.name, at / b.cols, at % b.cols);
  }
  return "one that the estimator learns";
}

void add_distance(const Dataset& train, Index parameters, const ParameterLayout& layout, GradientsOfParts& gradients,
                  GradientLeft& left) {
  if (left.of != Objective::likelihood && left.of != Objective::own) return;
  const Index parts = DistanceLeft::parts_for(parameters, train.rows());
  if (parts == 0) return;
  DistanceLeft distance;
  gradients.each(train, parts, [&](const GradientOfPart& part, Index rows) {
    distance.add(one_of_each(layout, std::span<const double>(part.mean)), rows);
  });
  const std::optional<DistanceLeft::Ratios> found = distance.ratios();
  if (!found) return;
  left.distance = found->rms;
  left.farthest = found->most;
  left.farthest_name = name_of(layout, found->parameter);
}

}  // namespace

bool GradientLeft::off_along() const {
  constexpr double false_alarm = 0.001;
  const boost::math::students_t law(static_cast<double>(num_parts - 1));
  return std::abs(along) > boost::math::quantile(boost::math::complement(law, false_alarm / 2.0));
}

bool GradientLeft::converged() const {
  constexpr double a_third = 1.0 / 3.0;
  if (of == Objective::stand_in) return norm <= chance && !off_along();
  return distance ? *distance <= a_third && farthest <= 1.0 : norm <= 0.5 * chance;
}

std::optional<GradientLeft> gradient_left(const EnergyModel& model, const Dataset& train, const Value& config,
                                          std::span<const Real> own, const Registries& registries,
                                          const Execution& execution) {
  const Layout& layout = model.layout();
  if (!layout.latent().empty() || train.has_missing() || train.weighted() || !without_regularizers(config)) return {};
  const std::optional<Followed> followed = followed_by(model, config);
  const Index rows = train.rows();
  // Of all rows, or none: at their optimum the gradient of some of them is what the chance of these makes of it.
  if (!followed || operations_of_gradient(model, static_cast<double>(rows)) > most_gradient_operations ||
      rows < num_parts * fewest_rows_of_part)
    return {};
  Value unused;
  const auto estimator = registries.make<GradientEstimator>(followed->estimator, unused);
  const Index repeats = repeats_of(model, *estimator, rows, followed->objective);
  if (repeats == 0) return {};
  const ParameterLayout& parameters = model.parameter_layout();
  Scatter scatter(one_of_each(parameters, model.parameters()));
  try {
    GradientsOfParts gradients(model, *estimator, followed->objective, repeats, execution);
    gradients.begin(train, own);
    gradients.each(train, num_parts, [&](const GradientOfPart& part, Index count) {
      scatter.add(one_of_each(parameters, std::span<const double>(part.mean)), part.variance, count);
    });
    std::optional<GradientLeft> left = scatter.left(repeats, followed->objective);
    if (left) add_distance(train, scatter.parameters(), parameters, gradients, *left);
    return left;
  } catch (const CapabilityError&) {
    return {};
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
