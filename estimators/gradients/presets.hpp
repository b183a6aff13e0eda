#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <harmonium/estimators/centering.hpp>
#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/gradient_estimator.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What the presets of `contrastive` that run chains have in common.
struct ChainPresetOptions : CenteringOptions {
  Index gibbs_steps = 1;
  std::unique_ptr<Sampler> sampler;          ///< made only to check its options: the composition makes its own
  std::unique_ptr<PhaseEstimator> positive;  ///< likewise
  bool sampled_statistics = false;

  void bind_common(OptionBinder& o);
  /// The composition: `contrastive` with these chains in the negative phase. `effective`: this preset's own table.
  Value expand(const Value& effective, std::string_view start) const;
};

/// CD-k (Hinton 2002; Bengio & Delalleau 2009, equation 2.12): chains start at the rows of the batch.
struct CdOptions : ChainPresetOptions {
  void bind(OptionBinder& o) { bind_common(o); }
  Value expand(const Value& effective) const { return ChainPresetOptions::expand(effective, "data"); }
};

/// Persistent contrastive divergence, or stochastic maximum likelihood (Younes 1999; Tieleman 2008): chains go on from
/// where the last update left them.
struct PcdOptions : ChainPresetOptions {
  Index num_chains = 0;
  void bind(OptionBinder& o);
  Value expand(const Value& effective) const;
};

/// What β = 0 is, as the sampler `parallel_tempering` has it.
enum class TemperedBase : std::uint8_t { automatic, none, biases };

/// Persistent contrastive divergence with a ladder of temperatures in the negative phase (Desjardins et al. 2010; Cho,
/// Raiko & Ilin 2010): `pcd` with the sampler `parallel_tempering`, whose options these are; `sampler` moves a row at its
/// temperature. With `num_ladders` there are so many beside the chains, which they supply (ChainsAndLadders).
struct TemperedPcdOptions : ChainPresetOptions {
  Index num_chains = 0, num_ladders = 0;
  std::vector<double> betas = {};
  std::optional<Index> num_rungs = {}, adapt_steps = {};
  TemperedBase base = TemperedBase::automatic;
  void bind(OptionBinder& o);
  Value expand(const Value& effective) const;
};

/// Persistent contrastive divergence with fast weights (Tieleman & Hinton 2009).
struct FastWeightsPcdOptions : ChainPresetOptions {
  Index num_chains = 0;
  double fast_learning_rate = 0.01, fast_decay = 0.95;
  void bind(OptionBinder& o);
  Value expand(const Value& effective) const;
};

/// Contrastive divergence without its bias, by coupled chains from the data (Qiu, Zhang & Wang 2020).
struct UnbiasedCdOptions : CenteringOptions {
  Index gibbs_steps = 1;
  Index max_steps = 10'000;
  std::unique_ptr<Sampler> sampler;          ///< made only to check its options: the composition makes its own
  std::unique_ptr<PhaseEstimator> positive;  ///< likewise
  void bind(OptionBinder& o);
  Value expand(const Value& effective) const;
};

/// The naive MCMC algorithm (Goodfellow, Bengio & Courville 2016, algorithm 18.1): fresh chains at each update, with a
/// burn-in of `gibbs_steps`.
struct NaiveMcmcOptions : ChainPresetOptions {
  Index num_chains = 0;
  bool matched = false;  ///< start at the data's marginals, not uniformly
  NaiveMcmcOptions() { gibbs_steps = 100; }
  void bind(OptionBinder& o);
  Value expand(const Value& effective) const;
};

/// The exact gradient: enumeration in both phases.
struct ExactOptionsPreset : CenteringOptions {
  double max_bits = 22;
  void bind(OptionBinder& o);
  Value expand(const Value& effective) const;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
