#include <harmonium/models/continuous_law.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/model/domain.hpp>
#include <harmonium/models/half_line.hpp>
#include <harmonium/models/layered.hpp>
#include <harmonium/models/terms/lattice.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Whether its units, given the others, have the tails of a normal law: on both sides, or on one.
bool on_line(const Layer& layer) {
  const UnitType& unit = *layer.unit;
  return unit.num_states() == 0 && unit.has_curvature() && !std::isfinite(unit.min()) && !std::isfinite(unit.max());
}
bool on_half_line(const Layer& layer) {
  const UnitType& unit = *layer.unit;
  return unit.num_states() == 0 && unit.has_curvature() && std::isfinite(unit.min()) != std::isfinite(unit.max());
}

/// Layers of such units that are coupled with one another; none where all are Gaussian.
LayerSet coupled_half_lines(const Layout& layout, const std::vector<EnergyTerm::Bilinear>& couplings) {
  LayerSet coupled;
  bool any = false;
  for (const EnergyTerm::Bilinear& c : couplings) {
    const Layer &a = layout[c.a], &b = layout[c.b];
    if (!(on_line(a) || on_half_line(a)) || !(on_line(b) || on_half_line(b))) continue;
    coupled.add(c.a).add(c.b);
    any = any || !is_gaussian(a) || !is_gaussian(b);
  }
  return any ? coupled : LayerSet{};
}

