#include <harmonium/framework/inference/stack_passes.hpp>

#include <string>

#include <harmonium/framework/core/copies.hpp>
#include <harmonium/framework/inference/posterior.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Draws the layers `drawn` of machine k, which are independent given its others, by the law of `machine`.
void draw_layers(const StackedMachines& stack, Index k, const EnergyModel& machine, LayerSet drawn, Chains& x,
                 const Execution& execution) {
  const Layout& layout = machine.layout();
  Chains own(layout, x.size(), x.first_chain());
  for (const LayerId l : layout.ids(layout.all() - drawn)) copy(x.read(stack.layer_of(k, l)), own.write(l));
  own.set_step(x.step());
  Posterior law(drawn);
  law.sample(machine, own, execution.random.child("machine" + std::to_string(k + 1)), own, execution.executor);
  for (const LayerId l : layout.ids(drawn)) copy(own.read(l), x.write(stack.layer_of(k, l)));
}

}  // namespace

void draw_up(const StackedMachines& stack, Index machines, Chains& x, const Execution& execution) {
  for (Index k = 0; k < machines; ++k)
    draw_layers(stack, k, stack.recognition(k), stack.machine(k).layout().latent(), x, execution);
}

void draw_down(const StackedMachines& stack, Chains& x, const Execution& execution) {
  for (Index k = stack.num_machines() - 1; k-- > 0;)
    draw_layers(stack, k, stack.machine(k), stack.machine(k).layout().observed(), x, execution);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
