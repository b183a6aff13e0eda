#include <harmonium/models/terms/bias.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void BiasTerm::declare(const Layout& layout, ParameterLayout& parameters) {
  layer_ = layout.find(options_.layer);
  tensor_ = add_tensor(parameters, {.name = "bias." + options_.layer,
                                    .rows = layout[layer_].columns(),
                                    .role = ParameterRole::bias,
                                    .layers = {layer_}});
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
