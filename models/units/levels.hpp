#pragma once

#include <optional>
#include <string_view>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/model/finite_unit.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A unit of one column whose q values are equally spaced: unless said otherwise −S, −S + 1, …, S of a spin S = (q − 1)/2, so
/// that three are −1, 0 and 1, as data and the Blume-Capel model have them. P(x) ∝ exp(θx − D x²); log partition
/// log Σ_x exp(θx − D x²), of spin 1 log(1 + 2 e^−D cosh θ). Its curvature γ is 2 D, twice the crystal field, of either sign.
class LevelsUnit final : public FiniteUnit {
 public:
  struct Options {
    Index num_states = 3;
    std::optional<double> low = {};
    double step = 1.0;
    void bind(OptionBinder& o);
    void validate() const;
    double lowest() const { return low.value_or(-0.5 * step * static_cast<double>(num_states - 1)); }
  };
  /// Levels are the numbers that nine decimals write, as files do.
  explicit LevelsUnit(Options options);

  std::string_view name() const override { return "levels"; }
  Value configuration() const override { return table_of("levels", options_); }
  bool has_curvature() const override { return true; }

 private:
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
