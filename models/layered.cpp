#include <harmonium/models/layered.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/models/terms/coupling.hpp>
#include <harmonium/models/terms/lateral.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

EnergyTerms terms_of(const LayerGraph& graph) {
  EnergyTerms terms;
  const auto name = [&](Index l) -> const std::string& {
    if (l >= graph.layers.size())
      throw ConfigError(fmt::format("a coupling names layer {} of {}", l, graph.layers.size()));
    return graph.layers[l].name;
  };
  for (auto [a, b] : graph.couplings) {
    if (a == b) terms.push_back(std::make_unique<LateralTerm>(LateralTerm::Options{name(a)}));
    else terms.push_back(std::make_unique<CouplingTerm>(CouplingTerm::Options{{name(a), name(b)}}));
  }
  return with_unit_terms(graph.layers, std::move(terms), {.learned_precisions = graph.learned_precisions});
}

EnergyTerms copies_of(const EnergyTerms& terms) {
  EnergyTerms copies;
  for (const auto& t : terms) copies.push_back(t->copy());
  return copies;
}

}  // namespace

LayeredModel::LayeredModel(const LayerGraph& graph) : LayeredModel(graph.layers, terms_of(graph)) {}

LayeredModel::LayeredModel(std::vector<Layer> layers, EnergyTerms terms)
    : layout_(std::move(layers)), terms_(std::move(terms)) {
  declare_terms();
  Index widest = 0;
  for (const LayerId l : layout_.ids())
    widest = std::max(widest, bias_[static_cast<Index>(l)] ? 0 : layout_[l].columns());
  zeros_.resize(widest);
  law_ = ContinuousLaw(*this);
  refresh();
  make_blocks();
}

LayeredModel::LayeredModel(const LayeredModel& other)
    : EnergyModel(other),
      FactorizedExpectation(other),
      StateGradient(other),
      layout_(other.layout_),
      parameter_layout_(other.parameter_layout_),
      terms_(copies_of(other.terms_)),
      couplings_(other.couplings_),
      blocks_(other.blocks_),
      law_(other.law_),
      theta_(other.theta_),
      zeros_(other.zeros_) {
  find_unit_terms();
  for (const auto& t : terms_)
    t->refresh(theta_.data());  // θ stands elsewhere, and what a term keeps of it may go by that
}

void LayeredModel::declare_terms() {
  std::vector<std::string> names;
  for (const auto& t : terms_) {
    const Index before = parameter_layout_.blocks().size();
    t->declare(layout_, parameter_layout_);
    for (Index b = before; b < parameter_layout_.blocks().size(); ++b) {
      const std::string& name = parameter_layout_[b].name;
      if (std::ranges::find(names, name) != names.end())
        throw ConfigError(fmt::format("two terms have the tensor '{}'. Remove one of them.", name));
      names.push_back(name);
    }
    if (const std::optional<EnergyTerm::Bilinear> c = t->bilinear()) couplings_.push_back(*c);
  }
  check_fits(parameter_layout_);
  theta_.resize(parameter_layout_.size());
  find_unit_terms();
  for (const auto& t : terms_)
    if (dynamic_cast<const UnitTerm*>(t.get()) && std::ranges::find(bias_, t.get()) == bias_.end() &&
        std::ranges::find(curvature_, t.get()) == curvature_.end())
      throw ConfigError(
          fmt::format("the term '{}' is a UnitTerm, but is neither the bias nor the precision or crystal field of its "
                      "layer.",
                      t->formula()));
  check_continuous();
}

