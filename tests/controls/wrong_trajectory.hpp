#pragma once

#include <vector>

#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/samplers/gibbs.hpp>

namespace harmonium::testing {

/// Tempering along machines by another hand, of logical chains one after the other, to make mistakes with.
class OtherTrajectory final : public Sampler {
 public:
  enum class Exchange : std::uint8_t {
    right,
    one_sided,    ///< without what the row that goes away from the target gains
    wrong_sign,   ///< the inverse ratio
    stale_latent  ///< by free energies, and the latent units are left as they were drawn by the other machine
  };
  OtherTrajectory(std::vector<const EnergyModel*> machines, Exchange exchange)
      : machines_(std::move(machines)), exchange_(exchange) {}

  Index rungs() const override { return machines_.size(); }
  void check(const Target&) const override {}
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans*) override;

 private:
  double u(const EnergyModel& machine, const Chains& chains, Index row) const;
  void exchange(Chains& chains, std::uint64_t step, const Execution& execution) const;

  std::vector<const EnergyModel*> machines_;
  Exchange exchange_;
  Gibbs gibbs_;
};

}  // namespace harmonium::testing
