#pragma once

#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/samplers/gibbs.hpp>

namespace harmonium::testing {

/// Gibbs sampling by a systematic scan that gives another sampler for its reversal.
class GibbsWithReversal final : public Sampler {
 public:
  enum class Reversal : std::uint8_t {
    right,
    forward_scan,  ///< the same scan once more
    unit_by_unit,  ///< the opposite scan, but of coupled Gaussian units one by one, where the scan draws them jointly
  };
  explicit GibbsWithReversal(Reversal reversal) : which_(reversal) {}

  std::unique_ptr<Sampler> reversal() const override;
  void check(const Target& target) const override { gibbs_.check(target); }
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans* last) override {
    return gibbs_.advance(target, chains, steps, execution, last);
  }

 private:
  Reversal which_;
  Gibbs gibbs_;
};

}  // namespace harmonium::testing
