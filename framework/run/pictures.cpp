#include <harmonium/framework/run/pictures.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/sample_shape.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/framework/run/picture_walk.hpp>
#include <harmonium/framework/run/pictured_columns.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/framework/training/fitted_data.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

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

/// Of what is drawn at another temperature than the model's own.
std::string beta_text(const PictureStyle& style) {
  return style.beta == 1.0 ? "" : fmt::format(" at beta = {:g}", style.beta);
}

/// What rows of data are, for captions.
std::string data_text(const Dataset& data) {
  return data.has_missing() ? "the data with column means for what is missing" : "the data";
}

/// The classes of tiles, those beside one another together: "; classes from the top left: 3 1, 4 1". Empty where there are none.
std::string classes_text(std::span<const Index> classes, Index columns) {
  std::string text;
  for (Index i = 0; i < classes.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "; classes from the top left: " : i % columns == 0 ? ", " : " ", classes[i]);
  return text;
}

/// Appends row `r` of each layer, which `read` gives.
template <class Read>
void append_row(const std::vector<LayerId>& layers, Index r, const Read& read, std::vector<double>& to) {
  for (const LayerId l : layers) {
    const ConstMatrixRef x = read(l);
    to.insert(to.end(), x.row(r), x.row(r) + x.cols);
  }
}

/// Couplings of the same latent layer with other observed layers, which have filters too: " (of other layers: a, b)".
std::string other_filters(const EnergyModel& model, const ParameterBlock& drawn) {
  const Layout& layout = model.layout();
  const auto observed = [&](LayerId l) { return layout[l].role == Role::observed && layout[l].name != label_layer; };
  if (drawn.layers.size() != 2 || observed(drawn.layers[0]) == observed(drawn.layers[1])) return "";
  const LayerId latent = drawn.layers[observed(drawn.layers[0]) ? 1 : 0];
  if (layout[latent].role != Role::latent) return "";
  std::vector<std::string> others;
  for (const ParameterBlock& b : model.parameter_layout().blocks()) {
    if (b.name == drawn.name || b.role != ParameterRole::coupling || b.layers.size() != 2) continue;
    const bool first = b.layers[0] == latent;
    if ((first || b.layers[1] == latent) && observed(b.layers[first ? 1 : 0])) others.push_back(b.name);
  }
  return others.empty() ? "" : fmt::format(" (of other layers: {})", fmt::join(others, ", "));
}

}  // namespace

void write_picture(const std::filesystem::path& path, const Picture& picture) {
  write_png(path, picture.image, {{"Description", picture.caption}, {"Software", "Harmonium"}});
}

Picture draw_rows(const Table& table, const std::string& name, const PictureStyle& style,
                  std::span<const Index> classes) {
  PictureStyle own = style;
  own.sample_shape.assign(table.shape.begin() + (table.shape.empty() ? 0 : 1), table.shape.end());
  const Index columns = classes.empty() ? table.cols : num_values(*style.shape);
  const bool wider = style.shape && num_values(*style.shape) < columns;
  const TileShape tile = tile_for(columns, own, 1,
                                  wider ? fmt::format(" Of samples of a model with labels, 'harmonium draw RUN --what "
                                                      "data --data {}' leaves these out.",
                                                      name)
                                        : "");
  const Index count = count_for(style, 100, table.rows, tile);
  const Grid grid = plan_grid(count, tile, style.columns);
  std::vector<double> values;
  std::vector<Index> drawn;
  values.reserve(count * columns);
  for (Index i = 0; i < count; ++i) {
    const Index row = i * table.rows / count;
    for (Index c = 0; c < columns; ++c) values.push_back(table.at(row, c));
    if (!classes.empty()) drawn.push_back(classes[row]);
  }
  Picture picture =
      finish_picture(grid, values, gray_shading(values), fmt::format("{} of {} rows of {}", count, table.rows, name));
  picture.caption += classes_text(drawn, grid.columns);
  return picture;
}

Picture draw_data(const EnergyModel& model, const Dataset& data, const PictureStyle& style) {
  const PicturedColumns columns(model.layout(), style);
  const Index count = count_for(style, 100, data.rows(), columns.tile());
  const Grid grid = plan_grid(count, columns.tile(), style.columns);
  const Chains rows = spread_rows(data, model.layout(), count, 0);
  std::vector<double> values;
  const auto read = [&](LayerId l) { return rows.read(l); };
  for (Index r = 0; r < count; ++r) append_row(columns.layers(), r, read, values);
  return columns.finish(grid, std::move(values),
                        fmt::format("{} of {} rows of {}", count, data.rows(), data_text(data)));
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
  const Layer* layer = b.layers.empty() ? nullptr : &layout[b.layers[by_rows ? 1 : 0]];
  const TileShape tile = tile_for(length, style, layer && layer->columns() == length ? layer->unit->width() : 1);
  const Index count = count_for(style, 100, available, tile);
  const Grid grid = plan_grid(count, tile, style.columns);
  const ConstMatrixRef w = parameters.view(tensor, model.parameters().data());
  std::vector<double> values;
  values.reserve(count * length);
  for (Index i = 0; i < count; ++i)
    for (Index k = 0; k < length; ++k) values.push_back(by_rows ? w(i, k) : w(k, i));
  const std::string of = b.name + other_filters(model, b);
  return finish_picture(grid, values, signed_shading(values),
                        available == 1 ? of : fmt::format("{} of {} filters of {}", count, available, of));
}

