#pragma once

#include <string>
#include <vector>

#include <harmonium/program/work/sampling.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The file beside FILE.npy that the energies go to; empty where they go into the file itself, or are not asked for.
std::string energies_path(const SampleRequest& request);
/// What the columns of a plan's samples are called: as those of the data that the model was trained on, those of a label layer
/// LABEL=0, LABEL=1, …; none where the model file has no names. Throws DataError where it has others than columns.
std::vector<std::string> sample_names(const SamplingPlan& plan);
/// Writes the samples, and their energies where asked for, as the extension of the output says.
void write_samples(const SamplingPlan& plan, const Sampling& sampling);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
