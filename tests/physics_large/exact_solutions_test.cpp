// The larger sizes of tests/physics, and the uniform RBM of the size of an image.

#include <cmath>

#include <doctest/doctest.h>

#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/samplers/parallel_tempering.hpp>
#include <harmonium/tests/support/spins.hpp>

namespace exact_solutions_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

void check_critical_energy(Index side, std::vector<double> betas, Index sweeps, double exact, double most_error) {
  const auto model = ising_torus(side);
  const auto n = static_cast<double>(side * side);
  ParallelTempering sampler({.betas = std::move(betas), .sampler = std::make_unique<Gibbs>()});
  Chains chains = uniform_start(*model, sampler, 4);
  const double critical = 0.5 * std::log(1.0 + std::sqrt(2.0));
  const auto at = measure(*model, sampler, critical, chains, sweeps / 4, sweeps,
                          {[n](const Chains&, Index, double energy) { return energy / n; }});
  CAPTURE(at[0][0].mean());
  CAPTURE(at[0][0].error());
  CAPTURE(at[0][0].autocorrelation_time());
  CHECK(at[0][0].error() < most_error);
  CHECK(std::abs(at[0][0].mean() - exact) < student_limit * at[0][0].error());
}

}  // namespace

TEST_CASE("tempering finds the exact critical energy of 16 x 16 spins") {
  check_critical_energy(16, {1.0, 0.95, 0.9, 0.84}, 8192, -1.45306485, 4e-3);
}

TEST_CASE("tempering finds the exact critical energy of 32 x 32 spins") {
  check_critical_energy(32, {1.0, 0.975, 0.95, 0.92}, 4096, -1.43365846, 8e-3);
}

// 32 independent logical chains, so that the error is that of 32 means: Student's t of 31 degrees is beyond 6.0 with
// probability 1.2e-6 (both sides).
TEST_CASE("tempering gets the two modes of a uniform RBM of 784 and 500 units right, Gibbs sampling one of them") {
  constexpr Index chains_in_all = 32, burn_in = 1000, steps = 600;
  const auto model = uniform_rbm(784, 500, 0.01, -2.499, -3.92);
  const Executor executor(2);
  const Execution execution{executor, {5, 5}};
  const auto ones = [](const ConstMatrixRef& x, Index r) {
    double sum = 0.0;
    for (Index c = 0; c < x.cols; ++c) sum += static_cast<double>(x(r, c));
    return sum;
  };
  struct Means {
    double x = 0.0, hx = 0.0, high = 0.0;
  };
  const auto run = [&](Sampler& sampler, Chains& chains) {
    const Index rungs = sampler.rungs();
    sampler.advance(Target{*model}, chains, burn_in, execution);
    std::vector<Means> of(chains.size() / rungs);
    for (Index s = 0; s < steps; ++s) {
      sampler.advance(Target{*model}, chains, 1, execution);
      for (Index r = 0; r < chains.size(); ++r) {
        if (chains.rung()[r] != 0) continue;
        const double k = ones(chains.read(LayerId{0}), r), h = ones(chains.read(LayerId{1}), r);
        of[r / rungs].x += k / 784.0 / steps;
        of[r / rungs].hx += k * h / 784.0 / 500.0 / steps;
        of[r / rungs].high += (k > 392.0 ? 1.0 : 0.0) / steps;
      }
    }
    return of;
  };
  const auto check = [&](const std::vector<Means>& of, double Means::*what, double exact, double most_error) {
    double mean = 0.0, squares = 0.0;
    for (const Means& m : of) mean += m.*what / chains_in_all;
    for (const Means& m : of) squares += (m.*what - mean) * (m.*what - mean);
    const double error = std::sqrt(squares / (chains_in_all - 1.0) / chains_in_all);
    CAPTURE(mean);
    CAPTURE(error);
    CAPTURE(exact);
    CHECK(error < most_error);
    CHECK(std::abs(mean - exact) < 6.0 * error);
  };
  ParallelTempering sampler({.num_rungs = 16, .adapt_steps = 500, .sampler = std::make_unique<Gibbs>()});
  Chains chains = uniform_start(*model, sampler, chains_in_all);
  const std::vector<Means> tempered = run(sampler, chains);
  check(tempered, &Means::high, 0.655130, 0.05);
  check(tempered, &Means::x, 0.627060468, 0.05);
  check(tempered, &Means::hx, 0.573775299, 0.05);

  Gibbs gibbs;
  Chains low(model->layout(), chains_in_all);
  for (const Means& m : run(gibbs, low)) CHECK(m.high == 0.0);
}

}  // namespace exact_solutions_test
