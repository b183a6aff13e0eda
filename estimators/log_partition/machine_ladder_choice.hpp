#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <harmonium/framework/inference/machine_ladder.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The mean probability with which two laws exchange their rows, from rows of the first alone: `log_weights` are those of the
/// second over the first, U_1(x) − U_2(x). Of independent a ~ 1 and b ~ 2, b being rows of 1 by their weights,
///   E min(1, w(a) / w(b)).
double predicted_acceptance(std::span<const double> log_weights);

/// A ladder of machines chosen by walking up the path from its first: each next machine is the farthest of the path's own with a
/// predicted acceptance of at least the one asked for, and where there is none a machine on the way to the next of them. Rows
/// of ladders walk along, exchanging, so that predictions are of rows that know all modes so far.
class MachineLadderChoice {
 public:
  /// `start`: of each ladder a row of the path's first machine, with which `model` agrees in layout. Throws NumericalError for a
  /// path that would take too many machines.
  MachineLadderChoice(const EnergyModel& model, const MachinePath& path, double acceptance, Index steps,
                      Sampler& sampler, Chains start, const Execution& execution);
  /// From 1 down to 0.
  const std::vector<double>& places() const { return places_; }
  /// At each of them, a row of each ladder.
  std::vector<Chains> take_rows() { return std::move(rows_); }
  static constexpr Index most_machines = 1000;

 private:
  /// Moves all rows at the machines so far, and gathers rows of the top one.
  void walk();
  /// Whether the machine at `place` would exchange often enough with the top one.
  bool serves(double place);
  double next_place();

  const EnergyModel& model_;
  const MachinePath& path_;
  double acceptance_;
  Index steps_;
  Sampler& sampler_;
  Execution execution_;
  std::vector<double> places_{0.0};
  std::vector<Chains> rows_;
  std::unique_ptr<EnergyModel> top_, trial_;  ///< the last machine that was taken, and one that may be the next
  std::optional<MachineLadder> ladder_;
  Chains gathered_;
  std::vector<double> top_energies_;  ///< of what was gathered
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
