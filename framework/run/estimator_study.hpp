#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/framework/run/request.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The study of gradient estimators at equal compute: restricted machines small enough to know, trained by the exact
/// gradient, and at some stages of it every estimator against that.
struct EstimatorStudyOptions {
  std::vector<std::string> estimators = {"cd",
                                         "pcd",
                                         "tempered_pcd",
                                         "fast_weights_pcd",
                                         "naive_mcmc",
                                         "unbiased_cd",
                                         "pseudo_likelihood",
                                         "ratio_matching",
                                         "minimum_probability_flow",
                                         "reconstruction_error"};
  std::vector<double> gibbs_steps = {1, 2, 5, 10};
  std::string data_set = "diagonal";
  Index size = 6;
  Index num_hidden = 0;
  double learning_rate = 0.1;
  std::vector<double> updates = {300, 1000};
  Index num_seeds = 3;
  std::uint64_t seed = 1;
  Index repeats = 2000;
  Index warm_up = 200;
  Index budget = 100;

  static constexpr Index batches = 20;  ///< whose means tell the error of a mean
  Index repeats_made() const { return repeats / batches * batches; }
  void bind(OptionBinder& o);
  void validate() const;
};

/// One estimator at one stage of one machine. Norms are Euclidean over all parameters.
struct EstimatorMeasure {
  std::uint64_t seed = 0, updates = 0;
  std::string estimator;
  Index gibbs_steps = 0;  ///< 0: the estimator has none
  double log_likelihood = 0.0;
  double exact_norm = 0.0, mean_norm = 0.0;
  double cosine = 0.0;    ///< of the mean estimate and the exact gradient
  double bias = 0.0;      ///< their distance, less what noise adds
  double variance = 0.0;  ///< of one estimate, summed over the parameters
  double noise = 0.0;     ///< standard error of the mean, from means of 20 batches: neighbours may be correlated
  double products = 0.0;  ///< of one estimate, as it says itself
  double seconds = 0.0;   ///< of one estimate, of a processor
  /// Expected cosine of the mean of as many estimates as `budget` estimates of CD-1 cost.
  double at_equal_products = 0.0, at_equal_seconds = 0.0;
};

/// One estimator as the study asks for it.
struct StudiedEstimator {
  std::string name;
  Index gibbs_steps;
  Value spec;
};

std::string estimators_csv(const EstimatorStudyOptions& options, const std::vector<EstimatorMeasure>& all);
/// The cosines at equal compute over k, means over seeds at the last stage, for gnuplot.
std::string equal_compute_figure(const EstimatorStudyOptions& options, const std::vector<StudiedEstimator>& subjects,
                                 const std::vector<EstimatorMeasure>& all);
/// The same means, for a terminal.
std::string estimator_summary(const EstimatorStudyOptions& options, const std::vector<StudiedEstimator>& subjects,
                              const std::vector<EstimatorMeasure>& all);

/// Makes the study and writes estimators.csv, the figure and config.toml into the folder.
StudyOutcome study_estimators(const StudyRequest& request, const Registries& registries);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
