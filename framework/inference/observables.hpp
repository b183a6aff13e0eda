#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/inference/leading_modes.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Numbers of a configuration by which slow chains are seen: its energy, the sum over each layer (of categorical units the
/// mean number of their states, counted from 0), and the projections of a layer on the leading singular vectors of the largest
/// coupling, or of the longest list of pairs that couple, where it has no more than 3,000 columns on one side. Which side of a mode a
/// chain is on is in one of them as a rule.
class Observables {
 public:
  /// `modes`: those of the model, of which the first two at most are projected on.
  Observables(const EnergyModel& model, const LeadingModes& modes);

  const std::vector<std::string>& names() const { return names_; }
  /// out: rows of `chains` × names().
  void evaluate(const Chains& chains, const Executor& executor, MatrixView<double> out) const;

 private:
  struct Projection {
    LayerId layer;
    std::vector<double> weights;  ///< one a column
  };

  const EnergyModel& model_;
  std::vector<std::string> names_;
  std::vector<Projection> projections_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
