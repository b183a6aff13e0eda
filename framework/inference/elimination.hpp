#pragma once

#include <cstdint>
#include <vector>

#include <harmonium/framework/execution/display.hpp>
#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/inference/energy_moments.hpp>
#include <harmonium/framework/inference/held_state.hpp>
#include <harmonium/framework/inference/pairwise_factors.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// An order in which the units of a graph are summed out, and what that takes.
struct EliminationOrder {
  std::vector<Index> units;   ///< not all of them where it was given up, at a table of more than 2^60 entries
  double log2_largest = 0.0;  ///< of the entries of the largest table that a sum leaves
  double log2_held = 0.0;     ///< of the entries of all tables that there are at once
  double log2_work = 0.0;     ///< of the terms of all sums

  /// The better of two: the order of their numbers, which sweeps over a lattice, and greedily the unit next whose elimination
  /// joins the fewest pairs of its neighbors (minimum fill, Rose 1972), of those the one that leaves the smallest table.
  /// `states` of each unit.
  static EliminationOrder of(const std::vector<std::vector<Index>>& neighbors, std::span<const Index> states);
};

/// As many units some table that a sum leaves has in any order: the largest minimum degree of what is left when units of
/// lowest degree go one by one (Matula & Beck 1983). Fast, where finding an order is not.
Index degeneracy(const std::vector<std::vector<Index>>& neighbors);

/// Units that are normal given the others, and independent of each other, are integrated over first, which joins all units that one
/// of them is coupled with. log Σ_x exp(−β E(x)) by eliminating one unit after another (Bertelè & Brioschi 1972; Dechter 1999), and in the same sweep
/// with a minimum in the place of each sum the ground state. Time and memory grow with the largest table: small for chains,
/// trees and narrow lattices of any length, whatever their couplings.
class Elimination {
 public:
  /// Units that are `held`, where it is not null, keep their state and sums are over the others. Throws CapabilityError where the model
  /// is no sum of pairs, or a table would have more than 2^`max_bits` entries; before any is made.
  Elimination(const EnergyModel& model, double max_bits, const HeldState* held = nullptr);

  const EliminationOrder& order() const { return order_; }
  /// `display`, where given, is shown how far it is.
  double log_sum(double beta, const Executor& executor, Display* display = nullptr) const;

  /// log Σ_x exp(−β E(x)) with the mean and the variance of E under that law, exactly, in one sweep with tables of three times
  /// the size.
  WeighedEnergy energy(double beta, const Executor& executor, Display* display = nullptr) const;

  struct GroundState {
    double energy = 0.0;
    /// Of each unit, the layers in their order; 0 of one that is held or normal.
    std::vector<std::uint32_t> states;
    NormalUnits normal = {};

    /// The state as a row, normal units at their means: where the energy is the least.
    Chains row(const Layout& layout) const;
  };
  /// A state of least energy: of several that are equally low, one.
  GroundState ground_state(const Executor& executor, Display* display = nullptr) const;

 private:
  PairwiseFactors factors_;
  EliminationOrder order_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
