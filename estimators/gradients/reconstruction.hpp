#pragma once

#include <harmonium/estimators/gradients/sum_over_rows.hpp>
#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/gradient_estimator.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

enum class ReconstructionFrom : std::uint8_t { mean, draws, all };

struct ReconstructionOptions {
  ReconstructionFrom latent = ReconstructionFrom::mean;
  Index num_draws = usual_draws;
  bool through_latent = true;

  static constexpr Index usual_draws = 2;
  static constexpr double most_bits = 12.0;  ///< of the latent states that `all` visits for each row
  void bind(OptionBinder& o);
  void validate() const;
};

/// The gradient of the reconstruction error, in nats (Bengio & Delalleau 2009, section 5). With latent = `mean` of the
/// mean-field one,
///   RE = −log P(x | ĥ), ĥ = E[h | x]   (equation 5.4),
/// with `draws` and `all` of the stochastic one,
///   SRE = −Σ_h P(h | x) log P(x | h)   (equation 5.3),
/// by num_draws draws of h for each row, or by all its states. Its gradient has two parts,
///   ∂SRE = −Σ_h P(h | x) ∂log P(x | h) − Σ_h ∂P(h | x) log P(x | h):
/// the first is minus equation 5.2, the expansion of the log likelihood's gradient broken off half a step before that of
/// CD-1; the second, by which 5.2 is "not quite" the gradient of an error, follows how θ moves the law of h. Without
/// `through_latent` the first is all there is (for the mean: equation 5.5), and nothing is learned about latent biases.
///
/// With draws the second part is that of the score, Σ_d (L_d − the mean L of the other draws) ∂log P(h_d | x), which is
/// without bias; one draw has nothing to subtract, and more noise.
class Reconstruction final : public GradientEstimator, public SumOverRows<Reconstruction> {
 public:
  using Options = ReconstructionOptions;
  explicit Reconstruction(Options options = {}) : options_(options) {}

  void check(const EnergyModel& model) const override;
  void begin(const EnergyModel& model, const DataOutline& data) override;
  Report estimate(const EnergyModel& model, const DataBatch& data, std::span<Real> gradient,
                  const Execution& execution) override;
  double products(const EnergyModel& model, Index rows) const override;
  void memory(const EnergyModel& model, Index rows, MemoryNeed& need) const override;
  Figures figures(const EnergyModel&) const override { return {.loss = true}; }
  void state(StateArchive& archive) override { archive.field("draws", draws_); }

 private:
  double of_means(const EnergyModel& model, const DataBatch& data, std::span<Real> gradient,
                  const Executor& executor) const;
  double of_draws(const EnergyModel& model, const DataBatch& data, std::span<Real> gradient,
                  const Execution& execution);
  double of_all(const EnergyModel& model, const DataBatch& data, std::span<Real> gradient,
                const Executor& executor) const;

  Options options_;
  std::uint64_t draws_ = 0;  ///< batches drawn so far: the step of the next one's words
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
