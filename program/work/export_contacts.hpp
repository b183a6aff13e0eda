#pragma once

#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/program/work/model_description.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Writes the pairs of units of the one layer whose units are coupled with each other, by a tensor of their own or by normal latent
/// units (latent_couplings.hpp), to the CSV file `request.output`, a line a pair, the strongest first, units counted from 1, as sites
/// of alignments are. Of units of several states `site_i,site_j,score,norm`: the Frobenius norm of their
/// coupling in the zero-sum gauge, and as the score what the average product correction leaves of it (contact_scores.hpp);
/// of other units `site_i,site_j,score,coupling`, the score being |J_ij|. Where `header` has names of the data's columns, `unit,other` too.
/// Throws CapabilityError where couplings of pairs are not all there is, as with most latent units, or units have no states.
void export_contacts(const EnergyModel& model, const ModelHeader& header, const ExportRequest& request);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
