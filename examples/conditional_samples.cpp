// Images completed: the first row of pixels is held, and the model of embed_rbm draws the others.
#include <cmath>
#include <cstdio>

#include <harmonium/harmonium.hpp>

int main() {
  using namespace harmonium;
  const Executor threads;
  const auto model = load("bars.h5");
  std::vector<Real> known(16, Real(NAN));                        // to be drawn
  known[0] = known[1] = known[2] = Real{1}, known[3] = Real{0};  // three bars of four
  // One image fits; from others Gibbs sampling alone would be long in coming to it.
  auto tempering = make<Sampler>("type = 'parallel_tempering'\nbetas = [1.0, 0.8, 0.6, 0.45, 0.3, 0.15, 0.0]");
  const Chains images = sample(
      *model, {.num_samples = 500, .steps = 500, .sampler = std::move(tempering), .held = {known.data(), 1, 16, 16}},
      {threads, {.seed = 2}});

  const ConstMatrixRef x = images.read(model->layout().find("visible"));
  Index same = 0;
  for (Index r = 0; r < x.rows; ++r)
    for (Index c = 4; c < 8; ++c) same += x(r, c) == x(r, c - 4) ? 1 : 0;
  std::printf("pixels of the second row like those above: %.2f\n", static_cast<double>(same) / 2000.0);
}
