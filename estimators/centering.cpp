#include <harmonium/estimators/centering.hpp>

#include <algorithm>
#include <array>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// x·y in a fixed order that vectorizes.
Real dot(const Real* x, const Real* y, Index n) {
  constexpr Index lanes = 16;
  std::array<Real, lanes> sums{};
  Index i = 0;
  for (; i + lanes <= n; i += lanes)
    for (Index k = 0; k < lanes; ++k) sums[k] += x[i + k] * y[i + k];
  Real sum = 0;
  for (; i < n; ++i) sum += x[i] * y[i];
  for (const Real s : sums) sum += s;
  return sum;
}

}  // namespace

void CenteringOptions::bind(OptionBinder& o, bool& centering, double& offset_rate) {
  o.option("centering", centering, "center the gradient by moving averages of the data phase's means");
  o.option("offset_rate", offset_rate, "weight of a batch in the centering offsets' moving average", within(0, 1));
}

void CenteringOptions::validate() const {
  if (!centering && offset_rate != CenteringOptions{}.offset_rate)
    throw ConfigError(
        "'offset_rate' is the rate of centering's offsets, but nothing is centered. Set centering = true.");
}

void Centering::check(const EnergyModel& model) {
  const ParameterLayout& parameters = model.parameter_layout();
  PerLayer<int> biases(model.layout().size(), 0);
  for (const ParameterBlock& b : parameters.blocks()) {
    if (b.role == ParameterRole::bias && b.uniform)
      throw CapabilityError(
          "centering: the units of layer '" + model.layout()[b.layers[0]].name +
          "' have one bias together, and centering moves the bias of each. Set estimator.centering = false.");
    if (b.role == ParameterRole::bias && b.layers.size() == 1) ++biases[b.layers[0]];
    if (b.role == ParameterRole::coupling && b.layers.size() != 2)
      throw CapabilityError("centering: parameter '" + b.name + "' does not say which two layers it couples.");
  }
  if (!std::ranges::all_of(biases, [](int n) { return n == 1; }))
    throw CapabilityError(
        "centering: the model does not have one bias for each layer, so its gradient cannot be centered. Set "
        "estimator.centering = false.");
}

void Centering::start(const EnergyModel& model, std::span<const double> marginals) {
  const Layout& layout = model.layout();
  offsets_.assign(layout.columns(layout.all()), 0.0);
  const PerLayer<Index> first = layout.first_columns(layout.all());
  Index column = 0;
  for (const LayerId l : layout.ids()) {
    const Layer& layer = layout[l];
    double* offset = offsets_.data() + first[l];
    if (layer.role == Role::observed && !marginals.empty()) {
      std::copy_n(marginals.begin() + static_cast<std::ptrdiff_t>(column), layer.columns(), offset);
      column += layer.columns();
      continue;
    }
    std::ranges::copy(means_without_field(*layer.unit, layer.columns()), offset);
  }
}

void Centering::take_sums(const EnergyModel& model, std::span<const Real> positive, std::span<Real> sums) {
  const PerLayer<Index> first = model.layout().first_columns(model.layout().all());
  for (const ParameterBlock& b : model.parameter_layout().blocks())
    if (b.role == ParameterRole::bias)
      std::ranges::copy(positive.subspan(b.offset, b.size()), sums.subspan(first[b.layers[0]], b.size()).begin());
}

void Centering::update_offsets(const EnergyModel& model, const WholeBatch& batch, std::span<const Real> sums) {
  if (offsets_.empty()) start(model, batch.marginals);
  if (batch.weight <= 0.0) return;
  auto offset = as_xtensor(std::span(offsets_));
  const auto mean = -xt::cast<double>(as_xtensor(sums)) / batch.weight;
  offset += rate_ * (mean - offset);
}

void Centering::center(const EnergyModel& model, std::span<Real> gradient, const Executor& executor) const {
  constexpr Index slab = 64;
  const ParameterLayout& parameters = model.parameter_layout();
  const PerLayer<Index> first = model.layout().first_columns(model.layout().all());
  const std::vector<Real> mu(offsets_.begin(), offsets_.end());
  PerLayer<Index> bias_of(model.layout().size());
  for (const ParameterBlock& b : parameters.blocks())
    if (b.role == ParameterRole::bias) bias_of[b.layers[0]] = b.offset;

  // The bias rows of the plain gradient are −Δ⟨x⟩; every coupling needs them unchanged.
  std::vector<Real> plain(mu.size());
  for (const LayerId l : model.layout().ids())
    std::copy_n(gradient.data() + bias_of[l], model.layout()[l].columns(), plain.data() + first[l]);
  for (Index k = 0; k < parameters.blocks().size(); ++k) {
    const ParameterBlock& block = parameters[k];
    if (block.role != ParameterRole::coupling) continue;
    const LayerId a = block.layers[0], b = block.layers[1];
    const Real *mu_a = mu.data() + first[a], *mu_b = mu.data() + first[b];
    const Real *g_a = plain.data() + first[a], *g_b = plain.data() + first[b];
    const MatrixRef g = parameters.view(k, gradient.data());
    Real *out_a = gradient.data() + bias_of[a], *out_b = gradient.data() + bias_of[b];
    const Real count_a = see_double_.contains(a) ? Real{2} : Real{1};
    const Real count_b = see_double_.contains(b) ? Real{2} : Real{1};
    const bool lateral = block.symmetry == Symmetry::symmetric_zero_diagonal;
    const Index width = model.layout()[block.layers[0]].unit->width();
    executor.for_each_piece(g.rows, slab, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        Real* row = g.row(i);
        const Real ga = g_a[i], ma = mu_a[i];
        for (Index j = 0; j < g.cols; ++j) row[j] -= ga * mu_b[j] + ma * g_b[j];
        if (block.mask)
          for (Index j = 0; j < g.cols; ++j) row[j] *= (*block.mask)[i * g.cols + j];
        if (lateral) std::fill(row + i / width * width, row + (i / width + 1) * width, Real{0});
        out_a[i] -= count_a * dot(row, mu_b, g.cols);
      }
    });
    if (lateral) continue;  // L is symmetric: its rows have said it all
    executor.for_each_piece(g.cols, slab, [&](Index begin, Index end) {
      for (Index i = 0; i < g.rows; ++i) {
        const Real* row = g.row(i);
        for (Index j = begin; j < end; ++j) out_b[j] -= count_b * row[j] * mu_a[i];
      }
    });
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
