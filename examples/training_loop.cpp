// A training loop driven by hand: the gradient of each minibatch is estimated, changed as one likes, and applied.
#include <cstdio>
#include <numeric>

#include <harmonium/estimators/gradients/contrastive.hpp>
#include <harmonium/estimators/phases/chain_phase.hpp>
#include <harmonium/estimators/phases/posterior_mean.hpp>
#include <harmonium/framework/data/generators.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/framework/training/initializer.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/samplers/gibbs.hpp>

int main() {
  using namespace harmonium;
  const Executor threads;
  const Execution execution{threads, {.seed = 1}};
  const Dataset data(labeled_shifter(4), "shifter");
  const auto model = make_rbm({.num_visible = data.cols(), .num_hidden = 20});
  NormalInitializer({}).initialize(*model, &data, execution.part("initializer"));

  ChainPhaseOptions from_data{.start = ChainStart::data, .sampler = std::make_unique<Gibbs>()};
  Contrastive cd(
      {.positive = std::make_unique<PosteriorMean>(), .negative = std::make_unique<ChainPhase>(std::move(from_data))});
  cd.check(*model);

  Batches batches(data, model->layout(), 16, execution.random.child("batches"));
  std::vector<Real> gradient(model->parameter_layout().size());
  const Chains rows = spread_rows(data, model->layout(), 0, 0);
  for (std::uint64_t epoch = 0; epoch < 500; ++epoch) {
    for (Index b = 0; b < batches.batches_per_epoch(); ++b) {
      cd.estimate(*model, batches.batch(epoch, b, threads), gradient, execution.part("estimator"));
      // θ is changed in one place only, so that what a model derives from it is never stale.
      model->update_parameters([&](std::span<Real> theta) {
        for (Index i = 0; i < theta.size(); ++i) theta[i] -= Real(0.1) * (gradient[i] + Real(1e-4) * theta[i]);
      });
    }
    if (epoch % 100 == 99)
      std::printf("epoch %3d: reconstruction error %.4f\n", static_cast<int>(epoch) + 1,
                  reconstruction_error(*model, rows, 1.0, threads));
  }
}
