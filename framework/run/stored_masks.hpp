#pragma once

#include <filesystem>
#include <string>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

// The masks of a run that goes on: it keeps a copy of what its configuration had from files.

/// [model] with the files of its masks named from the root; relative ones are in `folder`.
Value absolute_mask_paths(const Value& model, const std::string& folder);
/// [model] without the masks whose files are gone.
Value without_lost_masks(Value model);
/// Gives `model`, made of the table `spec`, the masks that `stored`, a model file of its run, has. Throws ConfigError where
/// the model has read others from the files of the configuration.
void take_masks(const std::filesystem::path& stored, const Value& spec, EnergyModel& model);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
