#include <harmonium/framework/run/pictures.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/sample_shape.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/framework/run/picture_walk.hpp>
#include <harmonium/framework/training/batches.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The shape that was asked for, or the one that suits.
TileShape shape_for(Index columns, const PictureStyle& style, Index unit_width = 1) {
  if (style.shape) {
    const std::vector<Index>& s = *style.shape;
    if (num_values(s) != columns)
      throw ConfigError(fmt::format(
          "--shape {}: that is {} values, but a vector here has {}. Give two numbers whose product is {}, or {} alone "
          "for lines.",
          sample_shape_text(s), num_values(s), columns, columns, columns));
    return s.size() == 1 ? TileShape{1, s[0]} : TileShape{s[0], s[1]};
  }
  const TileShape shape = tile_shape(columns, style.sample_shape);
  const bool known = columns == num_values(style.sample_shape);
  if (unit_width > 1 && !known) return {columns / unit_width, unit_width};  // a row of cells for each unit
  return shape;
}

TileShape shape_for(const Layer& layer, const PictureStyle& style) {
  return shape_for(layer.columns(), style, layer.unit->width());
}

Index count_for(const PictureStyle& style, Index usual, Index available, TileShape tile, Index band = 1) {
  return std::min(available, style.count ? style.count : std::min(usual, most_items(tile, band)));
}

/// Samples in each row of a picture with a row a state.
Index samples_a_state(Index states, const PictureStyle& style, TileShape tile) {
  if (style.count && style.count < states)
    throw ConfigError(fmt::format(
        "--count {}: units are held in each of {} states, and each has a row of samples. Ask for {} or more.",
        style.count, states, states));
  const Index most = std::max<Index>(1, (style.count ? style.count : most_items(tile)) / states);
  return std::min(most, style.columns ? style.columns : style.count ? most : 10);
}

std::string held_text(const PictureHold* hold) { return hold ? ", held: " + hold->text : ""; }

/// The observed layer that pictures are of.
LayerId pictured_layer(const Layout& layout, const PictureStyle& style) {
  const std::vector<Index>& wanted = style.shape ? *style.shape : style.sample_shape;
  std::optional<LayerId> best;
  for (const LayerId l : layout.ids()) {
    if (layout[l].role != Role::observed) continue;
    if (!wanted.empty() && num_values(wanted) == layout[l].columns()) return l;
    if (!best || layout[l].columns() > layout[*best].columns()) best = l;
  }
  return *best;
}

std::string ends(const Shading& s) {
  return s.map == Shading::Map::diverging ? fmt::format("{:.4g} (blue) to {:.4g} (red)", s.low, s.high)
                                          : fmt::format("{:.4g} (black) to {:.4g} (white)", s.low, s.high);
}
std::string text_of(TileShape tile) { return fmt::format("{}x{}", tile.height, tile.width); }

/// Values of an observed layer are gray over the unit's domain, where that is bounded.
Shading shading_of(const Layer& layer, std::span<const double> values) {
  const double low = layer.unit->min(), high = layer.unit->max();
  return std::isfinite(low) && std::isfinite(high) ? Shading{Shading::Map::gray, low, high} : gray_shading(values);
}

void append(ConstMatrixRef from, std::vector<double>& to) {
  for (Index r = 0; r < from.rows; ++r) to.insert(to.end(), from.row(r), from.row(r) + from.cols);
}

Picture finish(const Grid& grid, const std::vector<double>& values, const Shading& shading, const std::string& caption,
               const std::string& units = "") {
  const Index columns = grid.tile.size();
  return {draw_tiles(grid, {values.data(), values.size() / columns, columns, columns}, shading),
          fmt::format("{}; {}, from {}{}{}", caption, text_of(grid.tile), ends(shading),
                      units.empty() ? "" : ", in units of ", units)};
}

}  // namespace

void write_picture(const std::filesystem::path& path, const Picture& picture) {
  write_png(path, picture.image, {{"Description", picture.caption}, {"Software", "Harmonium"}});
}

