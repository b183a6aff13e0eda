#include <harmonium/program/work/exported_transform.hpp>

#include <fmt/format.h>

#include <harmonium/framework/files/row_writer.hpp>
#include <harmonium/framework/run/column_names.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/columns_by_name.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The observed columns that are none of labels.
struct DataColumns {
  std::vector<Index> places;
  std::vector<std::string> names;

  DataColumns(const ModelHeader& header, const Layout& layout) {
    std::vector<std::string> all;
    if (!header.column_names.empty()) all = names_of_observed(header, layout);
    if (all.size() != layout.columns(layout.observed())) all = names_of_units(layout, layout.observed());
    const PerLayer<Index> first = layout.first_columns(layout.observed());
    for (const LayerId l : layout.ids(layout.observed()))
      for (Index c = first[l]; layout[l].name != label_layer && c < first[l] + layout[l].columns(); ++c) {
        places.push_back(c);
        names.push_back(csv_word(all[c]));
      }
  }
};

std::vector<std::string> layers_of_data(const Layout& layout) {
  std::vector<std::string> names;
  for (const LayerId l : layout.ids(layout.observed()))
    if (layout[l].name != label_layer) names.push_back(layout[l].name);
  return names;
}

std::string transform_array_of(const std::string& layer, const char* what) {
  return transform_array_start + layer + "." + what;
}

bool has_transform(const DataUnits& units) { return units.transform() || units.scale() != 1.0; }

bool is_whitened(const DataUnits& units) {
  return units.transform() && units.transform()->kind() == Transform::Kind::zca;
}

/// Of the numbers x of a file. With data.scale s and the mean m and deviation d of the rows s x:
/// z = (s x - m) / d = (x - m/s) / (d/s), and z = (s x - m) M = (x - m/s) (s M).
class Fitted {
 public:
  explicit Fitted(const DataUnits& units) : fitted_(units.transform()), s_(units.scale()) {}
  double mean(Index column) const { return fitted_ ? fitted_->mean()[column] / s_ : 0.0; }
  double scale(Index column) const { return (fitted_ ? fitted_->scale()[column] : 1.0) / s_; }
  double matrix(Index row, Index column) const { return s_ * fitted_->matrix()[row * fitted_->cols() + column]; }

 private:
  const Transform* fitted_;
  double s_;
};

}  // namespace

std::string formula_of_transform(const DataUnits& units) {
  if (!has_transform(units)) return "";
  return is_whitened(units)
             ? "z = (x - mean) M, by the mean of each column in transform.csv and the matrix M in whitening.csv"
             : "z = (x - mean) / scale, by the mean and scale of each column in transform.csv";
}

std::string formula_of_arrays(const DataUnits& units, const Layout& layout) {
  if (!has_transform(units)) return "";
  const std::vector<std::string> layers = layers_of_data(layout);
  const bool one = layers.size() == 1;
  const std::string layer = one ? layers.front() : "LAYER", mean = transform_array_of(layer, "mean");
  if (!is_whitened(units))
    return fmt::format("z = (x - mean) / scale, by the arrays {} and {}{}", mean, transform_array_of(layer, "scale"),
                       one ? "" : " of each layer");
  return one ? fmt::format("z = (x - mean) M, by the arrays {} and {}", mean, transform_array_of(layer, "matrix"))
             : fmt::format(
                   "z of each layer = (x - mean) M, by the arrays {} of all layers, one behind the other, and {}", mean,
                   transform_array_of(layer, "matrix"));
}

std::vector<std::string> names_of_transform_arrays(const Layout& layout) {
  std::vector<std::string> names;
  for (const std::string& layer : layers_of_data(layout))
    for (const char* what : {"mean", "scale", "matrix"}) names.push_back(transform_array_of(layer, what));
  return names;
}

std::vector<TransformArray> transform_arrays(const DataUnits& units, const Layout& layout) {
  if (!has_transform(units)) return {};
  const Fitted fitted(units);
  const PerLayer<Index> first = layout.first_columns(layout.observed());
  std::vector<Index> all;
  for (const LayerId l : layout.ids(layout.observed()))
    for (Index c = 0; layout[l].name != label_layer && c < layout[l].columns(); ++c) all.push_back(first[l] + c);
  std::vector<TransformArray> arrays;
  for (const LayerId l : layout.ids(layout.observed())) {
    if (layout[l].name == label_layer) continue;
    const Index columns = layout[l].columns();
    TransformArray mean{transform_array_of(layout[l].name, "mean"), {columns}, {}};
    TransformArray scale{transform_array_of(layout[l].name, "scale"), {columns}, {}};
    TransformArray matrix{transform_array_of(layout[l].name, "matrix"), {all.size(), columns}, {}};
    for (Index c = first[l]; c < first[l] + columns; ++c) {
      mean.values.push_back(fitted.mean(c));
      if (!is_whitened(units)) scale.values.push_back(fitted.scale(c));
    }
    for (const Index row : all)
      for (Index c = first[l]; is_whitened(units) && c < first[l] + columns; ++c)
        matrix.values.push_back(fitted.matrix(row, c));
    arrays.push_back(std::move(mean));
    arrays.push_back(is_whitened(units) ? std::move(matrix) : std::move(scale));
  }
  return arrays;
}

std::vector<std::pair<std::string, std::string>> exported_transform(const DataUnits& units, const ModelHeader& header,
                                                                    const Layout& layout) {
  if (!has_transform(units)) return {};
  const Fitted fitted(units);
  const DataColumns columns(header, layout);
  const bool whitened = is_whitened(units);
  std::string text = whitened ? "column,mean\n" : "column,mean,scale\n";
  for (Index k = 0; k < columns.places.size(); ++k) {
    const Index c = columns.places[k];
    text += fmt::format("{},{}", columns.names[k], fitted.mean(c));
    if (!whitened) text += fmt::format(",{}", fitted.scale(c));
    text += "\n";
  }
  if (!whitened) return {{transform_file, text}};
  std::string matrix = "column";
  for (const std::string& name : columns.names) matrix += "," + name;
  matrix += "\n";
  for (Index k = 0; k < columns.places.size(); ++k) {
    matrix += columns.names[k];
    for (const Index c : columns.places) matrix += fmt::format(",{}", fitted.matrix(columns.places[k], c));
    matrix += "\n";
  }
  return {{transform_file, text}, {whitening_file, matrix}};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
