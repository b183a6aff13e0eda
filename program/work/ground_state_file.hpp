#pragma once

#include <optional>
#include <string>

#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/model/chains.hpp>
#include <harmonium/program/work/data_units.hpp>
#include <harmonium/program/work/findings.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Throws before any work where `--ground-state FILE` could not be written or is of no known kind.
void check_ground_state_output(const EvaluateRequest& request);

/// Throws ConfigError where the request asks for it as states or as a sequence, and the model has none.
void check_ground_state_form(const EvaluateRequest& request, const ModelHeader& header, const Layout& layout);

/// Writes the one row of `state` as FILE.csv, with a line of names, or FILE.npy: the columns of observed layers, as samples have
/// them, then those of latent ones, or of each unit of several states its state; or as FILE.fasta, a sequence of what is observed. Leaves the file as it is where the energy is not below that of the request. Of one temperature,
/// tells the display what `tell_of_ground_state` does. Throws CapabilityError where there is no state.
void write_ground_state(const EvaluateRequest& request, const Evaluation& found, const std::optional<Chains>& state,
                        const Layout& layout, const ModelHeader& header, const DataUnits& units);

/// Tells the display, which may be null, where the energy of the state in the file is the lowest that was met.
void tell_of_ground_state(const std::string& file, const Evaluation& found, Display* display);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
