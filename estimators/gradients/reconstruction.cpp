#include <harmonium/estimators/gradients/reconstruction.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include <harmonium/estimators/phases/chain_start.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/posterior.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index reconstruction_piece = 64;  // rows that a task evaluates

std::vector<double> scaled(std::span<const double> weights, double by) {
  std::vector<double> result(weights.begin(), weights.end());
  for (double& w : result) w *= by;
  return result;
}

/// log p(`free` | the other layers) of each row, as both are there: −E + F.
std::vector<double> log_conditionals(const EnergyModel& model, const Chains& rows, LayerSet given,
                                     const Executor& executor) {
  for (const LayerId l : model.layout().ids()) rows.read(l);  // Current as Real before threads ask.
  std::vector<double> result(rows.size());
  executor.for_each_piece(rows.size(), reconstruction_piece, [&](Index begin, Index end) {
    std::vector<double> energy(end - begin);
    model.energy({rows, begin, end}, energy);
    const std::span<double> out = std::span(result).subspan(begin, end - begin);
    model.free_energy()->evaluate(given, 1.0, {rows, begin, end}, out);
    for (Index r = 0; r < energy.size(); ++r) out[r] -= energy[r];
  });
  return result;
}

/// gradient += Σ weights · ∂log p(`free` | the others)/∂θ = Σ weights · (E[∂E/∂θ | the others] − ∂E/∂θ).
void add_slope(const EnergyModel& model, const Chains& rows, LayerSet free, std::span<const double> weights,
               std::span<Real> gradient, const Executor& executor) {
  Posterior conditional(free);
  model.factorised_expectation()->add_gradient(conditional.moments(model, rows, executor), weights, gradient, executor);
  model.add_gradient(rows, scaled(weights, -1.0), gradient, executor);
}

bool unbounded(const UnitType& unit) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return unit.has_curvature() && unit.least() == -infinity && unit.greatest() == infinity;
}

/// The move a of the means of a layer's units when their linear parameters move along D, and the move of the means by −½ of
/// each curvature, weighed by D: Cov(h, h) D and Cov(h², h) D, unit by unit, in the places of D and `by_curvature`.
void respond(const UnitType& unit, ConstFields fields, MatrixRef direction, MatrixRef by_curvature) {
  const Index rows = direction.rows, columns = direction.cols, width = unit.width(), states = unit.num_states();
  if (states == 0) {  // normal: Var, and 2 m Var
    std::vector<Real> mean(rows * columns), second(rows * columns);
    unit.moments(fields, {mean.data(), rows, columns, columns}, {});
    unit.moments(fields, {}, {second.data(), rows, columns, columns});
    for (Index r = 0; r < rows; ++r) {
      for (Index c = 0; c < columns; ++c) {
        direction(r, c) /= fields.curvature(r, c);
        by_curvature(r, c) = 2 * mean[r * columns + c] * direction(r, c);
      }
    }
    return;
  }
  std::vector<Real> values(states * width);
  unit.states({values.data(), states, width, width});
  const auto value = [&](Index s, Index c) { return static_cast<double>(values[s * width + c]); };
  std::vector<double> p(states), moved(width), moved_squares(width);
  for (Index r = 0; r < rows; ++r) {
    for (Index at = 0; at < columns; at += width) {
      double mean_along = 0.0;
      for (Index s = 0; s < states; ++s) {
        p[s] = 0.0;
        for (Index c = 0; c < width; ++c) {
          p[s] += static_cast<double>(fields.linear(r, at + c)) * value(s, c);
          if (unit.has_curvature())
            p[s] -= 0.5 * static_cast<double>(fields.curvature(r, at + c)) * value(s, c) * value(s, c);
        }
      }
      const double total = logsumexp(p);
      const auto along = [&](Index s) {
        double sum = 0.0;
        for (Index c = 0; c < width; ++c) sum += value(s, c) * static_cast<double>(direction(r, at + c));
        return sum;
      };
      for (Index s = 0; s < states; ++s) mean_along += (p[s] = std::exp(p[s] - total)) * along(s);
      std::ranges::fill(moved, 0.0);
      std::ranges::fill(moved_squares, 0.0);
      for (Index s = 0; s < states; ++s) {
        const double by = p[s] * (along(s) - mean_along);
        for (Index c = 0; c < width; ++c) {
          moved[c] += by * value(s, c);
          moved_squares[c] += by * value(s, c) * value(s, c);
        }
      }
      for (Index c = 0; c < width; ++c) {
        direction(r, at + c) = static_cast<Real>(moved[c]);
        if (!by_curvature.empty()) by_curvature(r, at + c) = static_cast<Real>(moved_squares[c]);
      }
    }
  }
}

