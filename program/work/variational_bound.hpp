#pragma once

#include <optional>
#include <span>
#include <vector>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A lower bound of a mean over rows, in nats.
struct BoundOfRows {
  double mean = 0.0;
  double error = 0.0;             ///< one standard error of it, where it is by draws
  std::vector<double> each = {};  ///< of each row; empty where only the mean is known
};

/// The mean over `rows` of the mean-field bound −β E_q[E] + H(q) ≤ log Σ exp(−β E) over what was not seen of a row, in nats.
/// Nothing where the model does not allow it. Of a stack by draws, row by row.
std::optional<BoundOfRows> variational_bound(const EnergyModel& model, double beta, const Dataset& data,
                                             std::span<const Index> rows, const Registries& registries,
                                             const Execution& execution);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
