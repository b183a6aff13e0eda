#include <harmonium/program/work/files_beside_means.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// A row of fields for each row.
template <class Make>
Matrix<double> rows_of_fields(const Matrix<double>& means, const Matrix<double>& figures, Index fields, Make make) {
  Matrix<double> rows = zeros<double>(means.shape(0), fields);
  for (Index r = 0; r < means.shape(0); ++r)
    std::ranges::copy(make(row_of(means, r), row_of(figures, r)), row_of(rows, r).begin());
  return rows;
}

}  // namespace

FilesBesideMeans::FilesBesideMeans(const TransformRequest& request, Index rows, Index columns,
                                   const std::vector<std::string>& names, std::vector<RowField> fields,
                                   const DataUnits* units)
    : columns_(columns), fields_(std::move(fields)), units_(units) {
  const Index written = fields_.empty() ? columns : fields_.size();
  if (!request.errors.empty()) errors_.emplace(request.errors, rows, written, names);
  if (!request.spread.empty()) spread_.emplace(request.spread, rows, written, names);
}

Matrix<double> FilesBesideMeans::in_units(Matrix<double> figures) const {
  if (!units_) return figures;
  // Of columns that are alone the way back to the file's numbers is affine.
  std::vector<double> zero(columns_, 0.0), one(columns_, 1.0);
  units_->undo(std::span(zero));
  units_->undo(std::span(one));
  for (Index r = 0; r < figures.shape(0); ++r)
    for (Index c = 0; c < columns_; ++c) figures(r, c) *= std::abs(one[c] - zero[c]);
  return figures;
}

Matrix<double> FilesBesideMeans::means_in_units(Matrix<double> means) const {
  for (Index r = 0; units_ && r < means.shape(0); ++r) units_->undo(row_of(means, r));
  return means;
}

void FilesBesideMeans::write(const EstimatedMeans& found) {
  if (!errors_ && !spread_) return;
  const Matrix<double> means = fields_.empty() ? Matrix<double>() : means_in_units(found.means);
  const auto put = [&](RowWriter<double>& file, const Matrix<double>& figures, const auto& of_fields) {
    if (fields_.empty()) return file.write(as_matrix(figures));
    const Matrix<double> rows =
        rows_of_fields(means, figures, fields_.size(),
                       [&](std::span<const double> m, std::span<const double> f) { return of_fields(fields_, m, f); });
    file.write(as_matrix(rows));
  };
  if (errors_) put(*errors_, in_units(found.errors), errors_of_fields);
  if (!spread_) return;
  Matrix<double> deviations = found.variances;
  for (double& v : deviations) v = std::sqrt(v);
  put(*spread_, in_units(std::move(deviations)), spread_of_fields);
}

void FilesBesideMeans::commit() {
  for (std::optional<RowWriter<double>>* file : {&errors_, &spread_})
    if (*file) (*file)->commit();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
