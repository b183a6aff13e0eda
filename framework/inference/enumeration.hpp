#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/inference/joint_states.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// All joint states of some layers of a model, the rest of the free layers being summed out in closed form. It takes
/// the cheapest set of layers whose complement is independent given it (of an RBM the smaller layer); that there is one,
/// and how large it is, is arithmetic on the layout and the graph, so every small discrete model can be enumerated.
class Enumeration {
 public:
  /// log₂ of the number of states that enumerating takes, infinity where it cannot be done: for checks and budgets.
  static double log2_states(const EnergyModel& model, LayerSet held = {});
  /// What the option max_bits may be at most: 2^40 states take days.
  static constexpr double most_bits_at_all = 40;

  /// Throws CapabilityError where it cannot be done or takes more than 2^`most_bits` states.
  Enumeration(const EnergyModel& model, LayerSet held, double most_bits);

  std::uint64_t num_states() const { return space_.size(); }
  LayerSet enumerated() const { return space_.layers(); }
  LayerSet held() const { return held_; }
  /// The free layers that are summed out given a state.
  LayerSet summed() const { return summed_; }

  /// Writes the states [begin, end) into the enumerated layers of rows 0… of `out`; others are left alone.
  void states(std::uint64_t begin, std::uint64_t end, Chains& out) const { space_.write(begin, end, out); }
  /// weights[i] = −F(state begin + i) at β, F the free energy with the summed layers out; `rows` holds the states.
  void log_weights(double beta, const Chains& rows, Index num_rows, std::span<double> weights) const;

  /// log Σ_states of everything that is free, threaded; the held layers of row 0 of `given` are taken as they are
  /// (null where nothing is held). `display`, where given, is told how far it is, by the calling thread alone.
  double log_sum(double beta, const Chains* given, const Executor& executor, Display* display = nullptr) const;
  /// The log weight of each state, normalized to sum to one; asks for 8 bytes a state.
  std::vector<double> log_probabilities(double beta, const Chains* given, const Executor& executor) const;

  /// Work per piece: states enumerated at a time.
  static constexpr std::uint64_t piece = 1024;

 private:
  Chains workspace(const Chains* given) const;
  template <class Body>
  void for_each_piece_of_states(double beta, const Chains* given, const Executor& executor, const Body& body) const;

  const EnergyModel* model_;
  LayerSet held_, summed_;
  JointStates space_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
