#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <harmonium/framework/inference/gradient_estimator.hpp>
#include <harmonium/framework/testing/report.hpp>
#include <harmonium/framework/testing/small_batch.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// A gradient estimator as it is made, and the model and the batch that it is checked on.
struct EstimatorSubject {
  static constexpr Index rows = 24;

  struct Estimate {
    GradientEstimator::Report report;
    std::vector<Real> gradient;
  };

  EstimatorSubject(const std::function<std::unique_ptr<GradientEstimator>()>& maker, EnergyModel& checked,
                   CheckReport& to);

  /// A new one that has begun. Throws CapabilityError where it does not serve the model.
  std::unique_ptr<GradientEstimator> begun() const;
  /// Of the batch; every entry of the gradient is `before` where the estimate begins.
  Estimate estimate(GradientEstimator& estimator, std::uint64_t seed, const Executor& on, Real before = Real{0});

  const std::function<std::unique_ptr<GradientEstimator>()>& make;
  EnergyModel& model;
  CheckReport& report;
  SmallBatch batch;
  Executor one_thread{1};
};

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
