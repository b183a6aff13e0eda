#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/inference/contrastive_bias.hpp>
#include <harmonium/framework/testing/estimator_bias.hpp>
#include <harmonium/framework/testing/likelihood_gradient.hpp>
#include <harmonium/framework/testing/model_suite.hpp>
#include <harmonium/framework/testing/reference_rows.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

/// Of the gradient: all, or a tensor.
enum class PartOfGradient { whole, large, small };

double norm(const std::vector<double>& x, const std::vector<Index>& entries) {
  double sum = 0.0;
  for (const Index k : entries) sum += x[k] * x[k];
  return std::sqrt(sum);
}

/// The share of the exact gradient in a mean, and its distance from it as a part of the exact norm.
struct Fit {
  double share = 0.0, distance = 0.0;
};
Fit fit(const std::vector<double>& mean, const std::vector<double>& exact, const std::vector<Index>& entries) {
  double square = 0.0, error = 0.0, product = 0.0;
  for (const Index k : entries) {
    square += exact[k] * exact[k];
    error += (mean[k] - exact[k]) * (mean[k] - exact[k]);
    product += mean[k] * exact[k];
  }
  return {product / square, std::sqrt(error / square)};
}

/// The gradient that contrastive divergence of one step has in expectation, latent units from their posterior; nothing
/// where the chain is too large.
std::optional<std::vector<double>> contrastive_divergence(const EnergyModel& model, const SmallBatch& batch) {
  if (!model.block_conditionals() || ExactChain::log2_entries(model) > 20.0) return {};
  const ExactChain chain(model);
  const Matrix<double> ascent = expected_contrastive_divergences(chain, batch.rows(), 1);
  std::vector<double> mean(ascent.shape(1), 0.0);
  for (Index r = 0; r < ascent.shape(0); ++r)
    for (Index k = 0; k < ascent.shape(1); ++k) mean[k] -= batch.weights()[r] * ascent(r, k);
  return mean;
}

/// Many estimates of one batch against the gradient that they are estimates of.
class BiasCheck {
 public:
  BiasCheck(EstimatorSubject& e, LikelihoodGradient exact)
      : e_(e), exact_(std::move(exact)), mean_(exact_.gradient.size(), 0.0) {
    const auto estimator = e_.begun();
    for (Index i = 0; i < burn_in + repeats; ++i) {
      EstimatorSubject::Estimate estimate = e_.estimate(*estimator, 1000 + i, e_.one_thread);
      report_ = estimate.report;
      if (i < burn_in) continue;
      for (Index k = 0; k < mean_.size(); ++k) mean_[k] += static_cast<double>(estimate.gradient[k]);
      all_.push_back(std::move(estimate.gradient));
    }
    for (double& v : mean_) v /= static_cast<double>(repeats);
    yardstick_ = contrastive_divergence(e_.model, e_.batch);
  }

  void run() const {
    std::vector<Index> everything;
    for (const ParameterBlock& block : e_.model.parameter_layout().blocks()) {
      if (!block.learned) continue;
      for (Index k = block.offset; k < block.offset + block.size(); ++k) everything.push_back(k);
    }
    const double whole = norm(exact_.gradient, everything);
    compare("mean against the exact gradient, all parameters", everything, PartOfGradient::whole);
    for (const ParameterBlock& block : e_.model.parameter_layout().blocks()) {
      if (!block.learned) continue;
      std::vector<Index> entries(block.size());
      std::iota(entries.begin(), entries.end(), block.offset);
      const double own = norm(exact_.gradient, entries);
      if (own < 1e-10) continue;
      // What is a small part of the gradient may be turned around by the bias of a mean field.
      compare(fmt::format("mean of '{}' against the exact gradient", block.name), entries,
              own > small_part * whole ? PartOfGradient::large : PartOfGradient::small);
    }
  }

 private:
  static constexpr Index repeats = 300, burn_in = 30;
  /// Standard errors beyond which a mean of independent estimates is off with probability below 1e-8.
  static constexpr double far_out_of_training = 6.0;
  /// Part of the whole gradient's norm below which a tensor may point anywhere.
  static constexpr double small_part = 0.25;
  /// Of the exact gradient in a mean that is far from it.
  static constexpr double min_share = 0.25, max_share = 3.0;

