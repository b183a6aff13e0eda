#pragma once

#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A latent layer given what rows hold of the observed layers but for their labels, these summed out: its means Σ_y p(y | x) E[h | x, y],
/// or draws, of y first. For models with classes whose latent units are independent given all that is observed. What `rows` hold as
/// labels plays no part. Row 0 is chain `first_chain`.
Chains unlabeled_law(const EnergyModel& model, LayerId layer, const Chains& rows, bool draws, std::uint32_t first_chain,
                     const Execution& execution);

/// Draws the labels of `rows` given what they hold of the other observed layers. Row 0 is chain `first_chain`.
void draw_labels(const EnergyModel& model, Chains& rows, std::uint32_t first_chain, const Execution& execution);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
