#pragma once

#include <harmonium/tests/controls/wrong_samplers.hpp>

namespace harmonium::testing {

/// Single units of binary layers, flipped one after another with a probability that is wrong in a way; chains share
/// nothing. One chain at a time: to be caught, not to be fast.
class WrongFlip final : public WrongSampler {
 public:
  enum class How : std::uint8_t {
    right,       ///< Metropolis as it should be: the test of this class itself
    always,      ///< no Metropolis correction: every proposal is accepted
    inverted,    ///< min(1, p(old)/p(new))
    root,        ///< the ratio's square root
    halved,      ///< half of the ratio, where it is below 1 after that
    untempered,  ///< β forgotten in the acceptance
  };
  explicit WrongFlip(How how) : how_(how) {}
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans*) override;

 private:
  How how_;
};

/// One Langevin move a step of models of continuous layers, with an acceptance that is wrong in a way.
class WrongLangevin final : public WrongSampler {
 public:
  enum class How : std::uint8_t {
    right,
    energies_only,  ///< the ratio of the proposals' densities forgotten
    stale_slope,    ///< the way back proposed by the slope of the present state
    half_noise,     ///< noise of variance ε where 2ε is meant
  };
  WrongLangevin(How how, double step_size) : how_(how), step_size_(step_size) {}
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans*) override;

 private:
  How how_;
  double step_size_;
};

}  // namespace harmonium::testing
