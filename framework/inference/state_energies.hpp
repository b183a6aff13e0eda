#pragma once

#include <span>

#include <harmonium/framework/inference/joint_states.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The energies of all joint states v of a model's units of finitely many states, k others being normal given these:
///   E(v, h) = E₀(v) + ½ (h − μ(v))ᵀ P (h − μ(v)).
/// At β, h is normal with covariance (βP)⁻¹, so that 2β (E − E₀) follows χ² with k degrees of freedom, whatever v is: ⟨E | v⟩ = E₀
/// + k/(2β), Var(E | v) = k/(2β²), which is equipartition, and p(v) ∝ exp(−β E₀(v)). E₀ follows from free energies,
///   F_β = −log ∫ exp(−β E) dh = β E₀ − ½ k log(2π/β) + ½ log det P, so that E₀ = F₂ − F₁ − ½ k log 2.
class StateEnergies {
 public:
  /// Of the states of v; infinity where there are units of another kind, or the normal ones have no closed free energy.
  static double log2_states(const EnergyModel& model);

  /// `model` must outlive it, and keep its parameters. Throws CapabilityError where log2_states is infinity.
  explicit StateEnergies(const EnergyModel& model);

  /// The layers of v.
  LayerSet counted() const { return counted_; }
  /// k.
  Index num_normal() const { return num_normal_; }
  /// out[r] = E₀ of row r, for the first out.size() rows. Throws CapabilityError where P depends on v.
  void evaluate(const Chains& rows, std::span<double> out) const;

 private:
  const EnergyModel& model_;
  LayerSet counted_;
  Index num_normal_ = 0;
  double constant_ = 0.0;  ///< ½ log det P − ½ k log 2π
};

/// Throws NumericalError where one of the energies of states is infinite or no number.
void check_finite(std::span<const double> energies);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
