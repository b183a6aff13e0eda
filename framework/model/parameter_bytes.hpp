#pragma once

#include <type_traits>

#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What the parameters of a model take in memory once its energies are asked for: in single precision couplings are copied to
/// double for them (models/terms/exact_couplings.hpp).
inline double parameter_bytes(const EnergyModel& model) {
  constexpr double each = sizeof(Real) + (std::is_same_v<Real, double> ? 0.0 : sizeof(double));
  return each * static_cast<double>(model.parameter_layout().size());
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
