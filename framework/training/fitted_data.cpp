#include <harmonium/framework/training/fitted_data.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>
#include <xtensor/xbuilder.hpp>

#include <harmonium/framework/core/copies.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/data/row_shape.hpp>
#include <harmonium/framework/data/transform.hpp>
#include <harmonium/framework/model/domain.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>
#include <harmonium/framework/training/state_columns.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr const char* of_size = "Set the model's size to the data's, or take other data.";

/// Throws ConfigError where units of two states, one of them below 0, are given data from 0 to 1: bits, or gray levels.
void check_spins(const Dataset& data, const Layout& layout) {
  Index begin = 0;
  for (const Layer& layer : layout.layers()) {
    if (layer.role == Role::latent) continue;
    const Index end = begin + layer.columns();
    const auto holds = [&](const std::function<bool(double)>& allowed) {
      return !data.first_outside(allowed, begin, end);
    };
    if (layer.unit->num_states() == 2 && layer.unit->min() < 0 && holds([](double v) { return v >= 0; }) &&
        !holds([](double v) { return v != 0; }))
      throw ConfigError(fmt::format(
          "[data] {}: its values are 0 and 1 or lie between, but {} units of layer '{}' take -1 and 1, and "
          "0 is no state "
          "of theirs. Set data.binarize = \"threshold\", which makes -1 and 1 of them for spins, or the layer's "
          "units to \"binary\".",
          data.name(), layer.unit->name(), layer.name));
    begin = end;
  }
}

/// What to do about a value that its units do not take.
std::string_view remedy(const Dataset& data, const Layer& layer) {
  if (layer.unit->has_base())
    return "Give it such values, or take units of another kind: \"gaussian\" ones take any number.";
  if (data.transform())
    return "Such data wants units that take any number: leave data.standardize and data.whiten out.";
  const double spins[] = {-1, 1};
  if (layer.unit->num_states() == 2 && !data.first_outside(spins))
    return "Every value is -1 or 1: set the layer's units to \"spin\".";
  if (layer.unit->num_states() > 2 && layer.unit->width() == 1) return "Take units of more states, or set data.scale.";
  const bool bytes = !data.first_outside([](double v) { return v >= 0.0 && v <= 255.0 && v == std::floor(v); });
  if (bytes && data.first_outside([](double v) { return v < 64.0; }))
    return "Bytes of an image: set data.binarize = \"threshold\", or data.scale = 0.00392157 (1/255) for grays.";
  return "Set data.scale or data.binarize.";
}

bool fits(const Layer& layer, double v) { return takes(*layer.unit, v); }

/// Throws ConfigError where an entry of row r that was seen is no value of its layer's units.
void check_values(const Dataset& data, const std::vector<const Layer*>& layer_of, Index r, std::span<const double> row,
                  std::span<const std::uint8_t> seen) {
  for (Index c = 0; c < row.size(); ++c) {
    if (seen[c] == 0 || fits(*layer_of[c], row[c])) continue;
    throw ConfigError(fmt::format("[data] {}: {} is {}{}, but {} units of layer '{}' take values {}. {}", data.name(),
                                  text_of(ValuePlace{data.source_row(r), c, row[c]}), row[c],
                                  data.transform() ? fmt::format(" in units of {}", data.transform()->units()) : "",
                                  layer_of[c]->unit->name(), layer_of[c]->name, layer_of[c]->unit->domain(),
                                  remedy(data, *layer_of[c])));
  }
}

/// The columns of a unit of several are the probabilities of its states: throws ConfigError where those of a unit of which
/// something was seen do not add up to 1.
void check_sums(const Dataset& data, const Layout& layout, Index r, std::span<const double> row,
                std::span<const std::uint8_t> seen) {
  const PerLayer<Index> first = layout.first_columns(layout.observed());
  for (const LayerId l : layout.ids(layout.observed())) {
    const Layer& layer = layout[l];
    const Index width = layer.unit->width(), end = first[l] + layer.columns();
    for (Index c = first[l]; width > 1 && c < end; c += width) {
      if (std::ranges::count(seen.subspan(c, width), 0) == static_cast<std::ptrdiff_t>(width)) continue;
      const double sum = std::accumulate(&row[c], &row[c] + width, 0.0);
      if (std::abs(sum - 1.0) < 1e-6) continue;
      throw ConfigError(fmt::format(
          "[data] {}: row {}, columns {} to {}, sum to {}, but they are the states of one {} unit of layer '{}', of "
          "which exactly one is 1. Give the data a column for each state of each unit, or one column for each unit, of "
          "its state from 0 to {}.",
          data.name(), data.source_row(r), c, c + width - 1, sum, layer.unit->name(), layer.name, width - 1));
    }
  }
}

