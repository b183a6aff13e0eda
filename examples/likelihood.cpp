// Figures by which the model of embed_rbm is judged: exact, and by conditionals alone.
#include <cstdio>

#include <harmonium/harmonium.hpp>

int main() {
  using namespace harmonium;
  const Executor threads;
  const Execution execution{threads, {.seed = 3}};
  const auto model = load("bars.h5");
  const Dataset data(bars_and_stripes(4), "bars and stripes");
  const Chains rows = spread_rows(data, model->layout(), 0, 0);
  std::printf("log Z %.4f\n", ExactLogPartition().estimate(*model, 1.0, execution).log_z);
  std::printf("log likelihood %.4f nats an image\n", log_likelihood(*model, data, execution));
  std::printf("log pseudo likelihood %.4f nats an image\n", pseudo_log_likelihood(*model, rows, 1.0, 0, execution));
}
