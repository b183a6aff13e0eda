#include <harmonium/framework/testing/estimator_subject.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

EstimatorSubject::EstimatorSubject(const std::function<std::unique_ptr<GradientEstimator>()>& maker,
                                   EnergyModel& checked, CheckReport& to)
    : make(maker), model(checked), report(to), batch(SmallBatch::random(checked.layout(), rows)) {}

std::unique_ptr<GradientEstimator> EstimatorSubject::begun() const {
  std::unique_ptr<GradientEstimator> estimator = make();
  estimator->check(model);
  estimator->begin(model, batch.outline());
  estimator->start(model, {one_thread, {59, 0}});
  return estimator;
}

EstimatorSubject::Estimate EstimatorSubject::estimate(GradientEstimator& estimator, std::uint64_t seed,
                                                      const Executor& on, Real before) {
  Estimate e{{}, std::vector<Real>(gradient_layout(model, estimator).size(), before)};
  e.report = estimator.estimate(model, batch.view(), e.gradient, Execution{on, {seed, 0}}.part("estimator"));
  return e;
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
