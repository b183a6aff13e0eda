#pragma once

#include <vector>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/model/held_mask.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The most ways to fill in a row that are summed over one by one.
inline constexpr double most_completions = 65536.0;
/// Rows as they are filled that are in memory at a time.
inline constexpr Index filled_at_once = 4096;

/// In how many ways each row can be filled in: the product of the numbers of states of the observed units that `seen` does not
/// hold. 1 of a complete row; infinite where such a unit has no finite number of states.
std::vector<double> completions(const Layout& layout, const HeldMask& seen, Index rows);

/// −log Σ h(x) exp(−β E(x)) of each row in nats, over the latent units and all that `seen` does not hold of the observed ones, h
/// their base measure: less log Z, it is −log p(what was seen). What `rows` has in the holes plays no part. Each way to fill in
/// a row costs a free energy; a LatentMixture is summed over its latent states where that takes less, and what was not seen may
/// then be any number of units, and continuous. Throws CapabilityError where the model offers no free energy, or a row has
/// more than `most_completions` and the model is no such mixture.
std::vector<double> free_energies_of_seen(const EnergyModel& model, const Chains& rows, const HeldMask& seen,
                                          double beta, const Executor& executor);
/// E[x | what was seen] of the columns of all observed layers, at β = 1, by the same sums: of units that were seen what `rows` holds,
/// of states of several columns the probability of each. `variances`, where not null, receives E[x²] − E[x]² likewise, 0 of units
/// that were seen. Complete rows are as they are, whatever the model offers. Throws as above.
Matrix<double> means_of_seen(const EnergyModel& model, const Chains& rows, const HeldMask& seen,
                             const Executor& executor, Matrix<double>* variances = nullptr);
/// Multiplications and additions of each row of it, for budgets; infinite where it would throw. What is
/// shared by the rows of a call is left out.
std::vector<double> operations_of_each_seen(const EnergyModel& model, const HeldMask& seen, Index rows);
/// Of a call.
double operations_of_seen(const EnergyModel& model, const HeldMask& seen, Index rows);
/// The most bytes that it has in memory beside the rows.
double bytes_of_seen(const EnergyModel& model);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
