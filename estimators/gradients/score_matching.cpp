#include <harmonium/estimators/gradients/score_matching.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/estimators/gradients/loss_checks.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/kernels/normal.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index score_piece = 64;  // rows that a task evaluates

void check_score(const char* name, const EnergyModel& model) {
  const Layout& layout = model.layout();
  for (const Layer& layer : layout.layers())
    if (layer.role == Role::observed && layer.unit->num_states() != 0)
      throw CapabilityError(
          fmt::format("estimator '{}': it follows the density along continuous units, and those of layer '{}' have {} "
                      "states. Try 'ratio_matching' or 'pseudo_likelihood'.",
                      name, layer.name, layer.unit->num_states()));
  if (model.score() && model.score()->offered(layout.observed())) return;
  // By parts, which is how log Z went, leaves a term at an end of the domain (Hyvärinen 2007, non-negative data).
  for (const Layer& layer : layout.layers())
    if (layer.role == Role::observed && (std::isfinite(layer.unit->min()) || std::isfinite(layer.unit->max())))
      throw CapabilityError(fmt::format(
          "estimator '{}': it takes a density that goes on smoothly over the whole real line, and the units "
          "'{}' of layer '{}' are numbers {}, where it breaks off. Try 'pcd' or 'cd'.",
          name, layer.unit->name(), layer.name, layer.unit->domain()));
  throw CapabilityError(
      fmt::format("estimator '{}': the model offers no score of its observed units: these must be Gaussian, and the "
                  "latent ones discrete or Gaussian, and independent given them. Try 'pcd' or 'cd'.",
                  name));
}

void add_memory(const EnergyModel& model, Index rows, MemoryNeed& need) {
  const Layout& layout = model.layout();
  const double columns = static_cast<double>(rows) * static_cast<double>(layout.columns(layout.all()));
  need.add("the scores of the rows", columns * sizeof(Real), "training.batch_size");
  need.add_passing("the rows beside their scores", 4.0 * columns * sizeof(Real), "training.batch_size");
  const auto observed = static_cast<double>(layout.columns(layout.observed()));
  const auto latent = static_cast<double>(layout.columns(layout.latent()));
  need.add_passing("the couplings in double", observed * latent * sizeof(double), "the size of the model");
}

/// One matrix for each observed layer, rows × columns.
struct Scores {
  Scores(const Layout& layout, Index rows) : values(layout.size()) {
    for (const LayerId l : layout.ids(layout.observed())) values[l] = zeros<Real>(rows, layout[l].columns());
  }
  PerLayer<MatrixRef> slice(Index begin, Index end) {
    PerLayer<MatrixRef> part(values.size());
    for (Index i = 0; i < values.size(); ++i)
      if (values[i].size() > 0) part[i] = as_matrix(values[i]).slice(begin, end);
    return part;
  }
  PerLayer<ConstMatrixRef> directions() const {
    PerLayer<ConstMatrixRef> all;
    for (const Matrix<Real>& v : values) all.push_back(as_matrix(v));
    return all;
  }

  PerLayer<Matrix<Real>> values;
};

double half_square(const PerLayer<MatrixRef>& vectors, Index row) {
  double sum = 0.0;
  for (const MatrixRef v : vectors) {
    if (v.empty()) continue;
    for (const Real x : v[row]) sum += static_cast<double>(x) * static_cast<double>(x);
  }
  return 0.5 * sum;
}

}  // namespace

void ScoreMatching::check(const EnergyModel& model) const { check_score("score_matching", model); }
void ScoreMatching::begin(const EnergyModel&, const DataOutline& data) { check_complete("score_matching", data); }
void ScoreMatching::memory(const EnergyModel& model, Index rows, MemoryNeed& need) const {
  add_memory(model, rows, need);
}

