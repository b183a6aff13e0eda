#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/inference/leading_modes.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct MixingPlan {
  Index chains_per_start = 8;
  Index num_steps = 2000;  ///< of each chain; the first half is not used
  double beta = 1.0;
  Index num_rows = 0;  ///< of configurations to keep, about, evenly spread over the second half; 0: none
  /// The probability that chains which have mixed are called unmixed, over all that is looked at: small, as sweeps look at many runs.
  double false_alarm = 0.001;
  Index unused() const { return num_steps - num_steps / 2; }
  /// The least num_steps of which so many, one or more, are unused.
  static Index steps_of_unused(Index unused) { return 2 * unused - 1; }
};

/// One number of a configuration, over all chains.
struct ObservableMixing {
  std::string name;
  double mean = 0.0, error = 0.0;                ///< one standard error, by the autocorrelation time
  double monotone_time = 1.0, batch_time = 1.0;  ///< τ in steps, two ways (series.hpp)
  double r_hat = 1.0;
  double equal_means = 1.0;       ///< probability of means of the starts so far apart
  double forgotten_halves = 1.0;  ///< probability of means of the chains so far apart, beside those of their halves
  bool fails = false;             ///< whether it speaks against chains that have mixed

  double time() const { return std::max(monotone_time, batch_time); }
};

/// Whether a number says at that level that its chains did not come to one law in their time: its starts differ, or R-hat is above
/// 1.5 and chains keep to what is their own from one half to the other. A short series of chains that are slow has large R-hats by
/// chance.
bool kept_apart(const ObservableMixing& number, double level);

/// Whether chains from starts that lie far apart came to one law.
struct MixingReport {
  std::vector<std::string> starts;
  Index num_chains = 0, num_steps = 0;  ///< steps that were used
  std::vector<ObservableMixing> observables;
  SamplerReport moves;
  LeadingModes modes;  ///< of the model
  Chains rows;         ///< those that were kept
  bool mixed = true;
  std::vector<std::string> why;  ///< what speaks against it, that of the largest R-hat first
  bool too_short = false;        ///< and no number's chains are kept apart: a longer series may tell
  /// Nothing but its length speaks against the series, which shows the longest τ: it is at least 20 of them.
  bool only_length = false;

  /// The longest τ, in steps, and whose it is.
  const ObservableMixing& slowest() const;
  /// Whether the series is long enough to show it: 20 times as long.
  bool shows_times() const;
  /// Independent draws that all chains together amount to, of the slowest number.
  double effective_sample_size() const;
  /// The steps of each chain, unused ones among them, that 50 of the longest τ ask for and a quarter more, as chance makes τ too short
  /// by a tenth or so; nothing where τ is not known, or there are enough.
  std::optional<double> steps_wanted() const;
};

/// Runs chains from four starts or three: every unit at its lowest state, every unit at its highest, uniform draws, and rows of
/// `data` where given. The verdict is that they have mixed if, of every number of Observables, the starts do not differ in
/// their means (an F test over chains), R-hat is below 1.05, both autocorrelation times agree within a factor of two, and the
/// series is as long as 50 of them. It cannot see a mode that no start leads to. A sampler that adapts itself must have done so
/// within the first half.
MixingReport examine_mixing(const EnergyModel& model, Sampler& sampler, const Chains* data, const MixingPlan& plan,
                            const Execution& execution);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
