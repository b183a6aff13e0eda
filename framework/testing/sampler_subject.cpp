#include <harmonium/framework/testing/sampler_subject.hpp>

#include <algorithm>

#include <harmonium/framework/inference/rungs.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/model_suite.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

SamplerSubject::SamplerSubject(const std::function<std::unique_ptr<Sampler>()>& maker, const EnergyModel& checked,
                               CheckReport& to)
    : make(maker), model(checked), layout(checked.layout()), report(to), rungs(maker()->rungs()) {}

bool SamplerSubject::enumerable() const { return layout.log2_states(layout.all()) <= most_enumerated; }

Chains SamplerSubject::start(Index logical, std::uint64_t seed) const {
  Chains chains = random_rows(layout, logical * rungs, seed);
  assign_rungs(chains, rungs);
  return chains;
}

SamplerReport SamplerSubject::advance(Sampler& sampler, Chains& chains, Index steps, int threads) const {
  const Executor executor(threads);
  return sampler.advance(Target{model}, chains, steps, {executor, {41, 43}});
}

std::unique_ptr<Sampler> SamplerSubject::adapted() const {
  std::unique_ptr<Sampler> sampler = make();
  if (const Index steps = sampler->adaptation_steps(); steps > 0) {
    Chains chains = start(64, 3);
    advance(*sampler, chains, steps);
  }
  return sampler;
}

void copy_rows(const Layout& layout, const Chains& from, Index first, Chains& to) {
  for (const LayerId l : layout.ids()) {
    const ConstMatrixRef x = from.read(l);
    const MatrixRef out = to.write(l);
    for (Index r = 0; r < out.rows; ++r) std::copy_n(x.row(first + r), x.cols, out.row(r));
  }
}

std::vector<std::uint8_t> every_third(Index num) {
  std::vector<std::uint8_t> held(num, 0);
  for (Index u = 0; u < num; u += 3) held[u] = 1;
  return held;
}

HeldMask every_third_held(const Layout& layout, Index rows) {
  HeldMask mask;
  Index number = 0;
  for (const LayerId l : layout.ids()) {
    std::vector<std::uint8_t> bytes(rows * layout[l].size, 0);
    for (Index u = 0; u < layout[l].size; ++u, ++number)
      for (Index r = 0; r < rows && number % 3 == 0; ++r) bytes[r * layout[l].size + u] = 1;
    mask.hold_units(l, layout[l].size, std::move(bytes));
  }
  return mask;
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
