// A model of a file: what it is, and samples of it as an array that other programs read. First: embed_rbm, which writes it.
#include <cstdio>

#include <harmonium/harmonium.hpp>

int main() {
  using namespace harmonium;
  const Executor threads;
  const auto model = load("bars.h5");
  std::printf("E(x) = %s\n", model->formula().c_str());
  for (const Layer& layer : model->layout().layers())
    std::printf("layer %s: %zu %s units\n", layer.name.c_str(), layer.size, std::string(layer.unit->name()).c_str());

  const Chains samples = sample(*model, {.num_samples = 100, .steps = 500}, {threads, {.seed = 1}});
  write_npy("samples.npy", samples.read(model->layout().find("visible")));
}
