#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <memory>
#include <tuple>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/kernels/coupled_sweep.hpp>
#include <harmonium/framework/kernels/exact_dot.hpp>
#include <harmonium/framework/kernels/kernels.hpp>
#include <harmonium/framework/kernels/normal.hpp>
#include <harmonium/models/layered.hpp>
#include <harmonium/models/terms/lateral.hpp>
#include <harmonium/models/terms/lattice.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// What couples the units of a layer with each other, where that is one term that the kernels know.
struct LateralAlone {
  const EnergyTerm* term = nullptr;       ///< null: it is not
  const SparseLateral* sparse = nullptr;  ///< null: a matrix
};

LateralAlone lateral_alone(const EnergyTerms& terms, LayerId layer) {
  LateralAlone found;
  for (const auto& t : terms) {
    if (!t->couples(layer, layer)) continue;
    if (found.term) return {};
    if (const auto* matrix = dynamic_cast<const LateralTerm*>(t.get())) found = {matrix, matrix->sparse()};
    else if (const auto* lattice = dynamic_cast<const LatticeTerm*>(t.get())) found = {lattice, lattice->sparse()};
    else return {};
  }
  return found;
}

}  // namespace

bool LayeredKernel::two_states(LayerId layer) const {
  const UnitType& unit = *model_.layout()[layer].unit;
  return unit.width() == 1 && unit.num_states() == 2 && !unit.has_curvature();
}

bool LayeredKernel::draws(LayerId layer) const {
  if (!model_.lateral(layer)) return true;
  return lateral_alone(model_.terms(), layer).term && (two_states(layer) || is_gaussian(model_.layout()[layer]));
}

bool LayeredKernel::divisible(LayerId layer) const { return !model_.lateral(layer); }

bool LayeredKernel::follows(LayerId layer, std::span<const Block* const> blocks) const {
  std::vector<const Block*> own;
  for (const Block& block : model_.blocks_)
    if (block.layer == layer) own.push_back(&block);
  const auto same = [&] {
    return std::ranges::equal(own, blocks, [](const Block* a, const Block* b) { return a->units == b->units; });
  };
  if (same()) return true;
  if (!is_gaussian(model_.layout()[layer])) return false;
  // A draw from the joint law is its own reversal.
  std::ranges::reverse(own);
  return same();
}

void LayeredKernel::redraw(const Draw& draw, ChainView x) const {
  if (!model_.lateral(draw.layer)) redraw_independent(draw, x);
  else if (is_gaussian(model_.layout()[draw.layer])) redraw_jointly(draw, x);
  else redraw_in_order(draw, x);
}

void LayeredKernel::redraw_independent(const Draw& draw, ChainView x) const {
  const Layer& layer = model_.layout()[draw.layer];
  const Index width = layer.unit->width(), begin = draw.begin * width, end = draw.end * width;
  const MatrixRef state = x[draw.layer].columns(begin, end);
  const auto part = [&](MatrixRef m) { return m.empty() ? MatrixRef{} : m.columns(begin, end); };
  const MatrixRef mean = part(draw.mean), second = part(draw.second);

  MatrixView<const std::uint8_t> held;
  std::vector<Real> kept;
  if (draw.held) held = draw.held->units(draw.layer, x.begin, x.end);
  if (!held.empty()) {
    kept.resize(state.rows * state.cols);
    for (Index r = 0; r < state.rows; ++r) std::copy(state.row(r), state.row(r) + state.cols, &kept[r * state.cols]);
  }

  // The field of a layer without lateral couplings does not depend on its state, so it is built in the state's place, unless it
  // is asked for afterwards.
  const auto apart = std::make_unique_for_overwrite<Real[]>(draw.products.empty() ? 0 : state.rows * state.cols);
  const MatrixRef kept_field{apart.get(), state.rows, state.cols, state.cols};
  const MatrixRef field = !draw.products.empty() ? kept_field : draw.states ? state : mean;
  model_.fields_without_bias(draw.layer, begin, end, x, false, field);
  ConstFields fields{field};
  fields.bias = model_.bias(draw.layer) + begin;
  fields.scale = draw.scale;
  std::vector<Real> gamma;
  if (layer.unit->has_curvature()) {
    gamma = model_.precisions(draw.layer, begin, end);
    fields.curvature = {gamma.data(), state.rows, state.cols, 0};
    if (!second.empty()) layer.unit->moments(fields, {}, second);
  }
  if (draw.states) {
    layer.unit->sample(fields, draw.addresses, state, mean);
  } else if (!mean.empty()) {
    layer.unit->moments(fields, mean, {});
  }

  if (!held.empty()) {
    for (Index r = 0; r < state.rows; ++r) {
      for (Index c = 0; c < state.cols; ++c) {
        if (!held(r, (begin + c) / width)) continue;
        state(r, c) = kept[r * state.cols + c];
        if (!mean.empty()) mean(r, c) = state(r, c);
        if (!second.empty()) second(r, c) = state(r, c) * state(r, c);
      }
    }
  }
  for (Index r = 0; r < draw.products.size(); ++r)
    draw.products[r] += exact_dot(state.row(r), field.row(r), state.cols);
}

