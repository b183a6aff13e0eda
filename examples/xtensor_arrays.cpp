// Arrays of xtensor go in and come out: views of them are handed over, and nothing is copied on the way.
#include <cstdio>

#include <xtensor/xmath.hpp>
#include <xtensor/xrandom.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/samplers/gibbs.hpp>

int main() {
  using namespace harmonium;
  const Executor threads;
  const Execution execution{threads, {.seed = 2}};
  const auto model = make_rbm({.num_visible = 6, .num_hidden = 4});
  const LayerId visible = model->layout().find("visible"), hidden = model->layout().find("hidden");

  // Parameters in: an xtensor expression is evaluated straight into θ.
  const Index w = model->parameter_layout().find("weight.visible.hidden");
  model->update_parameters([&](std::span<Real> theta) {
    as_xtensor(model->parameter_layout().view(w, theta.data())) = xt::random::randn<Real>({6, 4}, Real{0}, Real{1});
  });

  // Configurations in: the batch itself is assigned to. Moments out: an expression over the library's own memory.
  Chains chains(model->layout(), 1000);
  as_xtensor(chains.write(visible)) = xt::ones<Real>({1000, 6});
  Posterior posterior;
  const Moments& q = posterior.moments(*model, chains, threads);
  std::printf("E[h | v = 1] sums to %.3f\n", static_cast<double>(xt::sum(xt::view(as_xtensor(q.mean[1]), 0))()));

  Gibbs().advance(Target{*model}, chains, 100, execution);
  const auto v = as_xtensor(chains.read(visible));
  const auto h = as_xtensor(chains.read(hidden));
  std::printf("mean of v %.2f, of h %.2f\n", static_cast<double>(xt::mean(v)()), static_cast<double>(xt::mean(h)()));

  // And an array of one's own, as the view that every interface takes.
  xt::xtensor<double, 2> mine = xt::ones<double>({2, 3});
  const MatrixView<double> view = as_matrix(mine);
  view(1, 2) = 5;
  std::printf("the view wrote %g\n", mine(1, 2));
}