GradientEstimator::Report ScoreMatching::estimate(const EnergyModel& model, const DataBatch& data,
                                                  std::span<Real> gradient, const Execution& execution) {
  if (data.observed) begin(model, {.rows = data.rows.size(), .missing = true});
  const Layout& layout = model.layout();
  const LayerSet observed = layout.observed();
  const Index rows = data.rows.size();
  const ConstChainView x = data.rows.real();
  Scores scores(layout, rows);
  std::vector<double> divergence(rows);
  Report report;
  report.loss = execution.executor.sum_in_order(rows, score_piece, [&](Index begin, Index end) {
    const PerLayer<MatrixRef> part = scores.slice(begin, end);
    model.score()->evaluate(observed, x.slice(begin, end), part, std::span(divergence).subspan(begin, end - begin));
    double sum = 0.0;
    for (Index r = begin; r < end; ++r) sum += data.weights[r] * (half_square(part, r - begin) + divergence[r]);
    return sum;
  });
  std::ranges::fill(gradient, Real{0});
  // ∂L/∂θ = ψᵀ ∂ψ/∂θ + ∂/∂θ Σ ∂ψ_j/∂x_j
  model.score()->add_gradient(observed, data.rows, scores.directions(), data.weights, 1.0, gradient,
                              execution.executor);
  report.positive = {.exact = true, .method = "scores of the data"};
  return report;
}

DenoisingScoreMatching::DenoisingScoreMatching(Options options) : noise_(options.noise) {
  if (!(noise_ > 0.0)) throw ConfigError("'noise' must be more than 0.");
}

void DenoisingScoreMatching::check(const EnergyModel& model) const { check_score("denoising_score_matching", model); }
void DenoisingScoreMatching::begin(const EnergyModel&, const DataOutline& data) {
  check_complete("denoising_score_matching", data);
}
void DenoisingScoreMatching::memory(const EnergyModel& model, Index rows, MemoryNeed& need) const {
  add_memory(model, rows, need);
  const Layout& layout = model.layout();
  need.add("the rows with noise",
           static_cast<double>(rows) * static_cast<double>(layout.columns(layout.all())) * sizeof(Real),
           "training.batch_size");
}

GradientEstimator::Report DenoisingScoreMatching::estimate(const EnergyModel& model, const DataBatch& data,
                                                           std::span<Real> gradient, const Execution& execution) {
  if (data.observed) begin(model, {.rows = data.rows.size(), .missing = true});
  const Layout& layout = model.layout();
  const LayerSet observed = layout.observed();
  const Index rows = data.rows.size();
  Chains noisy(layout, rows, data.rows.first_chain());
  noisy.set_step(draws_++);
  const ConstChainView clean = data.rows.real();
  Scores scores(layout, rows);
  Report report;
  report.loss = execution.executor.sum_in_order(rows, score_piece, [&](Index begin, Index end) {
    for (const LayerId l : layout.ids(observed)) {
      const ConstMatrixRef from = clean[l];
      const MatrixRef to = noisy.write(l);
      NormalDraws normal(
          DrawBlock::of(execution.random, static_cast<std::uint32_t>(noisy.first_chain() + begin), noisy.step(), l),
          to.cols);
      for (Index r = begin; r < end; ++r)
        in_place(to[r]) = as_xtensor(from[r]) + xt::cast<Real>(noise_ * as_xtensor(normal.row(r - begin)));
    }
    const PerLayer<MatrixRef> part = scores.slice(begin, end);
    model.score()->evaluate(observed, {noisy, begin, end}, part, {});
    double sum = 0.0;
    for (Index r = begin; r < end; ++r) {
      for (const LayerId l : layout.ids(observed)) {
        // ψ(x̃) − (x − x̃)/s²
        in_place(part[l][r - begin]) -= (as_xtensor(clean[l][r]) - as_xtensor(std::as_const(noisy).read(l)[r])) /
                                        static_cast<Real>(noise_ * noise_);
      }
      sum += data.weights[r] * half_square(part, r - begin);
    }
    return sum;
  });
  std::ranges::fill(gradient, Real{0});
  model.score()->add_gradient(observed, noisy, scores.directions(), data.weights, 0.0, gradient, execution.executor);
  report.proper = false;  // its optimum is the law of the noisy data
  report.positive = {.exact = false, .method = "scores of the data with noise"};
  return report;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
