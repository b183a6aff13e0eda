#pragma once

#include <memory>
#include <optional>
#include <string>

#include <harmonium/framework/inference/energy_moments.hpp>
#include <harmonium/framework/inference/log_partition.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/log_z_advice.hpp>
#include <harmonium/program/work/log_z_choice.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The way to log Z that `evaluate` takes: as asked for; else exactly where a way serves the model and all temperatures take it two
/// minutes of one core or less, or `--effort` times that, the quicker of two that do, and by annealing from both sides where none
/// does. Where a ground state is asked for and this would bring none, by population annealing, if that meets one.
class LogZWay {
 public:
  /// `options`: those of the command, with a table `log_z` or none.
  LogZWay(const EvaluateRequest& request, const Value& options, const EnergyModel& model, const Registries& registries);

  /// Throws CapabilityError, with the ways that do, where what is found brings no state of the lowest energy.
  void check_ground_state(const EnergyModel& model, const EvaluateRequest& request) const;
  /// Nothing where it cannot be had and was not asked for; `why_not` says why. Throws CapabilityError where it was.
  std::optional<LogPartitionEstimate> estimate(const EnergyModel& model, double beta, const Execution& execution,
                                               std::string& why_not) const;
  /// Seconds of one core that log Z and the moments of the energy take, about; 0 where log Z is not to be had.
  double seconds() const { return seconds_; }
  /// Multiplications and additions that log Z takes, for budgets; 0 where it is not to be had.
  double operations() const { return operations_; }
  /// Whether walks or ladders find it, in a time that is known by their pace alone.
  bool anneals() const { return length_.effort || length_.num_steps; }
  /// What --effort sets; none where there is no such option.
  std::optional<double> effort() const { return length_.effort; }
  /// What is told of an estimate that took that long.
  Annealed annealed(const TimeTaken& taken) const {
    return anneals() ? Annealed{length_.effort.value_or(1.0), taken.seconds} : Annealed{};
  }
  /// What share log Z has of the time that it takes with the moments of the energy, about.
  double share_of_log_z() const { return share_of_log_z_; }
  /// The moments of the energy and its least value, where log Z is found exactly and they can be had so, at all temperatures within
  /// four minutes of one core, or `--effort` times that; `why_not` likewise.
  std::optional<EnergyMoments> energy(const EnergyModel& model, double beta, const Execution& execution,
                                      std::string& why_not) const;
  /// The mean over rows of log Σ exp(−β E) over what is not held, likewise.
  std::optional<LogPartitionEstimate> estimate_mean(const EnergyModel& model, double beta, const Chains& rows,
                                                    const HeldMask& held, const Execution& execution,
                                                    std::string& why_not) const;
  /// What may settle log Z, or the mean over rows, that was so found in that time; empty where it is agreed on, where nothing of the
  /// kind helps, and of an evaluation that nobody asked for.
  std::string advice(const LogPartitionEstimate& found, const TimeTaken& taken) const;
  std::string advice_on_rows(const LogPartitionEstimate& found, const TimeTaken& taken) const;

 private:
  /// Whether it serves.
  bool take(const MadeWay& made, const EnergyModel& model, const EvaluateRequest& request);
  void check_effort(const ChosenWay& chosen, const EnergyModel& model, const EvaluateRequest& request) const;
  void add_energy(const EnergyPlan& energy);

  bool asked_for_ = false, finds_exactly_ = false, sums_energies_ = false;
  std::string type_;  ///< the name of the way; empty: none
  EliminationLimits limits_of_energy_;
  std::string why_no_energy_;  ///< empty: nothing is known against it
  double share_of_log_z_ = 1.0, seconds_ = 0.0, operations_ = 0.0;
  std::string words_;                             ///< as ChosenWay has it
  std::string exactly_;                           ///< as ChosenWay has it
  std::shared_ptr<LogPartition> way_, rows_way_;  ///< of rows: null where none serves
  LengthOfWay length_, rows_length_;
  bool advises_ = true;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