  /// Variances of the share, and of the mean itself, all entries added up.
  struct Noise {
    double of_share = 0.0, of_mean = 0.0;
  };
  /// From batches of neighboring estimates: those of chains that go on are correlated.
  Noise noise(const std::vector<Index>& entries, const Fit& found) const {
    constexpr Index parts = 10, length = repeats / parts;
    Noise n;
    std::vector<double> part(mean_.size());
    for (Index p = 0; p < parts; ++p) {
      for (const Index k : entries) {
        part[k] = 0.0;
        for (Index i = p * length; i < (p + 1) * length; ++i)
          part[k] += static_cast<double>(all_[i][k]) / static_cast<double>(length);
      }
      const double share = fit(part, exact_.gradient, entries).share;
      n.of_share += (share - found.share) * (share - found.share) / (parts * (parts - 1.0));
      for (const Index k : entries) n.of_mean += (part[k] - mean_[k]) * (part[k] - mean_[k]) / (parts * (parts - 1.0));
    }
    const double size = norm(exact_.gradient, entries);
    for (const Index k : entries) {
      n.of_mean += exact_.variance[k];
      n.of_share += exact_.variance[k] * mean_[k] * mean_[k] / (size * size * size * size);
    }
    return n;
  }

  void compare(const std::string& check, const std::vector<Index>& entries, PartOfGradient part) const {
    const double size = norm(exact_.gradient, entries);
    const Fit found = fit(mean_, exact_.gradient, entries);
    const Noise by_chance = noise(entries, found);
    const double expected = std::sqrt(by_chance.of_mean) / size;
    std::string words = fmt::format(
        "{} estimates: {:.2f} of the exact gradient along it, off by {:.1f} % of its norm ({:.1f} % is noise)", repeats,
        found.share, 100.0 * found.distance, 100.0 * expected);
    // Two phases are sums of rounded terms.
    const double rounding = 1e3 * static_cast<double>(std::numeric_limits<Real>::epsilon()) / size;
    if (!(found.distance > 3.0 * expected + rounding)) return e_.report.add(CheckOutcome::passed, check, words);
    if (yardstick_) {
      const Fit cd = fit(*yardstick_, exact_.gradient, entries);
      words += fmt::format("; contrastive divergence of one step, exactly: {:.2f} along it, off by {:.1f} %", cd.share,
                           100.0 * cd.distance);
    }
    const bool away = found.share + rounding < -far_out_of_training * std::sqrt(by_chance.of_share);
    // No nearer than 0 is; a bias by design can be as large, but hardly turns or stretches the whole gradient besides.
    const bool useless =
        found.distance - 3.0 * expected > 1.0 - 1e-6 && (found.share < min_share || found.share > max_share);
    const auto [outcome, why] = judge(part, away, useless);
    e_.report.add(outcome, check, words + why);
  }

  /// What a bias is: a fault, or what some estimators have by design.
  std::pair<CheckOutcome, const char*> judge(PartOfGradient part, bool away, bool useless) const {
    const bool says_exact = !report_.loss && report_.slope && report_.positive.exact && report_.negative.exact;
    if (report_.loss) return {CheckOutcome::noted, ". It follows a loss of its own, not the likelihood."};
    if (says_exact && std::ranges::none_of(exact_.variance, [](double v) { return v > 0.0; }))
      return {CheckOutcome::failed, ". It says of both of its phases that they are exact (PhaseReport::exact)."};
    if (part == PartOfGradient::whole && useless)
      return {CheckOutcome::failed,
              ". It is no nearer to the exact gradient than a gradient of 0 is: look for a sign or a factor, or "
              "for chains that hardly move."};
    if (away && part != PartOfGradient::small)
      return {CheckOutcome::failed, ". It points away from where the likelihood grows: look for a sign."};
    if (away)
      return {CheckOutcome::noted,
              ". It points away from the exact gradient, of which this is a small part: a bias of mean fields "
              "can do that, and so can a wrong sign."};
    return {CheckOutcome::noted,
            ". It is biased: so are contrastive divergence and mean fields by design, and nothing that calls "
            "itself exact."};
  }

  EstimatorSubject& e_;
  LikelihoodGradient exact_;
  std::vector<double> mean_;
  std::vector<std::vector<Real>> all_;
  GradientEstimator::Report report_;  ///< the last one's
  std::optional<std::vector<double>> yardstick_;
};

}  // namespace

void check_estimator_bias(EstimatorSubject& e) {
  constexpr const char* check = "mean against the exact gradient";
  const Layout& layout = e.model.layout();
  if (layout.log2_states(layout.all()) <= most_enumerated)
    return BiasCheck(e, LikelihoodGradient::exact(e.model, e.batch)).run();
  if (const Index columns = layout.columns(layout.all()); columns > ReferenceRows::most_columns)
    return e.report.skip(
        check, fmt::format("there are too many states to add up, or continuous units, and its {} columns are more "
                           "than the {} of which rows can be drawn by other means in a short time",
                           columns, ReferenceRows::most_columns));
  std::string why_not;
  LikelihoodGradient exact = LikelihoodGradient::of_rows(e.model, e.batch, why_not);
  if (!why_not.empty()) return e.report.skip(check, why_not);
  BiasCheck(e, std::move(exact)).run();
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
