#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/testing/chi_square.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/loss_suite.hpp>
#include <harmonium/framework/testing/small_batch.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

class LossSlope {
 public:
  LossSlope(const std::function<std::unique_ptr<GradientEstimator>()>& make, EnergyModel& model, CheckReport& report)
      : make_(make), model_(model), report_(report), batch_(SmallBatch::random(model.layout(), rows)), executor_(1) {
    const std::vector<std::vector<Index>> all = free_parameters(model);
    for (const ParameterBlock& block : model.parameter_layout().blocks()) {
      if (!block.learned) continue;
      std::vector<Index>& own = blocks_.emplace_back(block.name, std::vector<Index>{}).second;
      for (const auto& entries : all)
        if (entries[0] >= block.offset && entries[0] < block.offset + block.size()) {
          own.push_back(free_.size());
          free_.push_back(entries);
        }
    }
    double largest = 1.0, sum = 1.0;
    for (const LayerId l : model.layout().ids()) {
      const ConstMatrixRef x = batch_.rows().read(l);
      for (Index r = 0; r < x.rows; ++r)
        for (Index c = 0; c < x.cols; ++c) largest = std::max(largest, std::abs(static_cast<double>(x(r, c))));
    }
    for (const Real t : model.parameters()) sum += std::abs(static_cast<double>(t));
    scale_ = sum * largest * largest;
  }

  void run() {
    const Estimate first = estimate(*begun(), 1);
    if (!first.loss) return;
    try {
      if (!first.slope) return check_descent();
      const Fixed fixed = with_fixed_words();
      if (fixed.complaint.empty()) report_.add(CheckOutcome::passed, check, fixed.words);
      else if (*estimate(*begun(), 2).loss == *first.loss) judge_fixed(fixed);
      else check_means(fixed);
    } catch (const NumericalError& error) {
      report_.skip(check, fmt::format("parameters beside the present ones define no density: {}", error.what()));
    }
  }

 private:
  static constexpr const char* check = "gradient against differences of the loss";
  static constexpr Index rows = 24;
  static constexpr Index word_sets = 3, most_entries = 40, averages = 400;
  static constexpr double fine_step = sizeof(Real) == 8 ? 0x1p-8 : 0x1p-4, mean_step = 0x1p-4;

  /// A change of free parameters: `by[i]` of number i.
  struct Direction {
    std::string name;
    std::vector<double> by;
  };

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
  struct Estimate {
    std::optional<double> loss;
    bool slope = true;
    std::vector<Real> gradient;
  };
  /// The outcome of the comparison word set by word set.
  struct Fixed {
    std::string complaint, words;
    bool smooth = true;
  };

  std::unique_ptr<GradientEstimator> begun() const {
    std::unique_ptr<GradientEstimator> estimator = make_();
    estimator->check(model_);
    estimator->begin(model_, {rows, false});
    return estimator;
  }
  Estimate estimate(GradientEstimator& estimator, std::uint64_t seed) {
    Estimate e;
    e.gradient.resize(model_.parameters().size());
    const GradientEstimator::Report told =
        estimator.estimate(model_, batch_.view(), e.gradient, Execution{executor_, {seed, 0}}.part("estimator"));
    e.loss = told.loss;
    e.slope = told.slope;
    return e;
  }
  double slope_of(const Estimate& e, const Direction& direction) const {
    double sum = 0.0;
    for (Index i = 0; i < free_.size(); ++i) sum += direction.by[i] * static_cast<double>(e.gradient[free_[i][0]]);
    return sum;
  }

  /// The loss with θ moved by `by` times the direction. The estimator begins where θ is, and is met by other θ as in a run.
  double loss_at(const Direction& direction, double by, std::uint64_t seed) {
    const std::unique_ptr<GradientEstimator> estimator = begun();
    const std::vector<Real> kept(model_.parameters().begin(), model_.parameters().end());
    const auto restore = [&] {
      model_.update_parameters([&](std::span<Real> theta) { std::ranges::copy(kept, theta.begin()); });
    };
    try {
      model_.update_parameters([&](std::span<Real> theta) {
        for (Index i = 0; i < free_.size(); ++i)
          for (const Index entry : free_[i]) theta[entry] += static_cast<Real>(by * direction.by[i]);
      });
      const double loss = estimate(*estimator, seed).loss.value_or(std::numeric_limits<double>::quiet_NaN());
      restore();
      return loss;
    } catch (...) {
      restore();
      throw;
    }
  }
  /// Central differences of fourth order (differences.hpp) of steps h and 2h.
  struct Slopes {
    double fine, coarse;
  };
  Slopes differences(const Direction& direction, double h, std::uint64_t seed) {
    const auto odd = [&](double by) { return loss_at(direction, by, seed) - loss_at(direction, -by, seed); };
    const double one = odd(h), two = odd(2.0 * h), four = odd(4.0 * h);
    return {(8.0 * one - two) / (12.0 * h), (8.0 * two - four) / (24.0 * h)};
  }

