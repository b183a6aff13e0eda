#pragma once

#include <optional>

#include <harmonium/estimators/gradients/sum_over_rows.hpp>
#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/gradient_estimator.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

enum class Truncation : std::uint8_t { whole_step, half_step };

struct TruncatedExpansionOptions {
  Index terms = 2;
  Truncation truncation = Truncation::whole_step;

  void bind(OptionBinder& o);
  void validate() const;
};

/// The expansion of the log-likelihood gradient along a drawn path x_1 → h_1 → x_2 → …, cut at t = `terms` (Bengio &
/// Delalleau 2009, equation 3.3):
///   Σ_{s<t} [ ∂log P(x_s | h_s)/∂θ + ∂log P(h_s | x_{s+1})/∂θ ],
/// and with half a step more + ∂log P(x_t | h_t)/∂θ; for t = 1 that is equation 5.2, the truncation from which
/// reconstruction error comes, which leaves the hidden biases alone.
///
/// A whole-step truncation has the expectation of CD-(t − 1) (equation 4.1), but each term adds scores of mean zero that
/// contrastive divergence sums away: on 6 × 6 machines with weights from N(0, 1) the variance of a weight is on average 2.5
/// times that of CD-1, and 16 times that of CD-5. It is there to be studied; to train, take `cd`.
///
/// For models whose observed units are independent given the latent ones and the reverse.
class TruncatedExpansion final : public GradientEstimator, public SumOverRows<TruncatedExpansion> {
 public:
  using Options = TruncatedExpansionOptions;
  explicit TruncatedExpansion(Options options);

  void check(const EnergyModel& model) const override;
  Report estimate(const EnergyModel& model, const DataBatch& data, std::span<Real> gradient,
                  const Execution& execution) override;
  double products(const EnergyModel& model, Index rows) const override;
  void memory(const EnergyModel& model, Index rows, MemoryNeed& need) const override;
  void state(StateArchive& archive) override;

 private:
  Options options_;
  std::uint64_t step_ = 0;  ///< transitions made in all, so that no random word is met twice
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
