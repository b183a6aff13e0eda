#pragma once

#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/gradient_estimator.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The two options of every estimator that can center.
struct CenteringOptions {
  bool centering = false;
  double offset_rate = 0.01;
  void bind(OptionBinder& o) { bind(o, centering, offset_rate); }
  static void bind(OptionBinder& o, bool& centering, double& offset_rate);
  /// Throws ConfigError for a rate that would have no effect.
  void validate() const;
};

/// The centered gradient (Montavon & Müller 2012; Melchior, Fischer & Wiskott 2016) in the model's own parameters: with
/// offsets μ, for every coupling (a, b)
///   ∇̃W = ⟨(x_a − μ_a)(x_b − μ_b)ᵀ⟩₊ − ⟨·⟩₋,   ∇b_a = Δ⟨x_a⟩ − Σ_b ∇̃W_ab μ_b − ∇̃L_aa μ_a,
/// a linear map of the plain gradient, as both phases have the same total weight. Offsets follow the data phase's means
/// as a moving average; they start at the data's means for observed layers and at the mean under a zero field for latent
/// ones (½ for binary units).
class Centering {
 public:
  explicit Centering(double rate) : rate_(rate) {}

  /// Throws CapabilityError for a model whose parameters have no roles and layers to go by.
  static void check(const EnergyModel& model);
  /// `positive`: the gradient when only the positive phase has been added (its bias entries are −Σ weights · means).
  void update_offsets(const EnergyModel& model, const DataBatch& data, std::span<const Real> positive);
  void center(const EnergyModel& model, std::span<Real> gradient, const Executor& executor) const;
  void state(StateArchive& archive) { archive.late_field("offsets", offsets_, archive.sizes().all_columns()); }

 private:
  void start(const EnergyModel& model, const DataBatch& data);

  double rate_;
  std::vector<double> offsets_;  ///< one a column, layers in layout order
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