bool LayeredKernel::energy_follows(LayerSet drawn) const {
  return std::ranges::all_of(model_.layout().ids(), [&](LayerId l) {
    if (!drawn.contains(l)) return true;
    return !model_.lateral(l) && std::ranges::all_of(model_.terms(), [&](const auto& t) {
      if (!model_.joins(*t, l)) return true;
      const std::optional<EnergyTerm::Bilinear> c = t->bilinear();
      return c && !(drawn.contains(c->a) && drawn.contains(c->b));
    });
  });
}

// E = E of the units alone + Σ_t E_t of the terms that the drawn layers have no part in − Σ x f.
void LayeredKernel::energy(LayerSet drawn, std::span<const double> products, ConstChainView x,
                           std::span<double> out) const {
  const ExactRows exact(x);
  model_.unit_energies(model_.layout().all(), 1.0, x, out);
  for (const auto& t : model_.terms())
    if ((t->layers() & drawn).empty()) t->add_energy(1.0, exact, model_.theta_.data(), out);
  in_place(out) -= as_xtensor(products);
}

void LayeredKernel::redraw_in_order(const Draw& draw, ChainView x) const {
  const Index units = model_.layout()[draw.layer].size, rows = x.rows();
  assert(draw.begin == 0 && draw.end == units && draw.states && draw.mean.empty() && draw.second.empty());
  const MatrixRef state = x[draw.layer];

  std::vector<Real> from_others;
  CoupledUnits<Real> coupled;
  const LateralAlone lateral = lateral_alone(model_.terms(), draw.layer);
  assert(lateral.term);  // draws() said so
  if (!lateral.sparse) coupled.coupling = model_.values(*lateral.term->bilinear());
  const bool coupled_with_others = std::ranges::any_of(
      model_.terms(), [&](const auto& t) { return t.get() != lateral.term && model_.joins(*t, draw.layer); });
  if (coupled_with_others) {
    from_others.resize(rows * units);
    const MatrixRef field{from_others.data(), rows, units, units};
    model_.fields_without_bias(draw.layer, 0, units, x, false, field);
    coupled.field = field;
  }
  coupled.bias = model_.bias(draw.layer);
  coupled.scale = draw.scale;
  if (draw.held) coupled.held = draw.held->units(draw.layer, x.begin, x.end);
  std::array<Real, 2> domain{};
  model_.layout()[draw.layer].unit->states({domain.data(), 2, 1, 1});
  std::tie(coupled.low, coupled.high) = std::minmax(domain[0], domain[1]);

  if (!lateral.sparse) {
    sweep_coupled(kernels_of<Real>(), draw.addresses, coupled, state);
    return;
  }
  const auto scratch =
      std::make_unique_for_overwrite<Real[]>(sweep_scratch(units));  // zeros of a large one take half of the time
  kernels_of<Real>().sparse_sweep(draw.addresses, lateral.sparse->view(), coupled, state, scratch.get());
}

void LayeredKernel::redraw_jointly(const Draw& draw, ChainView x) const {
  const MatrixRef state = x[draw.layer];
  const JointGaussian& law = model_.law_.lateral(draw.layer);
  const Index n = state.cols;
  const auto held = draw.held ? draw.held->units(draw.layer, x.begin, x.end) : MatrixView<const std::uint8_t>{};
  std::vector<Real> from_others(state.rows * n);
  const MatrixRef others{from_others.data(), state.rows, n, n};
  model_.fields_without_bias(draw.layer, 0, n, x, false, others);

  // x = P⁻¹f + L⁻ᵀz/√β.
  std::vector<double> means(state.rows * n), noise(state.rows * n);
  const MatrixView<double> mean{means.data(), state.rows, n, n}, normal{noise.data(), state.rows, n, n};
  NormalDraws draws(draw.addresses, n);
  for (Index r = 0; r < state.rows; ++r) {
    const std::span<const double> z = draws.row(r);
    for (Index c = 0; c < n; ++c) {
      mean(r, c) = static_cast<double>(others(r, c)) + static_cast<double>(model_.bias(draw.layer)[c]);
      normal(r, c) = z[c];
    }
  }
  std::vector<double> fields, words;
  const bool any_held = !held.empty();
  if (any_held) {
    fields = means;
    words = noise;
  }
  law.means(mean);
  law.correlate(normal);
  const std::vector<double> precision =
      any_held ? ContinuousLaw::precision(model_, LayerSet().add(draw.layer)) : std::vector<double>();
  for (Index r = 0; r < state.rows; ++r) {
    const double beta = draw.scale ? static_cast<double>(draw.scale[r]) : 1.0;
    if (!any_held || std::none_of(held.row(r), held.row(r) + n, [](std::uint8_t h) { return h != 0; })) {
      for (Index c = 0; c < n; ++c) state(r, c) = static_cast<Real>(mean(r, c) + normal(r, c) / std::sqrt(beta));
      continue;
    }
    for (Index k = 0; k < n; ++k) {
      const Index c = draw.backward ? n - 1 - k : k;
      if (held(r, c)) continue;
      double field = fields[r * n + c];
      for (Index j = 0; j < n; ++j)
        if (j != c) field -= precision[c * n + j] * static_cast<double>(state(r, j));
      const double gamma = precision[c * n + c];
      state(r, c) = static_cast<Real>(field / gamma + words[r * n + c] / std::sqrt(beta * gamma));
    }
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
