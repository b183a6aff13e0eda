#pragma once

#include <functional>
#include <memory>

#include <harmonium/framework/inference/gradient_estimator.hpp>
#include <harmonium/framework/testing/report.hpp>
#include <harmonium/framework/training/optimizer.hpp>
#include <harmonium/framework/training/regularizer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// Holds a gradient estimator, as `make` makes it, to what every one promises: that it overwrites the gradient, gives the
/// same bits on any number of threads, and remembers through `state` alone. Where the states of the model are few
/// enough, its mean over many estimates of one batch is held against the exact gradient of the negative log likelihood
/// (of other small models, against that of rows drawn by other means, reference_rows.hpp), all parameters together and
/// tensor by tensor. A bias is told (contrastive divergence has one by design), beside that which contrastive divergence
/// has in exact expectation (contrastive_bias.hpp). Faults are a mean that is no nearer to the exact gradient than zero is
/// and holds less than a quarter or more than three times of it, and one that points away from it in a tensor which makes a quarter of its norm. Whoever says that both of its
/// phases are exact must be. Of an estimator that tells a loss of its own (Report::loss) the difference is told and is no
/// fault: its gradient is held against that loss, and every one against the model's own law (loss_suite.hpp).
void check_estimator(const std::function<std::unique_ptr<GradientEstimator>()>& make, EnergyModel& model,
                     CheckReport& report);

/// That an optimizer goes downhill, leaves alone what is not learned, gives the same bits on any number of threads, and remembers
/// through `state` alone.
void check_optimizer(const std::function<std::unique_ptr<Optimizer>()>& make, EnergyModel& model, CheckReport& report);

/// That a regularizer adds to the gradient, and the same bits on any number of threads.
void check_regularizer(const Regularizer& regularizer, EnergyModel& model, CheckReport& report);

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
