// A restricted Boltzmann machine trained, judged, saved and sampled: no configuration file.
#include <cstdio>

#include <harmonium/harmonium.hpp>

int main() {
  using namespace harmonium;
  const Executor threads;
  const Execution execution{threads, {.seed = 7}};
  const Dataset data(bars_and_stripes(4), "bars and stripes");
  const auto model = make_rbm({.num_visible = data.cols(), .num_hidden = 16});
  NormalInitializer({.std = 0.1}).initialize(*model, &data, execution.part("initializer"));

  const auto pcd = make_pcd({.gibbs_steps = 10, .num_chains = 500, .centering = true});
  Sgd sgd({.rate = {.learning_rate = 0.05}});
  train(*model, data, *pcd, sgd, {.num_epochs = 10000}, execution);
  std::printf("log likelihood: %.2f nats an image\n", log_likelihood(*model, data, execution));

  save(*model, "bars.h5");
  const Chains image = sample(*model, {.num_samples = 1, .steps = 1000}, execution.part("sample"));
  for (Index i = 0; i < data.cols(); ++i)
    std::printf("%s%s", image.read(LayerId{0})(0, i) > 0 ? "#" : ".", i % 4 == 3 ? "\n" : " ");
}
