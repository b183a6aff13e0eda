#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Puts the parameters of `from` into `to`, a model of the same layers, tensors and masks, of which latent layers may have
/// more units: the first units are those of `from`. What belongs to the others stays as it is in `to`, unless the root mean
/// square of the new couplings of a tensor exceeds 0.1: all couplings of new units are then normal with deviation 0.01, and
/// their biases 0. Returns what grew, one line a layer. Throws ConfigError("which layer or tensor differs, and how.").
std::vector<std::string> grow(const EnergyModel& from, EnergyModel& to, const Execution& execution);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
