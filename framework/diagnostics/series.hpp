#pragma once

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// Numbers that Markov chains left, one row a chain, in the order of time.
using Series = MatrixView<const double>;

/// The integrated autocorrelation time τ = 1 + 2 Σ_t ρ_t of chains of one law, in steps, at least 1: as many values count for
/// one independent one. The autocovariances are about the mean of all chains, so that chains that stay apart have a long one.

/// By Geyer's initial monotone sequence (Geyer 1992): of a reversible chain the sums ρ_2k + ρ_2k+1 are positive and descend;
/// the sum ends where they do not, or at half of the series.
double monotone_autocorrelation_time(Series series);
/// By overlapping batch means (Meketon & Schmeiser 1984) of an eighth of the series: how much more the means of stretches
/// scatter than those of independent values would.
double batch_means_autocorrelation_time(Series series);

/// Split rank-normalized R-hat, the larger of that of the values and that of their distances from the median (Vehtari, Gelman,
/// Simpson, Carpenter & Bürkner 2021): 1 where all halves of all chains follow one law. Infinite where each chain stands still
/// at a value of its own, 1 where all stand at one. NaN where a value is not finite.
double rank_normalized_r_hat(Series series);

/// The probability that means of chains differ between groups of `group` neighbors as much as they do, where all follow one
/// law: the F test of their variance between groups and within them. Whatever the autocorrelation, means of different chains
/// are independent, and nearly normal. 1 where they do not differ at all.
double equal_means_probability(Series series, Index group);

/// The probability that means of chains differ as much as they do, where the halves of a chain are as far from each other as
/// those of different chains: the F test of the variance between chains and between the halves within them. Near 0 of chains that
/// keep for the whole series to what they began with, whatever law they follow. 1 where they do not differ at all.
double forgotten_halves_probability(Series series);

}  // namespace v1
}  // namespace harmonium
