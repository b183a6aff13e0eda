#include <harmonium/tests/controls/wrong_trajectory.hpp>

#include <harmonium/framework/inference/acceptance.hpp>

namespace harmonium::testing {

double OtherTrajectory::u(const EnergyModel& machine, const Chains& chains, Index row) const {
  double found = 0.0;
  const ConstChainView x(chains, row, row + 1);
  if (exchange_ == Exchange::stale_latent)
    machine.free_energy()->evaluate(machine.layout().observed(), 1.0, x, {&found, 1});
  else machine.energy(x, {&found, 1});
  return found;
}

void OtherTrajectory::exchange(Chains& chains, std::uint64_t step, const Execution& execution) const {
  const Index num = rungs();
  const DrawBlock words =
      DrawBlock::of(execution.random.child("exchange"), chains.first_chain(), step, machines_[0]->layout().id(0));
  chains.real();
  for (Index first = 0; first < chains.size(); first += num) {
    std::vector<Index> row(num);
    for (Index r = first; r < first + num; ++r) row[chains.rung()[r]] = r;
    for (Index k = step % 2; k + 1 < num; k += 2) {
      const EnergyModel &near = *machines_[k], &far = *machines_[k + 1];
      const Index a = row[k], b = row[k + 1];
      double log_ratio = u(near, chains, a) - u(near, chains, b);
      if (exchange_ != Exchange::one_sided) log_ratio += u(far, chains, b) - u(far, chains, a);
      if (exchange_ == Exchange::wrong_sign) log_ratio = -log_ratio;
      if (!accepts(log_ratio, uniform_f64(words.word(first, static_cast<std::uint32_t>(k))))) continue;
      std::swap(chains.rung()[a], chains.rung()[b]);
      std::swap(row[k], row[k + 1]);
    }
  }
}

SamplerReport OtherTrajectory::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                                       LastMeans*) {
  const Layout& layout = target.model.layout();
  for (Index s = 0; s < steps; ++s) {
    const std::uint64_t step = chains.step();
    exchange(chains, step, execution);
    for (Index k = 0; k < rungs(); ++k) {
      std::vector<Index> rows;
      for (Index r = 0; r < chains.size(); ++r)
        if (chains.rung()[r] == k) rows.push_back(r);
      Chains own(layout, rows.size(), chains.first_chain());
      own.set_step(step);
      for (Index i = 0; i < rows.size(); ++i) own.copy_rows(layout.all(), {chains, rows[i], rows[i] + 1}, i);
      gibbs_.advance(Target{*machines_[k]}, own, 1, execution.part("gibbs" + std::to_string(k)));
      for (Index i = 0; i < rows.size(); ++i) chains.copy_rows(layout.all(), {own, i, i + 1}, rows[i]);
    }
    chains.set_step(step + 1);
  }
  return {};
}

}  // namespace harmonium::testing
