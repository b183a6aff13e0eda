#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace harmonium {
inline namespace v1 {

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
  /// Whether chains look like the data after as many steps as trained them only, how many these were, and a distance at the end
  /// from which that would be told in 19 of 20 cases.
  std::optional<bool> out_of_equilibrium;
  std::optional<std::uint64_t> trained_steps;
  std::optional<double> told_from;
  std::string verdict;  ///< in a line: mixed, not decided or not mixed, and the first reason
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

}  // namespace v1
}  // namespace harmonium
