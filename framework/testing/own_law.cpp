#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include <harmonium/framework/testing/chi_square.hpp>
#include <harmonium/framework/testing/loss_suite.hpp>
#include <harmonium/framework/testing/model_suite.hpp>
#include <harmonium/framework/testing/small_batch.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

/// Of one entry of the gradient: its mean, and what would be no accident.
struct MeanEntry {
  double mean, bound;
};

MeanEntry judge_entry(const std::vector<double>& means, Index tests) {
  const auto n = static_cast<double>(means.size());
  double mean = 0.0, variance = 0.0;
  for (const double m : means) mean += m / n;
  for (const double m : means) variance += (m - mean) * (m - mean) / (n * (n - 1.0));
  const boost::math::students_t law(n - 1.0);
  const double far_out =
      boost::math::quantile(boost::math::complement(law, false_alarm / (2.0 * static_cast<double>(tests))));
  return {mean, far_out * std::sqrt(variance) + 1e3 * static_cast<double>(std::numeric_limits<Real>::epsilon())};
}

}  // namespace

void check_own_law(const std::function<std::unique_ptr<GradientEstimator>()>& make, EnergyModel& model,
                   CheckReport& report) {
  constexpr const char* check = "mean gradient at the model's own law";
  constexpr double most_rows_log2 = 10.0;
  // Means of neighboring estimates, which those of chains that go on make dependent on each other.
  constexpr Index parts = 30, length = 10, burn_in = 30;
  const Layout& layout = model.layout();
  if (layout.log2_states(layout.all()) > most_enumerated || layout.log2_states(layout.observed()) > most_rows_log2) {
    report.skip(check, "there are too many states, or continuous units");
    return;
  }
  SmallBatch batch = SmallBatch::of_law(model);
  const std::unique_ptr<GradientEstimator> estimator = make();
  estimator->check(model);
  estimator->begin(model, batch.outline());
  const Executor executor(1);
  estimator->start(model, {executor, {1999, 0}});
  std::vector<Real> gradient(gradient_layout(model, *estimator).size());
  std::vector<std::vector<double>> means(gradient.size(), std::vector<double>(parts, 0.0));
  GradientEstimator::Report told;
  for (Index i = 0; i < burn_in + parts * length; ++i) {
    told = estimator->estimate(model, batch.view(), gradient, Execution{executor, {2000 + i, 0}}.part("estimator"));
    if (i < burn_in) continue;
    for (Index k = 0; k < gradient.size(); ++k)
      means[k][(i - burn_in) / length] += static_cast<double>(gradient[k]) / static_cast<double>(length);
  }
  std::string off;
  double worst = 1.0, seen = 0.0, largest = 0.0;
  for (const ParameterBlock& block : model.parameter_layout().blocks()) {
    if (!block.learned) continue;
    for (Index k = 0; k < block.size(); ++k) {
      const MeanEntry entry = judge_entry(means[block.offset + k], gradient.size());
      seen = std::max(seen, entry.bound);
      largest = std::max(largest, std::abs(entry.mean));
      if (std::abs(entry.mean) / entry.bound <= worst) continue;
      worst = std::abs(entry.mean) / entry.bound;
      off = fmt::format("'{}', entry {}: {:.3g}, where {:.2g} could be an accident", block.name, k, entry.mean,
                        entry.bound);
    }
  }
  const std::string words = fmt::format("data that follow the model's own law, {} estimates: ", parts * length);
  if (off.empty())
    report.add(CheckOutcome::passed, check,
               words + fmt::format("0 but for noise (at most {:.2g}; {:.2g} would be seen)", largest, seen));
  else if (told.loss && told.proper)
    report.add(
        CheckOutcome::failed, check,
        words + off +
            ". The loss has no minimum where the model is right already: look for draws from another law than the "
            "one they are weighed by, or say in Report::proper that it is no proper scoring rule.");
  else
    report.add(
        CheckOutcome::noted, check,
        words + off +
            ". A model that is right already is moved: so do mean fields, short chains from afar and losses that "
            "are no proper scoring rules, by design, and nothing else.");
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
