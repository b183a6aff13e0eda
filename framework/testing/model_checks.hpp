#pragma once

#include <harmonium/framework/testing/model_subject.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

// The parts of check_model (model_suite.hpp). Each reports what it finds to the subject's report.

/// That the energy of a row is what it is alone.
void check_rows_alone(const ModelSubject& m);
/// The gradient by the parameters against differences of the energy.
void check_gradient(const ModelSubject& m);
/// The gradient by the state against differences of the energy.
void check_state_gradient(const ModelSubject& m, const StateGradient& gradient);
/// That the gradient has the same bits on any number of threads.
void check_gradient_threads(const ModelSubject& m);

/// Blocks, and fields against energies of a unit's states; how well Gibbs sampling mixes is noted.
void check_conditionals(const ModelSubject& m, const BlockConditionals& conditionals);

/// The expectation under a factorized law against the sum over all states, which are few.
void check_expectation(const ModelSubject& m, const FactorizedExpectation& expectation);

/// The free energy and all that is derived of it against sums over all states, which are few.
void check_free_energy(const ModelSubject& m, const FreeEnergy& free);

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
