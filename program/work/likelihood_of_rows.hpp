#pragma once

#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/framework/training/observer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The mean of log p over all rows of a part of the data, in nats, and its standard error over them.
struct LikelihoodOfRows {
  std::string part;  ///< training, validation or test
  Index rows = 0;
  double mean = 0.0, error = 0.0;
};

/// Whether log Z of the model is exact, and found at the end of a run however short (most_operations_at_end).
bool quickly_exact(const EnergyModel& model, const Registries& registries);

/// −F(x) − log Z of each part of the data, with an exact log Z; rows that are drawn anew in each epoch as in `epoch`, counted from
/// 0; what was not seen of a row is summed out. Empty where log Z is not exact, rows have no probability, or the model no free energy; or where
/// it would take more than most_operations_at_end of the `training` multiplications and additions of the whole run. `log_z`: the exact
/// log Z, where it is known.
std::vector<LikelihoodOfRows> exact_likelihoods(const EnergyModel& model, const RunData& data, std::uint64_t epoch,
                                                double training, std::optional<double> log_z,
                                                const Registries& registries, const Execution& execution);

/// The mean log likelihood of rows under independent units with the marginals of these rows; none where units are not discrete, rows
/// are weighed or incomplete, or values lie between states.
std::optional<double> independent_likelihood(const Dataset& rows, const Layout& layout);
/// Whether `found` is more than that by a hundredth, or by more than the couplings would have of independent columns by chance: of p
/// couplings and N rows, 2 N (found − alone) is then about χ² with p degrees of freedom at most (Wilks 1938); two
/// deviations above p count.
bool explains_more(const LikelihoodOfRows& found, double alone, const ParameterLayout& parameters);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
