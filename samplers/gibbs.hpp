#pragma once

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

enum class Scan : std::uint8_t { systematic, random, backward };

struct GibbsOptions {
  Index tile = 0;
  Scan scan = Scan::systematic;
  void bind(OptionBinder& o);
};

/// Gibbs sampling (Geman & Geman 1984). What is held is left alone.
///
/// Systematic scan: one step redraws every block of the model once, from its exact conditional, layers in the order of
/// the layout (Smolensky 1986 for an RBM: two steps of block sampling).
///
/// Backward: the systematic scan from the last block to the first, which is its reversal (a step is a product of updates
/// that are each reversible). Coupled Gaussian units that the scan draws from their joint law are one update, both ways.
///
/// Random scan: one step makes as many updates as there are blocks that are not wholly held, each of a block drawn
/// uniformly. The sequence of blocks is drawn once a step for all chains, by words of its own, so that a block is
/// redrawn for all of them together. Whatever the sequence, each chain's law stays as it is and chains that were
/// independent stay so; away from equilibrium chains share the luck of one sequence. Averaged over sequences a single
/// update is reversible, which a systematic scan is not.
///
/// A chain's draws depend on its number and step only.
class Gibbs final : public Sampler {
 public:
  using Options = GibbsOptions;
  explicit Gibbs(Options options = {}) : options_(options) {}

  /// The systematic scan in the opposite order.
  std::unique_ptr<Sampler> reversal() const override;
  void check(const Target& target) const override;
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans* last = nullptr) override;

 private:
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
