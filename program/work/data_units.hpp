#pragma once

#include <memory>
#include <span>
#include <string>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/data/transform.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/model/layout.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// From the numbers of a file to those of a model's observed units, and back: first data.scale, then what was fitted to the
/// training rows (standardize, whiten). Columns of labels are as they are.
class DataUnits {
 public:
  /// `data`: the [data] table by which the file is read. `transform`: of all observed columns (of_observed), or null.
  DataUnits(const Value* data, std::shared_ptr<const Transform> transform, const Layout& layout);

  double scale() const { return scale_; }
  /// Of all observed columns, those of labels left as they are; null: none.
  const Transform* transform() const { return transform_.get(); }

  /// Whether the model gives an observed column a density: its units are of a continuum.
  bool has_density(Index column) const { return continuous_[column]; }
  /// "standardized data", "data times its scale"; empty where densities are of the file's own numbers.
  std::string name() const;
  /// Rows of all observed columns, from the model's units to the file's, in place.
  void undo(MatrixRef rows) const;
  void undo(std::span<double> row) const;
  /// Whether the model's number of a column follows from the file's number of it alone: not after whitening.
  bool column_alone(Index column) const;
  /// A number of one observed column of a file, as the model has it. Throws ConfigError where a column alone has no such
  /// number, as after whitening.
  double of_column(Index column, double value) const;
  /// log p(row of the file) = log p(row of the model) + this, in nats: log |det| of the map on continuous columns. Where
  /// entries are missing, the mean over rows, `seen` being the share of rows in which each column was seen.
  double log_jacobian(std::span<const double> seen = {}) const;

 private:
  bool scaled(Index column) const { return scale_ != 1.0 && column_scaled_[column]; }

  double scale_ = 1.0;
  std::vector<bool> column_scaled_, continuous_;
  std::shared_ptr<const Transform> transform_;
  bool makes_spins_ = false;  ///< of bits, and nothing else
};

/// Those of the model in a file, whose header and layout these are: by its [data] table and the transform that it keeps.
DataUnits data_units_of(const std::string& model, const ModelHeader& header, const Layout& layout);

/// Whether the rows are bits that are drawn of what lies between them: those of another epoch, or seed, are others.
bool draws_bits(const Dataset& data);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
