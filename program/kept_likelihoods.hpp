#pragma once

#include <string>
#include <vector>

#include <harmonium/program/compared_runs.hpp>

namespace harmonium {
inline namespace v1 {

/// The checksum of the model that the run in the folder has ended with, by which likelihoods that are kept belong to it; empty where
/// there is none.
std::string checksum_of_model(const std::string& folder);

/// Keeps likelihoods of all rows, series of one value each, in the folder of the run, in place of those that were kept before: as a whole
/// file or not at all. `model`: the checksum that the model had when they were computed. Throws FileError where the folder cannot be
/// written to.
void keep_likelihoods(const std::string& folder, const std::string& model, const std::vector<MetricSeries>& figures);

/// Gives a run that finished the likelihoods that are kept of its model, as if found at its end, where it has none of these rows. Those
/// of another model, such as one from before the run was made longer, are passed over. Throws ConfigError where the file is damaged.
void add_kept_likelihoods(const std::string& folder, ComparedRun& run);
std::vector<ComparedRun> with_kept_likelihoods(std::vector<ComparedRun> runs);

}  // namespace v1
}  // namespace harmonium
