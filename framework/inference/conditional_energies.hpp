#pragma once

#include <optional>
#include <span>
#include <vector>

#include <harmonium/framework/inference/energy_moments.hpp>
#include <harmonium/framework/inference/held_state.hpp>
#include <harmonium/framework/inference/joint_states.hpp>
#include <harmonium/framework/model/exact_fields.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The energy given the states v of some layers, units h_j of the others being independent of each other given these:
///   E(v, h) = E₀(v) − Σ_j a_j(h_j; v),  a_j = θ_j(v)·h_j − ½ γ_j h_j², less its value at the first state, where E₀ is the energy.
/// At β the h_j have the laws p_j(h | v) = exp(β a_j(h))/z_j(v), z_j = Σ_h exp(β a_j(h)), so that
///   p(v) ∝ w(v) = exp(−β E₀(v)) Π_j z_j(v),
///   ⟨E | v⟩ = E₀ − Σ_j ⟨a_j | v⟩,  Var(E | v) = Σ_j Var(a_j | v), as the units are independent,
///   ⟨E⟩ = Σ_v p(v) ⟨E | v⟩,  Var(E) = Σ_v p(v) [Var(E | v) + (⟨E | v⟩ − ⟨E⟩)²], the law of total variance.
/// Of a unit of two states that are d apart in a, with p the probability of the second: ⟨a⟩ = d p, Var(a) = d² p (1 − p).
/// Normal units stand at their means, a_j = θ_j²/(2 γ_j): what they scatter about these is the same in all v (state_energies.hpp).
class ConditionalEnergies {
 public:
  /// The layers, those of `required` with them, of fewest joint states given which all other units are independent, of finitely many
  /// states or normal; nothing where there are none, or the model offers no ExactFields.
  static std::optional<LayerSet> layers_with(const EnergyModel& model, LayerSet required);

  /// Of the states of the layers of `given`, as layers_with has them. Units of the others that `held` (null: nothing) holds are as
  /// they are held. `model` must outlive it, and keep its parameters.
  ConditionalEnergies(const EnergyModel& model, LayerSet given, const HeldState* held);

  /// Normal units that are not held.
  Index num_normal() const { return num_normal_; }
  /// out[r]: log w, ⟨E | v⟩ and Var(E | v) of row r, for the first out.size() rows, whose other layers it writes.
  void evaluate(double beta, Chains& rows, std::span<WeighedEnergy> out) const;
  /// out[r] = min_h E(v, h).
  void least(Chains& rows, std::span<double> out) const;

  /// shares[i] = p(v_i), 0 where agrees[i] is, of all states of these layers; `agrees` is empty where all count. What is returned
  /// is log Σ w, ⟨E⟩ and the variance. The same bits for any number of threads.
  WeighedEnergy law(double beta, const JointStates& states, std::span<const std::uint8_t> agrees,
                    const Executor& executor, std::vector<double>& shares) const;
  /// The least energy of the states that count, and the number of one that has it. Throws NumericalError where an energy is no number.
  struct Lowest {
    double energy;
    std::uint64_t state;
  };
  Lowest lowest(const JointStates& states, std::span<const std::uint8_t> agrees, const Executor& executor) const;
  /// The units of the other layers, where they make the energy of the only row least: normal ones at their means.
  void settle(Chains& row) const;

 private:
  struct Unit {
    LayerId layer;
    Index place;
    double mean;  ///< of a normal one
  };
  struct Summed {
    LayerId layer;
    Index width = 1;
    bool normal = false;
    std::vector<double> values;      ///< states × width; of normal units none
    std::vector<double> curvatures;  ///< of each column
    std::vector<Index> free;         ///< units that are not held
  };
  /// body(r, unit, a): of each free unit of the other layers, row by row, a of each of its states, of normal ones of their mean.
  template <class Body>
  void for_each_unit(Chains& rows, std::span<double> energies, const Body& body) const;
  template <class Body>
  void for_each_piece(const JointStates& states, const Executor& executor, const Body& body) const;

  const EnergyModel& model_;
  const ExactFields& fields_;
  LayerSet given_, others_;
  Chains first_;  ///< one row: the others at their first states, normal ones at 0, held ones as they are held
  std::vector<Summed> summed_;
  Index num_normal_ = 0;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
