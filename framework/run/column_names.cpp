#include <harmonium/framework/run/column_names.hpp>

#include <fmt/format.h>

#include <harmonium/framework/training/fitted_data.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// How many columns each observed unit has, but those of classes.
std::vector<Index> widths_of_units(const Layout& layout) {
  std::vector<Index> widths;
  for (const Layer& layer : layout.layers())
    if (layer.role == Role::observed && layer.name != label_layer)
      widths.insert(widths.end(), layer.size, layer.unit->width());
  return widths;
}

}  // namespace

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

std::vector<std::string> names_of_states(const std::vector<std::string>& sites, const Layout& layout) {
  const std::vector<Index> widths = widths_of_units(layout);
  if (sites.size() != widths.size()) return {};
  std::vector<std::string> names;
  for (Index u = 0; u < widths.size(); ++u)
    for (Index k = 0; k < widths[u]; ++k)
      names.push_back(widths[u] == 1 ? sites[u] : fmt::format("{}={}", sites[u], k));
  return names;
}

std::vector<std::string> names_of_sites(const std::vector<std::string>& columns, const Layout& layout) {
  std::vector<std::string> sites;
  Index column = 0;
  for (const Index width : widths_of_units(layout)) {
    if (column >= columns.size()) return {};
    const std::string& first = columns[column];
    sites.push_back(width == 1 ? first : first.substr(0, first.rfind('=')));
    column += width;
  }
  return names_of_states(sites, layout) == columns ? sites : std::vector<std::string>{};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