/// The natural parameters of a layer whose units are independent given the rest of each row.
struct LayerLaw {
  LayerLaw(const EnergyModel& model, LayerId layer, const Chains& rows, const Executor& executor)
      : num_rows(rows.size()), columns(model.layout()[layer].columns()) {
    const UnitType& unit = *model.layout()[layer].unit;
    linear.resize(num_rows * columns);
    if (unit.has_curvature()) curvature.resize(num_rows * columns);
    for (const LayerId l : model.layout().ids()) rows.read(l);  // Current as Real before threads ask.
    for (const Block& block : model.block_conditionals()->blocks()) {
      if (block.layer != layer) continue;
      executor.for_each_piece(num_rows, reconstruction_piece, [&](Index begin, Index end) {
        Fields out{{&linear[begin * columns], end - begin, columns, columns}};
        if (!curvature.empty()) out.curvature = {&curvature[begin * columns], end - begin, columns, columns};
        model.block_conditionals()->fields(block, 0, block.size, {rows, begin, end}, out);
      });
    }
  }
  ConstFields fields() const {
    ConstFields all{{linear.data(), num_rows, columns, columns}};
    if (!curvature.empty()) all.curvature = {curvature.data(), num_rows, columns, columns};
    return all;
  }
  Index num_rows, columns;
  std::vector<Real> linear, curvature;
};

}  // namespace

void ReconstructionOptions::bind(OptionBinder& o) {
  static constexpr OptionBinder::Choice<ReconstructionFrom> from[] = {
      {"mean", ReconstructionFrom::mean}, {"draws", ReconstructionFrom::draws}, {"all", ReconstructionFrom::all}};
  o.choice(
      "latent", latent, from,
      "latent units by their means, or the mean error over draws of them, or over all their states (of a small model)");
  o.option("num_draws", num_draws, "draws of the latent units for each row, with latent = \"draws\"", at_least(1));
  o.option("through_latent", through_latent, "follow how the parameters move the latent units, too");
}

void ReconstructionOptions::validate() const {
  if (latent != ReconstructionFrom::draws && num_draws != usual_draws)
    throw ConfigError(
        fmt::format("'num_draws' is {}, but the latent units are not drawn. Set latent = \"draws\".", num_draws));
}

void Reconstruction::check(const EnergyModel& model) const {
  if (!offers_reconstruction(model) || !model.factorised_expectation() || !model.free_energy())
    throw CapabilityError(
        "estimator 'reconstruction_error': it takes latent units that are independent given the observed ones, and the "
        "reverse. Try 'pseudo_likelihood' or 'pcd'.");
  const Layout& layout = model.layout();
  for (const Layer& layer : layout.layers())
    if (layer.role == Role::latent && layer.unit->num_states() == 0 && !unbounded(*layer.unit))
      throw CapabilityError(fmt::format(
          "estimator 'reconstruction_error': how the means of layer '{}' move is known of discrete and Gaussian units "
          "only. Try 'pcd'.",
          layer.name));
  if (options_.latent == ReconstructionFrom::all && layout.log2_states(layout.latent()) > options_.most_bits)
    throw CapabilityError(fmt::format(
        "estimator 'reconstruction_error': latent = \"all\" would visit 2^{:.3g} states for each row, and at "
        "most 2^{:.3g} are. Set latent = \"draws\".",
        layout.log2_states(layout.latent()), options_.most_bits));
}

void Reconstruction::begin(const EnergyModel&, const DataOutline& data) {
  if (data.missing)
    throw CapabilityError(
        "estimator 'reconstruction_error': it needs complete rows, and entries of the data are missing. Try 'pcd', "
        "whose "
        "positive phase takes them as latent units.");
}

double Reconstruction::products(const EnergyModel& model, Index rows) const {
  const double copies = options_.latent == ReconstructionFrom::mean ? 1.0
                        : options_.latent == ReconstructionFrom::draws
                            ? static_cast<double>(options_.num_draws)
                            : std::exp2(model.layout().log2_states(model.layout().latent()));
  return static_cast<double>(rows) * copies * (options_.through_latent ? 16.0 : 10.0);
}

