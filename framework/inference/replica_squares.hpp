#pragma once

#include <span>

#include <harmonium/framework/diagnostics/number_with_error.hpp>
#include <harmonium/framework/inference/local_sums.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Σ_k ⟨x_k⟩² / count over some of the numbers, from chains that know nothing of each other. With the means x̄_ck of C chains
///   θ = Σ_k Σ_{c≠d} x̄_ck x̄_dk / (C (C − 1) count),
/// which has no bias, where Σ_k x̄_k² of the means of all would be too large by their variances. The error is the jackknife's over the
/// blocks of each chain, 64 or more of all, and that over whole chains where ChainJackknife takes it. Where all ⟨x_k⟩ are 0 it is too
/// large by √2: θ then scatters by products alone, each of which the jackknife counts once for either chain.
NumberWithError replica_squares(const LocalSums& sums, std::span<const Index> numbers, double count);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
