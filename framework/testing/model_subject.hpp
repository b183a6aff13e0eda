#pragma once

#include <limits>
#include <string>
#include <vector>

#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/testing/report.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// A model whose parameters are set, and what its checks share: rows to look at it by, and the size of its energies.
struct ModelSubject {
  static constexpr double epsilon = std::numeric_limits<Real>::epsilon();
  /// Of differences: exact in Real beside parameters that are multiples of 1/256.
  static constexpr double step = sizeof(Real) == 8 ? 0x1p-8 : 0x1p-4;

  /// Of a layer, or of a block of conditionals, in checks that take some units of each.
  static constexpr Index most_units = 24;

  ModelSubject(EnergyModel& checked, CheckReport& to);

  std::vector<double> energies(const Chains& of_rows) const;
  /// "'weight.visible.hidden'[2, 1]"
  std::string entry_name(Index entry) const;
  std::string unit_name(LayerId layer, Index unit) const;
  /// `factor` rounding errors of an energy.
  double rounding(double factor) const { return epsilon * scale * factor; }

  EnergyModel& model;
  CheckReport& report;
  Executor executor{1};
  Chains rows;
  double largest;  ///< value of a unit in the rows
  double scale;    ///< of the terms of an energy, which its rounding error goes by
};

/// At most `most` of 0 … n − 1, evenly spread.
std::vector<Index> some_of(Index n, Index most);

/// The free parameters that gradients are compared by: some of each tensor that is learned.
std::vector<std::vector<Index>> compared_parameters(const EnergyModel& model);

/// Values that a unit may take, one a row: all of a discrete one, three of a continuous one.
std::vector<std::vector<Real>> values_of(const UnitType& unit);

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
