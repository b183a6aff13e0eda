#include <harmonium/estimators/gradients/truncated_expansion.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// A path of every row of a batch, and the sum of its scores so far.
class Paths {
 public:
  Paths(const EnergyModel& model, const DataBatch& data, std::uint64_t step, std::span<Real> gradient,
        const Execution& execution)
      : model_(model), layout_(model.layout()), gradient_(gradient), execution_(execution) {
    chains_ = Chains(layout_, data.rows.size(), data.rows.first_chain());
    chains_.set_step(step);
    chains_.copy_rows(layout_.observed(), data.rows);
    weights_.assign(data.weights.begin(), data.weights.end());
    minus_ = scaled(weights_, -1.0);
  }

  void draw_latent() { draw(layout_.latent()); }
  /// The observed units of the next step.
  void draw_observed() { draw(layout_.observed()); }
  void next_step() { chains_.set_step(chains_.step() + 1); }

  /// gradient −= ∂log P(other layers | kept)/∂θ at the path's present state: −∂E(x, h) + ∂F(kept).
  void subtract_score_given(LayerSet kept) {
    model_.add_gradient(chains_, weights_, gradient_, execution_.executor);
    model_.free_energy()->add_gradient(kept, chains_, minus_, gradient_, execution_.executor);
  }

 private:
  void draw(LayerSet layers) {
    Posterior conditional(layers);
    conditional.sample(model_, chains_, execution_.random, chains_, execution_.executor);
  }

  const EnergyModel& model_;
  const Layout& layout_;
  std::span<Real> gradient_;
  const Execution& execution_;
  Chains chains_;
  std::vector<double> weights_, minus_;
};

}  // namespace

void TruncatedExpansionOptions::bind(OptionBinder& o) {
  static constexpr OptionBinder::Choice<Truncation> truncations[] = {{"whole_step", Truncation::whole_step},
                                                                     {"half_step", Truncation::half_step}};
  o.option("terms", terms,
           "t, where the expansion is cut: with whole steps it is CD-(t - 1) in expectation, at more variance",
           at_least(1));
  o.choice("truncation", truncation, truncations, "stop at x_t, or half a step later, after log P(x_t | h_t)");
}

void TruncatedExpansionOptions::validate() const {
  if (terms == 1 && truncation == Truncation::whole_step)
    throw ConfigError(
        "'terms' is 1, and a truncation there leaves nothing of the gradient. Take 2 or more, or truncation = "
        "\"half_step\".");
}

TruncatedExpansion::TruncatedExpansion(Options options) : options_(options) { options_.validate(); }

void TruncatedExpansion::check(const EnergyModel& model) const {
  const LayerSet observed = model.layout().observed(), latent = model.layout().latent();
  const BlockConditionals* conditionals = model.block_conditionals();
  const FreeEnergy* free_energy = model.free_energy();
  if (!latent.empty() && conditionals && conditionals->independent(latent, observed) &&
      conditionals->independent(observed, latent) && free_energy && free_energy->closed(observed) &&
      free_energy->closed(latent))
    return;
  throw CapabilityError(
      "estimator 'truncated_expansion': the observed units must be independent given the latent ones, and the reverse, "
      "as "
      "in an RBM. Try 'cd'.");
}

GradientEstimator::Report TruncatedExpansion::estimate(const EnergyModel& model, const DataBatch& data,
                                                       std::span<Real> gradient, const Execution& execution) {
  if (data.observed) begin(model, {.rows = data.rows.size(), .missing = true});
  std::ranges::fill(gradient, Real{0});
  const LayerSet observed = model.layout().observed(), latent = model.layout().latent();
  Paths paths(model, data, step_, gradient, execution);
  for (Index s = 1; s < options_.terms; ++s) {
    paths.draw_latent();
    paths.subtract_score_given(latent);
    paths.draw_observed();
    paths.subtract_score_given(observed);
    paths.next_step();
  }
  if (options_.truncation == Truncation::half_step) {
    paths.draw_latent();
    paths.subtract_score_given(latent);
  }
  step_ += options_.terms;
  Report report;
  report.negative.method = fmt::format("drawn paths of {} terms", options_.terms);
  return report;
}

double TruncatedExpansion::products(const EnergyModel&, Index rows) const {
  // A draw is a product, a score three: ∂E, and the fields and ∂F of what is kept.
  const auto halves =
      static_cast<double>(2 * (options_.terms - 1)) + (options_.truncation == Truncation::half_step ? 1.0 : 0.0);
  return 4.0 * halves * static_cast<double>(rows);
}

void TruncatedExpansion::memory(const EnergyModel& model, Index rows, MemoryNeed& need) const {
  const Layout& layout = model.layout();
  need.add_passing("the drawn paths and their fields",
                   3.0 * static_cast<double>(rows) * static_cast<double>(layout.columns(layout.all())) * sizeof(Real),
                   "training.batch_size");
}

void TruncatedExpansion::state(StateArchive& archive) { archive.field("step", step_); }

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