  /// The present gradient against the slope by each of some entries, for a few sets of words.
  Fixed with_fixed_words() {
    Fixed out;
    double worst = 0.0, largest = 0.0;
    Index count = 0;
    for (std::uint64_t seed = 1; seed <= word_sets; ++seed) {
      const Estimate here = estimate(*begun(), seed);
      const double scale = std::max(scale_, std::abs(*here.loss));
      for (const auto& [name, entries] : blocks_) {
        const Index num = std::min(entries.size(), most_entries);
        for (Index k = 0; k < num; ++k) {
          const Index entry = entries[k * entries.size() / num];
          Direction along{name, std::vector<double>(free_.size(), 0.0)};
          along.by[entry] = 1.0;
          const Slopes slopes = differences(along, fine_step, seed);
          const double told = slope_of(here, along), off = std::abs(told - slopes.fine),
                       bound = std::abs(slopes.fine - slopes.coarse) +
                               std::numeric_limits<Real>::epsilon() * scale * (4.0 / fine_step + 16.0);
          ++count;
          largest = std::max(largest, off);
          // A loss that jumps has no slope to compare with.
          const bool smooth = std::abs(slopes.fine - slopes.coarse) <= 0.01 * (1.0 + std::abs(slopes.fine));
          out.smooth = out.smooth && smooth;
          if (off <= bound && smooth) continue;
          const double excess = std::isfinite(off / bound) ? off / bound : std::numeric_limits<double>::max();
          if (!out.complaint.empty() && excess <= worst) continue;
          worst = excess;
          out.complaint = fmt::format(
              "'{}', free parameter {}: the gradient is {:.6g}, and the loss that is reported "
              "grows by {:.6g} (central differences, the same random words)",
              name, k * entries.size() / num, told, slopes.fine);
        }
      }
    }
    out.words = fmt::format("{} comparisons with {} sets of random words, largest difference {:.2g}", count, word_sets,
                            largest);
    return out;
  }

  void judge_fixed(const Fixed& fixed) {
    if (fixed.smooth) report_.add(CheckOutcome::failed, check, fixed.complaint + advice);
    else report_.skip(check, "the loss is not random, and is not smooth: differences do not tell its slope");
  }

  /// The mean of `num` gradients, of the free parameters.
  std::vector<double> mean_gradient(Index num) {
    std::vector<double> mean(free_.size(), 0.0);
    for (std::uint64_t seed = 10'000; seed < 10'000 + num; ++seed) {
      const Estimate e = estimate(*begun(), seed);
      for (Index i = 0; i < mean.size(); ++i)
        mean[i] += static_cast<double>(e.gradient[free_[i][0]]) / static_cast<double>(num);
    }
    return mean;
  }

  /// All parameters, and each tensor: by the signs of its gradient, along which a factor is seen best, and by random ones.
  std::vector<Direction> directions() {
    std::mt19937_64 words(131);
    const std::vector<double> gradient = mean_gradient(averages / 8);
    std::vector<Direction> all;
    const auto add = [&](const std::string& name, const std::vector<Index>& entries) {
      Direction random{name + ", along random signs", std::vector<double>(free_.size(), 0.0)};
      Direction own{name + ", along the signs of the gradient", std::vector<double>(free_.size(), 0.0)};
      for (const Index i : entries) {
        random.by[i] = (words() >> 63) != 0 ? 1.0 : -1.0;
        own.by[i] = gradient[i] < 0.0 ? -1.0 : 1.0;
      }
      all.push_back(std::move(random));
      all.push_back(std::move(own));
    };
    std::vector<Index> everything(free_.size());
    for (Index i = 0; i < everything.size(); ++i) everything[i] = i;
    add("all parameters", everything);
    for (const auto& [name, entries] : blocks_)
      if (!entries.empty()) add("'" + name + "'", entries);
    return all;
  }

