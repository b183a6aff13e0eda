#pragma once

#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/samplers/gibbs.hpp>

namespace harmonium::testing {

/// Parallel tempering by another hand, to make mistakes with: Gibbs sampling at each rung, and one kind of exchange.
class OtherTempering final : public Sampler {
 public:
  enum class Exchange : std::uint8_t {
    right,
    half,              ///< the root of the ratio
    always,            ///< without a look at the energies
    scaled_free,       ///< of β F(v), F at β = 1: but F at β is not β F
    without_the_base,  ///< E in place of E − E₀
    stale,             ///< moves the rows at the rungs where they were before the exchange
  };
  OtherTempering(std::vector<double> betas, Exchange exchange) : betas_(std::move(betas)), exchange_(exchange) {}

  Index rungs() const override { return betas_.size(); }
  void check(const Target&) const override {}
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans*) override;

 private:
  std::vector<double> betas_;
  Exchange exchange_;
  Gibbs gibbs_;
};

/// Tempered transitions over random-scan Gibbs sampling, that are taken whatever the energies on the way were.
class HastyTransitions final : public Sampler {
 public:
  void check(const Target&) const override {}
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans*) override;

 private:
  Gibbs gibbs_{{.scan = Scan::random}};
};

}  // namespace harmonium::testing
