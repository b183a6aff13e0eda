#include <harmonium/framework/run/column_names.hpp>

#include <fmt/format.h>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::vector<std::string> names_of_units(const Layout& layout, LayerSet layers) {
  std::vector<std::string> names;
  for (const LayerId l : layout.ids(layers)) {
    const Layer& layer = layout[l];
    const Index width = layer.unit->width();
    for (Index c = 0; c < layer.columns(); ++c) {
      std::string name = layer.name;
      if (width == 1 || layer.size > 1) name += fmt::format("[{}]", c / width);
      if (width > 1) name += fmt::format("={}", c % width);
      names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
