#pragma once

#include <array>
#include <vector>

#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/inference/elimination.hpp>
#include <harmonium/framework/inference/pairwise_factors.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The laws of single units and of pairs of them.
struct Marginals {
  std::vector<std::vector<double>> single;  ///< of each unit, over its states
  std::vector<std::vector<double>> pairs;   ///< of each pair asked for: states of the first × states of the second
};

/// Those of p(x) ∝ exp(−E(x)), exactly, by a sweep back over the tables of an elimination (Lauritzen & Spiegelhalter 1988), which are all
/// kept: 2^log2_work entries. With u the unit that goes and N the units that are coupled with it then,
///   p(x_N, x_u) = p(x_N) p(x_u | x_N),
/// where p(x_u | x_N) is known as u goes, and p(x_N) follows from the law of the one of N that goes next, and of its own.
/// `neighbors`: the graph that `order` is of, which has an edge for each pair of `factors` and of `pairs`.
Marginals marginals_of(const PairwiseFactors& factors, const std::vector<std::vector<Index>>& neighbors,
                       const EliminationOrder& order, const std::vector<std::array<Index, 2>>& pairs,
                       const Executor& executor);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
