// An array of NumPy as data: rows of two numbers, learned by Gaussian units. Any shape: the first dimension is the rows.
#include <cmath>
#include <cstdio>

#include <harmonium/harmonium.hpp>

int main() {
  using namespace harmonium;
  const Executor threads;
  const Execution execution{threads, {.seed = 4}};
  std::vector<double> numbers;
  for (int i = 0; i < 1000; ++i) {  // on a circle; numpy.save("rows.npy", rows) would write the same
    numbers.push_back(2.0 * std::cos(0.006283185 * i));
    numbers.push_back(2.0 * std::sin(0.006283185 * i));
  }
  write_npy("rows.npy", MatrixView<const double>{numbers.data(), 1000, 2, 2});

  const Dataset data(read_npy("rows.npy"), "rows.npy");
  const auto model =
      make_rbm({.num_visible = data.cols(), .num_hidden = 8, .visible_units = std::make_unique<GaussianUnit>()});
  NormalInitializer({.std = 0.1}).initialize(*model, &data, execution.part("initializer"));
  const double before = log_likelihood(*model, data, execution);
  const auto pcd = make_pcd({.gibbs_steps = 5, .num_chains = 200});
  Sgd sgd({.rate = {.learning_rate = 0.02}});
  train(*model, data, *pcd, sgd, {.num_epochs = 100}, execution);
  std::printf("log likelihood: %.2f before, %.2f after\n", before, log_likelihood(*model, data, execution));
}
