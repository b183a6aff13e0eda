#pragma once

#include <cmath>
#include <vector>

#include <harmonium/framework/inference/joint_states.hpp>
#include <harmonium/framework/inference/layer_observables.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A sum whose terms have the absolute values `size` together; 0 where plus and minus leave no more of them than rounding.
inline double beyond_rounding(double sum, double size) { return std::abs(sum) > 1e-14 * size ? sum : 0.0; }

/// Of the layer's law: the mean of each of its numbers, 0 where that is all but rounding, and the law of the one that has levels.
struct LayerSums {
  std::vector<double> means;
  std::vector<double>
      levels;  ///< of magnetizations(), or of how many sites are in the state of most; of other numbers nothing
  std::vector<double> staggered = {};  ///< the law of the staggered magnetization, where there is one
};

/// `probabilities` of the layer's states, in their order. The same bits for any number of threads.
LayerSums sums_of_layer(const Layout& layout, const LayerObservables& what, const JointStates& states,
                        const std::vector<double>& probabilities, const Executor& executor);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
