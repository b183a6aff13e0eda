#include <harmonium/samplers/energy_differences.hpp>

#include <harmonium/framework/inference/finite_chains.hpp>
#include <harmonium/framework/model/tiling.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::vector<double> energy_differences(const Target& target, const Chains& chains, const Executor& executor) {
  std::vector<double> difference(chains.size()), base(target.base ? chains.size() : 0);
  for (const LayerId l : target.model.layout().ids()) chains.read(l);  // Current as Real before threads ask.
  executor.for_each_piece(chains.size(), Tiling::of(chains.size()).rows, [&](Index begin, Index end) {
    const ConstChainView x(chains, begin, end);
    const auto own = std::span(difference).subspan(begin, end - begin);
    target.model.energy(x, own);
    if (target.base) {
      target.base->energy(x, std::span(base).subspan(begin, end - begin));
      for (Index r = begin; r < end; ++r) difference[r] -= base[r];
    }
    check_energies(own, x);
  });
  return difference;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
