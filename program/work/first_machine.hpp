#pragma once

#include <memory>
#include <optional>
#include <string>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/findings.hpp>
#include <harmonium/program/work/log_z_way.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The first machine of a stack by itself, which the machines above it are there to surpass: that of the request's file, as it was
/// trained alone, or else of the stack. An untied stack holds none: what leads down in it was trained with all that is above.
class FirstMachine {
 public:
  /// `model` is to outlive it. It judges nothing where that is no stack, or the request does not ask for it, or has no rows. Throws
  /// ConfigError where it is to be left out of a model that has none.
  FirstMachine(const EvaluateRequest& request, const Value& options, const EnergyModel& model,
               const Registries& registries);

  /// Whether there is something to judge.
  bool any() const { return machine_ != nullptr; }
  /// Finds log Z, where it can be had; where that can take long it says before what it is for, and how to do without. Once, and first.
  void find_log_z(const Execution& execution);
  /// Adds to the figures of a stack on the rows of `data`, all complete, the machine's log likelihood of them and what the
  /// machines above do to it, or why it has none.
  void judge(const Dataset& data, const Execution& execution, Evaluation& result) const;

 private:
  std::unique_ptr<EnergyModel> alone_;    ///< that of a file
  const EnergyModel* machine_ = nullptr;  ///< null: there is nothing to judge
  std::string why_not_;                   ///< of a stack that holds none; empty otherwise
  std::optional<LogZWay> way_;
  std::optional<LogPartitionEstimate> log_z_;
  Annealed annealed_;   ///< how it was found
  std::string words_;   ///< told before log Z is found; empty: nothing
  std::string advice_;  ///< what may settle that; empty where it is agreed on
};

/// What is said of the machines above the first, from the figures of a stack and those of that machine.
MachinesAbove machines_above(const Evaluation& stack);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