Picture draw_reconstructions(const EnergyModel& model, const Dataset& data, const PictureStyle& style,
                             const Executor& executor) {
  const Layout& layout = model.layout();
  const PicturedColumns columns(layout, style);
  const Index count = count_for(style, 50, data.rows(), columns.tile(), 2);
  const Grid grid = plan_grid(count, columns.tile(), style.columns, 2);
  const Chains rows = spread_rows(data, layout, count, 0);
  Posterior latent, observed(layout.observed());
  const Moments& given = latent.moments(model, rows, executor);
  Chains means(layout, count);
  for (const LayerId l : layout.ids()) {
    const ConstMatrixRef from = given.mean[static_cast<Index>(l)];
    const MatrixRef to = means.write(l);
    for (Index r = 0; r < count; ++r) std::copy_n(from.row(r), from.cols, to.row(r));
  }
  const Moments& back = observed.moments(model, means, executor);
  const auto row = [&](LayerId l) { return rows.read(l); };
  const auto reconstruction = [&](LayerId l) { return back.mean[static_cast<Index>(l)]; };
  std::vector<double> values;
  for (Index r = 0; r < count; ++r) {
    append_row(columns.layers(), r, row, values);
    append_row(columns.layers(), r, reconstruction, values);
  }
  return columns.finish(
      grid, std::move(values),
      fmt::format("{} of {} rows of {}, below each its reconstruction", count, data.rows(), data_text(data)));
}

Picture draw_samples(const EnergyModel& model, Sampler& sampler, Index steps, const PictureStyle& style,
                     const Execution& execution, PictureProgress progress, const PictureHold* hold) {
  const PicturedColumns columns(model.layout(), style);
  const TileShape tile = columns.tile();
  const bool row_a_state = hold && hold->states > 0;
  const Index beside = row_a_state ? samples_a_state(hold->states, style, tile) : style.columns;
  const Index count = row_a_state ? hold->states * beside : count_for(style, 100, most_points, tile);
  const Grid grid = plan_grid(count, tile, beside);
  PictureWalk walk(model, sampler, {count, nullptr, hold, row_a_state ? beside : 1, style.beta}, execution);
  for (Index done = 0; done < steps;) {
    const Index stride = std::min<Index>(steps - done, 64);
    walk.advance(stride);
    done += stride;
    progress(static_cast<double>(done) / static_cast<double>(steps));
  }
  std::vector<double> values;
  const bool means = walk.look(columns.layers(), PictureWalk::Shown::means, values);
  return columns.finish(grid, std::move(values),
                        fmt::format("{} samples after {} transitions{}{}{}{}", count, steps, beta_text(style),
                                    means ? ", means of the visible units given the hidden ones and no draws" : "",
                                    held_text(hold), row_a_state ? ", a row a state" : ""));
}

Picture draw_chains(const EnergyModel& model, Sampler& sampler, const Dataset* data, Index steps,
                    const PictureStyle& style, const Execution& execution, PictureProgress progress,
                    const PictureHold* hold) {
  const PicturedColumns columns(model.layout(), style);
  const TileShape tile = columns.tile();
  const Index times = std::min<Index>(style.columns ? style.columns : 11, steps + 1);
  const Index stride = times > 1 ? steps / (times - 1) : 0;
  const Index most = std::max<Index>(1, most_items(tile) / times);
  const Index count =
      std::min(data ? data->rows() : most_points, style.count ? style.count : std::min<Index>(10, most));
  const Grid grid = plan_grid(count * times, tile, times);
  PictureWalk walk(model, sampler, {count, data, hold, 1, style.beta}, execution);
  std::vector<std::vector<double>> seen(times);
  for (Index t = 0; t < times; ++t) {
    for (Index done = 0; t > 0 && done < stride;) {
      const Index part = std::min<Index>(stride - done, 64);
      walk.advance(part);
      done += part;
      progress(static_cast<double>((t - 1) * stride + done) / static_cast<double>((times - 1) * stride));
    }
    walk.look(columns.layers(), t == 0 ? PictureWalk::Shown::states : PictureWalk::Shown::means, seen[t]);
  }
  std::vector<double> values;
  const auto length = static_cast<std::ptrdiff_t>(tile.size());
  for (Index c = 0; c < count; ++c)
    for (const std::vector<double>& then : seen) {
      const auto from = then.begin() + static_cast<std::ptrdiff_t>(c) * length;
      values.insert(values.end(), from, from + length);
    }
  return columns.finish(grid, std::move(values),
                        fmt::format("{} chains from {}, {} transitions{} between two columns{}", count,
                                    data ? data_text(*data) : "the biases", stride, beta_text(style), held_text(hold)));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
