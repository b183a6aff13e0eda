#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include <harmonium/framework/inference/contrastive_bias.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/studies/cd_bias/options.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What is known of a machine at one moment of its training; exact.
struct CdBiasRecord {
  std::uint64_t updates = 0;
  double log_likelihood = 0.0;  ///< mean over the rows, in nats
  double alpha = 0.0, beta = 0.0;
  std::vector<BiasStatistics> steps;  ///< of k = 1, 2, …, over all weights and rows
};

/// One run: a machine trained until its likelihood meets the stopping criterion.
struct CdBiasRun {
  CdBiasCell cell;
  std::vector<CdBiasRecord> trace;    ///< of k = 1, from the first parameters up to the criterion
  CdBiasRecord criterion;             ///< where the criterion was first met
  std::optional<CdBiasRecord> fixed;  ///< after the fixed number of updates, before or after the criterion
  double second_eigenvalue = 0.0;     ///< of the chain, at the criterion
  double bound = 0.0;                 ///< of CD-1's bias by equation 4.7, over N_x, at the criterion
};

/// Makes the run by the program's own training loop: what `harmonium train` does with the configuration of cell_config.
/// `updated` is told the updates made since it was told last, now and then. Throws Stopped once `stop` is set, and
/// NumericalError for a run that diverged or did not meet the criterion in time.
CdBiasRun run_cd_bias(const CdBiasCell& cell, const CdBiasOptions& options, const Registries& registries,
                      const std::atomic<bool>* stop, const std::function<void(std::uint64_t)>& updated);

/// The configuration of a run.
Value cell_config(const CdBiasCell& cell, const CdBiasOptions& options);

/// As a table and back, to the bit. Throws DataError where `value` is not such a table.
Value to_value(const CdBiasRun& run);
CdBiasRun from_value(const CdBiasCell& cell, const Value& value);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
