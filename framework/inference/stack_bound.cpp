#include <harmonium/framework/inference/stack_bound.hpp>

#include <cmath>

#include <harmonium/framework/inference/closed_free_energies.hpp>
#include <harmonium/framework/inference/stack_passes.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// sum[r] += factor · F(kept layers of row r) of a machine that has them in closed form.
void add_free_energies(const EnergyModel& machine, LayerSet kept, double factor, const Chains& rows,
                       const Executor& executor, std::vector<double>& sum) {
  const std::vector<double> energies = closed_free_energies(machine, kept, 1.0, rows, executor);
  for (Index r = 0; r < sum.size(); ++r) sum[r] += factor * energies[r];
}

/// sum[r] += factor · E(row r).
void add_energies(const EnergyModel& machine, double factor, const Chains& rows, const Executor& executor,
                  std::vector<double>& sum) {
  const ConstChainView x = rows.real();
  executor.for_each_piece(rows.size(), 512, [&](Index begin, Index end) {
    std::vector<double> out(end - begin);
    machine.energy(x.slice(begin, end), out);
    for (Index r = begin; r < end; ++r) sum[r] += factor * out[r - begin];
  });
}

}  // namespace

std::vector<double> stack_log_weights(const StackedMachines& stack, const Chains& x, const Executor& executor) {
  std::vector<double> sum(x.size(), 0.0);
  const Index top = stack.num_machines() - 1;
  for (Index k = 0; k < top; ++k) {
    const EnergyModel &machine = stack.machine(k), &upward = stack.recognition(k);
    const Layout& layout = machine.layout();
    const Chains rows = stack.rows_of_machine(k, layout.all(), x.real());
    add_free_energies(machine, layout.latent(), 1.0, rows, executor, sum);
    add_free_energies(upward, layout.observed(), -1.0, rows, executor, sum);
    if (!stack.untied()) continue;  // the energies of one machine cancel
    add_energies(machine, -1.0, rows, executor, sum);
    add_energies(upward, 1.0, rows, executor, sum);
  }
  const LayerSet seen = stack.top().layout().observed();
  add_free_energies(stack.top(), seen, -1.0, stack.rows_of_machine(top, seen, x.real()), executor, sum);
  return sum;
}

std::vector<double> stack_bounds(const StackedMachines& stack, const Chains& rows, Index draws,
                                 const Execution& execution, std::vector<double>* errors) {
  Chains x = rows;
  std::vector<double> mean(rows.size()), squares(rows.size());
  for (Index d = 0; d < draws; ++d) {
    x.set_step(d);
    draw_up(stack, stack.num_machines() - 1, x, execution);
    const std::vector<double> drawn = stack_log_weights(stack, x, execution.executor);
    for (Index r = 0; r < mean.size(); ++r) {
      const double off = drawn[r] - mean[r];
      mean[r] += off / static_cast<double>(d + 1);
      squares[r] += off * (drawn[r] - mean[r]);
    }
    execution.executor.check_stop();
    if (execution.display) execution.display->progress(static_cast<double>(d + 1) / static_cast<double>(draws), "");
  }
  if (errors) {
    errors->assign(rows.size(), 0.0);
    const auto n = static_cast<double>(draws);
    for (Index r = 0; r < rows.size() && draws > 1; ++r) (*errors)[r] = std::sqrt(squares[r] / (n - 1.0) / n);
  }
  return mean;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
