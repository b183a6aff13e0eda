#pragma once

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/model/unit_type.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A unit of q states, each with a column of its own that is 1 where the unit is in it, else 0 ("one-hot"; Potts,
/// softmax): P(state k) = e^{θ_k} / Σ_l e^{θ_l}, log partition log Σ_k e^{θ_k}.
class CategoricalUnit final : public UnitType {
 public:
  struct Options {
    Index num_states = 2;
    void bind(OptionBinder& o) { o.option("num_states", num_states, "states, and columns, of a unit", at_least(2)); }
  };
  explicit CategoricalUnit(Options options) : states_(options.num_states) {}

  std::string_view name() const override { return "categorical"; }
  Value configuration() const override { return table_of("categorical", Options{states_}); }
  Index width() const override { return states_; }
  Index num_states() const override { return states_; }
  void states(MatrixRef out) const override;
  bool has_curvature() const override { return false; }
  /// Values between are taken as probabilities.
  double min() const override { return 0.0; }
  double max() const override { return 1.0; }
  std::string_view domain() const override { return "from 0 to 1"; }
  std::optional<ByteCode> byte_code() const override { return ByteCode{0, 1}; }

  void add_log_partition(const BasicFields<const double>& fields, std::span<double> sums) const override;
  void moments(const ConstFields& fields, MatrixRef mean, MatrixRef second) const override;
  void sample(const ConstFields& fields, const DrawBlock& addresses, MatrixRef out, MatrixRef mean) const override;
  /// Logarithms of the posterior means of N observations under Jeffreys' prior, less their mean: finite for a state that
  /// never occurs.
  void linear_of_mean(std::span<const double> mean, double curvature, double num_rows,
                      std::span<double> linear) const override;
  void sample_uniform(const DrawBlock& addresses, MatrixRef out) const override;

 private:
  Index states_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
