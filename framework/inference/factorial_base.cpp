#include <harmonium/framework/inference/factorial_base.hpp>

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <xtensor/xmath.hpp>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

FactorialBase::FactorialBase(const EnergyModel& model) : layout_(model.layout()) {
  for (const LayerId l : layout_.ids()) {
    const Layer& layer = layout_[l];
    bias_.push_back(parameter_layout_.add(
        {.name = "bias." + layer.name, .rows = layer.columns(), .role = ParameterRole::bias, .layers = {l}}));
    blocks_.push_back({l, {}, layer.size});
  }
  curvature_.assign(layout_.size(), static_cast<Index>(-1));
  for (const LayerId l : layout_.ids()) {
    const Layer& layer = layout_[l];
    if (!layer.unit->has_curvature()) continue;
    const ParameterRole role = has_precision(*layer.unit) ? ParameterRole::log_precision : ParameterRole::crystal_field;
    curvature_[l] = parameter_layout_.add({.name = fmt::format("{}.{}", name_of(role), layer.name),
                                           .rows = layer.columns(),
                                           .role = role,
                                           .layers = {l}});
  }
  theta_.assign(parameter_layout_.size(), Real{0});
  for (const ParameterBlock& own : parameter_layout_.blocks()) {
    for (const ParameterBlock& b : model.parameter_layout().blocks()) {
      if (b.role != own.role || b.layers != own.layers || b.size() != own.size()) continue;
      const auto values = model.parameters().subspan(b.offset, b.size());
      std::copy(values.begin(), values.end(), theta_.begin() + static_cast<std::ptrdiff_t>(own.offset));
    }
  }
  refresh();
}

void FactorialBase::refresh() {
  gamma_.assign(layout_.size(), {});
  slope_.assign(layout_.size(), {});
  for (const LayerId l : layout_.ids()) {
    if (!layout_[l].unit->has_curvature()) continue;
    const ParameterRole role = parameter_layout_[curvature_[l]].role;
    for (const Real x : of_curvature(l, theta_)) {
      gamma_[l].push_back(curvature_of(role, x));
      slope_[l].push_back(role == ParameterRole::crystal_field ? Real{1} : gamma_[l].back() / 2);
    }
  }
}

std::span<Real> FactorialBase::of_bias(LayerId layer, std::span<Real> gradient) const {
  const ParameterBlock& b = parameter_layout_[bias_[layer]];
  return gradient.subspan(b.offset, b.size());
}

std::span<Real> FactorialBase::of_curvature(LayerId layer, std::span<Real> gradient) const {
  if (!layout_[layer].unit->has_curvature()) return {};
  const ParameterBlock& b = parameter_layout_[curvature_[layer]];
  return gradient.subspan(b.offset, b.size());
}

void FactorialBase::update_parameters(FunctionRef<void(std::span<Real>)> write) {
  std::vector<Real> next = theta_;  // if `write` throws, nothing has changed
  write(next);
  theta_ = next;
  refresh();
}

void FactorialBase::energy(ConstChainView x, std::span<double> out) const { evaluate(layout_.all(), 1.0, x, out); }

void FactorialBase::add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                                 const Executor& executor) const {
  for (const LayerId l : layout_.ids()) {
    const ConstMatrixRef values = x[l];
    const std::vector<Real>& slope = slope_[l];
    const std::span<Real> bias = of_bias(l, gradient), curvature = of_curvature(l, gradient);
    executor.for_each_piece(values.cols, 256, [&](Index begin, Index end) {
      Vector<double> mean = zeros<double>(end - begin), second = zeros<double>(end - begin);
      for (Index r = 0; r < values.rows; ++r) {
        const Vector<double> v = xt::cast<double>(as_xtensor(values[r].subspan(begin, end - begin)));
        xt::noalias(mean) += weights[r] * v;
        xt::noalias(second) += weights[r] * v * v;
      }
      in_place(bias.subspan(begin, end - begin)) -= xt::cast<Real>(mean);
      if (slope.empty()) return;
      const auto own = as_xtensor(std::span(slope).subspan(begin, end - begin));
      in_place(curvature.subspan(begin, end - begin)) += xt::cast<Real>(xt::cast<double>(own) * second);
    });
  }
}

