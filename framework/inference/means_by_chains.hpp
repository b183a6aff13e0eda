#pragma once

#include <harmonium/framework/core/function_ref.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Means of the columns of some layers, and one standard error of each; 0 of units that are held.
struct EstimatedMeans {
  Matrix<double> means, errors;
  Matrix<double> variances = {};  ///< of x and not of its mean, 0 of units that are held; empty where nobody asked
};

/// How chains are averaged.
struct ChainAverage {
  Index chains_of_row = 8;  ///< at least 2
  Index warm_up = 200;      ///< transitions that are left out
  Index steps = 800;        ///< transitions after them, each of which counts
  bool variances = false;   ///< whether they are asked for
};

/// Whether means_by_chains can be had: by conditionals of units.
bool offers_means_by_chains(const EnergyModel& model);

/// E[x | held] of each row at β = 1, of the columns of `layers`, observed ones and latent ones. Row r has the chains [r n, (r + 1) n), n = chains_of_row, which start in `chains` with the same
/// units held in the same state, and are left where they end. After each transition a unit counts with its mean given all others,
/// E[x_i | x without i], which has the same expectation as x_i and a smaller variance (Rao–Blackwell). A row's estimate is the mean m of
/// those m_k of its chains, and its error s(m_k) / √n: chains are independent of each other, whatever the correlations within one.
/// `sampler` has one rung. `done` is told after each transition what share of all is made. Throws CapabilityError where the model
/// offers no conditionals.
EstimatedMeans means_by_chains(const EnergyModel& model, Sampler& sampler, Chains& chains, const HeldMask& held,
                               LayerSet layers, const ChainAverage& average, const Execution& execution,
                               FunctionRef<void(double share)> done);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
