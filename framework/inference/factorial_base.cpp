#include <harmonium/framework/inference/factorial_base.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace harmonium {
inline namespace HARMONIUM_ABI {

FactorialBase::FactorialBase(const EnergyModel& model) : layout_(model.layout()) {
  for (const LayerId l : layout_.ids()) {
    const Layer& layer = layout_[l];
    bias_.push_back(parameter_layout_.add(
        {.name = "bias." + layer.name, .rows = layer.columns(), .role = ParameterRole::bias, .layers = {l}}));
    blocks_.push_back({l, {}, layer.size});
  }
  log_precision_.assign(layout_.size(), static_cast<Index>(-1));
  for (const LayerId l : layout_.ids()) {
    const Layer& layer = layout_[l];
    if (!layer.unit->has_curvature()) continue;
    log_precision_[static_cast<Index>(l)] = parameter_layout_.add({.name = "log_precision." + layer.name,
                                                                   .rows = layer.columns(),
                                                                   .role = ParameterRole::log_precision,
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
  precision_.assign(layout_.size(), {});
  for (Index l = 0; l < layout_.size(); ++l) {
    if (log_precision_[l] >= parameter_layout_.blocks().size()) continue;
    const ParameterBlock& b = parameter_layout_[log_precision_[l]];
    for (Index c = 0; c < b.size(); ++c) precision_[l].push_back(std::exp(theta_[b.offset + c]));
  }
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
    const Index bias_at = parameter_layout_[bias_[static_cast<Index>(l)]].offset;
    const std::vector<Real>& gamma = precision(l);
    const Index precision_at = gamma.empty() ? 0 : parameter_layout_[log_precision_[static_cast<Index>(l)]].offset;
    executor.for_each_piece(values.cols, 256, [&](Index begin, Index end) {
      for (Index c = begin; c < end; ++c) {
        double mean = 0.0, second = 0.0;
        for (Index r = 0; r < values.rows; ++r) {
          const auto v = static_cast<double>(values(r, c));
          mean += weights[r] * v;
          second += weights[r] * v * v;
        }
        gradient[bias_at + c] -= static_cast<Real>(mean);
        if (!gamma.empty())
          gradient[precision_at + c] += static_cast<Real>(0.5 * static_cast<double>(gamma[c]) * second);
      }
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
    const auto i = static_cast<Index>(l);
    const Index columns = layout_[l].columns(), bias_at = parameter_layout_[bias_[i]].offset;
    const std::vector<Real>& gamma = precision(l);
    const Index precision_at = gamma.empty() ? 0 : parameter_layout_[log_precision_[i]].offset;
    std::vector<Real> mean(columns), second(gamma.size());
    if (!kept.contains(l)) {
      ConstFields fields{{bias(l).data, 1, columns, columns}};
      MatrixRef squares;
      if (!gamma.empty()) {
        fields.curvature = {gamma.data(), 1, columns, columns};
        squares = {second.data(), 1, columns, columns};
      }
      layout_[l].unit->moments(fields, {mean.data(), 1, columns, columns}, squares);
    }
    for (Index c = 0; c < columns; ++c) {
      gradient[bias_at + c] += kept.contains(l) ? own[bias_at + c] : static_cast<Real>(-total) * mean[c];
      if (gamma.empty()) continue;
      gradient[precision_at + c] +=
          kept.contains(l) ? own[precision_at + c] : static_cast<Real>(0.5 * total) * gamma[c] * second[c];
    }
  }
}

void FactorialBase::fields(const Block& block, Index begin, Index end, ConstChainView x, const Fields& out) const {
  const Index width = layout_[block.layer].unit->width();
  const ConstMatrixRef b = bias(block.layer);
  const std::vector<Real>& gamma = precision(block.layer);
  for (Index k = begin; k < end; ++k) {
    const Index unit = block.whole() ? k : block.units[k];
    for (Index c = 0; c < width; ++c) {
      const Index from = unit * width + c, to = (k - begin) * width + c;
      for (Index r = 0; r < x.rows(); ++r) out.linear(r, to) = b(from, 0);
      if (out.curvature.empty()) continue;
      for (Index r = 0; r < x.rows(); ++r) out.curvature(r, to) = gamma[from];
    }
  }
}

void FactorialBase::evaluate(LayerSet kept, double beta, ConstChainView x, std::span<double> out) const {
  double summed = 0.0;
  for (const LayerId l : layout_.ids())
    if (!kept.contains(l)) summed += log_partition(l, beta);
  std::fill(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(x.rows()), -summed);
  for (const LayerId l : layout_.ids()) {
    if (!kept.contains(l)) continue;
    const ConstMatrixRef values = x[l], b = bias(l);
    const std::vector<Real>& gamma = precision(l);
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
  std::vector<double> gamma(precision(layer).begin(), precision(layer).end());
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
