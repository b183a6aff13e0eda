#pragma once

#include <cstdint>
#include <vector>

#include <harmonium/framework/core/joint_gaussian.hpp>
#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/inference/held_state.hpp>
#include <harmonium/framework/inference/joint_states.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The first two moments of the n units of a layer that are normal, with all other units of their kind, given the states v of the
/// rest:
///   E(v, h) = c(v) − f(v)ᵀh + ½ hᵀP h, so that h has at β the mean μ(v) = P⁻¹ f(v) and the covariance (βP)⁻¹, and
///   ⟨h⟩ = Σ_v p(v) μ(v), ⟨h hᵀ⟩ = Σ_v p(v) μ(v) μ(v)ᵀ + (βP)⁻¹.
/// Units that are held at a stand among v: P is then that of the others, f(v) = f − P_{·a} a, and the held ones have the mean a and no
/// covariance. P and f are differences of energies, which of a quadratic function are exact but for rounding.
class NormalMoments {
 public:
  /// `states` are those of all layers that have states; `layer` has moments where it is one of the others. `held` may be null; what it
  /// holds of layers that have states does not matter here. Throws CapabilityError where they take
  /// long: more than 2^24 energies, of each state one more than there are normal units and the square of these, some tens of
  /// seconds of them, or 2^32 products; or where P has no inverse.
  NormalMoments(const EnergyModel& model, const JointStates& states, LayerId layer, const Executor& executor,
                const HeldState* held = nullptr);

  /// k, the normal units that are not held.
  Index num_free() const { return num_free_; }
  /// Of each state the least energy over these, E(v, μ(v)).
  const std::vector<double>& least_energies() const { return least_; }

  struct At {
    std::vector<double> means;     ///< ⟨h_i⟩, 0 where that is all but rounding
    std::vector<double> products;  ///< ⟨h_i h_j⟩, n × n
    double product(Index i, Index j) const { return products[i * means.size() + j]; }
  };
  /// `law`: of each state its probability. The same bits for any number of threads.
  At at(double beta, const std::vector<double>& law, const Executor& executor) const;

 private:
  Index num_units_ = 0, num_free_ = 0;
  std::vector<double> covariance_;  ///< P⁻¹ of the layer, n × n
  std::vector<double> centers_;     ///< μ: states × n
  std::vector<double> least_;
  std::vector<std::uint8_t> held_;  ///< of each unit of the layer
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
