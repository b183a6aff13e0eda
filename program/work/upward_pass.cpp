#include <harmonium/program/work/upward_pass.hpp>

#include <harmonium/framework/core/copies.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/framework/inference/stack_passes.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/unlabeled_law.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

namespace {

/// Rows of the machine that passes up from layer k, its observed layers as they are in rows of the stack.
Chains observed_of_machine(const StackedMachines& stack, Index k, const Chains& all, std::uint32_t first_chain) {
  const Layout& layout = stack.recognition(k).layout();
  Chains own(layout, all.size(), first_chain);
  for (const LayerId l : layout.ids(layout.observed())) copy(all.read(stack.layer_of(k, l)), own.write(l));
  return own;
}

}  // namespace

Chains upward_pass(const EnergyModel& model, const StackedMachines& stack, const Chains& rows, bool draws,
                   bool unlabeled, std::uint32_t first_chain, const Execution& execution) {
  Chains all(model.layout(), rows.size(), first_chain);
  all.copy_rows(model.layout().observed(), rows.real());
  if (draws) {
    if (unlabeled) {
      const EnergyModel& first = stack.recognition(0);
      Chains own = observed_of_machine(stack, 0, all, first_chain);
      draw_labels(first, own, first_chain, execution);
      const LayerId labels = first.layout().find(label_layer);
      copy(own.read(labels), all.write(stack.layer_of(0, labels)));
    }
    draw_up(stack, stack.num_machines(), all, execution);
    return all;
  }
  for (Index k = 0; k < stack.num_machines(); ++k) {
    const EnergyModel& machine = stack.recognition(k);
    const Layout& layout = machine.layout();
    const Chains own = observed_of_machine(stack, k, all, first_chain);
    if (k == 0 && unlabeled) {
      for (const LayerId l : layout.ids(layout.latent()))
        copy(unlabeled_law(machine, l, own, false, first_chain, execution).read(l), all.write(stack.layer_of(k, l)));
      continue;
    }
    Posterior posterior;
    for (const LayerId l : layout.ids(layout.latent()))
      copy(posterior.moments(machine, own, execution.executor).mean[l], all.write(stack.layer_of(k, l)));
  }
  return all;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
