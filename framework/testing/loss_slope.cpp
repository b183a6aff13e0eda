#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/testing/loss_probe.hpp>
#include <harmonium/framework/testing/loss_suite.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

/// The outcome of the comparison word set by word set.
struct FixedWords {
  std::string complaint, words;
  bool smooth = true;
};

/// The present gradient against the slope by each of some entries, for a few sets of words.
class FixedWordsCheck {
 public:
  explicit FixedWordsCheck(LossProbe& probe) : probe_(probe) {}

  FixedWords run() {
    for (std::uint64_t seed = 1; seed <= word_sets; ++seed) {
      const EstimatorSubject::Estimate here = probe_.estimate(seed);
      for (const auto& [name, entries] : probe_.blocks) {
        const Index num = std::min(entries.size(), most_entries);
        for (Index k = 0; k < num; ++k) {
          const Index number = k * entries.size() / num;
          compare(here, seed, name, entries[number], number);
        }
      }
    }
    out_.words = fmt::format("{} comparisons with {} sets of random words, largest difference {:.2g}", count_,
                             word_sets, largest_);
    return out_;
  }

 private:
  /// By the free parameter `entry`, which has this number in its tensor.
  void compare(const EstimatorSubject::Estimate& here, std::uint64_t seed, const std::string& name, Index entry,
               Index number) {
    LossProbe::Direction along{name, std::vector<double>(probe_.free.size(), 0.0)};
    along.by[entry] = 1.0;
    const LossProbe::Slopes slopes = probe_.differences(along, fine_step, seed);
    const double scale = std::max(probe_.scale, std::abs(*here.report.loss));
    const double told = probe_.slope_of(here.gradient, along), off = std::abs(told - slopes.fine),
                 bound = std::abs(slopes.fine - slopes.coarse) + LossProbe::rounding(scale, fine_step);
    ++count_;
    largest_ = std::max(largest_, off);
    // A loss that jumps has no slope to compare with.
    const bool smooth = std::abs(slopes.fine - slopes.coarse) <= 0.01 * (1.0 + std::abs(slopes.fine));
    out_.smooth = out_.smooth && smooth;
    if (off <= bound && smooth) return;
    const double excess = std::isfinite(off / bound) ? off / bound : std::numeric_limits<double>::max();
    if (!out_.complaint.empty() && excess <= worst_) return;
    worst_ = excess;
    out_.complaint = fmt::format(
        "'{}', free parameter {}: the gradient is {:.6g}, and the loss that is reported "
        "grows by {:.6g} (central differences, the same random words)",
        name, number, told, slopes.fine);
  }

  static constexpr Index word_sets = 3, most_entries = 40;
  static constexpr double fine_step = sizeof(Real) == 8 ? 0x1p-8 : 0x1p-4;

  LossProbe& probe_;
  FixedWords out_;
  double worst_ = 0.0, largest_ = 0.0;
  Index count_ = 0;
};

/// Of a loss that is not random.
void judge_fixed(const FixedWords& fixed, CheckReport& report) {
  if (fixed.smooth) report.add(CheckOutcome::failed, LossProbe::check, fixed.complaint + LossProbe::advice);
  else report.skip(LossProbe::check, "the loss is not random, and is not smooth: differences do not tell its slope");
}

}  // namespace

void check_loss_slope(const std::function<std::unique_ptr<GradientEstimator>()>& make, EnergyModel& model,
                      CheckReport& report) {
  EstimatorSubject e(make, model, report);
  LossProbe probe(e);
  const GradientEstimator::Report first = probe.estimate(1).report;
  if (!first.loss) return;
  try {
    if (!first.slope) return check_loss_descent(probe);
    const FixedWords fixed = FixedWordsCheck(probe).run();
    if (fixed.complaint.empty()) report.add(CheckOutcome::passed, LossProbe::check, fixed.words);
    else if (*probe.estimate(2).report.loss == *first.loss) judge_fixed(fixed, report);
    else check_mean_slopes(probe, fixed.complaint, fixed.smooth);
  } catch (const NumericalError& error) {
    report.skip(LossProbe::check,
                fmt::format("parameters beside the present ones define no density: {}", error.what()));
  }
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