void Reconstruction::memory(const EnergyModel& model, Index rows, MemoryNeed& need) const {
  const auto columns = static_cast<double>(model.layout().columns(model.layout().all()));
  const double at_once = options_.latent == ReconstructionFrom::mean    ? static_cast<double>(rows)
                         : options_.latent == ReconstructionFrom::draws ? static_cast<double>(rows * options_.num_draws)
                                                                        : std::exp2(options_.most_bits);
  need.add("the rows with their latent units", 5.0 * at_once * columns * sizeof(Real), "training.batch_size");
}

GradientEstimator::Report Reconstruction::estimate(const EnergyModel& model, const DataBatch& data,
                                                   std::span<Real> gradient, const Execution& execution) {
  if (data.observed) begin(model, {.rows = data.rows.size(), .missing = true});
  std::ranges::fill(gradient, Real{0});
  Report report;
  report.positive.exact = options_.latent != ReconstructionFrom::draws;
  report.slope = options_.through_latent;
  report.proper = false;
  switch (options_.latent) {
    case ReconstructionFrom::mean:
      report.loss = of_means(model, data, gradient, execution.executor);
      report.positive.method = "mean-field reconstruction";
      break;
    case ReconstructionFrom::draws:
      report.loss = of_draws(model, data, gradient, execution);
      report.positive.method = fmt::format("reconstruction from {} draws", options_.num_draws);
      break;
    case ReconstructionFrom::all:
      report.loss = of_all(model, data, gradient, execution.executor);
      report.positive.method = "reconstruction from all latent states";
      break;
  }
  return report;
}

double Reconstruction::of_means(const EnergyModel& model, const DataBatch& data, std::span<Real> gradient,
                                const Executor& executor) const {
  const Layout& layout = model.layout();
  const Index rows = data.rows.size();
  const Moments& posterior = data.posterior.moments(model, data.rows, executor);
  Chains at(layout, rows);
  copy_seen(layout, data, 1, at);
  for (const LayerId l : layout.ids()) {
    if (layout[l].role == Role::observed) continue;
    const ConstMatrixRef mean = posterior.mean[static_cast<Index>(l)];
    const MatrixRef to = at.write(l);
    for (Index r = 0; r < rows; ++r) std::copy_n(mean.row(r), mean.cols, to.row(r));
  }
  const std::vector<double> log_p = log_conditionals(model, at, layout.latent(), executor);
  double loss = 0.0;
  for (Index r = 0; r < rows; ++r) loss -= data.weights[r] * log_p[r];
  add_slope(model, at, layout.observed(), scaled(data.weights, -1.0), gradient, executor);
  if (!options_.through_latent) return loss;

  // ∂log P(x | h)/∂h_i = f_i(x) − f_i(x̂), x̂ = E[x | h], f_i the field of latent unit i. What moves ĥ_i along it is
  // a_i = Cov(h_i) of that, in each parameter that f_i has: −∂E/∂θ at h = a less that at h = 0.
  Posterior back(layout.observed());
  const Moments& reconstruction = back.moments(model, at, executor);
  Chains there(layout, rows);
  for (const LayerId l : layout.ids()) {
    if (layout[l].role == Role::latent) continue;
    const ConstMatrixRef mean = reconstruction.mean[static_cast<Index>(l)];
    const MatrixRef to = there.write(l);
    for (Index r = 0; r < rows; ++r) std::copy_n(mean.row(r), mean.cols, to.row(r));
  }
  std::vector<std::vector<Real>> along(layout.size()), by_curvature(layout.size()), zeros(layout.size());
  Moments moved, still;
  moved.mean = still.mean = posterior.mean;
  moved.second = still.second = posterior.second;
  for (const LayerId l : layout.ids()) {
    if (layout[l].role == Role::observed) continue;
    const auto i = static_cast<Index>(l);
    const LayerLaw here(model, l, at, executor), other(model, l, there, executor);
    const Index columns = here.columns;
    along[i].resize(rows * columns);
    zeros[i].assign(rows * columns, Real{0});
    if (layout[l].unit->has_curvature()) by_curvature[i].resize(rows * columns);
    for (Index k = 0; k < along[i].size(); ++k) along[i][k] = here.linear[k] - other.linear[k];
    executor.for_each_piece(rows, reconstruction_piece, [&](Index begin, Index end) {
      ConstFields fields = here.fields();
      fields.linear = fields.linear.slice(begin, end);
      if (!fields.curvature.empty()) fields.curvature = fields.curvature.slice(begin, end);
      MatrixRef curved;
      if (!by_curvature[i].empty()) curved = {&by_curvature[i][begin * columns], end - begin, columns, columns};
      respond(*layout[l].unit, fields, {&along[i][begin * columns], end - begin, columns, columns}, curved);
    });
    moved.mean[i] = {along[i].data(), rows, columns, columns};
    still.mean[i] = {zeros[i].data(), rows, columns, columns};
    if (by_curvature[i].empty()) continue;
    moved.second[i] = {by_curvature[i].data(), rows, columns, columns};
    still.second[i] = still.mean[i];
  }
  model.factorised_expectation()->add_gradient(moved, data.weights, gradient, executor);
  model.factorised_expectation()->add_gradient(still, scaled(data.weights, -1.0), gradient, executor);
  return loss;
}

