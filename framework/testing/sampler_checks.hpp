#pragma once

#include <harmonium/framework/testing/sampler_subject.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

// The parts of check_sampler (sampler_suite.hpp) that go by a law. Each reports what it finds to the subject's report.

/// Rows drawn independently of each other stay so, whatever the law: means over groups of rows vary as those of
/// independent numbers do. T = g (mean of a group - mean of all)^2 / variance has mean 1 for any size g of group; words
/// that the chains of a group share add (g - 1) times the correlation that they make.
void check_chain_independence(const SamplerSubject& s);

/// Chains drawn from the exact law of the target go on to follow it (stationarity.hpp). For few states.
void check_exact_start(const SamplerSubject& s);

/// Where the law cannot be enumerated: rows that follow it by other means must go on to do so.
void check_reference_start(const SamplerSubject& s);

/// A sampler that says what its reversal is: tempered transitions are wrong by as much as this is.
void check_reversal(const SamplerSubject& s);

/// Worth knowing of whatever claims to be Gibbs sampling, made faster. For few states.
void note_gibbs(const SamplerSubject& s);

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
