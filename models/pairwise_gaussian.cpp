// Continuous units of a pairwise model that are coupled with one another: the joint law of Gaussian ones, and whether there is one of others.
#include <algorithm>
#include <cmath>
#include <limits>

#include <harmonium/framework/kernels/normal.hpp>
#include <harmonium/models/half_line.hpp>
#include <harmonium/models/pairwise.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

bool Pairwise::gaussian(LayerId layer) const {
  const UnitType& unit = *layout_[layer].unit;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return unit.num_states() == 0 && unit.has_curvature() && unit.least() == -infinity && unit.greatest() == infinity;
}

LayerSet Pairwise::coupled_gaussians(LayerSet set) const {
  LayerSet coupled;
  for (const Coupling& c : couplings_) {
    if (!set.contains(c.a) || !set.contains(c.b) || !gaussian(c.a) || !gaussian(c.b)) continue;
    coupled.add(c.a).add(c.b);
  }
  return coupled;
}

std::vector<Index> Pairwise::joint_columns(LayerSet coupled) const {
  std::vector<Index> at(layout_.size(), 0);
  Index columns = 0;
  for (const LayerId l : layout_.ids()) {
    at[static_cast<Index>(l)] = columns;
    if (coupled.contains(l)) columns += layout_[l].columns();
  }
  return at;
}

std::vector<double> Pairwise::joint_precision(LayerSet coupled) const {
  const std::vector<Index> at = joint_columns(coupled);
  const Index n = layout_.columns(coupled);
  std::vector<double> precision(n * n, 0.0);
  for (const LayerId l : layout_.ids()) {
    if (!coupled.contains(l)) continue;
    const Index first = at[static_cast<Index>(l)];
    const std::vector<double> gamma = exact_precisions(l);
    for (Index c = 0; c < gamma.size(); ++c) precision[(first + c) * n + first + c] = gamma[c];
  }
  for (const Coupling& c : couplings_) {
    if (!coupled.contains(c.a) || !coupled.contains(c.b)) continue;
    const ConstMatrixRef w = tensor(c.block);
    const Index first = at[static_cast<Index>(c.a)], second = at[static_cast<Index>(c.b)];
    for (Index i = 0; i < w.rows; ++i) {
      for (Index j = 0; j < w.cols; ++j) {
        if (c.lateral() && i == j) continue;
        precision[(first + i) * n + second + j] = precision[(second + j) * n + first + i] =
            -static_cast<double>(w(i, j));
      }
    }
  }
  return precision;
}

bool Pairwise::on_half_line(LayerId layer) const {
  const UnitType& unit = *layout_[layer].unit;
  return unit.num_states() == 0 && unit.has_curvature() &&
         std::isfinite(unit.least()) != std::isfinite(unit.greatest());
}

LayerSet Pairwise::coupled_half_lines() const {
  LayerSet coupled;
  bool any = false;
  for (const Coupling& c : couplings_) {
    if (!(gaussian(c.a) || on_half_line(c.a)) || !(gaussian(c.b) || on_half_line(c.b))) continue;
    coupled.add(c.a).add(c.b);
    any = any || on_half_line(c.a) || on_half_line(c.b);
  }
  return any ? coupled : LayerSet{};
}

bool Pairwise::half_lines_have_density() const {
  const std::vector<Index> at = joint_columns(half_lines_);
  const std::vector<double> in_order = joint_precision(half_lines_);
  const Index n = layout_.columns(half_lines_);
  // Free coordinates first; a unit that is at most a number is the negative of one that is at least one.
  std::vector<Index> order;
  std::vector<double> sign(n, 1.0);
  Index num_free = 0;
  for (const bool free : {true, false})
    for (const LayerId l : layout_.ids()) {
      if (!half_lines_.contains(l) || on_half_line(l) == free) continue;
      for (Index c = 0; c < layout_[l].columns(); ++c) {
        order.push_back(at[static_cast<Index>(l)] + c);
        if (!free && !std::isfinite(layout_[l].unit->least())) sign[order.back()] = -1.0;
        if (free) ++num_free;
      }
    }
  std::vector<double> precision(n * n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      precision[i * n + j] = sign[order[i]] * sign[order[j]] * in_order[order[i] * n + order[j]];
  return surely_integrable({precision.data(), n, n, n}, num_free);
}

const JointGaussian& Pairwise::joint_law(LayerSet coupled, std::optional<JointGaussian>& own) const {
  if (coupled == coupled_) return *joint_;
  const std::vector<double> precision = joint_precision(coupled);
  const Index n = layout_.columns(coupled);
  own = JointGaussian::of({precision.data(), n, n, n});
  return *own;  // a part of a positive definite matrix is one
}

void Pairwise::joint_fields(LayerSet coupled, LayerSet kept, ConstChainView x, MatrixView<double> out) const {
  const std::vector<Index> at = joint_columns(coupled);
  for (const LayerId l : layout_.ids()) {
    if (!coupled.contains(l)) continue;
    const Index first = at[static_cast<Index>(l)];
    kept_fields(l, kept, x, out.columns(first, first + layout_[l].columns()));
  }
}

void Pairwise::redraw_jointly(const Draw& draw, ChainView x) const {
  const MatrixRef state = x[draw.layer];
  const JointGaussian& law = *lateral_law_[static_cast<Index>(draw.layer)];
  const Index n = state.cols;
  const auto held = draw.held ? draw.held->units(draw.layer, x.begin, x.end) : MatrixView<const std::uint8_t>{};
  std::vector<Real> from_others(state.rows * n);
  const MatrixRef others{from_others.data(), state.rows, n, n};
  add_up_fields(draw.layer, 0, n, x, false, others);

  // x = P⁻¹f + L⁻ᵀz/√β.
  std::vector<double> means(state.rows * n), noise(state.rows * n);
  const MatrixView<double> mean{means.data(), state.rows, n, n}, normal{noise.data(), state.rows, n, n};
  NormalDraws draws(draw.addresses, n);
  for (Index r = 0; r < state.rows; ++r) {
    const std::span<const double> z = draws.row(r);
    for (Index c = 0; c < n; ++c) {
      mean(r, c) = static_cast<double>(others(r, c)) + static_cast<double>(bias(draw.layer)[c]);
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
  const std::vector<double> precision = any_held ? joint_precision(LayerSet().add(draw.layer)) : std::vector<double>();
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
