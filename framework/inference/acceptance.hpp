#pragma once

#include <cmath>

#include <harmonium/framework/core/types.hpp>

/// The one rule by which moves are taken or refused (Metropolis et al. 1953; Hastings 1970). A ratio that is no number
/// refuses: it is of a proposal whose energy overflowed, and which therefore has no density. Chains that stand at such an
/// energy are no case of it: check_energies (finite_chains.hpp) ends their run.
namespace harmonium {
inline namespace HARMONIUM_ABI {

/// min(1, e^log_ratio), the probability with which a move is taken; 0 for what is no number.
inline double acceptance_probability(double log_ratio) {
  if (std::isnan(log_ratio)) return 0.0;
  return log_ratio >= 0.0 ? 1.0 : std::exp(log_ratio);
}

/// Whether the move is taken, by a uniform number strictly between 0 and 1.
inline bool accepts(double log_ratio, double uniform) { return uniform < acceptance_probability(log_ratio); }

/// The same by numerator / denominator, both at least 0, where these are at hand: 0 / 0 is no number.
inline bool accepts_ratio(double numerator, double denominator, double uniform) {
  return uniform * denominator < numerator;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
