#pragma once

#include <cstdint>
#include <optional>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What training follows. `stand_in`: the pseudo likelihood, where the estimator follows the likelihood by chains and that takes too
/// many states. `drawn`: an objective of its own that draws at each visit, as noise-contrastive estimation does.
enum class Objective : std::uint8_t { likelihood, own, drawn, stand_in };

/// An estimator of what the run's own follows, and without chance where the objective has none.
struct Followed {
  Value estimator;
  Objective objective = Objective::likelihood;
};

/// What the estimator of the effective configuration `config` follows. Nothing where that is not known, or differs from batch to batch.
std::optional<Followed> followed_by(const EnergyModel& model, const Value& config);

/// Whether nothing beside the objective moves the optimum.
bool without_regularizers(const Value& config);

inline constexpr double most_gradient_operations = 2e9;  ///< rows or states × columns², about a second
double operations_of_gradient(const EnergyModel& model, double rows);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