Picture draw_rows(const Table& table, const std::string& name, const PictureStyle& style) {
  PictureStyle own = style;
  own.sample_shape.assign(table.shape.begin() + (table.shape.empty() ? 0 : 1), table.shape.end());
  const TileShape tile = shape_for(table.cols, own);
  const Index count = count_for(style, 100, table.rows, tile);
  const Grid grid = plan_grid(count, tile, style.columns);
  std::vector<double> values;
  values.reserve(count * table.cols);
  for (Index i = 0; i < count; ++i)
    for (Index c = 0; c < table.cols; ++c) values.push_back(table.at(i * table.rows / count, c));
  return finish(grid, values, gray_shading(values), fmt::format("{} of {} rows of {}", count, table.rows, name));
}

Picture draw_data(const EnergyModel& model, const Dataset& data, const PictureStyle& style) {
  const LayerId layer = pictured_layer(model.layout(), style);
  const TileShape tile = shape_for(model.layout()[layer], style);
  const Index count = count_for(style, 100, data.rows(), tile);
  const Grid grid = plan_grid(count, tile, style.columns);
  std::vector<double> values;
  const Chains rows = spread_rows(data, model.layout(), count, 0);
  append(rows.read(layer), values);
  return finish(grid, values, shading_of(model.layout()[layer], values),
                fmt::format("{} of {} rows of the data", count, data.rows()), style.units);
}

std::optional<Index> filter_tensor(const EnergyModel& model) {
  // Of a stack those of the machine that observes the data, whose tensors it has under longer names.
  if (const StackedMachines* stack = stacked_machines(model)) {
    const EnergyModel& first = stack->machine(0);
    const std::optional<Index> own = filter_tensor(first);
    if (!own || first.layout()[first.parameter_layout()[*own].layers[0]].role != Role::observed) return {};
    const Index found = model.parameter_layout().find("machine1." + first.parameter_layout()[*own].name);
    return found < model.parameter_layout().blocks().size() ? std::optional(found) : std::nullopt;
  }
  const std::vector<ParameterBlock>& blocks = model.parameter_layout().blocks();
  const LayerSet observed = model.layout().observed();
  std::optional<Index> best;
  for (Index i = 0; i < blocks.size(); ++i) {
    const ParameterBlock& b = blocks[i];
    if (b.role != ParameterRole::coupling || b.layers.size() != 2 ||
        observed.contains(b.layers[0]) == observed.contains(b.layers[1]))
      continue;
    if (!best || b.size() > blocks[*best].size()) best = i;
  }
  return best;
}

Picture draw_filters(const EnergyModel& model, Index tensor, const PictureStyle& style) {
  const ParameterLayout& parameters = model.parameter_layout();
  const ParameterBlock& b = parameters[tensor];
  const Layout& layout = model.layout();
  // Which side a tile is of: the observed one, else the first; of couplings within a layer, it does not matter.
  const bool by_rows =
      b.layers.size() == 2 && layout[b.layers[0]].role == Role::latent && layout[b.layers[1]].role == Role::observed;
  const Index length = by_rows ? b.cols : b.rows, available = by_rows ? b.rows : b.cols;
  TileShape tile = shape_for(length, style);
  if (!b.layers.empty()) {
    const Layer& layer = layout[b.layers[by_rows ? 1 : 0]];
    if (layer.columns() == length) tile = shape_for(layer, style);
  }
  const Index count = count_for(style, 100, available, tile);
  const Grid grid = plan_grid(count, tile, style.columns);
  const ConstMatrixRef w = parameters.view(tensor, model.parameters().data());
  std::vector<double> values;
  values.reserve(count * length);
  for (Index i = 0; i < count; ++i)
    for (Index k = 0; k < length; ++k) values.push_back(by_rows ? w(i, k) : w(k, i));
  return finish(grid, values, signed_shading(values),
                available == 1 ? b.name : fmt::format("{} of {} filters of {}", count, available, b.name));
}

