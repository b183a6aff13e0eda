#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/core/types.hpp>

/// Ladders of inverse temperatures, as parts of the target's.
namespace harmonium {
inline namespace HARMONIUM_ABI {

/// `rungs` of them, from 1 down to 0 at equal distances.
std::vector<double> even_ladder(Index rungs);

/// The ends of `positions` and between them those that cut it into `num` parts of equal length, `lengths`[k] being that from
/// position k to k + 1; none may be 0.
std::vector<double> at_equal_parts(std::span<const double> positions, std::span<const double> lengths, Index num);

/// The ladder with its rungs moved to equal parts of the cumulated rejection rate, that of exchanges of rungs k and k + 1
/// being `rejection`[k] (Syed, Bouchard-Côté, Deligiannidis & Doucet 2022, section 5). The same where none was rejected.
std::vector<double> balanced_ladder(const std::vector<double>& ladder, std::span<const double> rejection);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
