#pragma once

#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/testing/report.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// log₂ of the number of joint states up to which a model is enumerated state by state.
inline constexpr double most_enumerated = 12.0;

/// Gives `model` parameters drawn from [−1, 1], or nearer to 0 where such define no density, and holds what it offers
/// against its energy: the gradient against differences by θ; fields against energies of a unit's states; the expectation
/// under a factorized law and the free energy against sums over all states, where there are few enough; the gradient by
/// the state against differences. Whatever is wrong is told in words, with the place and the size of the difference. The
/// energy itself is what everything else is held against: it has no judge here.
///
/// Bounds are the rounding errors of what is compared, and of differences besides how much they change with their step.
void check_model(EnergyModel& model, CheckReport& report);

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