std::string names_of(const Layout& layout, LayerSet set) {
  std::vector<std::string> names;
  for (const LayerId l : layout.ids())
    if (set.contains(l)) names.push_back(layout[l].name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

bool is_gaussian(const Layer& layer) { return is_normal(*layer.unit); }

const LatticeTerm* gaussian_lattice(const EnergyTerm& term, const Layout& layout) {
  const auto* lattice = dynamic_cast<const LatticeTerm*>(&term);
  return lattice && is_gaussian(layout[lattice->layer()]) ? lattice : nullptr;
}

ContinuousLaw::ContinuousLaw(const LayeredModel& model)
    : half_lines_(coupled_half_lines(model.layout(), model.couplings_)),
      coupled_(coupled_gaussians(model, model.layout().all())) {}

std::optional<std::string> ContinuousLaw::refresh(const LayeredModel& model) {
  const Layout& layout = model.layout();
  if (std::optional<std::string> too_high = field_limits(model)) return too_high;
  if (!half_lines_.empty() && !half_lines_have_density(model))
    return fmt::format(
        "the couplings of the continuous units (layers: {}) are too strong for their precisions: no density is sure to "
        "exist",
        names_of(layout, half_lines_));
  if (coupled_.empty()) return {};
  const std::vector<double> joint_precision = precision(model, coupled_);
  const Index n = layout.columns(coupled_);
  std::optional<JointGaussian> law = JointGaussian::of({joint_precision.data(), n, n, n});
  if (!law)
    return fmt::format(
        "the precision matrix of the {} coupled Gaussian units (layers: {}) is not positive definite: their couplings "
        "are too strong for their precisions, and no density exists",
        n, names_of(layout, coupled_));
  joint_ = std::move(law);
  lateral_.assign(layout.size(), {});
  for (const LayerId l : layout.ids()) {
    if (!model.lateral(l) || !is_gaussian(layout[l])) continue;
    const LayerSet alone = LayerSet().add(l);
    lateral_[static_cast<Index>(l)] = joint(model, alone, lateral_[static_cast<Index>(l)]);
  }
  return {};
}

LayerSet ContinuousLaw::coupled_gaussians(const LayeredModel& model, LayerSet set) {
  const Layout& layout = model.layout();
  LayerSet coupled;
  for (const EnergyTerm::Bilinear& c : model.couplings_)
    if (set.contains(c.a) && set.contains(c.b) && is_gaussian(layout[c.a]) && is_gaussian(layout[c.b]))
      coupled.add(c.a).add(c.b);
  for (const auto& t : model.terms())
    if (const LatticeTerm* lattice = gaussian_lattice(*t, layout); lattice && set.contains(lattice->layer()))
      coupled.add(lattice->layer());
  return coupled;
}

std::vector<Index> ContinuousLaw::columns(const LayeredModel& model, LayerSet coupled) {
  const Layout& layout = model.layout();
  std::vector<Index> at(layout.size(), 0);
  Index columns = 0;
  for (const LayerId l : layout.ids()) {
    at[static_cast<Index>(l)] = columns;
    if (coupled.contains(l)) columns += layout[l].columns();
  }
  return at;
}

std::vector<double> ContinuousLaw::precision(const LayeredModel& model, LayerSet coupled) {
  const std::vector<Index> at = columns(model, coupled);
  const Index n = model.layout().columns(coupled);
  std::vector<double> precision(n * n, 0.0);
  for (const LayerId l : model.layout().ids()) {
    if (!coupled.contains(l)) continue;
    const Index first = at[static_cast<Index>(l)];
    const std::vector<double> gamma = model.exact_precisions(l);
    for (Index c = 0; c < gamma.size(); ++c) precision[(first + c) * n + first + c] = gamma[c];
  }
  for (const EnergyTerm::Bilinear& c : model.couplings_) {
    if (!coupled.contains(c.a) || !coupled.contains(c.b)) continue;
    const ConstMatrixRef w = model.values(c);
    const Index first = at[static_cast<Index>(c.a)], second = at[static_cast<Index>(c.b)];
    for (Index i = 0; i < w.rows; ++i) {
      for (Index j = 0; j < w.cols; ++j) {
        if (c.lateral() && i == j) continue;
        precision[(first + i) * n + second + j] -= static_cast<double>(w(i, j));
        if (!c.lateral()) precision[(second + j) * n + first + i] -= static_cast<double>(w(i, j));
      }
    }
  }
  for (const auto& t : model.terms())
    if (const LatticeTerm* lattice = gaussian_lattice(*t, model.layout());
        lattice && coupled.contains(lattice->layer())) {
      const Index first = at[static_cast<Index>(lattice->layer())];
      const Index columns = model.layout()[lattice->layer()].columns();
      lattice->sparse()->subtract_from({&precision[first * n + first], columns, columns, n});
    }
  return precision;
}

void ContinuousLaw::fields(const LayeredModel& model, LayerSet coupled, LayerSet kept, const ExactRows& x,
                           MatrixView<double> out) {
  const std::vector<Index> at = columns(model, coupled);
  for (const LayerId l : model.layout().ids()) {
    if (!coupled.contains(l)) continue;
    const Index first = at[static_cast<Index>(l)];
    model.kept_fields(l, kept, x, out.columns(first, first + model.layout()[l].columns()));
  }
}

const JointGaussian& ContinuousLaw::joint(const LayeredModel& model, LayerSet coupled,
                                          std::optional<JointGaussian>& own) const {
  if (coupled == coupled_) return *joint_;
  const std::vector<double> part = precision(model, coupled);
  const Index n = model.layout().columns(coupled);
  own = JointGaussian::of({part.data(), n, n, n});
  return *own;  // a part of a positive definite matrix is one
}

bool ContinuousLaw::half_lines_have_density(const LayeredModel& model) const {
  const Layout& layout = model.layout();
  const std::vector<Index> at = columns(model, half_lines_);
  const std::vector<double> in_order = precision(model, half_lines_);
  const Index n = layout.columns(half_lines_);
  // Free coordinates first; a unit that is at most a number is the negative of one that is at least one.
  std::vector<Index> order;
  std::vector<double> sign(n, 1.0);
  Index num_free = 0;
  for (const bool free : {true, false})
    for (const LayerId l : layout.ids()) {
      if (!half_lines_.contains(l) || on_half_line(layout[l]) == free) continue;
      for (Index c = 0; c < layout[l].columns(); ++c) {
        order.push_back(at[static_cast<Index>(l)] + c);
        if (!free && !std::isfinite(layout[l].unit->min())) sign[order.back()] = -1.0;
        if (free) ++num_free;
      }
    }
  std::vector<double> reordered(n * n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      reordered[i * n + j] = sign[order[i]] * sign[order[j]] * in_order[order[i] * n + order[j]];
  return surely_integrable({reordered.data(), n, n, n}, num_free);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
