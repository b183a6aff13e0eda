#pragma once

#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The latent layers of a stack given rows of its data, machine by machine: each the means given the means below it, which is
/// exact for the lowest layer alone; or, as `draws`, a draw given the draw below it. Row 0 is chain `first_chain`. As `unlabeled`, for
/// stacks whose first machine has classes, what `rows` hold as labels plays no part: the first machine sums them out of the means, or
/// draws them given the other observed units.
Chains upward_pass(const EnergyModel& model, const StackedMachines& stack, const Chains& rows, bool draws,
                   bool unlabeled, std::uint32_t first_chain, const Execution& execution);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
