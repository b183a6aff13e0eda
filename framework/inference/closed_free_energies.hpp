#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// F(kept layers) of each row of a model that has it in closed form.
inline std::vector<double> closed_free_energies(const EnergyModel& model, LayerSet kept, double beta,
                                                const Chains& rows, const Executor& executor) {
  std::vector<double> energies(rows.size());
  const ConstChainView x = rows.real();
  executor.for_each_piece(rows.size(), 512, [&](Index begin, Index end) {
    model.free_energy()->evaluate(kept, beta, x.slice(begin, end), std::span(energies).subspan(begin, end - begin));
  });
  return energies;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
