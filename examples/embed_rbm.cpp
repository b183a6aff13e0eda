// A restricted Boltzmann machine trained, judged and sampled: no configuration file, no registry.
#include <cstdio>

#include <harmonium/estimators/gradients/contrastive.hpp>
#include <harmonium/estimators/log_partition/exact.hpp>
#include <harmonium/estimators/phases/chain_phase.hpp>
#include <harmonium/estimators/phases/posterior_mean.hpp>
#include <harmonium/framework/data/generators.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/training/initializer.hpp>
#include <harmonium/framework/training/sgd.hpp>
#include <harmonium/framework/training/trainer.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/samplers/gibbs.hpp>

int main() {
  using namespace harmonium;
  const Executor threads;
  const Execution execution{threads, {.seed = 7}};
  const Dataset data(bars_and_stripes(4), "bars and stripes");
  const auto model = make_rbm({.num_visible = data.cols(), .num_hidden = 16});
  NormalInitializer({.std = 0.1}).initialize(*model, &data, execution.part("initializer"));

  ChainPhaseOptions chains{.num_chains = 500, .gibbs_steps = 10, .sampler = std::make_unique<Gibbs>()};
  Contrastive pcd({.positive = std::make_unique<PosteriorMean>(),
                   .negative = std::make_unique<ChainPhase>(std::move(chains)),
                   .centering = true});
  Sgd sgd({.rate = {.learning_rate = 0.05}});
  train(*model, data, pcd, sgd, {.num_epochs = 10000}, execution);

  const double log_z = ExactLogPartition().estimate(*model, 1.0, execution).log_z;
  const Chains rows = spread_rows(data, model->layout(), 0, 0);
  std::printf("log likelihood: %.2f nats an image\n", -mean_free_energy(*model, rows, 1.0, threads) - log_z);

  Chains samples(model->layout(), 1);
  Gibbs().advance(Target{*model}, samples, 1000, execution.part("sample"));
  const ConstMatrixRef image = samples.read(model->layout().find("visible"));
  for (Index i = 0; i < data.cols(); ++i) std::printf("%s%s", image(0, i) > 0 ? "#" : ".", i % 4 == 3 ? "\n" : " ");
}
