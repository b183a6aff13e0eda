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

/// What one kind of unit is: its domain, and the exponential family on it. A domain is a finite list of states, an interval, or
/// the counts from 0 up. Stateless; parameters live in the model. Every function may be called from several threads at once.
///
/// A family may have a base measure h (Welling, Rosen-Zvi & Hinton 2004): p(x) ∝ h(x) exp(…). It is no part of an energy and
/// no temperature scales it: at β = 0 a unit's law is h. A likelihood counts it (log_base of evaluation.hpp), draws have it
/// from `sample`; what goes by energies alone must leave such units to their conditionals (see goes_by_energy).
class UnitType {
 public:
  static constexpr const char* kind = "unit";
  virtual ~UnitType();

  virtual std::string_view name() const = 0;
  /// The table of a configuration that makes it again: its type, and its options where it has any.
  virtual Value configuration() const;
  /// Columns a unit takes.
  virtual Index width() const { return 1; }
  /// Size of the domain; 0: it has no end, continuous or counts.
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

  /// Whether there is a base measure other than 1. Such units are of one column.
  virtual bool has_base() const { return false; }
  /// log h(x); not finite where x is no value of the unit.
  virtual double log_base(double) const { return 0.0; }
  /// What scale · (linear + bias) must stay below for the family to have a law, where it has no curvature.
  virtual double linear_limit() const;

  /// sums[r] += Σ_units log Σ_x h(x) exp(…) (an integral over a continuous domain). In double in both precisions.
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
  /// A draw from the widest distribution of the unit: uniform on a finite domain, that of a base measure. Addresses as in
  /// `sample`.
  virtual void sample_uniform(const DrawBlock& addresses, MatrixRef out) const = 0;
};

/// Whether a continuous unit's energy says how probable its values are, so that it can be moved along the energy's slope.
inline bool goes_by_energy(const UnitType& unit) { return unit.num_states() == 0 && !unit.has_base(); }

/// Whether ½ γ x² is what holds its values together, so that γ is a precision, above 0. On a finite domain γ may have either sign.
inline bool has_precision(const UnitType& unit) { return unit.has_curvature() && unit.num_states() == 0; }

/// Whether a unit has a law at β = 0: of finite states the uniform one, with a base measure that one.
inline bool has_law_at_zero(const UnitType& unit) {
  return unit.num_states() > 0 || (unit.has_base() && !unit.has_curvature());
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
