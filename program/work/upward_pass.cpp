#include <harmonium/program/work/upward_pass.hpp>

#include <harmonium/framework/core/copies.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/framework/inference/stack_passes.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

Chains upward_pass(const EnergyModel& model, const StackedMachines& stack, const Chains& rows, bool draws,
                   std::uint32_t first_chain, const Execution& execution) {
  Chains all(model.layout(), rows.size(), first_chain);
  all.copy_rows(model.layout().observed(), rows.real());
  if (draws) {
    draw_up(stack, stack.num_machines(), all, execution);
    return all;
  }
  for (Index k = 0; k < stack.num_machines(); ++k) {
    const EnergyModel& machine = stack.recognition(k);
    const Layout& layout = machine.layout();
    Chains own(layout, rows.size(), first_chain);
    for (const LayerId l : layout.ids(layout.observed())) copy(all.read(stack.layer_of(k, l)), own.write(l));
    Posterior posterior;
    for (const LayerId l : layout.ids(layout.latent()))
      copy(posterior.moments(machine, own, execution.executor).mean[l], all.write(stack.layer_of(k, l)));
  }
  return all;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
