#include <harmonium/models/terms/precision.hpp>

#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void PrecisionTerm::declare(const Layout& layout, ParameterLayout& parameters) {
  layer_ = layout.find(options_.layer);
  if (!has_precision(*layout[layer_].unit))
    throw ConfigError(fmt::format("term 'precision': the units of layer '{}' are {}, which have no precision.",
                                  options_.layer, layout[layer_].unit->name()));
  tensor_ = add_tensor(parameters, {.name = "log_precision." + options_.layer,
                                    .rows = layout[layer_].columns(),
                                    .role = ParameterRole::log_precision,
                                    .layers = {layer_},
                                    .learned = options_.learned});
}

std::optional<std::string> PrecisionTerm::refresh(const Real* theta) {
  for (Index i = 0; i < tensor_.rows; ++i) {
    const Real gamma = std::exp(theta[tensor_.offset + i]);
    if (gamma == 0 || std::isinf(gamma))
      return fmt::format("log_precision.{}: entry {} makes a precision of {}, but it must be positive and finite",
                         options_.layer, i, gamma);
  }
  return {};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
