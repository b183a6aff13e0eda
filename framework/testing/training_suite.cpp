#include <harmonium/framework/testing/training_suite.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/contrastive_bias.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/law.hpp>
#include <harmonium/framework/testing/loss_suite.hpp>
#include <harmonium/framework/testing/mean_changes.hpp>
#include <harmonium/framework/testing/model_suite.hpp>
#include <harmonium/framework/testing/reference_rows.hpp>
#include <harmonium/framework/testing/small_batch.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

/// Standard errors beyond which a mean of independent estimates is off with probability below 1e-8.
constexpr double far_out_of_training = 6.0;

/// ∂/∂θ of −Σ_r w_r log p(observed row r), from the energies of all states.
std::vector<double> exact_gradient(const EnergyModel& model, const SmallBatch& batch) {
  const Layout& layout = model.layout();
  const StateSpace space(layout);
  const std::vector<double> energy = model_energies(model, space);
  const Law law = law_of(energy);
  // The weight of a state in the gradient: its probability given the observed units, less its own.
  std::vector<double> weight(space.size());
  for (std::size_t s = 0; s < space.size(); ++s) weight[s] = -law[s];
  const auto observed = [&](std::size_t s) {
    std::size_t part = 0;
    for (std::size_t u = 0; u < space.num_units(); ++u)
      if (layout[space.layer_of(u)].role == Role::observed) part += space.digit(s, u) * space.stride(u);
    return part;
  };
  std::vector<double> mass(space.size(), 0.0);
  for (std::size_t s = 0; s < space.size(); ++s) mass[observed(s)] += law[s];
  std::vector<double> data(space.size(), 0.0);
  const std::vector<std::size_t> rows = space.read(batch.rows());
  for (Index r = 0; r < rows.size(); ++r) data[observed(rows[r])] += batch.weights()[r];
  for (std::size_t s = 0; s < space.size(); ++s) weight[s] += data[observed(s)] * law[s] / mass[observed(s)];

  Chains states(layout, space.size());
  std::vector<std::size_t> numbers(space.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  space.put(numbers, states);
  std::vector<Real> gradient(model.parameters().size(), Real{0});
  model.add_gradient(states, weight, gradient, Executor(1));
  return {gradient.begin(), gradient.end()};
}

class EstimatorSuite {
 public:
  EstimatorSuite(const std::function<std::unique_ptr<GradientEstimator>()>& make, EnergyModel& model,
                 CheckReport& report)
      : make_(make), model_(model), report_(report), batch_(SmallBatch::random(model.layout(), rows)) {}

  void run() {
    try {
      begun();
    } catch (const CapabilityError& error) {
      report_.skip("estimator", error.what());
      return;
    }
    check_overwriting();
    check_threads();
    check_state();
    check_figures();
    check_loss_slope(make_, model_, report_);
    check_bias();
    check_own_law(make_, model_, report_);
  }

 private:
  static constexpr Index rows = 24, repeats = 300, burn_in = 30;
  /// Part of the whole gradient's norm below which a tensor may point anywhere.
  static constexpr double small_part = 0.25;
  /// Of the exact gradient in a mean that is far from it.
  static constexpr double min_share = 0.25, max_share = 3.0;

  std::unique_ptr<GradientEstimator> begun() const {
    std::unique_ptr<GradientEstimator> estimator = make_();
    estimator->check(model_);
    estimator->begin(model_, {rows, false});
    return estimator;
  }
  std::vector<Real> estimate(GradientEstimator& estimator, int threads = 1, std::uint64_t seed = 61,
                             Real before = Real{0}) {
    const Executor executor(threads);
    std::vector<Real> gradient(model_.parameters().size(), before);
    const auto report =
        estimator.estimate(model_, batch_.view(), gradient, Execution{executor, {seed, 0}}.part("estimator"));
    other_loss_ = report.loss.has_value();
    exact_ = !report.loss && report.slope && report.positive.exact && report.negative.exact;
    return gradient;
  }

  void check_overwriting() {
    const bool same = estimate(*begun()) == estimate(*begun(), 1, 61, Real{7});
    report_.judge("the gradient is overwritten", same ? "" : "what was in the gradient before changes the estimate",
                  "what was there before does not matter");
  }

  void check_threads() {
    const auto one = begun(), three = begun();
    bool same = true;
    for (int i = 0; i < 3; ++i) same = same && estimate(*one, 1) == estimate(*three, 3);
    report_.judge("any number of threads", same ? "" : "the estimates of 3 threads are other ones than those of 1",
                  "the same bits on 1 thread and on 3");
  }

  void check_state() {
    const auto first = begun();
    for (int i = 0; i < 3; ++i) estimate(*first);
    StateArchive saved;
    first->state(saved);
    const auto second = begun();
    std::string complaint;
    try {
      StateArchive loaded(saved.fields(), state_sizes(model_, batch_.view().rows.size()));
      second->state(loaded);
      for (int i = 0; i < 3 && complaint.empty(); ++i)
        if (estimate(*first) != estimate(*second))
          complaint = fmt::format(
              "estimate {} after its state was loaded differs from that of the estimator that was "
              "saved (3 estimates, state(StateArchive&) of {} fields). Something that it remembers "
              "is not in its state.",
              i + 1, saved.fields().size());
    } catch (const std::exception& error) {
      complaint = fmt::format("the state that it saved cannot be loaded: {}", error.what());
    }
    report_.judge("state saved and restored", complaint, "goes on the same after its state was saved and restored");
  }

  void check_figures() {
    const auto estimator = begun();
    const Figures said = estimator->figures(model_);
    const Executor executor(1);
    std::vector<Real> gradient(model_.parameters().size());
    const auto report = estimator->estimate(model_, batch_.view(), gradient, {executor, {61, 0}});
    const Figures told{report.loss.has_value(), report.positive.bound.has_value(),
                       report.negative.meetings.has_value()};
    const auto words = [](const Figures& f) {
      std::string all;
      for (const auto& [has, name] : {std::pair{f.loss, "loss"}, {f.bound, "bound"}, {f.meetings, "meetings"}})
        if (has) all += (all.empty() ? "" : ", ") + std::string(name);
      return all.empty() ? "none" : all;
    };
    report_.judge("figures that its reports tell",
                  said == told ? ""
                               : fmt::format("figures() says {}, and its report has {}: observers go by the first",
                                             words(said), words(told)),
                  fmt::format("figures() says what they have: {}", words(said)));
  }

  void check_bias() {
    constexpr const char* check = "mean against the exact gradient";
    const Layout& layout = model_.layout();
    Reference exact;
    if (layout.log2_states(layout.all()) <= most_enumerated) {
      exact.gradient = exact_gradient(model_, batch_);
      exact.variance.assign(exact.gradient.size(), 0.0);
    } else if (const Index columns = layout.columns(layout.all()); columns > ReferenceRows::most_columns) {
      report_.skip(check,
                   fmt::format("there are too many states to add up, or continuous units, and its {} columns are more "
                               "than the {} of which rows can be drawn by other means in a short time",
                               columns, ReferenceRows::most_columns));
      return;
    } else if (const std::string why = add_reference_gradient(exact); !why.empty()) {
      report_.skip(check, why);
      return;
    }
    std::vector<double> sum(exact.gradient.size(), 0.0);
    std::vector<std::vector<Real>> all;
    const auto estimator = begun();
    for (Index i = 0; i < burn_in + repeats; ++i) {
      std::vector<Real> gradient = estimate(*estimator, 1, 1000 + i);
      if (i < burn_in) continue;
      for (Index k = 0; k < sum.size(); ++k) sum[k] += static_cast<double>(gradient[k]);
      all.push_back(std::move(gradient));
    }
    for (double& v : sum) v /= static_cast<double>(repeats);
    const std::optional<std::vector<double>> yardstick = contrastive_divergence();
    std::vector<Index> everything;
    for (const ParameterBlock& block : model_.parameter_layout().blocks()) {
      if (!block.learned) continue;
      for (Index k = block.offset; k < block.offset + block.size(); ++k) everything.push_back(k);
    }
    const double whole = norm(exact.gradient, everything);
    compare("mean against the exact gradient, all parameters", everything, exact, sum, all, yardstick, Part::whole);
    for (const ParameterBlock& block : model_.parameter_layout().blocks()) {
      if (!block.learned) continue;
      std::vector<Index> entries(block.size());
      std::iota(entries.begin(), entries.end(), block.offset);
      if (norm(exact.gradient, entries) < 1e-10) continue;
      // What is a small part of the gradient may be turned around by the bias of a mean field.
      compare(fmt::format("mean of '{}' against the exact gradient", block.name), entries, exact, sum, all, yardstick,
              norm(exact.gradient, entries) > small_part * whole ? Part::large : Part::small);
    }
  }

  /// The gradient of the negative log likelihood, and the variance of each entry where it is an estimate itself.
  struct Reference {
    std::vector<double> gradient, variance;
  };

  /// The same from rows that follow the law and the posterior by other means; why not, where they do not.
  std::string add_reference_gradient(Reference& reference) {
    constexpr Index copies = 40, snapshots = 10;
    const Layout& layout = model_.layout();
    const LayerSet observed = layout.observed();
    Chains positive_start = random_rows(layout, copies * rows, 92);
    for (const LayerId l : layout.ids()) {
      if (!observed.contains(l)) continue;
      const ConstMatrixRef from = batch_.rows().read(l);
      const MatrixRef to = positive_start.write(l);
      for (Index r = 0; r < to.rows; ++r) std::copy_n(from.row(r % rows), from.cols, to.row(r));
    }
    ReferenceRows positive(model_, 1.0, HeldMask(observed), std::move(positive_start), 93);
    ReferenceRows negative(model_, 1.0, {}, random_rows(layout, copies * rows, 94), 95);
    std::vector<double> up(copies * rows);
    for (Index r = 0; r < up.size(); ++r) up[r] = batch_.weights()[r % rows] / static_cast<double>(copies);
    const std::vector<double> down(copies * rows, -1.0 / static_cast<double>(copies * rows));
    std::vector<std::vector<Real>> gradients;
    std::string unsettled;
    for (const Index sweeps : ReferenceRows::burn_ins) {
      positive.sweep(sweeps);
      negative.sweep(sweeps);
      MeanChanges positive_drift(model_, copies * rows), negative_drift(model_, copies * rows);
      gradients.clear();
      for (Index i = 0; i < snapshots; ++i) {
        std::vector<Real>& gradient = gradients.emplace_back(model_.parameters().size(), Real{0});
        model_.add_gradient(positive.rows(), up, gradient, Executor(1));
        model_.add_gradient(negative.rows(), down, gradient, Executor(1));
        const Chains positive_before = positive.rows(), negative_before = negative.rows();
        positive.sweep(ReferenceRows::between);
        negative.sweep(ReferenceRows::between);
        positive_drift.add(positive_before, positive.rows());
        negative_drift.add(negative_before, negative.rows());
      }
      unsettled = positive.complaint(positive_drift);
      if (unsettled.empty()) unsettled = negative.complaint(negative_drift);
      if (unsettled.empty()) break;
    }
    if (!unsettled.empty()) return unsettled;
    const Index n = model_.parameters().size();
    reference.gradient.assign(n, 0.0);
    reference.variance.assign(n, 0.0);
    for (const auto& gradient : gradients)
      for (Index k = 0; k < n; ++k) reference.gradient[k] += static_cast<double>(gradient[k]) / snapshots;
    for (const auto& gradient : gradients)
      for (Index k = 0; k < n; ++k) {
        const double off = static_cast<double>(gradient[k]) - reference.gradient[k];
        reference.variance[k] += off * off / (snapshots * (snapshots - 1.0));
      }
    return "";
  }

  static double norm(const std::vector<double>& x, const std::vector<Index>& entries) {
    double sum = 0.0;
    for (const Index k : entries) sum += x[k] * x[k];
    return std::sqrt(sum);
  }

  /// The gradient that contrastive divergence of one step has in expectation, latent units from their posterior; nothing
  /// where the chain is too large.
  std::optional<std::vector<double>> contrastive_divergence() const {
    if (!model_.block_conditionals() || ExactChain::log2_entries(model_) > 20.0) return {};
    const ExactChain chain(model_);
    const Matrix<double> ascent = expected_contrastive_divergences(chain, batch_.rows(), 1);
    std::vector<double> mean(ascent.shape(1), 0.0);
    for (Index r = 0; r < ascent.shape(0); ++r)
      for (Index k = 0; k < ascent.shape(1); ++k) mean[k] -= batch_.weights()[r] * ascent(r, k);
    return mean;
  }

  /// Of the gradient: all, or a tensor.
  enum class Part { whole, large, small };

  /// The share of the exact gradient in a mean, and its distance from it as a part of the exact norm.
  struct Fit {
    double share = 0.0, distance = 0.0;
  };
  static Fit fit(const std::vector<double>& mean, const std::vector<double>& exact, const std::vector<Index>& entries) {
    double square = 0.0, error = 0.0, product = 0.0;
    for (const Index k : entries) {
      square += exact[k] * exact[k];
      error += (mean[k] - exact[k]) * (mean[k] - exact[k]);
      product += mean[k] * exact[k];
    }
    return {product / square, std::sqrt(error / square)};
  }

  void compare(const std::string& check, const std::vector<Index>& entries, const Reference& reference,
               const std::vector<double>& mean, const std::vector<std::vector<Real>>& all,
               const std::optional<std::vector<double>>& yardstick, Part kind) {
    const bool whole = kind == Part::whole, large = kind != Part::small;
    const std::vector<double>& exact = reference.gradient;
    const double size = norm(exact, entries);
    const Fit found = fit(mean, exact, entries);
    // Standard errors from batches of neighboring estimates: those of chains that go on are correlated.
    constexpr Index parts = 10, length = repeats / parts;
    double variance = 0.0, noise = 0.0;
    std::vector<double> part(exact.size());
    for (Index p = 0; p < parts; ++p) {
      for (const Index k : entries) {
        part[k] = 0.0;
        for (Index i = p * length; i < (p + 1) * length; ++i)
          part[k] += static_cast<double>(all[i][k]) / static_cast<double>(length);
      }
      const double share = fit(part, exact, entries).share;
      variance += (share - found.share) * (share - found.share) / (parts * (parts - 1.0));
      for (const Index k : entries) noise += (part[k] - mean[k]) * (part[k] - mean[k]) / (parts * (parts - 1.0));
    }
    for (const Index k : entries) {
      noise += reference.variance[k];
      variance += reference.variance[k] * mean[k] * mean[k] / (size * size * size * size);
    }
    const double expected = std::sqrt(noise) / size;
    std::string words = fmt::format(
        "{} estimates: {:.2f} of the exact gradient along it, off by {:.1f} % of its norm ({:.1f} % is noise)", repeats,
        found.share, 100.0 * found.distance, 100.0 * expected);
    // Two phases are sums of rounded terms.
    const double rounding = 1e3 * static_cast<double>(std::numeric_limits<Real>::epsilon()) / size;
    const bool away = found.share + rounding < -far_out_of_training * std::sqrt(variance);
    const bool biased = found.distance > 3.0 * expected + rounding;
    // No nearer than 0 is; a bias by design can be as large, but hardly turns or stretches the whole gradient besides.
    const bool useless =
        found.distance - 3.0 * expected > 1.0 - 1e-6 && (found.share < min_share || found.share > max_share);
    if (!biased) {
      report_.add(CheckOutcome::passed, check, words);
      return;
    }
    if (yardstick) {
      const Fit cd = fit(*yardstick, exact, entries);
      words += fmt::format("; contrastive divergence of one step, exactly: {:.2f} along it, off by {:.1f} %", cd.share,
                           100.0 * cd.distance);
    }
    if (other_loss_)
      report_.add(CheckOutcome::noted, check, words + ". It follows a loss of its own, not the likelihood.");
    else if (exact_ && std::ranges::none_of(reference.variance, [](double v) { return v > 0.0; }))
      report_.add(CheckOutcome::failed, check,
                  words + ". It says of both of its phases that they are exact (PhaseReport::exact).");
    else if (whole && useless)
      report_.add(
          CheckOutcome::failed, check,
          words +
              ". It is no nearer to the exact gradient than a gradient of 0 is: look for a sign or a factor, or "
              "for chains that hardly move.");
    else if (away && large)
      report_.add(CheckOutcome::failed, check,
                  words + ". It points away from where the likelihood grows: look for a sign.");
    else if (away)
      report_.add(CheckOutcome::noted, check,
                  words +
                      ". It points away from the exact gradient, of which this is a small part: a bias of mean fields "
                      "can do that, and so can a wrong sign.");
    else
      report_.add(CheckOutcome::noted, check,
                  words +
                      ". It is biased: so are contrastive divergence and mean fields by design, and nothing that calls "
                      "itself exact.");
  }

  const std::function<std::unique_ptr<GradientEstimator>()>& make_;
  EnergyModel& model_;
  CheckReport& report_;
  SmallBatch batch_;
  bool other_loss_ = false;  ///< whether it tells a loss of its own
  bool exact_ = false;       ///< whether it says of both phases that they are exact
};

}  // namespace

