#include <harmonium/samplers/top_down.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <harmonium/framework/core/copies.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

const StackedMachines& stack_of(const Target& target) {
  const StackedMachines* stack = stacked_machines(target.model);
  if (!stack)
    throw CapabilityError("sampler 'top_down' draws from a stack of machines, and the model is none. Try 'gibbs'.");
  return *stack;
}

/// Copies layers of the top machine into those of the stack.
void put_back(const StackedMachines& stack, Index k, LayerSet own, const Chains& from, Chains& to) {
  for (const LayerId l : stack.machine(k).layout().ids(own)) copy(from.read(l), to.write(stack.layer_of(k, l)));
}

}  // namespace

void TopDownOptions::bind(OptionBinder& o) { o.component("sampler", sampler, "what moves the top machine", "gibbs"); }

TopDown::TopDown(Options options) : options_(std::move(options)) {
  if (!options_.sampler) throw ConfigError("an inner sampler must be given.");
  if (options_.sampler->rungs() != 1) throw ConfigError("the inner sampler has temperatures of its own. Try 'gibbs'.");
}

void TopDown::check(const Target& target) const {
  const StackedMachines& stack = stack_of(target);
  if (!target.untempered() || target.base)
    throw CapabilityError(
        "sampler 'top_down': the law of a stack at another temperature is no stack's. Leave the temperature at 1.");
  if (target.held)
    throw CapabilityError("sampler 'top_down': draws pass down through all layers, and nothing can be held.");
  options_.sampler->check({stack.top()});
}

SamplerReport TopDown::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                               LastMeans*) {
  const StackedMachines& stack = stack_of(target);
  const std::uint64_t end = chains.step() + steps;
  if (steps == 0) return {};
  const Index top = stack.num_machines() - 1;
  const LayerSet all = stack.top().layout().all();
  Chains rows(stack.top().layout(), chains.size(), chains.first_chain());
  for (const LayerId l : stack.top().layout().ids()) copy(chains.read(stack.layer_of(top, l)), rows.write(l));
  rows.set_step(chains.step());
  SamplerReport report =
      options_.sampler->advance({stack.top()}, rows, steps, execution.part("machine" + std::to_string(top + 1)));
  put_back(stack, top, all, rows, chains);
  for (Index k = top; k-- > 0;) {
    const EnergyModel& machine = stack.machine(k);
    const LayerSet observed = machine.layout().observed(), latent = machine.layout().latent();
    Chains drawn(machine.layout(), chains.size(), chains.first_chain());
    for (const LayerId l : machine.layout().ids(latent)) copy(chains.read(stack.layer_of(k, l)), drawn.write(l));
    drawn.set_step(end);
    Posterior below(observed);
    below.sample(machine, drawn, execution.random.child("machine" + std::to_string(k + 1)), drawn, execution.executor);
    put_back(stack, k, observed, drawn, chains);
  }
  chains.set_step(end);
  return report;
}

void TopDown::memory(const EnergyModel& model, MemoryNeed& need) const {
  if (const StackedMachines* stack = stacked_machines(model)) options_.sampler->memory(stack->top(), need);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
