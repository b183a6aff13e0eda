#pragma once

#include <optional>

#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Between the law of the observed units and the frequencies of their states in some rows: ½ Σ_v |f(v) − p(v)|.
struct TotalVariation {
  double distance = 0.0;
  double floor = 0.0;  ///< what it is on average of independent draws
};

/// Multiplications and additions that it takes, for budgets; nothing where it cannot be had.
std::optional<double> total_variation_operations(const EnergyModel& model);
/// By enumeration of at most 2^14 observed states; nothing where they are more, continuous, or have no free energy. `draws`: as
/// many independent ones the rows amount to.
std::optional<TotalVariation> total_variation(const EnergyModel& model, double beta, const Chains& rows, double draws,
                                              const Executor& executor);

/// E|K/n − p|, K being binomial of n trials of probability p (de Moivre 1730).
double binomial_mean_deviation(double n, double p);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
