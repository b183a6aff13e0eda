#pragma once

#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/sharding.hpp>

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
/// ones (½ for binary units). Where the couplings count twice in the fields of a layer a, its bias makes up for twice as much:
///   ∇b_a = Δ⟨x_a⟩ − 2 Σ_b ∇̃W_ab μ_b.
class Centering {
 public:
  explicit Centering(double rate) : rate_(rate) {}
  /// The layers for which the others count twice; none but for a part of a deep machine (DoubledConditionals).
  void see_double(LayerSet layers) { see_double_ = layers; }

  /// Throws CapabilityError for a model whose parameters have no roles and layers to go by.
  static void check(const EnergyModel& model);
  /// The sums over rows that the offsets follow, a number for each column of each layer: the bias entries of
  /// `positive`, the gradient when only the positive phase has been added, which are −Σ weights · means.
  static Index num_sums(const EnergyModel& model) { return model.layout().columns(model.layout().all()); }
  static void take_sums(const EnergyModel& model, std::span<const Real> positive, std::span<Real> sums);
  void update_offsets(const EnergyModel& model, const WholeBatch& batch, std::span<const Real> sums);
  void center(const EnergyModel& model, std::span<Real> gradient, const Executor& executor) const;
  void state(StateArchive& archive) { archive.late_field("offsets", offsets_, archive.sizes().all_columns()); }

 private:
  void start(const EnergyModel& model, std::span<const double> marginals);

  double rate_;
  LayerSet see_double_ = {};
  std::vector<double> offsets_;  ///< one a column, layers in layout order
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
