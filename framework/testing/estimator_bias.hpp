#pragma once

#include <harmonium/framework/testing/estimator_subject.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// The mean over many estimates of one batch against the exact gradient of the negative log likelihood, all parameters
/// together and tensor by tensor: what of a bias is a fault is said at check_estimator (training_suite.hpp).
void check_estimator_bias(EstimatorSubject& e);

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