double Reconstruction::of_draws(const EnergyModel& model, const DataBatch& data, std::span<Real> gradient,
                                const Execution& execution) {
  const Layout& layout = model.layout();
  const Executor& executor = execution.executor;
  const Index draws = options_.num_draws, rows = data.rows.size();
  Chains at(layout, rows * draws);
  at.set_step(draws_++);
  copy_seen(layout, data, draws, at);
  Posterior posterior;
  posterior.sample(model, at, execution.random, at, executor);
  const std::vector<double> log_p = log_conditionals(model, at, layout.latent(), executor);
  std::vector<double> weights(at.size()), of_score(at.size());
  double loss = 0.0;
  for (Index r = 0; r < rows; ++r) {
    const double sum = std::accumulate(&log_p[r * draws], &log_p[r * draws] + draws, 0.0);
    for (Index d = r * draws; d < (r + 1) * draws; ++d) {
      weights[d] = -data.weights[r] / static_cast<double>(draws);
      loss += weights[d] * log_p[d];
      const double others = draws > 1 ? (sum - log_p[d]) / static_cast<double>(draws - 1) : 0.0;
      of_score[d] = weights[d] * (log_p[d] - others);
    }
  }
  add_slope(model, at, layout.observed(), weights, gradient, executor);
  if (options_.through_latent) add_slope(model, at, layout.latent(), of_score, gradient, executor);
  return loss;
}

double Reconstruction::of_all(const EnergyModel& model, const DataBatch& data, std::span<Real> gradient,
                              const Executor& executor) const {
  const Layout& layout = model.layout();
  const auto states = static_cast<Index>(std::llround(std::exp2(layout.log2_states(layout.latent()))));
  double loss = 0.0;
  Chains at(layout, states);
  for (const LayerId l : layout.ids()) {  // every state of the latent layers, the first unit changing fastest
    if (layout[l].role == Role::observed) continue;
    Index before = 1;
    for (const LayerId other : layout.ids())
      if (other < l && layout[other].role == Role::latent)
        before *= static_cast<Index>(std::llround(std::pow(layout[other].unit->num_states(), layout[other].size)));
    const UnitType& unit = *layout[l].unit;
    const Index width = unit.width(), S = unit.num_states();
    std::vector<Real> values(S * width);
    unit.states({values.data(), S, width, width});
    const MatrixRef to = at.write(l);
    for (Index u = 0; u < layout[l].size; ++u, before *= S)
      for (Index s = 0; s < states; ++s) std::copy_n(&values[s / before % S * width], width, to.row(s) + u * width);
  }
  for (Index r = 0; r < data.rows.size(); ++r) {
    executor.check_stop();
    for (const LayerId l : layout.ids()) {
      if (layout[l].role == Role::latent) continue;
      const ConstMatrixRef from = data.rows.read(l);
      const MatrixRef to = at.write(l);
      for (Index s = 0; s < states; ++s) std::copy_n(from.row(r), from.cols, to.row(s));
    }
    const std::vector<double> log_h = log_conditionals(model, at, layout.observed(), executor),
                              log_p = log_conditionals(model, at, layout.latent(), executor);
    std::vector<double> weights(states), of_score(states);
    double mean = 0.0;
    for (Index s = 0; s < states; ++s) mean += std::exp(log_h[s]) * log_p[s];
    for (Index s = 0; s < states; ++s) {
      weights[s] = -data.weights[r] * std::exp(log_h[s]);
      of_score[s] = weights[s] * (log_p[s] - mean);
    }
    loss -= data.weights[r] * mean;
    add_slope(model, at, layout.observed(), weights, gradient, executor);
    if (options_.through_latent) add_slope(model, at, layout.latent(), of_score, gradient, executor);
  }
  return loss;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
