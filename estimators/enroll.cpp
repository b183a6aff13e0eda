#include <harmonium/estimators/enroll.hpp>

#include <harmonium/estimators/gradients/contrastive.hpp>
#include <harmonium/estimators/gradients/presets.hpp>
#include <harmonium/estimators/gradients/truncated_expansion.hpp>
#include <harmonium/estimators/log_partition/exact.hpp>
#include <harmonium/estimators/phases/automatic_phase.hpp>
#include <harmonium/estimators/phases/chain_phase.hpp>
#include <harmonium/estimators/phases/exact_phase.hpp>
#include <harmonium/estimators/phases/mean_field.hpp>
#include <harmonium/estimators/phases/posterior_mean.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void enroll_estimators(Registries& registries) {
  auto& phases = registries.of<PhaseEstimator>();
  phases.add<AutomaticPhase>("automatic",
                             "positive phase: posterior_mean where the latent units are independent given the data, "
                             "else another");
  phases.add<PosteriorMean>("posterior_mean",
                            "positive phase: exact means of latent units that are independent given the data");
  phases.add<MeanField>("mean_field",
                        "positive phase: the best law that factorises over the units that were not seen, a bound");
  phases.add<ChainPhase>("chains", "either phase: the mean over Markov chains, with the data held in the positive one");
  phases.add<ExactPhase>("exact", "either phase by enumeration of a small model");

  auto& estimators = registries.of<GradientEstimator>();
  estimators.add<Contrastive>("contrastive",
                              "likelihood gradient as positive minus negative phase, composed of any two");
  estimators.add_preset<CdOptions>("cd", "contrastive divergence: chains of k steps from the data");
  estimators.add_preset<PcdOptions>("pcd", "persistent contrastive divergence (stochastic maximum likelihood)");
  estimators.add_preset<NaiveMcmcOptions>("naive_mcmc", "fresh chains with a burn-in at each update");
  estimators.add_preset<ExactOptionsPreset>("exact", "the exact gradient of a small model, by enumeration");
  estimators.add<TruncatedExpansion>(
      "truncated_expansion",
      "the expansion behind contrastive divergence along drawn paths: the mean of cd at 2.5 "
      "to 16 times its variance, to be studied");

  registries.of<LogPartition>().add<ExactLogPartition>("exact", "enumeration of the smaller layer, on all threads");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
