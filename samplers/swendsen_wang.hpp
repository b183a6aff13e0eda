#pragma once

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/samplers/cluster_plan.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct SwendsenWangOptions {
  ClusterFields fields = ClusterFields::sum;
  void bind(OptionBinder& o);
};

/// Cluster moves (Swendsen & Wang 1987; Edwards & Sokal 1988) of models of pairs: of spins E(s) = −Σ J_ij s_i s_j − Σ h_i s_i,
///   s_i and s_j are bonded with probability 1 − exp(−2β|J_ij|) where J_ij s_i s_j > 0, else never;
/// then each cluster of bonded units turns over as a whole, or stays, by its exact law given the bonds. Couplings may have either
/// sign, and bits are spins s = 2x − 1. Potts models, E = −Σ w_ij δ(a_i, a_j) + fields with w ≥ 0, bond units of the same state with
/// probability 1 − exp(−βw), and each cluster takes any of the states. Other units of more than two states pair these at random, in
/// each row and step anew, and those of a pair are the two states of a spin (Wang, Swendsen & Kotecký 1989): so that all models are
/// served whose energy is a sum over units of a few states and pairs of these. Units that are held bond with nobody: they are a field
/// on the others.
///
/// Where bonds percolate and do not follow domains, as in frustrated models, it is right and slow. A step costs a random word a
/// coupling. A chain's draws depend on its number and step only.
class SwendsenWang final : public Sampler {
 public:
  using Options = SwendsenWangOptions;
  explicit SwendsenWang(Options options = {}) : options_(options) {}

  /// Its transition is reversible.
  std::unique_ptr<Sampler> reversal() const override { return std::make_unique<SwendsenWang>(options_); }
  /// Throws CapabilityError where the model or the base has units that are not of a few states each, or is no sum over units and
  /// pairs of units.
  void check(const Target& target) const override;
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans* last = nullptr) override;
  /// Some 30 ns a coupling, of which a product does 16 in a nanosecond.
  double products_per_step() const override { return 500.0; }
  void memory(const EnergyModel& model, MemoryNeed& need) const override;

 private:
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
