#pragma once

#include <vector>

#include <harmonium/framework/diagnostics/sum_of_means.hpp>
#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether the pseudo likelihood can be had: discrete observed units, and a free energy in closed form.
bool offers_pseudo_likelihood(const EnergyModel& model);
/// Multiplications and additions that one row's takes of all units, for budgets.
double pseudo_likelihood_operations(const EnergyModel& model);
/// Σ_u log p(x_u | the other observed units) of each row, in nats (Besag 1975).
std::vector<double> pseudo_log_likelihoods(const EnergyModel& model, const Chains& rows, double beta,
                                           const Executor& executor);

/// The mean of these over the rows, with its standard error where there are two rows: of all units of each row where
/// `units_a_row` is 0, else an unbiased estimate from at most that many units of each layer of a row.
///
/// The units of every layer that has more are dealt into groups by the words of `random`, and so are the rows; a row takes the
/// units of its group. Each unit is then seen in as many rows as any other, up to one. There are no more groups than make two
/// rows of each: of fewer rows more units are taken, each unit in two rows at least. What is dealt are the deviations
/// d_u = log p(x_u | the others) − a_u from conditionals a_u at the latent units' means, which are had of all units of all rows
/// (ConditionalsAtMeans; 0 where the model does not offer them):
///   Σ_g mean_{r ∈ g} ( Σ_{u ∈ g} d_ru + m_g / R Σ_u a_ru ),   m_g of the R rows being in group g.
/// Whatever the a_ru, the mean over deals is that of all units. The error counts rows as draws and is that of the sum of means
/// over groups: that units differ adds nothing to it, and what the terms of a row have in common is in it.
WithError estimated_pseudo_log_likelihood(const EnergyModel& model, const Chains& rows, double beta, Index units_a_row,
                                          const Execution& execution);
/// Its value.
double pseudo_log_likelihood(const EnergyModel& model, const Chains& rows, double beta, Index units_a_row,
                             const Execution& execution);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