  /// Slopes of the loss along a direction, what the gradients say, and how far apart these are, over many sets of words.
  struct Averages {
    Mean difference, slope, told;
    double bound;  ///< of the mean difference
    /// The gradient as a multiple of the slope, where it is the same multiple for every set of words: an unbiased one is 1.
    std::optional<double> factor;
  };
  Averages average(const Direction& direction, Index tests) {
    std::vector<double> difference, slope, told, truncation;
    for (std::uint64_t seed = 1000; seed < 1000 + averages; ++seed) {
      const Slopes found = differences(direction, mean_step, seed);
      told.push_back(slope_of(estimate(*begun(), seed), direction));
      slope.push_back(found.fine);
      difference.push_back(told.back() - found.fine);
      truncation.push_back(found.coarse - found.fine);
    }
    const boost::math::students_t law(static_cast<double>(averages - 1));
    const double far_out =
        boost::math::quantile(boost::math::complement(law, false_alarm / (2.0 * static_cast<double>(tests))));
    const Mean off(difference), cut(truncation);
    // The error of fourth order is a fifteenth of what twice the step adds; a third leaves room for higher orders.
    const double bound = far_out * off.error + (std::abs(cut.value) + far_out * cut.error) / 5.0 +
                         std::numeric_limits<Real>::epsilon() * scale_ * (4.0 / mean_step + 16.0);
    return {off, Mean(slope), Mean(told), bound, common_factor(told, slope, truncation)};
  }
  static std::optional<double> common_factor(const std::vector<double>& told, const std::vector<double>& slope,
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

  void check_means(const Fixed& fixed) {
    const std::vector<Direction> chosen = directions();
    std::string complaint;
    double worst = 1.0, seen = 0.0;
    for (const Direction& direction : chosen) {
      const Averages found = average(direction, chosen.size());
      const double excess = std::abs(found.difference.value) / found.bound;
      seen = std::max(seen, found.bound);
      if (found.factor && std::abs(*found.factor - 1.0) > 0.02)
        return report_.add(
            CheckOutcome::failed, check,
            fmt::format("{}: the gradient is {:.4g} of the slope of the loss that is reported, for each of "
                        "{} sets of random words{}",
                        direction.name, *found.factor, averages, advice));
      if (excess <= worst) continue;
      worst = excess;
      complaint = fmt::format(
          "{}: the mean of {} gradients is {:.4g}, and the mean loss that is reported grows by "
          "{:.4g}, which is {:.1f} standard errors apart{}",
          direction.name, averages, found.told.value, found.slope.value,
          std::abs(found.difference.value) / found.difference.error, advice);
    }
    if (complaint.empty() && fixed.smooth)
      return report_.add(
          CheckOutcome::noted, check,
          fmt::format("{}. Means over {} sets agree all the same; a difference of {:.2g} would be seen. One "
                      "that follows the law of its draws by their score may do that.",
                      fixed.complaint, averages, seen));
    report_.judge(check, complaint,
                  fmt::format("the loss jumps as drawn states change; means over {} sets of random words agree along "
                              "{} directions, a difference of {:.2g} would be seen",
                              averages, chosen.size(), seen));
  }

  /// Against the mean gradient, as a whole and in each tensor, the loss must not grow.
  void check_descent() {
    const std::vector<double> mean = mean_gradient(averages);
    double top = 0.0;
    for (const double g : mean) top = std::max(top, std::abs(g));
    if (top == 0.0) return report_.skip(check, "the gradient is 0");
    Direction along{"all parameters", mean};
    for (double& v : along.by) v /= top;
    const Averages found = average(along, 1);
    const std::string words = fmt::format(
        "the gradient is not the loss's slope, by its own word; the loss grows by {:.3g} along it "
        "(standard error {:.2g}), and its own length is {:.3g}",
        found.slope.value, found.slope.error, found.told.value);
    const bool uphill = found.slope.value < -far_below * found.slope.error - found.bound;
    if (uphill) report_.add(CheckOutcome::failed, check, words + ". Descent goes uphill: look for a sign.");
    else report_.add(CheckOutcome::noted, check, words + ".");
  }

  static constexpr double far_below = 6.1;
  static constexpr const char* advice =
      ". Look for a sign, a factor, or a part of the loss that the gradient has otherwise.";

  const std::function<std::unique_ptr<GradientEstimator>()>& make_;
  EnergyModel& model_;
  CheckReport& report_;
  SmallBatch batch_;
  Executor executor_;
  std::vector<std::vector<Index>> free_;                            ///< those that are learned
  std::vector<std::pair<std::string, std::vector<Index>>> blocks_;  ///< tensors, and their numbers in free_
  double scale_ = 1.0;  ///< of the terms of an energy, which rounding goes by
};

}  // namespace

void check_loss_slope(const std::function<std::unique_ptr<GradientEstimator>()>& make, EnergyModel& model,
                      CheckReport& report) {
  LossSlope(make, model, report).run();
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
