#pragma once

#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/files/row_writer.hpp>
#include <harmonium/framework/inference/means_by_chains.hpp>
#include <harmonium/program/work/data_units.hpp>
#include <harmonium/program/work/requests.hpp>
#include <harmonium/program/work/row_fields.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The files of --errors and --spread of `transform`, with the columns of its output.
class FilesBesideMeans {
 public:
  /// `names` are those of the output, or none. `fields`: those of the output where it has rows as the file of the data does; none: it has
  /// `columns` numbers. `units`: from those of the model to those of the output, of columns that are alone; null: the same.
  /// What is referred to must outlive it.
  FilesBesideMeans(const TransformRequest& request, Index rows, Index columns, const std::vector<std::string>& names,
                   std::vector<RowField> fields, const DataUnits* units);

  /// The rows that follow, in the model's units.
  void write(const EstimatedMeans& found);
  void commit();

 private:
  /// Deviations or errors in the units of the output.
  Matrix<double> in_units(Matrix<double> figures) const;
  Matrix<double> means_in_units(Matrix<double> means) const;

  Index columns_;
  std::vector<RowField> fields_;
  const DataUnits* units_;
  std::optional<RowWriter<double>> errors_, spread_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
