#pragma once

#include <vector>

#include <harmonium/framework/inference/joint_states.hpp>
#include <harmonium/framework/inference/local_observables.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The mean of each number by `probabilities` of the layer's states, in their order; 0 where that is all but rounding. The same bits
/// for any number of threads.
std::vector<double> local_means(const Layout& layout, const LocalObservables& what, const JointStates& states,
                                const std::vector<double>& probabilities, const Executor& executor);
/// What it takes while it works, of so many states of the layer.
double bytes_of_local_means(const LocalObservables& what, double num_states);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
