// The terms of single units that a layered model has: biases, precisions and crystal fields.
#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/models/layered.hpp>
#include <harmonium/models/terms/bias.hpp>
#include <harmonium/models/terms/crystal_field.hpp>
#include <harmonium/models/terms/precision.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

EnergyTerms with_unit_terms(const std::vector<Layer>& layers, EnergyTerms terms, const UnitTermsWanted& wanted) {
  const auto named = [](const std::vector<Index>& layers_named, Index l) {
    return std::ranges::find(layers_named, l) != layers_named.end();
  };
  const auto given = [&]<class Term>(const std::string& layer, const Term*) {
    return std::ranges::any_of(terms, [&](const auto& t) {
      const auto* one = dynamic_cast<const Term*>(t.get());
      return one && one->layer_name() == layer;
    });
  };
  EnergyTerms biases, curvatures;
  for (Index l = 0; l < layers.size(); ++l) {
    const std::string& name = layers[l].name;
    const bool own_bias = given(name, static_cast<const BiasTerm*>(nullptr));
    if (own_bias && named(wanted.without_bias, l))
      throw ConfigError(
          fmt::format("layer '{}' is to have no bias, but has a term 'bias'. Remove one of the two.", name));
    if (!named(wanted.without_bias, l) && !own_bias)
      biases.push_back(std::make_unique<BiasTerm>(BiasTerm::Options{name}));
    if (layers[l].unit->has_curvature() && !has_precision(*layers[l].unit)) {
      if (!given(name, static_cast<const CrystalFieldTerm*>(nullptr)))
        curvatures.push_back(std::make_unique<CrystalFieldTerm>(CrystalFieldTerm::Options{name}));
      continue;
    }
    const bool own = given(name, static_cast<const PrecisionTerm*>(nullptr));
    if (own && named(wanted.learned_precisions, l))
      throw ConfigError(fmt::format(
          "layer '{}' is to learn its precision, but has a term 'precision' of its own. Say it there: learned = true.",
          name));
    if (layers[l].unit->has_curvature() && !own)
      curvatures.push_back(
          std::make_unique<PrecisionTerm>(PrecisionTerm::Options{name, named(wanted.learned_precisions, l)}));
  }
  std::ranges::move(terms, std::back_inserter(biases));
  std::ranges::move(curvatures, std::back_inserter(biases));
  return biases;
}

void LayeredModel::find_unit_terms() {
  const auto the_one = [&](LayerId l, auto is_one, const char* what) {
    const EnergyTerm* found = nullptr;
    for (const auto& t : terms_) {
      if (!is_one(*t)) continue;
      if (found) throw ConfigError(fmt::format("layer '{}' has two terms '{}'. Remove one.", layout_[l].name, what));
      found = t.get();
    }
    return found;
  };
  for (const LayerId l : layout_.ids()) {
    bias_.push_back(the_one(
        l, [&](const EnergyTerm& t) { return t.bias(l, theta_.data()) != nullptr; }, "bias"));
    const UnitType& unit = *layout_[l].unit;
    const bool precise = has_precision(unit);
    curvature_.push_back(the_one(
        l,
        [&](const EnergyTerm& t) {
          return (precise ? t.log_precision(l, theta_.data()) : t.crystal_field(l, theta_.data())) != nullptr;
        },
        precise ? "precision" : "crystal_field"));
    if (curvature_.back() || !unit.has_curvature()) continue;
    throw ConfigError(
        precise ? fmt::format("layer '{}' is of {} units and has no precision: no density exists. Add the term "
                              "'precision'.",
                              layout_[l].name, unit.name())
                : fmt::format("layer '{}' is of {} units and has no crystal field. Add the term 'crystal_field'.",
                              layout_[l].name, unit.name()));
  }
}

std::optional<Index> LayeredModel::learned_precision(LayerId layer) const {
  const EnergyTerm* term = curvature_[static_cast<Index>(layer)];
  return learned_at(term ? term->log_precision(layer, theta_.data()) : nullptr);
}

std::optional<Index> LayeredModel::learned_crystal_field(LayerId layer) const {
  const EnergyTerm* term = curvature_[static_cast<Index>(layer)];
  return learned_at(term ? term->crystal_field(layer, theta_.data()) : nullptr);
}

std::optional<Index> LayeredModel::learned_at(const Real* values) const {
  if (!values) return {};
  const auto offset = static_cast<Index>(values - theta_.data());
  const auto& blocks = parameter_layout_.blocks();
  const auto own = std::ranges::find(blocks, offset, &ParameterBlock::offset);
  return own->learned ? std::optional<Index>(offset) : std::nullopt;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
