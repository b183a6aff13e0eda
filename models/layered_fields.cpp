// What is summed over the terms of a layered model: fields, energies, gradients.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <xtensor/xmath.hpp>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/kernels/exact_dot.hpp>
#include <harmonium/framework/model/tiling.hpp>
#include <harmonium/models/layered.hpp>
#include <harmonium/models/terms/outer_products.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

const Real* LayeredModel::bias(LayerId layer) const {
  const EnergyTerm* term = bias_[static_cast<Index>(layer)];
  return term ? term->bias(layer, theta_.data()) : zeros_.data();
}

namespace {

/// γ of columns [begin, end) of a layer by its precision or crystal field.
template <class T>
std::vector<T> curvatures_of(const EnergyTerm& term, LayerId layer, const Real* theta, Index begin, Index end) {
  const Real* const field = term.crystal_field(layer, theta);
  const ParameterRole role = field ? ParameterRole::crystal_field : ParameterRole::log_precision;
  const Real* const values = field ? field : term.log_precision(layer, theta);
  std::vector<T> gamma(end - begin);
  std::transform(values + begin, values + end, gamma.begin(),
                 [role](Real v) { return curvature_of(role, static_cast<T>(v)); });
  return gamma;
}

/// Whether the tensor that begins there is one parameter.
bool is_uniform_at(const ParameterLayout& parameters, Index offset) {
  return std::ranges::any_of(parameters.blocks(),
                             [offset](const ParameterBlock& b) { return b.uniform && b.offset == offset; });
}

}  // namespace

std::vector<Real> LayeredModel::precisions(LayerId layer, Index begin, Index end) const {
  return curvatures_of<Real>(*curvature_[static_cast<Index>(layer)], layer, theta_.data(), begin, end);
}

std::vector<double> LayeredModel::exact_precisions(LayerId layer) const {
  const Index columns = layout_[layer].columns();
  if (!layout_[layer].unit->has_curvature()) return std::vector<double>(columns, 0.0);
  return curvatures_of<double>(*curvature_[static_cast<Index>(layer)], layer, theta_.data(), 0, columns);
}

void LayeredModel::fields_without_bias(LayerId layer, Index begin, Index end, ConstChainView x, bool with_lateral,
                                       MatrixRef out) const {
  Real keep = 0;
  for (const auto& t : terms_) {
    if (!joins(*t, layer) || (!with_lateral && t->couples(layer, layer))) continue;
    t->add_fields(layer, begin, end, x, theta_.data(), keep, out);
    keep = 1;
  }
  if (keep == 0)
    for (Index r = 0; r < out.rows; ++r) std::fill(out.row(r), out.row(r) + out.cols, Real{0});
}

void LayeredModel::kept_fields(LayerId layer, LayerSet kept, const ExactRows& x, MatrixView<double> out) const {
  const Real* b = bias(layer);
  for (Index r = 0; r < out.rows; ++r) std::copy(b, b + out.cols, out.row(r));
  for (const auto& t : terms_) {
    if (!joins(*t, layer) || t->couples(layer, layer)) continue;
    const bool given = (t->layers() - kept - LayerSet().add(layer)).empty();
    if (given) t->add_exact_fields(layer, x, theta_.data(), out);
  }
}

void LayeredModel::own_fields(LayerId layer, LayerSet kept, const ExactRows& x, MatrixView<double> out) const {
  kept_fields(layer, kept, x, out);
  for (const auto& t : terms_)
    if (t->couples(layer, layer)) t->add_exact_fields(layer, x, theta_.data(), out);
}

const void* LayeredModel::extension(std::string_view id) const {
  return id == ExactFields::extension_id ? static_cast<const ExactFields*>(this) : nullptr;
}

const StateGradient* LayeredModel::state_gradient() const {
  const auto& layers = layout_.layers();
  return std::ranges::any_of(layers, [](const Layer& l) { return l.unit->num_states() == 0; }) ? this : nullptr;
}

void LayeredModel::evaluate(ConstChainView x, std::span<const MatrixRef> out) const {
  for (const LayerId l : layout_.ids()) {
    const MatrixRef slope = out[static_cast<Index>(l)];
    if (slope.empty()) continue;
    fields_without_bias(l, 0, slope.cols, x, true, slope);
    const ConstMatrixRef value = x[l];
    const Real* b = bias(l);
    const std::vector<Real> gamma =
        layout_[l].unit->has_curvature() ? precisions(l, 0, slope.cols) : std::vector<Real>(slope.cols, Real{0});
    for (Index r = 0; r < slope.rows; ++r)
      for (Index c = 0; c < slope.cols; ++c) slope(r, c) = gamma[c] * value(r, c) - (slope(r, c) + b[c]);
  }
}