void FactorialBase::add_gradient(LayerSet kept, ConstChainView x, std::span<const double> weights,
                                 std::span<Real> gradient, const Executor& executor) const {
  // A layer that is summed out has the same means whatever the others are: one row with all the weight.
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<Real> own(theta_.size(), Real{0});
  add_gradient(x, weights, own, executor);
  for (const LayerId l : layout_.ids()) {
    auto of_bias = as_xtensor(this->of_bias(l, gradient));
    auto of_curvature = as_xtensor(this->of_curvature(l, gradient));
    if (kept.contains(l)) {
      of_bias += as_xtensor(this->of_bias(l, own));
      of_curvature += as_xtensor(this->of_curvature(l, own));
      continue;
    }
    const Index columns = layout_[l].columns();
    const std::vector<Real>& gamma = gamma_[l];
    UnitBuffer moments(*layout_[l].unit, 1, columns);
    ConstFields fields{{bias(l).data, 1, columns, columns}};
    if (!gamma.empty()) fields.curvature = {gamma.data(), 1, columns, columns};
    layout_[l].unit->moments(fields, moments.first(), moments.second());
    of_bias += static_cast<Real>(-total) * as_xtensor(moments.first().all());
    of_curvature += static_cast<Real>(total) * as_xtensor(std::span(slope_[l])) * as_xtensor(moments.second().all());
  }
}

void FactorialBase::fields(const Block& block, Index begin, Index end, ConstChainView, const Fields& out) const {
  const Index width = layout_[block.layer].unit->width();
  const ConstMatrixRef b = bias(block.layer);
  const std::vector<Real>& gamma = gamma_[block.layer];
  for (Index k = begin; k < end; ++k) {
    const Index unit = block.whole() ? k : block.units[k];
    for (Index c = 0; c < width; ++c) {
      const Index from = unit * width + c, to = (k - begin) * width + c;
      xt::col(as_xtensor(out.linear), to) = b(from, 0);
      if (!out.curvature.empty()) xt::col(as_xtensor(out.curvature), to) = gamma[from];
    }
  }
}

void FactorialBase::evaluate(LayerSet kept, double beta, ConstChainView x, std::span<double> out) const {
  double summed = 0.0;
  for (const LayerId l : layout_.ids(layout_.all() - kept)) summed += log_partition(l, beta);
  std::ranges::fill(out.first(x.rows()), -summed);
  for (const LayerId l : layout_.ids(kept)) {
    const ConstMatrixRef values = x[l], b = bias(l);
    const std::vector<Real>& gamma = gamma_[l];
    for (Index r = 0; r < values.rows; ++r) {
      double e = 0.0;
      for (Index c = 0; c < values.cols; ++c) {
        const auto v = static_cast<double>(values(r, c));
        e -= static_cast<double>(b(c, 0)) * v;
        if (!gamma.empty()) e += 0.5 * static_cast<double>(gamma[c]) * v * v;
      }
      out[r] += beta * e;
    }
  }
}

const StateGradient* FactorialBase::state_gradient() const {
  return std::ranges::any_of(layout_.layers(), [](const Layer& l) { return l.unit->num_states() == 0; }) ? this
                                                                                                         : nullptr;
}

void FactorialBase::evaluate(ConstChainView x, std::span<const MatrixRef> out) const {
  for (const LayerId l : layout_.ids()) {
    const MatrixRef& slope = out[static_cast<Index>(l)];
    if (slope.empty()) continue;
    const ConstMatrixRef values = x[l], b = bias(l);
    const std::vector<Real>& gamma = gamma_[l];
    for (Index r = 0; r < values.rows; ++r)
      for (Index c = 0; c < values.cols; ++c)
        slope(r, c) = (gamma.empty() ? Real{0} : gamma[c] * values(r, c)) - b(c, 0);
  }
}

double FactorialBase::operations(LayerSet kept) const {
  constexpr double log_partition_of_a_unit = 20.0;
  double operations = 0.0;
  for (const LayerId l : layout_.ids())
    operations += static_cast<double>(layout_[l].columns()) * (kept.contains(l) ? 2.0 : log_partition_of_a_unit);
  return operations;
}

double FactorialBase::log_partition(LayerId layer, double beta) const {
  const ConstMatrixRef b = bias(layer);
  std::vector<double> linear(b.data, b.data + b.rows);
  std::vector<double> gamma(gamma_[layer].begin(), gamma_[layer].end());
  const double scale = beta;
  double sum = 0.0;
  BasicFields<const double> fields{{linear.data(), 1, linear.size(), linear.size()}};
  if (!gamma.empty()) fields.curvature = {gamma.data(), 1, gamma.size(), gamma.size()};
  fields.scale = &scale;
  layout_[layer].unit->add_log_partition(fields, {&sum, 1});
  return sum;
}

double FactorialBase::log_partition(double beta) const {
  double sum = 0.0;
  for (const LayerId l : layout_.ids()) sum += log_partition(l, beta);
  return sum;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
