#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/run/request.hpp>

namespace harmonium {
inline namespace v1 {

/// A file of data: its path, and its SHA-256.
using DataSum = std::pair<std::string, std::string>;
/// A run that could be: its effective configuration, what it is estimated to hold in memory at its peak, what it reads, and how
/// much it computes, without what observers measure.
struct AssembledRun {
  Value config;
  double bytes = 0.0;
  std::vector<DataSum> data = {};
  double updates = 0.0, operations_per_update = 0.0;
  std::vector<std::string> left_out = {};  ///< of options that another component's type has left, a sentence each
};

/// The seconds that a run takes, by an estimate.
struct RunSeconds {
  double updates = 0.0;  ///< all of them
  double along = 0.0;    ///< what observers measure, and pictures before the end
  double end = 0.0;      ///< what is drawn and found at the end
  bool at_most = false;  ///< it may stop early
};

/// The run of the next machine of a stack.
struct PassedUp {
  Value config;             ///< complete
  bool transposed = false;  ///< whether it starts with the couplings of the machine below
};

/// What a column of a data file holds, and what is made of it.
struct InspectedColumn {
  std::string name = {};
  std::string kind = {};                                ///< binary, spin, categorical, whole, real, text, classes
  std::string units = {};                               ///< proposed; empty: none, so that the column is to be left out
  std::uint64_t missing = 0;                            ///< rows in which nothing stands
  std::optional<double> min = {}, max = {}, mean = {};  ///< of numbers
  /// Its levels, each with the rows that have it; empty where they are many.
  std::vector<std::pair<std::string, std::uint64_t>> levels = {};
  std::string trouble = {};  ///< why it is no column of units; empty: it is one
  bool constant = false;
};

/// What a data file holds.
struct Inspection {
  std::string name = {}, type = {};  ///< the file, and the data.type that reads it
  std::uint64_t num_rows = 0;
  std::vector<std::uint64_t> shape = {};        ///< dimensions of a row
  bool named = false;                           ///< whether the file gives its columns names
  std::vector<InspectedColumn> columns = {};    ///< without that of the classes
  std::optional<InspectedColumn> classes = {};  ///< where the data has them
  std::string summary = {};                     ///< what the values are: "bits", "columns of several kinds"
  std::vector<std::string> warnings = {};
  Value proposed = {};  ///< a configuration by which a model can be trained
};

/// What a study came to.
struct StudyOutcome {
  std::string folder;
  std::string text;  ///< its findings; empty where it was stopped by a signal, to go on when it is asked for again
  std::uint64_t done = 0, total = 0;
  std::string parts = "runs";  ///< what these are
};

/// A picture that was written.
struct DrawnPicture {
  std::string path, caption;
};

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

/// The figures of `evaluate`; absent where the data was not given or the model does not offer them.
struct Evaluation {
  std::optional<double> log_z, log_likelihood, free_energy, pseudo_log_likelihood, reconstruction_error;
  std::optional<double> accuracy, label_log_likelihood;  ///< of the classes given the rest, where there are classes
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
  /// Of a stack: the log likelihood of its first machine alone, with an interval, and what the machines above it do to that.
  std::optional<double> first_machine_log_likelihood = {};
  std::optional<Interval> first_machine_interval = {};
  std::optional<MachinesAbove> machines_above = {};
  std::optional<bool> agree;      ///< whether the ways to log Z do, and those to sums over what was not seen
  std::string why, log_z_method;  ///< why they do not; how log Z was found
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

/// One number of a configuration, over all chains of `diagnose`.
struct DiagnosedNumber {
  std::string name;
  double mean = 0.0, error = 0.0;                ///< one standard error
  double monotone_time = 1.0, batch_time = 1.0;  ///< autocorrelation time in steps, two ways
  double r_hat = 1.0;
  double equal_means = 1.0;  ///< probability of means of the starts so far apart
};

/// Moments of draws beside those of data: Pearson's correlation and the slope, and the correlation of two halves of the data.
struct DiagnosedMoments {
  double pearson = 0.0, slope = 0.0, pearson_of_halves = 0.0;
};

/// Chains from uniform draws after some steps: their mean energy, and how far their second moments are from those of the data.
struct DiagnosedAge {
  std::uint64_t step = 0;
  double energy = 0.0, error = 0.0, distance = 0.0;
};

/// What `diagnose` found.
struct Diagnosis {
  std::optional<std::uint64_t> own_rows;  ///< training rows of the model's run, where these are the data
  std::vector<std::string> starts;
  std::uint64_t num_chains = 0, num_steps = 0;
  std::vector<DiagnosedNumber> numbers;
  double autocorrelation_time = 1.0, effective_sample_size = 0.0;  ///< of the slowest number
  std::string slowest, moves;                                      ///< its name; what the sampler says of its moves
  bool mixed = true;
  bool too_short = false;  ///< nothing says that chains are kept apart: a longer series may tell
  /// `--steps` that are advised, where more of them may help; and whether they follow from a time that the series shows.
  std::optional<std::uint64_t> advised_steps;
  bool steps_decide = false;
  /// Whether Gibbs chains that start anew in every update of the run go on for an autocorrelation time at least.
  std::optional<bool> run_mixed;
  std::string coupling;  ///< whose singular values, descending, ten at most, are:
  std::vector<double> singular_values;
  bool fits_beta = false;                                        ///< whether the model has a pseudo likelihood
  std::optional<double> beta_of_draws, beta_of_data;             ///< at which their pseudo likelihood is greatest
  std::optional<DiagnosedMoments> means, correlations;           ///< with data
  std::optional<double> total_variation, total_variation_floor;  ///< of the observed law, of small models
  std::vector<double> modes_of_data, modes_of_draws;             ///< shares of cells along the leading modes, with data
  std::vector<DiagnosedAge> ages;                                ///< with data
  std::optional<bool>
      out_of_equilibrium;  ///< whether chains look like the data after as many steps as trained them only
  std::string verdict;     ///< in a line: mixed, not decided or not mixed, and the first reason
  std::vector<std::string> why, advice;
  std::string remark;  ///< on a symmetry of the model that `why` has to do with; empty: none

  /// "the look was short (500 of 6300 steps)", of a verdict that is left open and that more steps decide, or of as many as are a guess
  /// "(500 of some 5000 steps)"; else empty.
  std::string short_look() const {
    if (!too_short || !advised_steps) return "";
    return "the look was short (" + std::to_string(2 * num_steps) + " of " + (steps_decide ? "" : "some ") +
           std::to_string(*advised_steps) + " steps)";
  }
};

/// The singular values of a coupling of two layers, or within one.
struct WeightSpectrum {
  std::string tensor;
  std::uint64_t rows = 0, cols = 0;
  std::vector<double> values;  ///< all, descending; none where the smaller side has more than 2,000
  /// What the largest would be of independent entries of the same mean square (Marchenko & Pastur 1967).
  double edge = 0.0;
};

/// The figures of `gradient` for one tensor, or for all together.
struct GradientComparison {
  std::string name;
  double norm = 0.0;               ///< of the mean estimate
  std::optional<double> variance;  ///< of one estimate, mean over the entries; with two repeats or more
  std::optional<double> bias, against_norm, cosine, sign_disagreement;  ///< of the mean, against the other gradient
};

/// How an estimator came by one of its two expectations.
struct PhaseUsed {
  std::string method;  ///< in words
  bool exact = false;  ///< of this model and this data
};

/// What `gradient` found.
struct GradientFigures {
  std::vector<GradientComparison> tensors;  ///< all together last
  /// Of the first repeat. No negative phase: the estimator follows a loss that needs none. No positive one: it is not apart.
  std::optional<PhaseUsed> positive, negative;
  std::optional<std::uint64_t> own_rows = {};  ///< training rows of the model's run, where these are the data
};

/// A component that there is.
struct ComponentDescription {
  std::string kind, name, summary, origin;
  std::vector<OptionInfo> options;
  std::function<std::string()> stands_for;  ///< of a preset of models, for people; empty for what is none
};

/// A plugin that was found: what it provides, or why it cannot be loaded.
struct PluginListing {
  std::string path, name, version, summary;
  bool given = false;  ///< as a file, and not found in a folder
  unsigned real_bits = 64;
  std::vector<ComponentDescription> components;
  std::string failure;  ///< empty: it was loaded
};

/// What a training run left behind.
struct TrainOutcome {
  std::string folder, message;
  std::uint64_t updates = 0;
  bool stopped = false;  ///< by a signal: it can be resumed
};

}  // namespace v1
}  // namespace harmonium
