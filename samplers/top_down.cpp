#include <harmonium/samplers/top_down.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <harmonium/framework/core/copies.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/stack_passes.hpp>
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
  if (target.held) throw CapabilityError("sampler 'top_down': of a stack nothing can be held, by any sampler.");
  options_.sampler->check({stack.top()});
}

SamplerReport TopDown::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                               LastMeans*) {
  const StackedMachines& stack = stack_of(target);
  const std::uint64_t end = chains.step() + steps;
  if (steps == 0) return {};
  const Index top = stack.num_machines() - 1;
  Chains rows(stack.top().layout(), chains.size(), chains.first_chain());
  for (const LayerId l : stack.top().layout().ids()) copy(chains.read(stack.layer_of(top, l)), rows.write(l));
  rows.set_step(chains.step());
  SamplerReport report =
      options_.sampler->advance({stack.top()}, rows, steps, execution.part("machine" + std::to_string(top + 1)));
  for (const LayerId l : stack.top().layout().ids()) copy(rows.read(l), chains.write(stack.layer_of(top, l)));
  chains.set_step(end);
  draw_down(stack, chains, execution);
  return report;
}

void TopDown::memory(const EnergyModel& model, MemoryNeed& need) const {
  if (const StackedMachines* stack = stacked_machines(model)) options_.sampler->memory(stack->top(), need);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
