#pragma once

#include <optional>

#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/model/chains.hpp>
#include <harmonium/program/work/data_units.hpp>
#include <harmonium/program/work/findings.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Throws before any work where `--ground-state FILE` could not be written or is of no known kind.
void check_ground_state_output(const EvaluateRequest& request);

/// Writes the one row of `state` as FILE.csv, with a line of names, or FILE.npy: the columns of observed layers, as samples have
/// them, then those of latent ones. Tells the display where `found` has the lowest energy that was met. Throws CapabilityError
/// where there is no state.
void write_ground_state(const EvaluateRequest& request, const Evaluation& found, const std::optional<Chains>& state,
                        const Layout& layout, const ModelHeader& header, const DataUnits& units);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
