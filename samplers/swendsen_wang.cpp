#include <harmonium/samplers/swendsen_wang.hpp>

#include <algorithm>

#include <harmonium/framework/model/tiling.hpp>
#include <harmonium/samplers/clusters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void SwendsenWangOptions::bind(OptionBinder& o) {
  static constexpr OptionBinder::Choice<ClusterFields> ways[] = {{"sum", ClusterFields::sum},
                                                                 {"ghost", ClusterFields::ghost}};
  o.choice(
      "fields", fields, ways,
      "what fields do: a cluster turns by the sum of its units', or each is a bond to a ghost spin, which keeps it");
}

void SwendsenWang::check(const Target& target) const {
  check_pair_bonds(target.model, "sampler 'swendsen_wang'");
  if (target.base) check_pair_bonds(*target.base, "sampler 'swendsen_wang', base distribution");
}

void SwendsenWang::memory(const EnergyModel& model, MemoryNeed& need) const {
  double entries = 0.0;
  for (const ParameterBlock& b : model.parameter_layout().blocks())
    if (is_coupling(b)) entries += static_cast<double>(b.edges ? b.edges->size() : free_entries(b));
  need.add_passing("the bonds of its units", entries * (sizeof(PairBonds::Bond) + sizeof(double)),
                   "the model's couplings");
}

SamplerReport SwendsenWang::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                                    LastMeans*) {
  if (steps == 0) return {};
  const ClusterPlan plan(target, options_.fields, execution.random);
  for (const LayerId l : target.model.layout().ids()) chains.write(l);  // each as Real, before threads ask for it
  constexpr Index block = 4;                                            // chains that share random words
  const Index grain = chains.size() <= Tiling::strip ? block : Tiling::strip;
  execution.executor.for_each_piece(chains.size(), grain, [&](Index begin, Index end) {
    ClusterRows rows(plan);
    while (begin < end) {
      const auto chain = static_cast<std::uint32_t>(chains.first_chain() + begin);
      const Index next = std::min(end, begin + block - chain % block);
      rows.move(chains, begin, next, steps);
      begin = next;
    }
  });
  chains.set_step(chains.step() + steps);
  return {};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
