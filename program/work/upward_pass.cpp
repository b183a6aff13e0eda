#include <harmonium/program/work/upward_pass.hpp>

#include <string>

#include <harmonium/framework/core/copies.hpp>
#include <harmonium/framework/inference/posterior.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

Chains upward_pass(const EnergyModel& model, const StackedMachines& stack, const Chains& rows, bool draws,
                   std::uint32_t first_chain, const Execution& execution) {
  Chains all(model.layout(), rows.size(), first_chain);
  all.copy_rows(model.layout().observed(), rows.real());
  for (Index k = 0; k < stack.num_machines(); ++k) {
    const EnergyModel& machine = stack.machine(k);
    const Layout& layout = machine.layout();
    Chains own(layout, rows.size(), first_chain);
    for (const LayerId l : layout.ids(layout.observed())) copy(all.read(stack.layer_of(k, l)), own.write(l));
    Posterior posterior;
    if (draws)
      posterior.sample(machine, own, execution.random.child("machine" + std::to_string(k + 1)), own,
                       execution.executor);
    for (const LayerId l : layout.ids(layout.latent()))
      copy(draws ? own.read(l) : posterior.moments(machine, own, execution.executor).mean[l],
           all.write(stack.layer_of(k, l)));
  }
  return all;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
