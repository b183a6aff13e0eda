#pragma once

#include <harmonium/samplers/gibbs.hpp>

namespace harmonium::testing {

struct LeapfrogOptions {
  double step_size = 0.3;
  Index num_steps = 5;
  double last_kick = 1.0;  ///< times what it should be: 1 is right
};

/// Hamiltonian dynamics of the continuous layers, the others redrawn by Gibbs sampling: p' = p − ½ h ∇U(x), x' = x + h p',
/// p'' = p' − ½ h ∇U(x'), and so on; the end is taken by min(1, exp(H − H')). With one step it is Langevin dynamics. Under a
/// wrong last kick the momentum, and so H', is that of another point than where the trajectory ends.
class Leapfrog final : public Sampler {
 public:
  using Options = LeapfrogOptions;
  explicit Leapfrog(Options options) : options_(options) {}
  void check(const Target&) const override {}
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans* last = nullptr) override;

 private:
  void trajectory(const Target& target, Chains& chains, const Execution& execution) const;

  Options options_;
  Gibbs gibbs_;
};

}  // namespace harmonium::testing
