#include <harmonium/plugins/builtin/estimators.hpp>

#include <harmonium/estimators/phases/automatic_phase.hpp>
#include <harmonium/estimators/phases/chain_phase.hpp>
#include <harmonium/estimators/phases/exact_phase.hpp>
#include <harmonium/estimators/phases/mean_field.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/samplers/gibbs.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

std::unique_ptr<GradientEstimator> with_chains(ChainEstimatorOptions options, ChainStart start) {
  if (!options.sampler) options.sampler = std::make_unique<Gibbs>();
  if (!options.positive)
    options.positive = std::make_unique<AutomaticPhase>(
        AutomaticPhaseOptions{.coupled = std::make_unique<MeanField>(MeanFieldOptions{})});
  ChainPhaseOptions chains{.start = start,
                           .num_chains = options.num_chains,
                           .gibbs_steps = options.gibbs_steps,
                           .sampler = std::move(options.sampler)};
  chains.validate();
  return std::make_unique<Contrastive>(ContrastiveOptions{.positive = std::move(options.positive),
                                                          .negative = std::make_unique<ChainPhase>(std::move(chains)),
                                                          .centering = options.centering});
}

}  // namespace

std::unique_ptr<GradientEstimator> make_cd(ChainEstimatorOptions options) {
  if (options.num_chains != 0)
    throw ConfigError(
        "make_cd: 'num_chains' is set, but its chains are the rows of the batch. Leave it out, or take make_pcd.");
  return with_chains(std::move(options), ChainStart::data);
}

std::unique_ptr<GradientEstimator> make_pcd(ChainEstimatorOptions options) {
  return with_chains(std::move(options), ChainStart::persistent);
}

std::unique_ptr<GradientEstimator> make_exact() {
  return std::make_unique<Contrastive>(
      ContrastiveOptions{.positive = std::make_unique<ExactPhase>(ExactPhaseOptions{}),
                         .negative = std::make_unique<ExactPhase>(ExactPhaseOptions{})});
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
