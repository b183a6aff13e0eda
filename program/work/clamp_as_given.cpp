#include <algorithm>
#include <span>
#include <vector>

#include <harmonium/framework/core/shortest_decimal.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/clamp.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The number of a file that the model has as `z`, `x` but for rounding: the shortest that becomes z.
double number_of_file(Index column, double x, double z, const DataUnits& units) {
  if (x == z || !units.column_alone(column)) return x;
  for (int digits = 1; digits <= 15; ++digits)
    if (const double shorter = shortest_decimal(x, digits); units.of_column(column, shorter) == z) return shorter;
  return x;
}

}  // namespace

void Clamp::write_rows_as_given(MatrixRef samples, const DataUnits& units, Index first_sample) const {
  const PerLayer<Index> first = layout_->first_columns(layout_->observed());
  std::vector<Index> places;      // of the rows' columns in a sample
  std::vector<bool> of_one_unit;  // states of a unit of several columns are what they were
  for (const LayerId l : layout_->ids(layout_->observed())) {
    const Layer& layer = (*layout_)[l];
    if (layer.name == label_layer && !has_labels()) continue;
    for (Index c = 0; c < layer.columns(); ++c) places.push_back(first[l] + c);
    of_one_unit.insert(of_one_unit.end(), layer.columns(), layer.unit->width() == 1);
  }
  std::vector<double> own(rows_->cols()), row(samples.cols, 0.0);
  std::vector<std::uint8_t> seen(rows_->cols());
  for (Index r = 0; r < samples.rows; ++r) {
    const Index source = (first_sample + r) % rows_->rows();
    rows_->fetch<double>(source, 0, {own.data(), 1, own.size(), own.size()});
    held_columns(source, seen);
    for (Index c = 0; c < own.size(); ++c) row[places[c]] = own[c];
    std::vector<double> x = row;
    units.undo(std::span(x));
    for (Index c = 0; c < own.size(); ++c) {
      const Index at = places[c];
      if (of_one_unit[c] && seen[c] != 0) samples(r, at) = static_cast<Real>(number_of_file(at, x[at], row[at], units));
    }
  }
}

void Clamp::write_as_given(MatrixRef samples, const DataUnits& units, Index first_sample) const {
  if (rows_) write_rows_as_given(samples, units, first_sample);
  const PerLayer<Index> first = layout_->first_columns(layout_->observed());
  for (const Fixed& f : fixed_)
    for (Index r = 0; f.given && r < samples.rows; ++r)
      std::fill(samples.row(r) + first[f.layer] + f.begin, samples.row(r) + first[f.layer] + f.end,
                static_cast<Real>(*f.given));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
