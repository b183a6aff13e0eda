#include <harmonium/models/terms/crystal_field.hpp>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void CrystalFieldTerm::declare(const Layout& layout, ParameterLayout& parameters) {
  layer_ = layout.find(options_.layer);
  const UnitType& unit = *layout[layer_].unit;
  if (!unit.has_curvature() || has_precision(unit))
    throw ConfigError(
        fmt::format("term 'crystal_field': the units of layer '{}' are {}. {}", options_.layer, unit.name(),
                    has_precision(unit) ? "Their squares have a term of their own: take 'precision'."
                                        : "It is of units of several levels: set the layer's units to \"levels\"."));
  tensor_ = add_tensor(parameters, {.name = "crystal_field." + options_.layer,
                                    .rows = layout[layer_].columns(),
                                    .role = ParameterRole::crystal_field,
                                    .layers = {layer_},
                                    .learned = options_.learned});
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
