#pragma once

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Learning rates that `init` proposes. The fewer columns, the less the noise of a batch moves the fields that they add up to; of few
/// rows the chains fall behind larger steps.
double rate_of_bits(Index columns, Index rows);
double rate_of_numbers(Index columns);

/// Whether all states of the observed units can be added up in every update: there are no chains then that fall behind, and
/// steps can be large.
bool few_states(double log2_states);
constexpr double rate_of_exact = 0.5, std_of_exact = 0.5;
/// Of the observed layers of a table; 1e300 where some have no finite domain.
double log2_states_of(const Value& layers);

/// The table [estimator].
Value chains_or_exact(bool exact);
/// The table [initializer] of couplings from a normal law.
Value normal(double std);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
