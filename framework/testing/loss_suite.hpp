#pragma once

#include <functional>
#include <memory>

#include <harmonium/framework/inference/gradient_estimator.hpp>
#include <harmonium/framework/testing/report.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// Holds the gradient of an estimator that tells its loss to that loss.
/// - Slope: the loss is differentiated by central differences, entry by entry, with the same random words at every θ. Where
///   the draws do not change with θ, the gradient is that derivative for each set of words. Where it is another one, because
///   the loss jumps as a drawn state changes, both are averaged over many sets of words, along some directions; their
///   difference has mean 0 within its standard error (false alarm chi_square.hpp's, Student's t).
/// - Of an estimator that says its gradient is not the slope (Report::slope): that the loss falls against it.
/// The model's parameters are moved and put back.
void check_loss_slope(const std::function<std::unique_ptr<GradientEstimator>()>& make, EnergyModel& model,
                      CheckReport& report);

/// Data that follow the model's own law, every configuration with its probability: no law is better for a proper scoring
/// rule, so that the expected gradient is 0 (for the likelihood, too; contrastive divergence of any number of steps is
/// unbiased here). It is a fault of a loss that is said to be proper (Report::proper) where it is not, and else a note.
void check_own_law(const std::function<std::unique_ptr<GradientEstimator>()>& make, EnergyModel& model,
                   CheckReport& report);

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
