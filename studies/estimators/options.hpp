#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/studies/estimators/measure.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

enum class StudiedUnits : std::uint8_t { binary, gaussian };

/// The study of gradient estimators at equal compute: restricted machines small enough to know, trained by the exact
/// gradient, and at some stages of it every estimator against that.
struct EstimatorStudyOptions {
  std::vector<std::string> estimators = {};  ///< empty: all of known_estimators that serve the machine
  std::vector<double> gibbs_steps = {1, 2, 5, 10};
  std::string data_set = "diagonal";
  Index size = 6;
  Index num_hidden = 0;
  StudiedUnits visible_units = StudiedUnits::binary;
  std::optional<double> deviation = {};
  double learning_rate = 0.1;
  std::vector<double> updates = {300, 1000};
  Index num_seeds = 3;
  std::uint64_t seed = 1;
  Index repeats = 2000;
  Index warm_up = 200;
  Index budget = 100;

  static constexpr double usual_deviation = 0.4;
  static const std::vector<std::string>& known_estimators();
  bool gaussian() const { return visible_units == StudiedUnits::gaussian; }
  const char* units() const { return gaussian() ? "gaussian" : "binary"; }
  /// How often each estimate is made, in batches.
  Repeats repetition() const { return {warm_up, repeats}; }
  void bind(OptionBinder& o);
  void validate() const;
};

/// The configuration of the training of one machine.
Value machine_config(const EstimatorStudyOptions& options, std::uint64_t seed);
/// The estimator of that name with its defaults, once for each number of steps where it takes them.
std::vector<StudiedEstimator> studied(const std::string& name, const EstimatorStudyOptions& options,
                                      const Registries& registries);

/// A row of the table: what was measured, and what comes of it at equal compute.
struct EstimatorRow {
  EstimatorMeasure measure;
  /// Expected cosine of the mean of as many estimates as `budget` estimates of CD-1 cost.
  double at_equal_products = 0.0, at_equal_seconds = 0.0;
};

std::string estimators_csv(const EstimatorStudyOptions& options, const std::vector<EstimatorRow>& rows);
/// The cosines at equal compute over k, means over seeds at the last stage, for gnuplot.
std::string equal_compute_figure(const EstimatorStudyOptions& options, const std::vector<StudiedEstimator>& subjects,
                                 const std::vector<EstimatorRow>& rows);
/// The same means, for a terminal.
std::string estimator_summary(const EstimatorStudyOptions& options, const std::vector<StudiedEstimator>& subjects,
                              const std::vector<EstimatorRow>& rows);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
