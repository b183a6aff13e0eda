#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include <harmonium/framework/testing/chi_square.hpp>
#include <harmonium/framework/testing/loss_probe.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

constexpr Index num_word_sets = 400;
constexpr double mean_step = 0x1p-4;

/// Mean and standard error of independent numbers.
struct Mean {
  explicit Mean(const std::vector<double>& x) {
    const auto n = static_cast<double>(x.size());
    for (const double v : x) value += v / n;
    for (const double v : x) error += (v - value) * (v - value) / (n * (n - 1.0));
    error = std::sqrt(error);
  }
  double value = 0.0, error = 0.0;
};

/// All parameters, and each tensor: by the signs of its gradient, along which a factor is seen best, and by random ones.
std::vector<LossProbe::Direction> directions(LossProbe& probe) {
  std::mt19937_64 words(131);
  const std::vector<double> gradient = probe.mean_gradient(num_word_sets / 8);
  std::vector<LossProbe::Direction> all;
  const auto add = [&](const std::string& name, const std::vector<Index>& entries) {
    LossProbe::Direction random{name + ", along random signs", std::vector<double>(probe.free.size(), 0.0)};
    LossProbe::Direction own{name + ", along the signs of the gradient", std::vector<double>(probe.free.size(), 0.0)};
    for (const Index i : entries) {
      random.by[i] = (words() >> 63) != 0 ? 1.0 : -1.0;
      own.by[i] = gradient[i] < 0.0 ? -1.0 : 1.0;
    }
    all.push_back(std::move(random));
    all.push_back(std::move(own));
  };
  std::vector<Index> everything(probe.free.size());
  for (Index i = 0; i < everything.size(); ++i) everything[i] = i;
  add("all parameters", everything);
  for (const auto& [name, entries] : probe.blocks)
    if (!entries.empty()) add("'" + name + "'", entries);
  return all;
}

/// The multiple of the slopes that the gradients are, for every set of words, where it is the same.
std::optional<double> common_factor(const std::vector<double>& told, const std::vector<double>& slope,
                                    const std::vector<double>& truncation) {
  double product = 0.0, squares = 0.0, cut = 0.0, rest = 0.0;
  for (Index i = 0; i < told.size(); ++i) {
    product += told[i] * slope[i];
    squares += slope[i] * slope[i];
    cut += truncation[i] * truncation[i];
  }
  const double factor = product / squares;
  for (Index i = 0; i < told.size(); ++i) rest += (told[i] - factor * slope[i]) * (told[i] - factor * slope[i]);
  constexpr double tolerance = sizeof(Real) == 8 ? 1e-6 : 1e-4;
  return cut + rest < tolerance * squares ? std::optional<double>(factor) : std::nullopt;
}

/// Slopes of the loss along a direction, what the gradients say, and how far apart these are, over many sets of words.
struct Averages {
  Mean difference, slope, told;
  double bound = 0.0;  ///< of the mean difference
  /// The gradient as a multiple of the slope, where it is the same multiple for every set of words: an unbiased one is 1.
  std::optional<double> factor;
};
Averages average(LossProbe& probe, const LossProbe::Direction& direction, Index tests) {
  std::vector<double> difference, slope, told, truncation;
  for (std::uint64_t seed = 1000; seed < 1000 + num_word_sets; ++seed) {
    const LossProbe::Slopes found = probe.differences(direction, mean_step, seed);
    told.push_back(probe.slope_of(probe.estimate(seed).gradient, direction));
    slope.push_back(found.fine);
    difference.push_back(told.back() - found.fine);
    truncation.push_back(found.coarse - found.fine);
  }
  const boost::math::students_t law(static_cast<double>(num_word_sets - 1));
  const double far_out =
      boost::math::quantile(boost::math::complement(law, false_alarm / (2.0 * static_cast<double>(tests))));
  const Mean off(difference), cut(truncation);
  // The error of fourth order is a fifteenth of what twice the step adds; a third leaves room for higher orders.
  const double bound = far_out * off.error + (std::abs(cut.value) + far_out * cut.error) / 5.0 +
                       LossProbe::rounding(probe.scale, mean_step);
  return {off, Mean(slope), Mean(told), bound, common_factor(told, slope, truncation)};
}

}  // namespace

void check_mean_slopes(LossProbe& probe, const std::string& jumps, bool smooth) {
  const std::vector<LossProbe::Direction> chosen = directions(probe);
  std::string complaint;
  double worst = 1.0, seen = 0.0;
  for (const LossProbe::Direction& direction : chosen) {
    const Averages found = average(probe, direction, chosen.size());
    const double excess = std::abs(found.difference.value) / found.bound;
    seen = std::max(seen, found.bound);
    if (found.factor && std::abs(*found.factor - 1.0) > 0.02)
      return probe.e.report.add(
          CheckOutcome::failed, LossProbe::check,
          fmt::format("{}: the gradient is {:.4g} of the slope of the loss that is reported, for each of "
                      "{} sets of random words{}",
                      direction.name, *found.factor, num_word_sets, LossProbe::advice));
    if (excess <= worst) continue;
    worst = excess;
    complaint = fmt::format(
        "{}: the mean of {} gradients is {:.4g}, and the mean loss that is reported grows by "
        "{:.4g}, which is {:.1f} standard errors apart{}",
        direction.name, num_word_sets, found.told.value, found.slope.value,
        std::abs(found.difference.value) / found.difference.error, LossProbe::advice);
  }
  if (complaint.empty() && smooth)
    return probe.e.report.add(
        CheckOutcome::noted, LossProbe::check,
        fmt::format("{}. Means over {} sets agree all the same; a difference of {:.2g} would be seen. One "
                    "that follows the law of its draws by their score may do that.",
                    jumps, num_word_sets, seen));
  probe.e.report.judge(
      LossProbe::check, complaint,
      fmt::format("the loss jumps as drawn states change; means over {} sets of random words agree along "
                  "{} directions, a difference of {:.2g} would be seen",
                  num_word_sets, chosen.size(), seen));
}

void check_loss_descent(LossProbe& probe) {
  constexpr double far_below = 6.1;
  const std::vector<double> mean = probe.mean_gradient(num_word_sets);
  double top = 0.0;
  for (const double g : mean) top = std::max(top, std::abs(g));
  if (top == 0.0) return probe.e.report.skip(LossProbe::check, "the gradient is 0");
  LossProbe::Direction along{"all parameters", mean};
  for (double& v : along.by) v /= top;
  const Averages found = average(probe, along, 1);
  const std::string words = fmt::format(
      "the gradient is not the loss's slope, by its own word; the loss grows by {:.3g} along it "
      "(standard error {:.2g}), and its own length is {:.3g}",
      found.slope.value, found.slope.error, found.told.value);
  const bool uphill = found.slope.value < -far_below * found.slope.error - found.bound;
  if (uphill)
    probe.e.report.add(CheckOutcome::failed, LossProbe::check, words + ". Descent goes uphill: look for a sign.");
  else probe.e.report.add(CheckOutcome::noted, LossProbe::check, words + ".");
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
