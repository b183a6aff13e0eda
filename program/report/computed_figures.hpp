#pragma once

#include <vector>

#include <harmonium/program/report/computed.hpp>

namespace harmonium {
inline namespace v1 {

/// The runs, those that finished with the likelihoods that were computed of them as if found at their ends, of all rows, where they have
/// none: values, intervals and errors over rows, without a value where the ways to log Z did not agree. `computed`: of each run.
std::vector<ComparedRun> with_computed_likelihoods(std::vector<ComparedRun> runs,
                                                   const std::vector<Computed>& computed);

/// Those likelihoods that were computed of a run which finished and does not have them of all rows; empty of others.
std::vector<MetricSeries> computed_likelihoods(const ComparedRun& run, const Computed& computed);

}  // namespace v1
}  // namespace harmonium
