#include <harmonium/framework/inference/energy_differences.hpp>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/inference/finite_chains.hpp>
#include <harmonium/framework/model/tiling.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::vector<double> energy_differences(const Target& target, const Chains& chains, const Executor& executor) {
  std::vector<double> difference(chains.size()), base(target.base ? chains.size() : 0);
  const ConstChainView rows = chains.real();
  executor.for_each_piece(chains.size(), Tiling::of(chains.size()).rows, [&](Index begin, Index end) {
    const ConstChainView x = rows.slice(begin, end);
    const auto own = std::span(difference).subspan(begin, end - begin);
    target.model.energy(x, own);
    if (target.base) {
      const auto of_base = std::span(base).subspan(begin, end - begin);
      target.base->energy(x, of_base);
      in_place(own) -= as_xtensor(of_base);
    }
    check_energies(own, x);
  });
  return difference;
}

void check_energy(const EnergyModel& model) {
  const Chains row(model.layout(), 1);
  model.energy(row.real().slice(0, 0), {});  // of no rows: it costs nothing
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
