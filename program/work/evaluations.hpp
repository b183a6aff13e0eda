#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <harmonium/program/work/certified_rows.hpp>

namespace harmonium {
inline namespace v1 {

struct Interval {
  double low = 0.0, high = 0.0;
};

/// What the machines of a stack above its first one do to the likelihood of data.
struct MachinesAbove {
  enum class Effect { raise, lower, unknown };
  Effect effect = Effect::unknown;
  std::string words;          ///< a sentence
  std::string remedy = {};    ///< one on what `evaluate` and `report` can do about what is not known; empty: nothing
  std::string training = {};  ///< one on what to change in the training of machines that lower it; empty: nothing
  std::string amount = {};    ///< by how much, in nats a row, as it stands in `words`; empty: these have none

  std::string with_remedy() const {
    std::string text = words;
    for (const std::string& advice : {training, remedy}) text += advice.empty() ? "" : " " + advice;
    return text;
  }
};

/// Of units that are held: log Σ exp(−β E) over the states that agree with them, and log p of their states. 95 % intervals, as below.
struct HeldFigures {
  std::optional<double> log_z = {}, log_p = {};
  std::optional<Interval> log_z_interval = {}, log_p_interval = {};
};

/// With which effort log Z was annealed, 0: it was not; and the seconds of the clock that this took.
struct Annealed {
  double effort = 0.0, seconds = 0.0;
};

/// The figures of `evaluate`; absent where the data was not given or the model does not offer them.
struct Evaluation {
  std::optional<double> log_z, log_likelihood, free_energy, pseudo_log_likelihood, reconstruction_error;
  std::optional<double> accuracy, label_log_likelihood;  ///< of the classes given the rest, where there are classes
  std::optional<double> accuracy_error = {}, label_log_likelihood_error = {};  ///< one standard error of each over rows
  std::optional<std::uint64_t> num_classified = {};   ///< rows of these: their class is known, and can be told exactly
  std::optional<double> log_conditional = {};         ///< log p(x_free | x_held), where it was asked for
  std::optional<double> log_conditional_error = {};   ///< one standard error of it over rows
  std::optional<std::uint64_t> num_conditioned = {};  ///< rows of these: something of what is free was seen of them
  /// Added to log_conditional it gives that of the data's units; absent where these are the model's, or columns were whitened together.
  std::optional<double> log_conditional_jacobian = {};
  std::optional<HeldFigures> held = {};  ///< where units are held, and no rows are judged
  std::optional<std::uint64_t> num_samples;
  /// 95 % intervals; both ends are the figure where it is exact. They are there also where the ways to log Z do not agree and
  /// the figures are absent.
  std::optional<Interval> log_z_interval, log_likelihood_interval, free_energy_interval;
  /// Bounds of log Z by annealing forward alone, and backward alone, where both were annealed.
  std::optional<double> log_z_at_least = {}, log_z_at_most = {};
  /// One standard error over rows, as if drawn at random, of the mean free energy: that of the log likelihood, log Z being one
  /// number.
  std::optional<double> rows_error = {};
  /// A lower bound of the log likelihood by mean field, where the sum over what was not seen of a row is not exact.
  std::optional<double> variational_bound;
  double bound_error = 0.0;  ///< one standard error of it, where it is by draws
  /// 95 %: what log Z and these draws leave open of it. There, too, where the ways to log Z do not agree and the bound is absent.
  std::optional<Interval> variational_bound_interval = {};
  /// Of a stack: the log likelihood of its first machine alone, with an interval, and what the machines above it do to that.
  std::optional<double> first_machine_log_likelihood = {};
  std::optional<Interval> first_machine_interval = {};
  std::optional<MachinesAbove> machines_above = {};
  Annealed annealed = {}, first_machine_annealed = {};
  std::optional<bool> agree;      ///< whether the ways to log Z do, and those to sums over what was not seen
  std::string why, log_z_method;  ///< why they do not; how log Z was found
  std::string advice = {};        ///< options that may settle it, and how long they take; empty: none, or it agrees
  std::shared_ptr<const CertifiedRows> draws =
      {};                                     ///< of an estimate that is by some, where they were asked for; else null
  std::optional<double> ground_state_energy;  ///< where the way to log Z gives it
  bool ground_state_certain = true;           ///< it is the lowest of all states, not of those that were met
  /// ⟨E⟩ and β² (⟨E²⟩ − ⟨E⟩²) of all units, exactly, in nats at β = 1 and in units of k_B.
  std::optional<double> mean_energy = {}, heat_capacity = {};
  std::optional<double> entropy = {};  ///< log Z + β ⟨E⟩ of the law of all units, in nats
  std::string units = "data";          ///< of x in p(x): "data", or what was made of the data before training
  double log_jacobian = 0.0;           ///< added to a log likelihood it gives that of the data's units
  std::vector<std::pair<std::string, std::string>> reasons =
      {};  ///< of each absent figure: why, and what would give it
};

/// Why a model tells no classes.
inline constexpr const char* no_classes = "the model has no observed layer 'label' of one unit, or no free energy.";

/// Of one set of rows, or of each part of a run's data.
struct Evaluations {
  Evaluation whole;                                             ///< of parts: the figures that need no data
  std::vector<std::pair<std::string, Evaluation>> splits = {};  ///< by name: training, validation, test
};

}  // namespace v1
}  // namespace harmonium
