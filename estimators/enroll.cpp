#include <harmonium/estimators/enroll.hpp>

#include <harmonium/estimators/gradients/contrastive.hpp>
#include <harmonium/estimators/gradients/doubled.hpp>
#include <harmonium/estimators/gradients/fast_weights.hpp>
#include <harmonium/estimators/gradients/neighbor_loss.hpp>
#include <harmonium/estimators/gradients/noise_contrastive.hpp>
#include <harmonium/estimators/gradients/presets.hpp>
#include <harmonium/estimators/gradients/reconstruction.hpp>
#include <harmonium/estimators/gradients/score_matching.hpp>
#include <harmonium/estimators/gradients/truncated_expansion.hpp>
#include <harmonium/estimators/gradients/wake_sleep.hpp>
#include <harmonium/estimators/log_partition/ais.hpp>
#include <harmonium/estimators/log_partition/exact.hpp>
#include <harmonium/estimators/log_partition/ladder_log_partition.hpp>
#include <harmonium/estimators/log_partition/online.hpp>
#include <harmonium/estimators/log_partition/population_annealing.hpp>
#include <harmonium/estimators/log_partition/trajectory.hpp>
#include <harmonium/estimators/log_partition/variable_elimination.hpp>
#include <harmonium/estimators/phases/automatic_phase.hpp>
#include <harmonium/estimators/phases/chain_phase.hpp>
#include <harmonium/estimators/phases/chains_and_ladders.hpp>
#include <harmonium/estimators/phases/coupled_chains.hpp>
#include <harmonium/estimators/phases/exact_phase.hpp>
#include <harmonium/estimators/phases/mean_field.hpp>
#include <harmonium/estimators/phases/posterior_mean.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

namespace {

void enroll_log_partitions(Registries& registries) {
  auto& log_partitions = registries.of<LogPartition>();
  log_partitions.add<ExactLogPartition>("exact", "enumeration of the smaller layer, on all threads");
  log_partitions.add<VariableElimination>("variable_elimination",
                                          "exact, of sparse models of any size, and the ground state's energy");
  log_partitions.add<AnnealedImportance>("ais", "annealed importance sampling from both sides, with an interval");
  log_partitions.add_made<ReverseAisOptions>(
      "reverse_ais", "annealing back from draws of the model: an upper bound, to be held against ais",
      [](ReverseAisOptions&& o) {
        return std::unique_ptr<LogPartition>(std::make_unique<AnnealedImportance>(std::move(o)));
      });
  const auto of_ladders = [&](const char* name, const char* summary, LadderLogPartition::Rule rule) {
    log_partitions.add_made<LadderLogPartitionOptions>(name, summary, [rule](LadderLogPartitionOptions&& o) {
      return std::unique_ptr<LogPartition>(std::make_unique<LadderLogPartition>(rule, std::move(o)));
    });
  };
  of_ladders("bennett", "acceptance ratios of neighbors on a tempering ladder (Bennett 1976)",
             {"bennett", "acceptance ratios of neighbors", bennett_of, false});
  of_ladders("multistate", "reweighting of all draws of a tempering ladder at once (Shirts & Chodera 2008)",
             {"multistate", "all draws of a ladder reweighted", multistate_of, false});
  of_ladders("thermodynamic_integration", "the mean energy integrated over a tempering ladder (Kirkwood 1935)",
             {"thermodynamic_integration", "the integral of the mean energy", integral_of, true});
  log_partitions.add<PopulationAnnealing>(
      "population_annealing",
      "populations led down in temperature together, and the lowest energy they meet (Machta 2010)");
  log_partitions.add<TrajectoryLogPartition>(
      "trajectory", "acceptance ratios along the machines of a training's trajectory (Béreux et al. 2025)");
  log_partitions.add<OnlineLogPartition>(
      "online", "tempering ladders that go on while a model is trained (Desjardins, Courville & Bengio 2011)");
}

void enroll_phases(Registries& registries) {
  auto& phases = registries.of<PhaseEstimator>();
  phases.add<AutomaticPhase>("automatic",
                             "positive phase: posterior_mean where the latent units are independent given the data, "
                             "else another");
  phases.add<PosteriorMean>("posterior_mean",
                            "positive phase: exact means of latent units that are independent given the data");
  phases.add<MeanField>("mean_field",
                        "positive phase: the best law that factorizes over the units that were not seen, a bound");
  phases.add<ChainPhase>("chains", "either phase: the mean over Markov chains, with the data held in the positive one");
  phases.add<ChainsAndLadders>("chains_and_ladders",
                               "negative phase: persistent chains, and ladders of temperatures that supply them");
  phases.add<CoupledChains>("coupled_chains", "negative phase without bias: two chains a row that run until they meet");
  phases.add<ExactPhase>("exact", "either phase by enumeration of a small model");
}

}  // namespace

void enroll_estimators(Registries& registries) {
  enroll_phases(registries);
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

  estimators.add_preset<TemperedPcdOptions>(
      "tempered_pcd", "persistent contrastive divergence, its chains on a ladder of temperatures");
  estimators.add_preset<FastWeightsPcdOptions>(
      "fast_weights_pcd", "persistent contrastive divergence, its chains driven on by weights that decay");
  estimators.add_preset<UnbiasedCdOptions>(
      "unbiased_cd", "contrastive divergence without its bias, by chains that run until they meet");
  estimators.add<DoubledGradient>(
      "doubled", "of restricted machines that will be parts of a deep one: one side counts twice for the other");
  estimators.add<FastWeights>("fast_weights", "positive minus negative phase, the latter with weights that decay");
  estimators.add<Reconstruction>("reconstruction_error",
                                 "gradient of the reconstruction error, mean-field or stochastic, no chains");
  estimators.add<NoiseContrastive>(
      "noise_contrastive", "rows told from noise, log Z learned beside the parameters (Gutmann & Hyvärinen 2012)");
  estimators.add<ScoreMatching>("score_matching", "exact gradient of score matching, for Gaussian visible units");
  estimators.add<DenoisingScoreMatching>("denoising_score_matching",
                                         "score matching of data with noise, for Gaussian visible units");
  estimators.add_made<NeighborLossOptions>(
      "pseudo_likelihood", "exact gradient of the pseudo likelihood, no chains (Besag 1975)",
      [](NeighborLossOptions&& o) -> std::unique_ptr<GradientEstimator> {
        return std::make_unique<NeighborLoss>(NeighborLoss::Rule{"pseudo_likelihood", pseudo_likelihood_loss, true}, o);
      });
  estimators.add_made<NeighborLossOptions>(
      "ratio_matching", "exact gradient of ratio matching, no chains (Hyvarinen 2007)",
      [](NeighborLossOptions&& o) -> std::unique_ptr<GradientEstimator> {
        return std::make_unique<NeighborLoss>(NeighborLoss::Rule{"ratio_matching", ratio_matching_loss, false}, o);
      });
  estimators.add_made<ProbabilityFlowOptions>(
      "minimum_probability_flow", "exact gradient of the probability flow out of the data, no chains",
      [](ProbabilityFlowOptions&& o) -> std::unique_ptr<GradientEstimator> {
        return std::make_unique<NeighborLoss>(
            NeighborLoss::Rule{"minimum_probability_flow", probability_flow_loss, false}, o, o.exclude_batch);
      });
  estimators.add<WakeSleep>("wake_sleep",
                            "the up-down algorithm for all machines of a stack at once (Hinton, Osindero & Teh 2006)");
  enroll_log_partitions(registries);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
