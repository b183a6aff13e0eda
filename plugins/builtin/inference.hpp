#pragma once

#include <memory>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct SampleOptions {
  Index num_samples = 1;                  ///< each from a chain of its own
  std::uint64_t steps = 1000;             ///< transitions of the sampler
  double beta = 1.0;                      ///< inverse temperature
  std::unique_ptr<Sampler> sampler = {};  ///< null: Gibbs sampling
  /// Known values: one row for all samples, or one each. Columns: the observed layers in order. NaN: to be drawn. The columns
  /// of a unit are all known or all NaN. Empty: nothing is known.
  ConstMatrixRef held = {};
};

/// Draws of all layers from the model, given what is held: read(layer) is a matrix of samples × columns. Chains start at
/// draws from the biases alone. Throws ConfigError and CapabilityError where the sampler does not serve the model or `held`
/// does not fit it; NumericalError if the chains did not move, so that their states are not samples.
Chains sample(const EnergyModel& model, SampleOptions options, const Execution& execution);

/// Mean of log p(x) over the rows of a data set, in nats, exactly: log Z by enumeration. Throws CapabilityError where the
/// model is too large for that (of an RBM, where both layers have more than 30 binary units) or has no free energy.
double log_likelihood(const EnergyModel& model, const Dataset& data, const Execution& execution);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
