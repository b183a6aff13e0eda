#include <harmonium/estimators/gradients/reconstruction.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <xtensor/xmath.hpp>

#include <harmonium/estimators/gradients/conditional_slopes.hpp>
#include <harmonium/estimators/gradients/loss_checks.hpp>
#include <harmonium/estimators/phases/chain_start.hpp>
#include <harmonium/framework/core/copies.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/framework/model/domain.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index rows_a_task = 64;

/// What the means of the latent units do to the reconstruction, through which the loss goes on to the parameters:
/// ∂log P(x | h)/∂h_i = f_i(x) − f_i(x̂), x̂ = E[x | h], f_i the field of latent unit i. What moves ĥ_i along it is
/// a_i = Cov(h_i) of that, in each parameter that f_i has: −∂E/∂θ at h = a less that at h = 0.
void add_slope_through_means(const EnergyModel& model, const Chains& at, const Moments& posterior,
                             std::span<const double> weights, std::span<Real> gradient, const Executor& executor) {
  const Layout& layout = model.layout();
  const Index rows = at.size();
  Chains there(layout, rows);
  Posterior back(layout.observed());
  const Moments& reconstruction = back.moments(model, at, executor);
  for (const LayerId l : layout.ids(layout.observed())) copy(reconstruction.mean[l], there.write(l));
  PerLayer<UnitBuffer> moves(layout.size());
  PerLayer<Matrix<Real>> zero(layout.size());
  Moments moved = posterior, still = posterior;
  for (const LayerId l : layout.ids(layout.latent())) {
    const UnitType& unit = *layout[l].unit;
    const Index columns = layout[l].columns();
    const UnitBuffer here = fields_of(model, l, at, executor), other = fields_of(model, l, there, executor);
    moves[l].resize(unit, rows, columns);
    zero[l] = zeros<Real>(rows, columns);
    const MatrixRef along = moves[l].first(), curved = moves[l].second();
    in_place(along.all()) = as_xtensor(here.first().all()) - as_xtensor(other.first().all());
    executor.for_each_piece(rows, rows_a_task, [&](Index begin, Index end) {
      respond(unit, here.fields().slice(begin, end), along.slice(begin, end),
              curved.empty() ? curved : curved.slice(begin, end));
    });
    moved.mean[l] = along;
    still.mean[l] = as_matrix(zero[l]);
    if (curved.empty()) continue;
    moved.second[l] = curved;
    still.second[l] = still.mean[l];
  }
  model.factorized_expectation()->add_gradient(moved, weights, gradient, executor);
  model.factorized_expectation()->add_gradient(still, scaled(weights, -1.0), gradient, executor);
}

/// Writes every state of the latent layers, the first unit changing fastest: a row of `to` each.
void write_latent_states(const Layout& layout, Chains& to) {
  Index before = 1;  // states of all units before this one
  for (const LayerId l : layout.ids(layout.latent())) {
    const UnitStates states(*layout[l].unit);
    const Index width = layout[l].unit->width();
    const MatrixRef values = to.write(l);
    for (Index u = 0; u < layout[l].size; ++u, before *= states.size())
      for (Index s = 0; s < values.rows; ++s)
        std::ranges::copy(states[s / before % states.size()], values.row(s) + u * width);
  }
}

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
  if (!offers_reconstruction(model) || !model.factorized_expectation() || !model.free_energy())
    throw CapabilityError(
        "estimator 'reconstruction_error': it takes latent units that are independent given the observed ones, and the "
        "reverse. Try 'pseudo_likelihood' or 'pcd'.");
  const Layout& layout = model.layout();
  for (const Layer& layer : layout.layers())
    if (layer.role == Role::latent && layer.unit->num_states() == 0 && !is_normal(*layer.unit))
      throw CapabilityError(fmt::format(
          "estimator 'reconstruction_error': how the means of layer '{}' move is known of discrete and Gaussian units "
          "only. Try 'pcd'.",
          layer.name));
  if (options_.latent == ReconstructionFrom::all && layout.log2_states(layout.latent()) > Options::most_bits)
    throw CapabilityError(fmt::format(
        "estimator 'reconstruction_error': latent = \"all\" would visit 2^{:.3g} states for each row, and at "
        "most 2^{:.3g} are. Set latent = \"draws\".",
        layout.log2_states(layout.latent()), Options::most_bits));
}

void Reconstruction::begin(const EnergyModel&, const DataOutline& data) {
  check_complete("reconstruction_error", data);
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
                                                                        : std::exp2(Options::most_bits);
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
  for (const LayerId l : layout.ids(layout.latent())) copy(posterior.mean[l], at.write(l));
  const std::vector<double> log_p = log_conditionals(model, at, layout.latent(), executor);
  const double loss = 0.0 - std::inner_product(log_p.begin(), log_p.end(), data.weights.begin(), 0.0);
  add_slope(model, at, layout.observed(), scaled(data.weights, -1.0), gradient, executor);
  if (options_.through_latent) add_slope_through_means(model, at, posterior, data.weights, gradient, executor);
  return loss;
}

double Reconstruction::of_draws(const EnergyModel& model, const DataBatch& data, std::span<Real> gradient,
                                const Execution& execution) {
  const Layout& layout = model.layout();
  const Executor& executor = execution.executor;
  const Index draws = options_.num_draws, rows = data.rows.size();
  Chains at(layout, rows * draws, static_cast<std::uint32_t>(data.rows.first_chain() * draws));
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
  write_latent_states(layout, at);
  for (Index r = 0; r < data.rows.size(); ++r) {
    executor.check_stop();
    at.copy_to_all(layout.observed(), data.rows, r);
    const std::vector<double> log_h = log_conditionals(model, at, layout.observed(), executor),
                              log_p = log_conditionals(model, at, layout.latent(), executor);
    const Vector<double> p = xt::exp(as_xtensor(std::span(log_h)));
    const double mean = std::inner_product(p.begin(), p.end(), log_p.begin(), 0.0);
    const Vector<double> weights = -data.weights[r] * p;
    const Vector<double> of_score = weights * (as_xtensor(std::span(log_p)) - mean);
    loss -= data.weights[r] * mean;
    add_slope(model, at, layout.observed(), weights, gradient, executor);
    if (options_.through_latent) add_slope(model, at, layout.latent(), of_score, gradient, executor);
  }
  return loss;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
