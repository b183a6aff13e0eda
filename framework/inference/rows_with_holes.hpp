#pragma once

#include <vector>

#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/model/held_mask.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The most ways to fill in a row that are summed over.
inline constexpr double most_completions = 65536.0;
/// Rows as they are filled that are in memory at a time.
inline constexpr Index filled_at_once = 4096;

/// In how many ways each row can be filled in: the product of the numbers of states of the observed units that `seen` does not
/// hold. 1 of a complete row; infinite where such a unit has no finite number of states.
std::vector<double> completions(const Layout& layout, const HeldMask& seen, Index rows);

/// −log Σ h(x) exp(−β E(x)) of each row in nats, over the latent units and all ways to fill in what `seen` does not hold of the
/// observed ones, h their base measure: less log Z, it is −log p(what was seen). What `rows` has in the holes plays no part. Each
/// way costs a free energy. Throws CapabilityError where the model offers none, or a row has more than `most_completions`.
std::vector<double> free_energies_of_seen(const EnergyModel& model, const Chains& rows, const HeldMask& seen,
                                          double beta, const Executor& executor);
/// Multiplications and additions of it, for budgets; infinite where a row has more than `most_completions`.
double operations_of_seen(const EnergyModel& model, const HeldMask& seen, Index rows);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
