#pragma once

#include <string>

#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What a command line says for chains of the model at that β that pass between modes, with all that its units want:
/// "--sampler parallel_tempering"; empty where no ladder serves.
std::string tempering_words(const EnergyModel& model, double beta, const Registries& registries);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
