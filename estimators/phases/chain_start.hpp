#pragma once

#include <span>

#include <harmonium/framework/execution/stream.hpp>
#include <harmonium/framework/inference/gradient_estimator.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Every unit from the widest distribution of its kind, at the chains' present step.
void draw_uniform(const Layout& layout, const RandomSource& random, Chains& chains);

/// Observed units independent with the data's means `marginals` (uniform where there are none), latent units uniform.
void draw_marginals(const Layout& layout, std::span<const double> marginals, const RandomSource& random,
                    Chains& chains);

/// Copies the entries of the batch that were seen; row r of `chains` is row r / `copies` of the batch, which is gone
/// through again where there are more.
void copy_seen(const Layout& layout, const DataBatch& data, Index copies, Chains& chains);

/// Throws CapabilityError where the sampler cannot hold some units of a layer and move the others, as rows with missing entries ask.
void check_partly_held(const EnergyModel& model, const Sampler& sampler);
/// Whether it can.
bool holds_parts(const EnergyModel& model, const Sampler& sampler);
/// Whether it can hold the observed layers, rows being chains each by itself.
bool holds_observed(const EnergyModel& model, const Sampler& sampler);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
