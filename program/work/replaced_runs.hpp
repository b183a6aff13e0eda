#pragma once

#include <filesystem>

#include <harmonium/framework/run/experiment.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Throws ConfigError where a run that is to replace what is in the folder `output` takes something from there: the model that it
/// starts from, or a run that a component of its configuration names. It could not be repeated.
void check_replaced(const std::filesystem::path& output, const Experiment& experiment);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
