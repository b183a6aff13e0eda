#include <harmonium/framework/inference/stacked_machines.hpp>

#include <harmonium/framework/core/copies.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

StackedMachines::~StackedMachines() = default;

LayerSet StackedMachines::layers_of(Index k, LayerSet own) const {
  LayerSet layers;
  for (const LayerId l : machine(k).layout().ids(own)) layers.add(layer_of(k, l));
  return layers;
}

Chains StackedMachines::rows_of_machine(Index k, LayerSet own, ConstChainView x) const {
  const Layout& layout = machine(k).layout();
  Chains rows(layout, x.rows());
  for (const LayerId l : layout.ids(own)) copy(x[layer_of(k, l)], rows.write(l));
  return rows;
}

const StackedMachines* stacked_machines(const EnergyModel& model) {
  return static_cast<const StackedMachines*>(model.extension(StackedMachines::extension_id));
}

const EnergyModel& model_of_log_z(const EnergyModel& model) {
  const StackedMachines* stack = stacked_machines(model);
  return stack ? stack->top() : model;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