void check_estimator(const std::function<std::unique_ptr<GradientEstimator>()>& make, EnergyModel& model,
                     CheckReport& report) {
  EstimatorSuite(make, model, report).run();
}

namespace {

/// What is wrong with steps that all meet the same gradient: as a whole they must go against it.
std::string uphill(Optimizer& optimizer, const std::vector<Real>& start, const ParameterLayout& layout) {
  constexpr std::uint64_t steps = 4;
  const std::vector<double> numbers = random_weights(start.size(), 99);
  const std::vector<Real> gradient(numbers.begin(), numbers.end());
  std::vector<Real> theta = start;
  for (std::uint64_t update = 0; update < steps; ++update)
    optimizer.step(theta, gradient, layout, {update, steps, 2}, Executor(1));
  double along = 0.0;
  bool moved = false;
  for (const ParameterBlock& block : layout.blocks())
    for (Index k = block.offset; k < block.offset + block.size(); ++k) {
      if (!block.learned) continue;
      along += numbers[k] * (static_cast<double>(theta[k]) - static_cast<double>(start[k]));
      moved = moved || theta[k] != start[k];
    }
  if (!moved || along < 0.0) return "";
  return fmt::format("{} steps along one gradient lead uphill: by {:.3g} along it. Look for a sign.", steps, along);
}

}  // namespace

