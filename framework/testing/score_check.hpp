#pragma once

#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/testing/report.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// Of a model that offers the score of its observed layers (Score): ψ against differences of the free energy by the state,
/// its divergence against differences of ψ, and what score matching asks of the parameters against differences of both by θ.
/// `scale` is the size of the terms of an energy of these rows, which rounding goes by; `entries` are the free parameters to
/// compare (differences.hpp).
void check_score(EnergyModel& model, const Chains& rows, double scale, const std::vector<std::vector<Index>>& entries,
                 CheckReport& report);

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
