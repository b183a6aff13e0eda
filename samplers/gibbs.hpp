#pragma once

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct GibbsOptions {
  Index tile = 0;
  void bind(OptionBinder& o) {
    o.option("tile", tile,
             "chains that one task works on; part of what results depend on in their last bits; 0 takes up to 256",
             at_least(0));
  }
};

/// Gibbs sampling (Geman & Geman 1984), systematic scan: one step redraws every block of the model once, from its exact
/// conditional, layers in the order of the layout (Smolensky 1986 for an RBM: two steps of block sampling). What is held
/// is left alone. A chain's draws depend on its number and step only.
class Gibbs final : public Sampler {
 public:
  using Options = GibbsOptions;
  explicit Gibbs(Options options = {}) : options_(options) {}

  void check(const Target& target) const override;
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans* last = nullptr) override;

 private:
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
