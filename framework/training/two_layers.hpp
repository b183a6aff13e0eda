#pragma once

#include <array>

#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The two layers of an RBM of units of two values, and where its parameters are.
struct TwoLayers {
  LayerId seen{}, latent{};
  const ParameterBlock *weight = nullptr, *seen_bias = nullptr, *latent_bias = nullptr;
  std::array<double, 2> seen_values{}, latent_values{};  ///< the lower first
};

/// Throws ConfigError, which says what the model has that such an RBM has not.
TwoLayers two_layers_of(const EnergyModel& model);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