void LayeredModel::unit_energies(LayerSet layers, double beta, ConstChainView x, std::span<double> out) const {
  std::ranges::fill(out.first(x.rows()), 0.0);
  for (const LayerId l : layout_.ids()) {
    if (!layers.contains(l)) continue;
    const ConstMatrixRef values = x[l];
    const Real* b = bias(l);
    const std::vector<double> gamma = layout_[l].unit->has_curvature() ? exact_precisions(l) : std::vector<double>();
    for (Index r = 0; r < values.rows; ++r) {
      double e = -exact_dot(values.row(r), b, values.cols);
      for (Index c = 0; c < gamma.size(); ++c) {
        const auto v = static_cast<double>(values(r, c));
        e += 0.5 * gamma[c] * v * v;
      }
      out[r] += beta * e;
    }
  }
}

void LayeredModel::energy(ConstChainView x, std::span<double> out) const {
  if (!out.empty()) free_energy_.evaluate(layout_.all(), 1.0, x, out);
}

void LayeredModel::add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                                const Executor& executor) const {
  Moments q;
  std::vector<std::vector<Real>> squares(layout_.size());
  for (const LayerId l : layout_.ids()) {
    const ConstMatrixRef values = x[l];
    q.mean.push_back(values);
    q.second.emplace_back();
    if (!layout_[l].unit->has_curvature()) continue;
    std::vector<Real>& s = squares[static_cast<Index>(l)];
    s.resize(values.rows * values.cols);
    const MatrixRef square{s.data(), values.rows, values.cols, values.cols};
    as_xtensor(square) = xt::square(as_xtensor(values));
    q.second.back() = square;
  }
  add_gradient(q, weights, gradient, executor);
}

void LayeredModel::add_gradient(const Moments& q, std::span<const double> weights, std::span<Real> gradient,
                                const Executor& executor) const {
  if (weights.empty()) return;
  for (const LayerId l : layout_.ids()) {
    const std::optional<Index> offset = learned_precision(l);
    if (!offset) continue;
    const ConstMatrixRef second = q.second[static_cast<Index>(l)];
    const std::vector<Real> gamma = precisions(l, 0, second.cols);
    const std::vector<double> sums = weighted_sums(second, weights, 0, second.cols);
    Real* out = gradient.data() + *offset;
    for (Index c = 0; c < second.cols; ++c)
      out[c] += static_cast<Real>(0.5 * static_cast<double>(gamma[c]) * sums[c]);  // ∂E/∂log γ = ½ γ x²
  }

  for (const LayerId l : layout_.ids()) {
    const std::optional<Index> offset = learned_crystal_field(l);
    if (!offset) continue;
    const ConstMatrixRef second = q.second[static_cast<Index>(l)];
    const std::vector<double> sums = weighted_sums(second, weights, 0, second.cols);
    Real* out = gradient.data() + *offset;
    for (Index c = 0; c < second.cols; ++c) out[c] += static_cast<Real>(sums[c]);  // ∂E/∂D = x²
  }

  add_bias_gradient(q, weights, gradient, executor);
  for (const auto& t : terms_) t->add_gradient(q, weights, theta_.data(), gradient, executor);
  finish_gradient(gradient);
}

void LayeredModel::add_bias_gradient(const Moments& q, std::span<const double> weights, std::span<Real> gradient,
                                     const Executor& executor) const {
  // Panels of the biases of all layers in one call of the executor: parameters are cut, not rows.
  struct Panel {
    LayerId layer;
    Index begin, end;
    bool uniform;
    double sum = 0.0;
  };
  std::vector<Panel> panels;
  for (const LayerId l : layout_.ids()) {
    const Index columns = bias_[static_cast<Index>(l)] ? layout_[l].columns() : 0, width = Tiling::panel(columns);
    const bool uniform = columns > 0 && is_uniform_at(parameter_layout_, static_cast<Index>(bias(l) - theta_.data()));
    for (Index begin = 0; begin < columns; begin += width)
      panels.push_back({l, begin, std::min(begin + width, columns), uniform});
  }
  const auto entries = [&](LayerId l) { return gradient.data() + (bias(l) - theta_.data()); };
  executor.for_each_piece(panels.size(), 1, [&](Index at, Index) {
    Panel& panel = panels[at];
    const std::vector<double> sums =
        weighted_sums(q.mean[static_cast<Index>(panel.layer)], weights, panel.begin, panel.end);
    Real* out = entries(panel.layer) + panel.begin;
    if (panel.uniform) panel.sum = std::accumulate(sums.begin(), sums.end(), 0.0);
    else
      for (Index c = 0; c < sums.size(); ++c) out[c] -= static_cast<Real>(sums[c]);  // ∂E/∂b = −x
  });
  // Of one bias for all units the slope is the sum over these, and stands at each entry.
  PerLayer<double> totals(layout_.size(), 0.0);
  for (const Panel& panel : panels) totals[panel.layer] += panel.sum;
  for (const Panel& panel : panels) {
    Real* const out = entries(panel.layer);
    for (Index c = panel.begin; panel.uniform && c < panel.end; ++c) out[c] -= static_cast<Real>(totals[panel.layer]);
  }
}

void LayeredModel::finish_gradient(std::span<Real> gradient) const {
  for (const auto& t : terms_) t->finish_gradient(gradient);
  parameter_layout_.clear_absent(gradient);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
