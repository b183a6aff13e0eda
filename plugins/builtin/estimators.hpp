#pragma once

#include <memory>

#include <harmonium/estimators/gradients/contrastive.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What `make_cd` and `make_pcd` take: the options of `cd` and `pcd` in a configuration, with the same defaults.
struct ChainEstimatorOptions {
  Index gibbs_steps = 1;                          ///< transitions at each update (k)
  Index num_chains = 0;                           ///< of `pcd`; 0: as many as the batch has rows
  bool centering = false;                         ///< centered gradients (Montavon & Müller 2012)
  std::unique_ptr<Sampler> sampler = {};          ///< null: Gibbs sampling
  std::unique_ptr<PhaseEstimator> positive = {};  ///< null: the best that the model allows
};

/// CD-k: chains start at the rows of the batch (Hinton 2002; Bengio & Delalleau 2009, equation 2.12). Throws
/// ConfigError if `num_chains` is set: CD takes one chain per row.
std::unique_ptr<GradientEstimator> make_cd(ChainEstimatorOptions options = {});
/// Persistent contrastive divergence, or stochastic maximum likelihood (Younes 1999; Tieleman 2008).
std::unique_ptr<GradientEstimator> make_pcd(ChainEstimatorOptions options = {});
/// The exact gradient, by enumeration: for small machines.
std::unique_ptr<GradientEstimator> make_exact();

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