/// What data.binarize makes: bits, and of columns of spins -1 and 1, 2x - 1 of a bit x.
Dataset with_spins(const Dataset& data, const Layout& layout) {
  if (data.binarize() == Binarize::none || data.transform()) return data;
  const Index observed = layout.columns(layout.observed());
  std::vector<double> mean, scale;
  bool any = false;
  for (const Layer& layer : layout.layers()) {
    if (layer.role == Role::latent || (layer.name == label_layer && data.cols() != observed)) continue;
    const bool spins = layer.unit->num_states() == 2 && layer.unit->min() == -1.0 && layer.unit->max() == 1.0;
    any |= spins;
    mean.insert(mean.end(), layer.columns(), spins ? 0.5 : 0.0);
    scale.insert(scale.end(), layer.columns(), spins ? 0.5 : 1.0);
  }
  if (!any || mean.size() != data.cols()) return data;
  return data.with_transform(Transform::standardizing(std::move(mean), std::move(scale)));
}

}  // namespace

void check_data(const Dataset& data, const Layout& layout) {
  const Index columns = layout.columns(layout.observed());
  if (data.cols() != columns)
    throw ConfigError(fmt::format("[data] {} has {} columns{}, but the model has {} observed ones{}. {}", data.name(),
                                  data.cols(), data.num_classes() > 0 ? " beside its labels" : "", columns,
                                  words_of_states(layout), remedy_of_shape(data, columns, of_size)));
  // The layer of a column, and what it takes.
  std::vector<const Layer*> layer_of;
  for (const Layer& layer : layout.layers())
    if (layer.role == Role::observed) layer_of.insert(layer_of.end(), layer.columns(), &layer);
  const double min = data.min().value, max = data.max().value;
  if (std::ranges::all_of(layout.layers(), [&](const Layer& layer) {
        return layer.role == Role::latent ||
               (layer.unit->width() == 1 && !layer.unit->has_base() && fits(layer, min) && fits(layer, max));
      })) {
    check_spins(data, layout);
    return;
  }
  Vector<double> row = zeros<double>(columns);
  Vector<std::uint8_t> seen = xt::ones<std::uint8_t>({columns});
  for (Index r = 0; r < data.rows(); ++r) {
    data.fetch<double>(r, 0, {row.data(), 1, columns, columns});
    if (data.has_missing()) data.seen({&r, 1}, {seen.data(), 1, columns, columns});
    check_values(data, layer_of, r, row, seen);
    check_sums(data, layout, r, row, seen);
  }
  check_spins(data, layout);
}

std::optional<Index> label_place(const Layout& layout) {
  Index before = 0;
  for (const Layer& layer : layout.layers()) {
    if (layer.role != Role::observed) continue;
    if (layer.name == label_layer) return before;
    before += layer.columns();
  }
  return {};
}

Index label_columns(const Layout& layout) {
  return label_place(layout) ? layout[layout.find(label_layer)].columns() : 0;
}

Dataset fitted(const Dataset& data, const Layout& layout) {
  Dataset rows = with_states_read(with_spins(data, layout), layout);
  const std::optional<Index> place = label_place(layout);
  // Rows that hold the classes already, as a model's own samples do, are whole.
  if (!place || rows.cols() == layout.columns(layout.observed())) {
    check_data(rows, layout);
    return rows;
  }
  const Index columns = label_columns(layout);
  const Index others = layout.columns(layout.observed()) - columns;
  if (rows.num_classes() == 0 && rows.cols() != others)
    throw ConfigError(fmt::format(
        "[data] {} has {} columns, but the model has {} observed ones beside those of its layer '{}', and {} "
        "with them{}. {}",
        rows.name(), rows.cols(), others, label_layer, others + columns, words_of_states(layout),
        remedy_of_shape(rows, others, of_size)));
  if (rows.num_classes() == 0)
    throw ConfigError(
        fmt::format("[data] {} has no labels, but the model has an observed layer '{}'. Set data.labels to a file of "
                    "them (data.test_labels for data.test_path), or take data that has them.",
                    rows.name(), label_layer));
  if (rows.num_classes() != columns)
    throw ConfigError(
        fmt::format("[data] {} has {} classes, but the model's layer '{}' has {} columns. Set data.num_classes, or the "
                    "layer's size, to the other.",
                    rows.name(), rows.num_classes(), label_layer, columns));
  if (rows.cols() != others)
    throw ConfigError(fmt::format(
        "[data] {} has {} columns beside its labels, but the model has {} observed ones beside those of its "
        "layer '{}'{}. {}",
        rows.name(), rows.cols(), others, label_layer, words_of_states(layout),
        remedy_of_shape(rows, others, of_size)));
  Dataset joined = rows.with_label_columns(*place);
  check_data(joined, layout);
  return joined;
}

bool has_probability(const Dataset& data, const Layout& layout) {
  Index begin = 0;
  for (const Layer& layer : layout.layers()) {
    if (layer.role == Role::latent) continue;
    const Index end = begin + layer.columns();
    if (layer.unit->num_states() != 0) {
      const UnitStates states(*layer.unit);
      const std::span<const Real> values = states.view().all();
      if (data.first_outside(std::vector<double>(values.begin(), values.end()), begin, end)) return false;
    }
    begin = end;
  }
  return true;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
