#pragma once

#include <optional>

#include <harmonium/framework/diagnostics/number_with_error.hpp>
#include <harmonium/framework/diagnostics/series.hpp>

namespace harmonium {
inline namespace v1 {

/// The integrated autocorrelation time τ = 1 + 2 Σ_t ρ_t of chains of one law, in steps, with one standard error: the autocovariances
/// are averaged over all chains, about the mean of all, and summed to the least window W ≥ 5 (1/2 + Σ_{t≤W} ρ_t), and 3 at the least (Sokal 1997).
/// Wolff (2004), with τ_int = τ/2 and N values in all:
///   Var(τ)/τ² = 4 (W + 1/2 − τ_int)/N   (eq. 42),   τ ← τ (1 + (2W + 1)/N)   (eq. 49).
/// C chains of n steps have C (n − W) pairs at the largest lag, which is the N of the error.
///
/// The window leaves out a share e⁻⁵ of one exponential decay, and a slow mode that is a small part of the fluctuation wholly, of
/// which the error then knows nothing. Anticorrelated values have a time below 1.
///
/// Nothing where the series do not tell: no fluctuation, a chain of fewer than 20 τ, or fewer than 50 τ in all.
std::optional<NumberWithError> windowed_autocorrelation_time(Series series);

/// Series of fewer steps are a record, of a relaxation for one: whatever their times look like, errors from them are not to be believed.
inline constexpr Index least_steps_of_errors = 100;

/// As many times τ a chain, and all chains together, must last.
inline constexpr double least_times_of_one = 20.0, least_times_of_all = 50.0;

}  // namespace v1
}  // namespace harmonium
