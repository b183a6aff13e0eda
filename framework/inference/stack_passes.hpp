#pragma once

#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Draws the latent layers of the lowest `machines` machines in rows `x` of a stack, from that of the data up, each given the
/// one below it: from Q, and, of the top machine, from its posterior. The words are those of `machine1` and so on at the step
/// of `x`.
void draw_up(const StackedMachines& stack, Index machines, Chains& x, const Execution& execution);

/// Draws all below the top machine in rows `x` of a stack, each layer given the one above it; the layers of the top machine are
/// left alone. Words as of `draw_up`.
void draw_down(const StackedMachines& stack, Chains& x, const Execution& execution);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
