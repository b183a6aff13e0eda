#pragma once

#include <string>

#include <harmonium/framework/inference/mixing.hpp>
#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/program/work/findings.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Where a flip of all units leaves the model as it is (flip_symmetry.hpp), and all that speaks against its chains is changed by it: a
/// word on that, and on who judges the rest. Empty elsewhere. It may be valleys that no flip joins which they differ by, so that the
/// verdict stands.
std::string words_on_signs(const EnergyModel& model, const MixingReport& report, const Diagnosis& found);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
