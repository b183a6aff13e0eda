#include <harmonium/framework/run/classes_as_given.hpp>

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/data/row_with_holes.hpp>
#include <harmonium/framework/data/transform.hpp>
#include <harmonium/framework/training/fitted_data.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

using Numbers = std::vector<double>;

/// Whether columns [begin, end) are the same numbers, where they were seen.
bool same_columns(const Dataset& a, const Dataset& b, Index begin, Index end) {
  Numbers x(a.cols()), y(b.cols());
  for (Index r = 0; r < a.rows(); ++r) {
    a.fetch<double>(r, 0, {x.data(), 1, x.size(), x.size()});
    read_row_with_holes(b, r, y);
    for (Index c = begin; c < end; ++c)
      if (!std::isnan(y[c]) && x[c] != y[c]) return false;
  }
  return true;
}

/// With bits x of columns of spins as their states, 2x - 1. A transform that is kept with the model, which says the same, takes its place.
Dataset with_spins_of_bits(const Dataset& data, const Layout& layout) {
  std::vector<double> mean, scale;
  bool any = false;
  for (const Layer& layer : layout.layers()) {
    if (layer.role == Role::latent) continue;
    const bool spins = layer.unit->num_states() == 2 && layer.unit->min() == -1.0 && layer.unit->max() == 1.0;
    any |= spins;
    mean.insert(mean.end(), layer.columns(), spins ? 0.5 : 0.0);
    scale.insert(scale.end(), layer.columns(), spins ? 0.5 : 1.0);
  }
  return any ? data.with_transform(Transform::standardizing(std::move(mean), std::move(scale))) : data;
}

/// The bits of `data`, and columns [begin, end) of `given`.
Dataset joined_columns(const Dataset& data, const Dataset& given, Index begin, Index end) {
  MemoryNeed need;
  need.add_passing("the rows with their classes as given",
                   static_cast<double>(data.rows()) * static_cast<double>(data.cols()) * 2.0 * sizeof(double),
                   "--data");
  need.check("rows with columns of classes");
  Numbers values, bits(data.cols()), row(data.cols());
  values.reserve(data.rows() * data.cols());
  for (Index r = 0; r < data.rows(); ++r) {
    read_row_with_holes(data, r, bits);
    read_row_with_holes(given, r, row);
    for (Index c = 0; c < bits.size(); ++c) values.push_back(begin <= c && c < end ? row[c] : bits[c]);
  }
  std::vector<Index> shape{data.rows()};
  shape.insert(shape.end(), data.sample_shape().begin(), data.sample_shape().end());
  Table table{data.rows(), data.cols(), std::move(values), std::move(shape)};
  const Missing missing = data.has_missing() ? Missing::nan_columns : Missing::refuse;
  return Dataset(std::move(table), data.name(), {.missing = missing}, {}, data.files());
}

}  // namespace

Dataset with_classes_as_given(const Dataset& data, const Value& source, const Layout& layout,
                              FunctionRef<Dataset(const Value& source)> load) {
  const std::optional<Index> place = label_place(layout);
  if (!place || data.binarize() == Binarize::none || data.cols() != layout.columns(layout.observed())) return data;
  Value as_given = source;
  for (const char* key : {"binarize", "range", "scale"}) as_given.erase(key);
  const Dataset given = load(as_given);
  const Index end = *place + label_columns(layout);
  if (given.cols() != data.cols() || given.rows() != data.rows() || same_columns(data, given, *place, end)) return data;
  if (data.binarize() == Binarize::each_epoch)
    throw ConfigError(fmt::format(
        "[data] {}: columns {} to {} are classes, as given or as probabilities, and no bits are drawn of these anew "
        "each epoch (data.binarize = \"each_epoch\"). Take the rows as they are by --set data.binarize=none, or draw "
        "bits of the other columns once by --set data.binarize=stochastic.",
        data.name(), *place, end - 1));
  const Dataset joined = with_spins_of_bits(joined_columns(data, given, *place, end), layout);
  return data.weighted() ? joined.with_weights(data.weights(), data.name()) : joined;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
