#pragma once

#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

// The latent layers of a model whose posterior does not factorize, given the observed layers of each row; at β = 1. Where it
// factorizes, Posterior has the same in closed form.

/// The most bits of latent states that are enumerated for a row.
inline constexpr double most_enumerated_bits = 16.0;
/// Whether means and draws can be had by enumerating at most 2^16 states for each row.
bool offers_enumerated_law(const EnergyModel& model);
/// E[latent | row] of each row, exactly, in the latent layers of the result; its observed layers are those of `rows`.
Chains enumerated_means(const EnergyModel& model, const Chains& rows, const Executor& executor);
/// One exact draw of the latent layers for each row; row r draws the words of chain `first_chain` + r.
Chains enumerated_draws(const EnergyModel& model, const Chains& rows, std::uint32_t first_chain,
                        const Execution& execution);

/// Whether mean_field_means can be had.
bool offers_mean_field(const EnergyModel& model);
/// When it ends.
struct MeanFieldLimits {
  double tolerance = 1e-5;  ///< of the largest move of a mean
  Index max_iterations = 1000;
};
/// Means of the law that factorizes over units and satisfies the mean-field equations: each unit's law is its conditional at
/// the means of the others (Peterson & Anderson 1987), reached from each unit's mean under a zero field, block by block.
/// `left`, where not null, receives the largest move of a mean in the last iteration of any row.
Chains mean_field_means(const EnergyModel& model, const Chains& rows, const MeanFieldLimits& limits,
                        const Executor& executor, double* left = nullptr);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
