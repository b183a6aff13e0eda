#pragma once

#include <string>

#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Throws CapabilityError where `model`, that of the file `path`, is a stack of machines: below its top machine the law is no Markov
/// field, and no sampler draws from it given some of its units. The error names the run of the first machine where that lies beside
/// the file. For commands of which --clamp holds units, before their sampler is asked.
void refuse_held_of_stack(const EnergyModel& model, const std::string& path);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
