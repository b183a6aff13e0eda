#pragma once

#include <optional>
#include <span>
#include <string_view>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/execution/stream.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Natural parameters of conditionally independent units, one row a chain, `width` columns a unit:
///   p(x) ∝ exp(scale_r · [(linear + bias)·x − ½ curvature·x²])   on the unit's own domain.
/// Bias and scale are there so that a sum and a temperature cost no pass of their own. Curvature is empty for units that
/// have none (x² is x, or constant, on their domain); a stride of 0 gives every row the same.
template <class T>
struct BasicFields {
  MatrixView<T> linear;
  MatrixView<T> curvature = {};
  const std::remove_const_t<T>* bias = nullptr;   ///< one a column; null: 0
  const std::remove_const_t<T>* scale = nullptr;  ///< one a row, the inverse temperature; null: 1

  /// Rows [begin, end).
  BasicFields slice(Index begin, Index end) const {
    return {linear.slice(begin, end), curvature.empty() ? curvature : curvature.slice(begin, end), bias,
            scale ? scale + begin : nullptr};
  }
  /// Columns [begin, end).
  BasicFields columns(Index begin, Index end) const {
    return {linear.columns(begin, end), curvature.empty() ? curvature : curvature.columns(begin, end),
            bias ? bias + begin : nullptr, scale};
  }
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator BasicFields<const T>() const requires(!std::is_const_v<T>) { return {linear, curvature, bias, scale}; }
};
using Fields = BasicFields<Real>;
using ConstFields = BasicFields<const Real>;

struct ByteCode {
  Real low, step;
};

/// What one kind of unit is: its domain, and the exponential family on it. A domain is a finite list of states or an interval;
/// the family has no base measure, so that counts of Poisson's law are none of it. Stateless; parameters live in the model.
/// Every function may be called from several threads at once.
class UnitType {
 public:
  static constexpr const char* kind = "unit";
  virtual ~UnitType();

  virtual std::string_view name() const = 0;
  /// The table of a configuration that makes it again: its type, and its options where it has any.
  virtual Value configuration() const;
  /// Columns a unit takes.
  virtual Index width() const { return 1; }
  /// Size of the domain; 0: continuous.
  virtual Index num_states() const = 0;
  /// out: num_states() × width(), the domain in a fixed order; nothing for continuous units.
  virtual void states(MatrixRef out) const = 0;
  virtual bool has_curvature() const = 0;
  /// The values a column of data may take, as an interval, and in words for messages ("from 0 to 1").
  virtual double min() const = 0;
  virtual double max() const = 0;
  virtual std::string_view domain() const = 0;
  /// How a value is kept in a byte, where the domain allows it: value = low + step · byte.
  virtual std::optional<ByteCode> byte_code() const { return {}; }

  /// sums[r] += Σ_units log Σ_x exp(…) (an integral over a continuous domain). In double in both precisions.
  virtual void add_log_partition(const BasicFields<const double>& fields, std::span<double> sums) const = 0;
  /// E[x] and E[x²], shaped as `fields.linear`; an empty view is not written. `mean` may be `fields.linear` itself.
  virtual void moments(const ConstFields& fields, MatrixRef mean, MatrixRef second) const = 0;
  /// One exact draw a unit: row r by the addresses of row r, sites from `addresses.first_site` on. `out` may be
  /// `fields.linear` itself. `mean`, where not empty, receives E[x].
  virtual void sample(const ConstFields& fields, const DrawBlock& addresses, MatrixRef out, MatrixRef mean) const = 0;

  /// The linear parameters (width() of them, curvature as given) under which a unit has the mean that was observed in
  /// `num_rows` rows: finite even where the observed mean lies on the border of the domain.
  virtual void linear_of_mean(std::span<const double> mean, double curvature, double num_rows,
                              std::span<double> linear) const = 0;
  /// A draw from the widest distribution of the unit: uniform on a finite domain. Addresses as in `sample`.
  virtual void sample_uniform(const DrawBlock& addresses, MatrixRef out) const = 0;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