Picture draw_reconstructions(const EnergyModel& model, const Dataset& data, const PictureStyle& style,
                             const Executor& executor) {
  const Layout& layout = model.layout();
  const LayerId layer = pictured_layer(layout, style);
  const TileShape tile = shape_for(layout[layer], style);
  const Index count = count_for(style, 50, data.rows(), tile, 2);
  const Grid grid = plan_grid(count, tile, style.columns, 2);
  const Chains rows = spread_rows(data, layout, count, 0);
  Posterior latent, observed(layout.observed());
  const Moments& given = latent.moments(model, rows, executor);
  Chains means(layout, count);
  for (const LayerId l : layout.ids()) {
    const ConstMatrixRef from = given.mean[static_cast<Index>(l)];
    const MatrixRef to = means.write(l);
    for (Index r = 0; r < count; ++r) std::copy_n(from.row(r), from.cols, to.row(r));
  }
  const ConstMatrixRef x = rows.read(layer),
                       y = observed.moments(model, means, executor).mean[static_cast<Index>(layer)];
  std::vector<double> values;
  for (Index r = 0; r < count; ++r) {
    append(x.slice(r, r + 1), values);
    append(y.slice(r, r + 1), values);
  }
  return finish(grid, values, shading_of(layout[layer], values),
                fmt::format("{} of {} rows of the data, below each its reconstruction", count, data.rows()),
                style.units);
}

Picture draw_samples(const EnergyModel& model, Sampler& sampler, Index steps, const PictureStyle& style,
                     const Execution& execution, PictureProgress progress, const PictureHold* hold) {
  const LayerId layer = pictured_layer(model.layout(), style);
  const TileShape tile = shape_for(model.layout()[layer], style);
  const bool row_a_state = hold && hold->states > 0;
  const Index columns = row_a_state ? samples_a_state(hold->states, style, tile) : style.columns;
  const Index count = row_a_state ? hold->states * columns : count_for(style, 100, most_points, tile);
  const Grid grid = plan_grid(count, tile, columns);
  PictureWalk walk(model, sampler, {count, nullptr, hold, row_a_state ? columns : 1}, execution);
  for (Index done = 0; done < steps;) {
    const Index stride = std::min<Index>(steps - done, 64);
    walk.advance(stride);
    done += stride;
    progress(static_cast<double>(done) / static_cast<double>(steps));
  }
  std::vector<double> values;
  walk.look(layer, PictureWalk::Shown::means, values);
  return finish(grid, values, shading_of(model.layout()[layer], values),
                fmt::format("{} samples after {} transitions{}{}", count, steps, held_text(hold),
                            row_a_state ? ", a row a state" : ""),
                style.units);
}

Picture draw_chains(const EnergyModel& model, Sampler& sampler, const Dataset* data, Index steps,
                    const PictureStyle& style, const Execution& execution, PictureProgress progress,
                    const PictureHold* hold) {
  const LayerId layer = pictured_layer(model.layout(), style);
  const TileShape tile = shape_for(model.layout()[layer], style);
  const Index times = std::min<Index>(style.columns ? style.columns : 11, steps + 1);
  const Index stride = times > 1 ? steps / (times - 1) : 0;
  const Index most = std::max<Index>(1, most_items(tile) / times);
  const Index count =
      std::min(data ? data->rows() : most_points, style.count ? style.count : std::min<Index>(10, most));
  const Grid grid = plan_grid(count * times, tile, times);
  PictureWalk walk(model, sampler, {count, data, hold, 1}, execution);
  std::vector<std::vector<double>> seen(times);
  for (Index t = 0; t < times; ++t) {
    for (Index done = 0; t > 0 && done < stride;) {
      const Index part = std::min<Index>(stride - done, 64);
      walk.advance(part);
      done += part;
      progress(static_cast<double>((t - 1) * stride + done) / static_cast<double>((times - 1) * stride));
    }
    walk.look(layer, t == 0 ? PictureWalk::Shown::states : PictureWalk::Shown::means, seen[t]);
  }
  std::vector<double> values;
  const auto columns = static_cast<std::ptrdiff_t>(tile.size());
  for (Index c = 0; c < count; ++c)
    for (const std::vector<double>& then : seen) {
      const auto from = then.begin() + static_cast<std::ptrdiff_t>(c) * columns;
      values.insert(values.end(), from, from + columns);
    }
  return finish(grid, values, shading_of(model.layout()[layer], values),
                fmt::format("{} chains from {}, {} transitions between two columns{}", count,
                            data ? "the data" : "the biases", stride, held_text(hold)),
                style.units);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
