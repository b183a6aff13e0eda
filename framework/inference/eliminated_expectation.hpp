#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/inference/elimination.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// E[∂E/∂θ] of a model of discrete units by eliminating one after another, where enumeration would take too many states: exact for chains,
/// trees, narrow lattices and other sparse graphs of any size.
///
/// A sum f over units and pairs has, with 0 the state in which each unit has its first one, and x_{i=a} that in which unit i is in
/// state a and the others in their first,
///   E f = f(0) + Σ_i Σ_a p_i(a) (f(x_{i=a}) − f(0)) + Σ_(i,j) Σ_ab p_ij(a, b) (f(x_{i=a, j=b}) − f(x_{i=a}) − f(x_{j=b}) + f(0)),
/// sums over a and b without the first state: the mean over few rows with weights, of which the model makes its gradient.
class EliminatedExpectation {
 public:
  static constexpr double usual_max_bits = 22;
  /// Throws CapabilityError where units are continuous, the energy is no sum over pairs, or all tables have more than 2^`max_bits` entries.
  EliminatedExpectation(const EnergyModel& model, double max_bits);

  /// log2 of the entries of all tables, which are there at once.
  double log2_entries() const { return order_.log2_work; }
  /// Nothing where it would throw.
  static std::optional<EliminatedExpectation> of(const EnergyModel& model, double max_bits);
  /// Multiplications and additions that it takes, about.
  double operations(const EnergyModel& model) const;

  /// gradient += scale · E[∂E/∂θ], at the model's parameters of now.
  void add(const EnergyModel& model, double scale, std::span<Real> gradient, const Executor& executor) const;

 private:
  std::vector<std::vector<Index>> neighbors_;  ///< by couplings that exist, also where they are 0
  std::vector<Index> states_;                  ///< of each unit
  std::vector<std::array<Index, 2>> pairs_;
  EliminationOrder order_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
