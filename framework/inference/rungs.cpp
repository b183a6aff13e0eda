#include <harmonium/framework/inference/rungs.hpp>

#include <algorithm>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void assign_rungs(Chains& chains, Index rungs) {
  for (Index r = 0; r < chains.size(); ++r) chains.rung()[r] = static_cast<std::uint32_t>(r % rungs);
}

Chains rows_at_target(const Chains& chains, const Layout& layout) {
  Chains own(layout, static_cast<Index>(std::ranges::count(chains.rung(), 0u)));
  Index row = 0;
  for (Index r = 0; r < chains.size(); ++r)
    if (chains.rung()[r] == 0) own.copy_rows(layout.all(), {chains, r, r + 1}, row++);
  return own;
}

bool of_machines(const LadderReport& ladder) {
  return ladder.betas.size() > 1 && ladder.betas.front() > 0.0 && ladder.betas.front() == ladder.betas.back();
}

void target_energy(const Target& target, std::span<const double> betas, ConstChainView x, std::span<double> out) {
  target.model.energy(x, out);
  for (Index r = 0; r < out.size(); ++r) out[r] *= betas[r];
  if (!target.base || target.untempered()) return;
  std::vector<double> base(out.size());
  target.base->energy(x, base);
  for (Index r = 0; r < out.size(); ++r) out[r] += (1.0 - betas[r]) * base[r];
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
