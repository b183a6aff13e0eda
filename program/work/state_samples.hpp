#pragma once

#include <harmonium/program/work/sampling.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Throws ConfigError where samples cannot be written as states: of a model without units of several states whose columns are
/// one-hot, of a table, or to a file of another kind than .npy and .csv.
void check_states(const SamplingPlan& plan);
/// Writes the samples with one column for each observed unit: its state, counted from 0, of a unit of several, and of others its
/// value. FILE.npy holds bytes where all are states; FILE.csv has the energies last where they were asked for.
void write_state_samples(const SamplingPlan& plan, const Sampling& sampling);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