void check_optimizer(const std::function<std::unique_ptr<Optimizer>()>& make, EnergyModel& model, CheckReport& report) {
  const ParameterLayout& layout = model.parameter_layout();
  const std::vector<Real> start(model.parameters().begin(), model.parameters().end());
  constexpr std::uint64_t half = 3;
  const auto step = [&](Optimizer& optimizer, std::vector<Real>& theta, std::uint64_t first, std::uint64_t last,
                        int threads) {
    const Executor executor(threads);
    for (std::uint64_t update = first; update < last; ++update) {
      const std::vector<double> numbers = random_weights(theta.size(), 100 + update);
      const std::vector<Real> gradient(numbers.begin(), numbers.end());
      optimizer.step(theta, gradient, layout, {update, 2 * half, 2}, executor);
    }
  };
  const auto one = make(), three = make(), saved = make(), loaded = make(), downhill = make();
  try {
    one->check(layout);
  } catch (const Error& error) {
    report.skip("optimizer", error.what());
    return;
  }
  std::vector<Real> on_one = start, on_three = start, through = start;
  step(*one, on_one, 0, 2 * half, 1);
  step(*three, on_three, 0, 2 * half, 3);
  report.judge("any number of threads", on_one == on_three ? "" : "steps on 3 threads lead elsewhere than on 1",
               "the same bits on 1 thread and on 3");
  std::string complaint;
  for (const ParameterBlock& block : layout.blocks())
    for (Index k = block.offset; k < block.offset + block.size(); ++k)
      if (!block.learned && on_one[k] != start[k])
        complaint = fmt::format("'{}' is not learned, and was moved", block.name);
      else if (!std::isfinite(on_one[k]))
        complaint = fmt::format("'{}' is {} after {} steps", block.name, on_one[k], 2 * half);
  report.judge("what is learned", complaint, "parameters stay finite, and what is not learned stays");

  report.judge("descent", uphill(*downhill, start, layout), "steps along one gradient go against it");

  step(*saved, through, 0, half, 1);
  StateArchive archive;
  saved->state(archive);
  complaint.clear();
  try {
    StateArchive fields(archive.fields(), state_sizes(model));
    loaded->state(fields);
    step(*loaded, through, half, 2 * half, 1);
    if (through != on_one)
      complaint = fmt::format(
          "after {} steps its state was given to a new one, which goes on otherwise. Something that it "
          "remembers is not in state(StateArchive&).",
          half);
  } catch (const std::exception& error) {
    complaint = fmt::format("the state that it saved cannot be loaded: {}", error.what());
  }
  report.judge("state saved and restored", complaint, "goes on the same after its state was saved and restored");
}

void check_regularizer(const Regularizer& regularizer, EnergyModel& model, CheckReport& report) {
  const auto of = [&](int threads, Real before) {
    const Executor executor(threads);
    std::vector<Real> gradient(model.parameters().size(), before);
    regularizer.add_gradient(model.parameters(), model.parameter_layout(), gradient, executor);
    return gradient;
  };
  report.judge("any number of threads", of(1, 0) == of(3, 0) ? "" : "another gradient on 3 threads than on 1",
               "the same bits on 1 thread and on 3");
  const std::vector<Real> bare = of(1, 0), added = of(1, 1);
  std::string complaint;
  for (Index k = 0; k < bare.size(); ++k)
    if (!(std::abs(added[k] - bare[k] - Real{1}) <= 4 * std::numeric_limits<Real>::epsilon() * (2 + std::abs(bare[k]))))
      complaint = fmt::format("entry {} is {} where 0 was, and {} where 1 was: it must add", k, bare[k], added[k]);
  report.judge("it adds to the gradient", complaint, "what was there stays");
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
