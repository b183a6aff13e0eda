#pragma once

#include <optional>

#include <harmonium/framework/inference/mixing.hpp>
#include <harmonium/framework/inference/total_variation.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Configurations of chains that are kept, as memory allows.
Index most_rows_of_chains(const Layout& layout);

/// How far the draws that were kept are from the law of the model, where all its states can be looked at.
std::optional<TotalVariation> law_of_draws(const EnergyModel& model, const MixingReport& report, double beta,
                                           const Executor& executor);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
