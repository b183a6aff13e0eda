#pragma once

#include <harmonium/program/work/sampling.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Writes the samples with one column for each observed unit: its state, counted from 0, of a unit of several, and of others its
/// value. FILE.npy holds bytes where all are states; FILE.csv has the energies last where they were asked for.
void write_state_samples(const SamplingPlan& plan, const Sampling& sampling);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