/// Of units without bounds only products of two have an energy whose density can be told to exist.
void LayeredModel::check_continuous() const {
  for (const EnergyTerm::Bilinear& c : couplings_)
    for (const auto& [limited, other] : {std::pair(c.a, c.b), std::pair(c.b, c.a)}) {
      const UnitType& unit = *layout_[other].unit;
      if (wants_field_below_limit(layout_[limited]) && !std::isfinite(unit.min()) && !std::isfinite(unit.max()))
        throw ConfigError(fmt::format(
            "layers '{}' and '{}' are coupled, of {} and of {} units: the latter may be any number, the former's law "
            "takes a field that has an upper end, and so no density exists. Take units with a few states for one of "
            "them.",
            layout_[limited].name, layout_[other].name, layout_[limited].unit->name(), unit.name()));
    }
  for (const auto& t : terms_) {
    if (t->bilinear() || gaussian_lattice(*t, layout_)) continue;
    for (const LayerId a : layout_.ids())
      for (const LayerId b : layout_.ids())
        if ((wants_field_below_limit(layout_[a]) ||
             (layout_[a].unit->num_states() == 0 && layout_[b].unit->num_states() == 0)) &&
            t->couples(a, b))
          throw ConfigError(
              fmt::format("the term '{}' couples continuous units of layer '{}' in another way than by products of "
                          "two: no density is sure "
                          "to exist. Take units with a few states.",
                          t->formula(), layout_[a].name));
  }
}

void LayeredModel::make_blocks() {
  blocks_.clear();
  for (const LayerId l : layout_.ids()) {
    const Index units = layout_[l].size;
    if (!lateral(l)) {
      blocks_.push_back({l, {}, units});
      continue;
    }
    Neighbors graph(units);
    const bool known =
        std::ranges::all_of(terms_, [&](const auto& t) { return !t->couples(l, l) || t->add_neighbors(l, graph); });
    if (known)
      for (const std::vector<Index>& c : color_graph(graph)) blocks_.push_back({l, c, c.size()});
    else
      for (Index u = 0; u < units; ++u) blocks_.push_back({l, {u}, 1});
  }
}

void LayeredModel::set_mask(Index position, std::vector<std::uint8_t> mask) {
  const bool taken = std::ranges::any_of(terms_, [&](const auto& t) {
    const std::optional<EnergyTerm::Bilinear> c = t->bilinear();
    return c && c->w.position == position && t->set_mask(parameter_layout_, position, mask);
  });
  if (!taken) {
    EnergyModel::set_mask(position, std::move(mask));
    return;
  }
  make_blocks();
  if (const std::optional<std::string> wrong = refresh()) throw NumericalError(*wrong);
}

void LayeredModel::update_parameters(FunctionRef<void(std::span<Real>)> write) {
  const std::vector<Real> before(theta_.begin(), theta_.end());
  try {
    write(theta_);
    if (const std::optional<std::string> wrong = refresh()) throw NumericalError(*wrong);
  } catch (...) {
    std::ranges::copy(before, theta_.begin());
    refresh();  // some of what follows from θ may have been made anew already
    throw;
  }
}

std::optional<std::string> LayeredModel::refresh() {
  parameter_layout_.clear_absent(theta_);
  for (const auto& t : terms_)
    if (std::optional<std::string> wrong = t->refresh(theta_.data())) return wrong;
  return law_.refresh(*this);
}

std::string LayeredModel::formula() const {
  std::string sum;
  for (const auto& t : terms_) sum += (sum.empty() ? "" : " ") + t->formula();
  return sum;
}

bool LayeredModel::lateral(LayerId layer) const {
  return std::ranges::any_of(terms_, [&](const auto& t) { return t->couples(layer, layer); });
}

bool LayeredModel::joins(const EnergyTerm& term, LayerId layer) const {
  const auto l = static_cast<Index>(layer);
  return term.layers().contains(layer) && &term != bias_[l] && &term != curvature_[l];
}

bool LayeredModel::bilinear_only(LayerSet set) const {
  return std::ranges::all_of(terms_, [&](const auto& t) {
    return t->bilinear() || gaussian_lattice(*t, layout_) || (t->layers() & set).empty() ||
           !couples_any(*t, t->layers(), layout_);
  });
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
