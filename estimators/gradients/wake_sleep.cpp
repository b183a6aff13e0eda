#include <harmonium/estimators/gradients/wake_sleep.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <harmonium/framework/core/copies.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/stack_bound.hpp>
#include <harmonium/framework/inference/stack_gradients.hpp>
#include <harmonium/framework/inference/stack_passes.hpp>
#include <harmonium/framework/inference/works.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Of rows that all weigh nothing the mean as it is: 0 would stand in the mean of an epoch as a bound.
double weighted_mean(const std::vector<double>& values, std::span<const double> weights) {
  double sum = 0.0, total = 0.0;
  for (Index r = 0; r < values.size(); ++r) {
    sum += weights[r] * values[r];
    total += weights[r];
  }
  return total > 0.0 ? sum / total : mean_of_groups(values).mean;
}

}  // namespace

void WakeSleepOptions::bind(OptionBinder& o) {
  o.option("gibbs_steps", gibbs_steps, "transitions of the top machine from each wake state", at_least(1));
  o.component("sampler", sampler, "what moves the top machine", "gibbs");
  o.option("bound", bound,
           "whether the bound of log Z p(x) is told, by one draw a row, for the observer 'posterior_bound': free "
           "energies of all machines more in each update");
}

WakeSleep::WakeSleep(Options options) : options_(std::move(options)) {
  if (!options_.sampler) throw ConfigError("a sampler of the top machine must be given.");
  if (options_.sampler->rungs() != 1)
    throw ConfigError("the sampler has temperatures of its own, and its chains start from the data. Try 'gibbs'.");
  if (options_.gibbs_steps == 0) throw ConfigError("'gibbs_steps' must be at least 1.");
}

void WakeSleep::check(const EnergyModel& model) const {
  const StackedMachines* stack = stacked_machines(model);
  if (!stack)
    throw CapabilityError(
        "estimator 'wake_sleep': it fine-tunes a stack of machines, and the model is none. Try 'cd' or 'pcd'.");
  if (!stack->untied())
    throw CapabilityError(
        "estimator 'wake_sleep': the stack goes up by the weights that it goes down by, and they part in fine-tuning. "
        "Set model.untied = true.");
  options_.sampler->check(Target{stack->top()});
}

SamplerReport WakeSleep::move_top(const StackedMachines& stack, Chains& x, std::span<const double> weights,
                                  std::span<Real> gradient, const Execution& execution) const {
  const EnergyModel& machine = stack.top();
  const Layout& layout = machine.layout();
  const Index top = stack.num_machines() - 1;
  Chains chains(layout, x.size(), x.first_chain());
  for (const LayerId l : layout.ids()) copy(x.read(stack.layer_of(top, l)), chains.write(l));
  chains.set_step(x.step());

  const std::span<Real> own = stack.part(top, gradient);
  machine.free_energy()->add_gradient(layout.observed(), chains, weights, own, execution.executor);
  SamplerReport report = options_.sampler->advance({machine}, chains, options_.gibbs_steps, execution.part("sampler"));
  std::vector<double> minus(weights.size());
  std::ranges::transform(weights, minus.begin(), [](double w) { return -w; });
  machine.free_energy()->add_gradient(layout.observed(), chains, minus, own, execution.executor);

  for (const LayerId l : layout.ids()) copy(chains.read(l), x.write(stack.layer_of(top, l)));
  x.set_step(chains.step());
  return report;
}

GradientEstimator::Report WakeSleep::estimate(const EnergyModel& model, const DataBatch& data, std::span<Real> gradient,
                                              const Execution& execution) {
  if (data.observed) begin(model, {.rows = data.rows.size(), .missing = true});
  const StackedMachines& stack = *stacked_machines(model);
  const Executor& executor = execution.executor;
  std::ranges::fill(gradient, Real{0});

  Chains x(model.layout(), data.rows.size(), data.rows.first_chain());
  x.copy_rows(model.layout().observed(), data.rows.real());
  x.set_step(steps_);
  draw_up(stack, stack.num_machines(), x, execution.part("wake"));
  add_generative_gradient(stack, x.real(), data.weights, gradient, executor);
  Report report;
  report.positive.method = "draws that go up";
  if (options_.bound) report.positive.bound = weighted_mean(stack_log_weights(stack, x, executor), data.weights);

  report.negative.method = "chains of the top machine from the wake states";
  report.negative.sampler = move_top(stack, x, data.weights, gradient, execution);
  draw_down(stack, x, execution.part("sleep"));
  add_recognition_gradient(stack, x.real(), data.weights, gradient, executor);
  steps_ = x.step();
  report.slope = false;
  return report;
}

double WakeSleep::products(const EnergyModel&, Index rows) const {
  // Up, down, and three for each of two gradients; free energies for the bound.
  const double chain = options_.sampler->products_per_step() * static_cast<double>(options_.gibbs_steps);
  return static_cast<double>(rows) * (8.0 + chain + (options_.bound ? 4.0 : 0.0));
}

void WakeSleep::memory(const EnergyModel& model, Index rows, MemoryNeed& need) const {
  const StackedMachines* stack = stacked_machines(model);
  if (!stack) return;
  const Layout& layout = model.layout();
  const double states = static_cast<double>(rows) * static_cast<double>(layout.columns(layout.all())) * sizeof(Real);
  need.add("the states of all layers", states, "training.batch_size");
  need.add_passing("the states of a machine, and its means", 3.0 * states, "training.batch_size");
  options_.sampler->memory(stack->top(), need);
}

void WakeSleep::take(const EnergyModel&, const Shard& shard) {
  if (shard.count > 1 && options_.sampler->adaptation_steps() != 0)
    throw CapabilityError(
        "estimator 'wake_sleep': the sampler adapts itself to all chains, and with training.shards > 1 each shard has "
        "its "
        "own. Turn the adaptation off, or set training.shards = 1.");
}

void WakeSleep::state(StateArchive& archive) {
  archive.field("steps", steps_);
  archive.group("sampler", *options_.sampler);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
