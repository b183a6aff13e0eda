#include <harmonium/framework/inference/stack_bound.hpp>

#include <cmath>
#include <string>

#include <harmonium/framework/core/copies.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/posterior.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Free energies of the layers `kept` of a machine that has them in closed form.
std::vector<double> closed_energies(const EnergyModel& machine, LayerSet kept, const Chains& rows,
                                    const Executor& executor) {
  std::vector<double> out(rows.size());
  const ConstChainView x = rows.real();
  executor.for_each_piece(rows.size(), 512, [&](Index begin, Index end) {
    machine.free_energy()->evaluate(kept, 1.0, x.slice(begin, end), std::span(out).subspan(begin, end - begin));
  });
  return out;
}

/// log w of each row: a draw that goes up through the machines.
std::vector<double> log_weights(const StackedMachines& stack, Chains below, std::uint64_t draw,
                                const Execution& execution) {
  const EnergyModel& first = stack.machine(0);
  std::vector<double> sum = closed_energies(first, first.layout().observed(), below, execution.executor);
  for (double& s : sum) s = -s;
  for (Index k = 0; k + 1 < stack.num_machines(); ++k) {
    const EnergyModel &machine = stack.machine(k), &next = stack.machine(k + 1);
    const Layout &layout = machine.layout(), &above_layout = next.layout();
    below.set_step(draw);
    Posterior posterior;
    posterior.sample(machine, below, execution.random.child("machine" + std::to_string(k + 1)), below,
                     execution.executor);
    Chains above(above_layout, below.size(), below.first_chain());
    const std::vector<LayerId> latent = layout.ids(layout.latent()),
                               observed = above_layout.ids(above_layout.observed());
    for (Index l = 0; l < latent.size(); ++l) copy(below.read(latent[l]), above.write(observed[l]));
    const std::vector<double> plus = closed_energies(machine, layout.latent(), below, execution.executor);
    const std::vector<double> minus = closed_energies(next, above_layout.observed(), above, execution.executor);
    for (Index r = 0; r < sum.size(); ++r) sum[r] += plus[r] - minus[r];
    below = std::move(above);
  }
  return sum;
}

}  // namespace

std::vector<double> stack_bounds(const StackedMachines& stack, const Chains& rows, Index draws,
                                 const Execution& execution, std::vector<double>* errors) {
  const Layout& layout = stack.machine(0).layout();
  Chains data(layout, rows.size(), rows.first_chain());
  for (const LayerId l : layout.ids(layout.observed())) copy(rows.read(stack.layer_of(0, l)), data.write(l));
  std::vector<double> mean(rows.size()), squares(rows.size());
  for (Index d = 0; d < draws; ++d) {
    const std::vector<double> drawn = log_weights(stack, data, d, execution);
    for (Index r = 0; r < mean.size(); ++r) {
      const double off = drawn[r] - mean[r];
      mean[r] += off / static_cast<double>(d + 1);
      squares[r] += off * (drawn[r] - mean[r]);
    }
    execution.executor.check_stop();
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
