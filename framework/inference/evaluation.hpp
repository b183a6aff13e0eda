#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/model/held_mask.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether the free energy of the observed layers can be had: in closed form, or by enumerating at most 2^16 states of the
/// latent units of each row.
bool offers_free_energy(const EnergyModel& model);
/// −log h(x) Σ_latent exp(−β E) of each row, in nats, h the base measure of its observed units: less log Z, it is −log p(x).
/// Throws CapabilityError where it cannot be had.
std::vector<double> free_energies(const EnergyModel& model, const Chains& rows, double beta, const Executor& executor);
double mean_free_energy(const EnergyModel& model, const Chains& rows, double beta, const Executor& executor);
/// The mean of a figure of each row, added in one order whatever the threads.
double mean_of_rows(std::span<const double> figures, const Executor& executor);
/// Σ log h(x) over the observed units of each row, those that `seen` holds where it is given: what a likelihood has beside
/// energies. Zeros where no unit has a base measure.
std::vector<double> log_base(const Layout& layout, const Chains& rows, const HeldMask* seen = nullptr);
/// Multiplications and additions of one row's free energy, for budgets.
double free_energy_operations(const EnergyModel& model);

/// Whether a reconstruction can be had: latent units that are independent given the observed ones, and the reverse.
bool offers_reconstruction(const EnergyModel& model);
/// Mean over rows and observed columns of (x − E[x | ĥ])², ĥ = E[h | x]: the deterministic reconstruction.
double reconstruction_error(const EnergyModel& model, const Chains& rows, double beta, const Executor& executor);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
