#pragma once

#include <optional>
#include <vector>

#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether the latent layers are independent of each other given the observed ones, so that their posterior factorizes.
bool posterior_factorizes(const EnergyModel& model);

/// Some layers (by default the latent ones) given the others of each row, where that law factorizes: its natural
/// parameters, moments and draws. Computed once for a batch by whoever asks first; the positive phase and chains started
/// from the data share it.
class Posterior {
 public:
  Posterior() = default;
  explicit Posterior(LayerSet free) : free_(free) {}
  /// Forgets what it holds; the next question is about `rows`.
  void reset() { fields_known_ = moments_known_ = false; }
  /// Means of the free layers and the values of the others, as the moments of one factorized law a row. Views
  /// into this object and into `rows`.
  const Moments& moments(const EnergyModel& model, const Chains& rows, const Executor& executor);
  /// The natural parameters of the free layer `layer`, biases within: a view into this object.
  ConstFields fields(const EnergyModel& model, const Chains& rows, LayerId layer, const Executor& executor);
  /// Draws the free layers of `chains` (one row a row of `rows`) by the words of `random` at the chains' present step;
  /// the others are left alone.
  void sample(const EnergyModel& model, const Chains& rows, const RandomSource& random, Chains& chains,
              const Executor& executor);

 private:
  void find_fields(const EnergyModel& model, const Chains& rows, const Executor& executor);

  LayerSet free(const Layout& layout) const { return free_ ? *free_ : layout.latent(); }

  std::optional<LayerSet> free_;
  bool fields_known_ = false, moments_known_ = false;
  PerLayer<UnitBuffer> fields_, found_;  ///< of the free layers: natural parameters, and moments
  PerLayer<std::vector<Real>> squares_;  ///< of the others, where units have a curvature
  Moments moments_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
