#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/files/hdf5.hpp>

namespace harmonium {
inline namespace v1 {

/// An invertible affine map of rows, fitted to the training rows and kept with the model:
///   standardize  z_i = (x_i − mean_i) / scale_i, scale_i the column's standard deviation (1 of a constant column);
///   zca          z = (x − mean) M, M = E (Λ + ε I)^(-1/2) Eᵀ, E Λ Eᵀ the covariance.
/// Moments are those of the rows (divided by their number), weighted where the rows are.
class Transform {
 public:
  enum class Kind { standardize, zca };

  /// From the rows of a data set. `epsilon`, of zca, is in units of the columns' mean variance. Throws ConfigError where
  /// the covariance plus ε has no inverse.
  static std::shared_ptr<const Transform> fit(Kind kind, const Dataset& rows, double epsilon);
  /// Throws std::logic_error for a scale of 0 or a matrix that is not positive definite.
  static std::shared_ptr<const Transform> standardizing(std::vector<double> mean, std::vector<double> scale);
  static std::shared_ptr<const Transform> whitening(std::vector<double> mean, std::vector<double> matrix);

  Kind kind() const { return kind_; }
  Index cols() const { return mean_.size(); }
  const std::vector<double>& mean() const { return mean_; }
  const std::vector<double>& scale() const { return scale_; }    ///< of standardize
  const std::vector<double>& matrix() const { return matrix_; }  ///< of zca, by row
  /// "standardized data" or "whitened data".
  std::string_view units() const;
  /// log |det ∂z/∂x|: log p_x(x) = log p_z(z) + this.
  double log_jacobian() const { return log_jacobian_; }
  /// Columns that had one value in all rows that it was fitted to.
  const std::vector<Index>& constant_columns() const { return constant_columns_; }

  /// The same map of rows that have `count` more columns from `place` on, which it leaves as they are.
  std::shared_ptr<const Transform> around(Index place, Index count) const;
  /// Of standardize: the same of these columns, which leaves the others as they are.
  std::shared_ptr<const Transform> of_columns(const std::vector<bool>& which) const;
  /// x to z and z to x, in place.
  void apply(MatrixView<double> rows) const;
  void undo(MatrixView<double> rows) const;

 private:
  Transform() = default;
  void multiply(MatrixView<double> rows, const std::vector<double>& matrix) const;

  Kind kind_ = Kind::standardize;
  std::vector<double> mean_, scale_, matrix_, inverse_;
  double log_jacobian_ = 0;
  std::vector<Index> constant_columns_;
};

enum class Whiten { none, zca };

/// What is fitted to training rows.
struct TransformOptions {
  bool standardize = false;
  Whiten whiten = Whiten::none;
  double whiten_epsilon = 1e-5;

  bool any() const { return standardize || whiten != Whiten::none; }
  Transform::Kind kind() const { return standardize ? Transform::Kind::standardize : Transform::Kind::zca; }
  void bind(OptionBinder& o);
  void validate() const;
};

/// The group `transform` of a model file (docs/file_format.md). Reading gives null where there is none, and throws
/// DataError where it is damaged.
void write_transform(Hdf5File& file, const Transform& transform);
std::shared_ptr<const Transform> read_transform(const Hdf5File& file);

}  // namespace v1
}  // namespace harmonium
