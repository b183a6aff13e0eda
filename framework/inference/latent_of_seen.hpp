#pragma once

#include <vector>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/model/held_mask.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// E[h | row] of a latent layer given all that is observed, at β = 1, rows × columns: in closed form where the posterior factorizes, else
/// by adding up the states of latent units. Throws CapabilityError where these are too many.
Matrix<double> latent_means_of_complete(const EnergyModel& model, LayerId layer, const Chains& rows,
                                        const Executor& executor);
/// E[h | what was seen] = Σ p(unseen | seen) E[h | row] over all ways to fill in a row, at β = 1; a LatentMixture is summed over its
/// states instead where that takes less, Σ_a p(a | seen) E[h | a], and what was not seen may then be any number of units, and continuous. What
/// `rows` has in the holes plays no part. Throws CapabilityError where neither can be had (latent_operations_of_each).
Matrix<double> latent_means_of_seen(const EnergyModel& model, LayerId layer, const Chains& rows, const HeldMask& seen,
                                    const Executor& executor);
/// Multiplications and additions of each row of it, for budgets; infinite where it would throw.
std::vector<double> latent_operations_of_each(const EnergyModel& model, const HeldMask& seen, Index rows);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
