#pragma once

#include <span>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether the mean energy of independent chains moved between two looks at them: the differences, a chain each, are held against 0
/// by Student's t. Where a chain at rest is the same backward in time they are symmetric about 0, and the level holds for few chains,
/// too, as far as they are normal. Chains that rest in a part of the states have no drift.
class EnergyDrift {
 public:
  static constexpr double level = 1e-4;      ///< probability that chains at rest are told to move, both sides together
  static constexpr Index fewest_chains = 8;  ///< with fewer nothing is told

  /// Of some of the chains, an energy each, in the units of the couplings. Of the same length.
  void add(std::span<const double> before, std::span<const double> after);

  struct Look {
    double mean = 0.0, error = 0.0;  ///< over chains: one standard error
  };
  Index num_chains() const { return before_.count; }
  Look before() const { return before_.look(); }
  Look after() const { return after_.look(); }
  /// Of the mean of the differences, after less before.
  Look change() const { return change_.look(); }
  /// Whether the change is none that chance makes, and more than rounding.
  bool moves() const;
  /// The change of the mean, in standard deviations of a chain's difference, that is told with the probability `power` or more, about;
  /// infinite where nothing is told.
  static double told_from(Index num_chains, double power = 0.95);

 private:
  struct Sums {
    Index count = 0;
    double mean = 0.0, squares = 0.0;  ///< Σ (value − mean)², by Welford's recursion

    void add(double value);
    Look look() const;
  };
  Sums before_, after_, change_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
