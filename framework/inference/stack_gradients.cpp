#include <harmonium/framework/inference/stack_gradients.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// gradient += −Σ_r weights[r] · ∂ log p(the other layers of row r | its layers `given`) of a machine.
void add_conditional_gradient(const EnergyModel& machine, LayerSet given, const Chains& rows,
                              std::span<const double> weights, std::span<Real> gradient, const Executor& executor) {
  // Of tensors of the given layers alone the two terms cancel; what rounding would leave is not to be a step.
  std::vector<std::pair<std::span<Real>, std::vector<Real>>> unmoved;
  for (const ParameterBlock& block : machine.parameter_layout().blocks()) {
    const std::span<Real> own = gradient.subspan(block.offset, block.size());
    if (of_layers_alone(block, given)) unmoved.emplace_back(own, std::vector<Real>(own.begin(), own.end()));
  }
  std::vector<double> minus(weights.size());
  std::ranges::transform(weights, minus.begin(), [](double w) { return -w; });
  machine.add_gradient(rows, weights, gradient, executor);
  machine.free_energy()->add_gradient(given, rows, minus, gradient, executor);
  for (const auto& [own, before] : unmoved) std::ranges::copy(before, own.begin());
}

}  // namespace

bool of_layers_alone(const ParameterBlock& block, LayerSet layers) {
  return !block.layers.empty() && std::ranges::all_of(block.layers, [&](LayerId l) { return layers.contains(l); });
}

void add_generative_gradient(const StackedMachines& stack, ConstChainView x, std::span<const double> weights,
                             std::span<Real> gradient, const Executor& executor) {
  for (Index k = 0; k + 1 < stack.num_machines(); ++k) {
    const Layout& layout = stack.machine(k).layout();
    add_conditional_gradient(stack.machine(k), layout.latent(), stack.rows_of_machine(k, layout.all(), x), weights,
                             stack.part(k, gradient), executor);
  }
}

void add_recognition_gradient(const StackedMachines& stack, ConstChainView x, std::span<const double> weights,
                              std::span<Real> gradient, const Executor& executor) {
  for (Index k = 0; k + 1 < stack.num_machines(); ++k) {
    const Layout& layout = stack.machine(k).layout();
    add_conditional_gradient(stack.recognition(k), layout.observed(), stack.rows_of_machine(k, layout.all(), x),
                             weights, stack.recognition_part(k, gradient), executor);
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
