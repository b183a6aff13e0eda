#pragma once

#include <optional>
#include <vector>

#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The units h of a model that are normal given its other units x, where they are independent of each other given these:
///   E(x, h) = E₀(x) + Σ_k [½ γ_k h_k² − c_k(x) h_k],  c_k(x) = b_k + Σ_i w_ki x_i.
/// The least energy over h is E₀(x) − Σ_k c_k(x)²/(2γ_k), at h_k = c_k/γ_k: with W Γ⁻¹ Wᵀ added to the couplings of x
/// (latent_couplings.hpp), a sum over units and pairs of units again where E₀ is one.
class NormalUnits {
 public:
  struct Partner {
    LayerId layer;
    Index column;
    double weight;  ///< not 0
  };
  struct Unit {
    LayerId layer;
    Index column;
    double bias = 0.0, precision = 0.0;
    std::vector<Partner> partners = {};
  };

  NormalUnits() = default;
  /// Of the model as its parameters are now. Nothing where normal units are coupled with each other, or the energy is more than what
  /// the roles of its tensors say.
  static std::optional<NormalUnits> of(const EnergyModel& model);

  const std::vector<Unit>& units() const { return units_; }
  /// log ∫ exp(−β Σ_k ½ γ_k h_k²) dh.
  double log_volume(double beta) const;
  /// Puts h_k = c_k/γ_k into every row.
  void put_means(Chains& rows) const;

 private:
  std::vector<Unit> units_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
