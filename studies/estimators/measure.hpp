#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/framework/run/whole_data.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// One estimator as a study asks for it.
struct StudiedEstimator {
  std::string name;
  Index gibbs_steps = 0;  ///< 0: the estimator has none
  Value spec;

  bool operator==(const StudiedEstimator& other) const {
    return name == other.name && gibbs_steps == other.gibbs_steps;
  }
};

/// Estimates before those that count, for chains that persist, and those that do.
struct Repeats {
  Index warm_up = 0, asked = 0;
  static constexpr Index batches = 20;  ///< whose means tell the error of a mean
  Index each() const { return asked / batches; }
  Index made() const { return each() * batches; }
};

/// A machine at one stage of its training, and the exact gradient there.
struct StudiedStage {
  std::uint64_t seed = 0, updates = 0;
  std::unique_ptr<EnergyModel> model;
  double log_likelihood = 0.0;
  std::vector<double> exact;
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
  double noise = 0.0;     ///< standard error of the mean, from means of 20 batches: neighbors may be correlated
  double products = 0.0;  ///< of one estimate, as it says itself once all are made
  double seconds =
      0.0;  ///< of one estimate, of a processor; measured, and so the one figure that is never the same twice

  /// The expected cosine of the mean of `number` estimates.
  double cosine_of(double number, const Repeats& repeats) const;
};

/// A function of the stage, the estimator and the repeats, but for seconds. Throws Stopped once `stop` is set.
EstimatorMeasure measure(const StudiedStage& stage, const StudiedEstimator& subject, const Repeats& repeats,
                         const WholeData& data, const Registries& registries, const std::atomic<bool>* stop);

/// The figures as a table and back, to the bit; what they are of is told by the file's name. Throws DataError where `value` is
/// no such table.
Value to_value(const EstimatorMeasure& measure);
EstimatorMeasure measure_from_value(std::uint64_t seed, std::uint64_t updates, const StudiedEstimator& subject,
                                    const Value& value);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
