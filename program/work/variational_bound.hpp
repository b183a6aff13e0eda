#pragma once

#include <optional>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The mean over `rows` of the mean-field bound −β E_q[E] + H(q) ≤ log Σ exp(−β E) over what was not seen of a row, in nats.
/// Nothing where the model does not allow it. Of a stack by draws, whose standard error `error` receives where it is not null; any
/// other is without one.
std::optional<double> variational_bound(const EnergyModel& model, double beta, const Dataset& data,
                                        std::span<const Index> rows, const Registries& registries,
                                        const Execution& execution, double* error = nullptr);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
