#pragma once

#include <optional>
#include <string>

#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/model/site_grid.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What --correlations says the units of a layer are sites of: "16x16", whose axes go round, "16x16:open", whose axes end, or
/// "lattice", that of the term `lattice` of the layer; nothing where it was not given. Throws ConfigError where it is none of these,
/// has not as many sites as the layer has units, or is another grid than that of the term.
std::optional<SiteGrid> observed_grid(const std::string& words, const EnergyModel& model, LayerId layer);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
