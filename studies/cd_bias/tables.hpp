#pragma once

#include <string>
#include <vector>

#include <harmonium/studies/cd_bias/run.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// cd_bias.csv: the statistics of every k at the stopping criterion. Numbers in their shortest form that reads back as the
/// same; r, s and cosine as fractions.
std::string cd_bias_csv(const std::vector<CdBiasRun>& runs);
/// fixed_updates.csv: the same after a fixed number of updates.
std::string fixed_updates_csv(const std::vector<CdBiasRun>& runs);
/// trace.csv: those of k = 1 during training.
std::string trace_csv(const std::vector<CdBiasRun>& runs);
/// runs.csv: a row a run: its likelihood, second eigenvalue, bound, and r_1 and r_k clipped.
std::string runs_csv(const std::vector<CdBiasRun>& runs);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
