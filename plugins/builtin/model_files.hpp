#pragma once

#include <filesystem>
#include <memory>

#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/plugins/builtin/components.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Writes a model to a file that explains itself (docs/file_format.md). The file is written whole or not at all, and the program
/// reads it like those of its own runs. Throws CapabilityError for a model without a configuration
/// (EnergyModel::configuration).
void save(const EnergyModel& model, const std::filesystem::path& path);

/// The model of a file that `save` or a run wrote, with its parameters; plugins that it names are loaded. Throws ConfigError
/// where there is no such file, and in single precision for a model of double; DataError where it is damaged.
std::unique_ptr<EnergyModel> load(const std::filesystem::path& path,
                                  const Registries& registries = builtin_registries());

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
