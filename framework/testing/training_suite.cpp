#include <harmonium/framework/testing/training_suite.hpp>

#include <exception>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/testing/estimator_bias.hpp>
#include <harmonium/framework/testing/loss_suite.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

std::vector<Real> gradient_of(EstimatorSubject& e, GradientEstimator& estimator, const Executor& on,
                              Real before = Real{0}) {
  return e.estimate(estimator, 61, on, before).gradient;
}
std::vector<Real> gradient_of(EstimatorSubject& e, GradientEstimator& estimator) {
  return gradient_of(e, estimator, e.one_thread);
}

void check_overwriting(EstimatorSubject& e) {
  const bool same = gradient_of(e, *e.begun()) == gradient_of(e, *e.begun(), e.one_thread, Real{7});
  e.report.judge("the gradient is overwritten", same ? "" : "what was in the gradient before changes the estimate",
                 "what was there before does not matter");
}

void check_estimate_threads(EstimatorSubject& e) {
  const Executor three_threads(3);
  const auto one = e.begun(), three = e.begun();
  bool same = true;
  for (int i = 0; i < 3; ++i) same = same && gradient_of(e, *one) == gradient_of(e, *three, three_threads);
  e.report.judge("any number of threads", same ? "" : "the estimates of 3 threads are other ones than those of 1",
                 "the same bits on 1 thread and on 3");
}

void check_estimator_state(EstimatorSubject& e) {
  const auto first = e.begun();
  for (int i = 0; i < 3; ++i) gradient_of(e, *first);
  StateArchive saved;
  first->state(saved);
  const auto second = e.begun();
  std::string complaint;
  try {
    StateArchive loaded(saved.fields(), state_sizes(e.model, e.batch.view().rows.size()));
    second->state(loaded);
    for (int i = 0; i < 3 && complaint.empty(); ++i)
      if (gradient_of(e, *first) != gradient_of(e, *second))
        complaint = fmt::format(
            "estimate {} after its state was loaded differs from that of the estimator that was "
            "saved (3 estimates, state(StateArchive&) of {} fields). Something that it remembers "
            "is not in its state.",
            i + 1, saved.fields().size());
  } catch (const std::exception& error) {
    complaint = fmt::format("the state that it saved cannot be loaded: {}", error.what());
  }
  e.report.judge("state saved and restored", complaint, "goes on the same after its state was saved and restored");
}

void check_figures(EstimatorSubject& e) {
  const auto estimator = e.begun();
  const Figures said = estimator->figures(e.model);
  const Executor executor(1);
  std::vector<Real> gradient(gradient_layout(e.model, *estimator).size());
  const auto report = estimator->estimate(e.model, e.batch.view(), gradient, {executor, {61, 0}});
  Figures told{report.loss.has_value(), report.positive.bound.has_value(), report.negative.meetings.has_value()};
  for (const auto& [name, value] : report.own) told.own.push_back(name);
  const auto words = [](const Figures& f) {
    std::string all;
    for (const auto& [has, name] : {std::pair{f.loss, "loss"}, {f.bound, "bound"}, {f.meetings, "meetings"}})
      if (has) all += (all.empty() ? "" : ", ") + std::string(name);
    for (const std::string& name : f.own) all += (all.empty() ? "'" : ", '") + name + "'";
    return all.empty() ? "none" : all;
  };
  e.report.judge("figures that its reports tell",
                 said == told ? ""
                              : fmt::format("figures() says {}, and its report has {}: observers go by the first",
                                            words(said), words(told)),
                 fmt::format("figures() says what they have: {}", words(said)));
}

}  // namespace

void check_estimator(const std::function<std::unique_ptr<GradientEstimator>()>& make, EnergyModel& model,
                     CheckReport& report) {
  EstimatorSubject e(make, model, report);
  try {
    e.begun();
  } catch (const CapabilityError& error) {
    report.skip("estimator", error.what());
    return;
  }
  check_overwriting(e);
  check_estimate_threads(e);
  check_estimator_state(e);
  check_figures(e);
  check_loss_slope(make, model, report);
  check_estimator_bias(e);
  check_own_law(make, model, report);
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
