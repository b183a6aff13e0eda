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

bool is_whitened(const DataUnits& units) {
  return units.transform() && units.transform()->kind() == Transform::Kind::zca;
}

}  // namespace

std::string formula_of_transform(const DataUnits& units) {
  if (!units.transform() && units.scale() == 1.0) return "";
  return is_whitened(units)
             ? "z = (x - mean) M, by the mean of each column in transform.csv and the matrix M in whitening.csv"
             : "z = (x - mean) / scale, by the mean and scale of each column in transform.csv";
}

// With data.scale s and the mean m and deviation d of the rows s x: z = (s x - m) / d = (x - m/s) / (d/s), and
// z = (s x - m) M = (x - m/s) (s M).
std::vector<std::pair<std::string, std::string>> exported_transform(const DataUnits& units, const ModelHeader& header,
                                                                    const Layout& layout) {
  const Transform* const fitted = units.transform();
  const double s = units.scale();
  if (!fitted && s == 1.0) return {};
  const DataColumns columns(header, layout);
  const bool whitened = is_whitened(units);
  std::string text = whitened ? "column,mean\n" : "column,mean,scale\n";
  for (Index k = 0; k < columns.places.size(); ++k) {
    const Index c = columns.places[k];
    text += fmt::format("{},{}", columns.names[k], fitted ? fitted->mean()[c] / s : 0.0);
    if (!whitened) text += fmt::format(",{}", (fitted ? fitted->scale()[c] : 1.0) / s);
    text += "\n";
  }
  if (!whitened) return {{transform_file, text}};
  std::string matrix = "column";
  for (const std::string& name : columns.names) matrix += "," + name;
  matrix += "\n";
  for (Index k = 0; k < columns.places.size(); ++k) {
    matrix += columns.names[k];
    for (const Index c : columns.places)
      matrix += fmt::format(",{}", s * fitted->matrix()[columns.places[k] * fitted->cols() + c]);
    matrix += "\n";
  }
  return {{transform_file, text}, {whitening_file, matrix}};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
