#pragma once

#include <vector>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/execution/executor.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// How likely two independent draws from a law agree at 0, 1, …, `sites` of their sites. `law` has the probability of each joint
/// state of the sites, all of `states` states, the first site changing fastest: states^sites numbers.
///
/// No sum over pairs of states: Σ p(s) p(s') Π_i z^δ(s_i, s'_i) has the matrix (z − 1) 1 + J at each site, which a basis with a
/// constant vector makes diagonal. In that basis the law's squares, added up by how many of their factors are not constant, are all
/// that the answer takes. The same bits for any number of threads.
std::vector<double> agreement_law(std::vector<double> law, Index states, Index sites, const Executor& executor);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
