#include <harmonium/framework/training/state_columns.hpp>

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/data/survey.hpp>
#include <harmonium/framework/training/fitted_data.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Units whose state is the column that is 1.
bool is_one_hot_unit(const Layer& layer) {
  return layer.unit->width() > 1 && layer.unit->width() == layer.unit->num_states();
}

std::vector<const Layer*> layers_of_sites(const Layout& layout) {
  std::vector<const Layer*> sites;
  for (const Layer& layer : layout.layers())
    if (layer.role == Role::observed && layer.name != label_layer && is_one_hot_unit(layer)) sites.push_back(&layer);
  return sites;
}

/// Of data whose every value is 0 or 1, with a single 1 in each q columns, it would be odd to be states: more likely the model
/// was given as many units as the data has columns.
void refuse_one_hot(const Dataset& data, const std::vector<Index>& widths) {
  const Index width = widths[0], units = data.cols() / width;
  const bool alike = std::ranges::all_of(widths, [&](Index w) { return w == width; });
  if (!alike || width < 3 || units < 2 || data.rows() < 2 || !is_one_hot(data, width)) return;
  throw ConfigError(
      fmt::format("[data] {} has {} columns, a single 1 in each {}: {} units of {} states, one-hot. The model has {} "
                  "units. Set its "
                  "size to {}; where the columns are states indeed, give them one-hot, {} columns a row.",
                  data.name(), data.cols(), width, units, width, data.cols(), units, data.cols() * width));
}

}  // namespace

std::vector<Index> widths_of_states(Index columns, const Layout& layout) {
  const Index observed = layout.columns(layout.observed());
  if (columns == observed || columns + label_columns(layout) == observed || layers_of_sites(layout).empty()) return {};
  std::vector<Index> all, sites;
  for (const Layer& layer : layout.layers()) {
    if (layer.role != Role::observed) continue;
    if (layer.unit->width() > 1 && !is_one_hot_unit(layer)) return {};
    all.insert(all.end(), layer.size, layer.unit->width());
    if (layer.name != label_layer) sites.insert(sites.end(), layer.size, layer.unit->width());
  }
  if (columns == sites.size()) return sites;
  return columns == all.size() ? all : std::vector<Index>{};
}

Dataset with_states_read(const Dataset& data, const Layout& layout) {
  if (data.transform() || data.binarize() != Binarize::none) return data;
  const std::vector<Index> widths = widths_of_states(data.cols(), layout);
  if (widths.empty()) return data;
  refuse_one_hot(data, widths);
  MemoryNeed need;
  const Index columns = std::accumulate(widths.begin(), widths.end(), Index{0});
  need.add_passing("the rows with a column for each state",
                   static_cast<double>(data.rows()) * static_cast<double>(columns) * (data.is_bytes() ? 1.0 : 8.0),
                   "data");
  need.check("reading states");
  return data.with_one_hot_columns(widths);
}

std::string states_remark(const Dataset& data, const Layout& layout) {
  if (!data.read_as_states()) return "";
  const std::vector<const Layer*> layers = layers_of_sites(layout);
  std::string text;
  for (const Layer* layer : layers)
    text += fmt::format("{}0 to {} of {} site{}{}", text.empty() ? "" : ", ", layer->unit->width() - 1, layer->size,
                        layer->size == 1 ? "" : "s", layers.size() > 1 ? fmt::format(" ('{}')", layer->name) : "");
  return fmt::format("{}: columns are read as states {}.", data.name(), text);
}

std::string words_of_states(const Layout& layout) {
  const std::vector<const Layer*> layers = layers_of_sites(layout);
  if (layers.empty()) return "";
  Index columns = 0, units = 0;
  for (const Layer& layer : layout.layers()) {
    if (layer.role == Role::latent || layer.name == label_layer) continue;
    columns += layer.columns();
    units += layer.size;
  }
  std::string text;
  for (const Layer* layer : layers)
    text += fmt::format("{}{} units of {} states", text.empty() ? "" : ", ", layer->size, layer->unit->width());
  return fmt::format(" ({}: {} columns with these one-hot, or {} with one column of states from 0 for each unit)", text,
                     columns, units);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
