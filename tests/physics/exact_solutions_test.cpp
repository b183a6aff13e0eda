// Samplers against exact solutions of models far too large to enumerate. Errors are those of binning, which knows of the
// correlation in time; false alarms: 1e-9 for each number (spins.hpp). Each also has a largest error that it may have, so
// that a test cannot pass by knowing nothing.

#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/samplers/parallel_tempering.hpp>
#include <harmonium/samplers/swendsen_wang.hpp>
#include <harmonium/tests/support/spins.hpp>

namespace exact_solutions_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const double critical = 0.5 * std::log(1.0 + std::sqrt(2.0));  // Onsager 1944

void check_mean(const BinningAccumulator& acc, double exact, double most_error) {
  CAPTURE(exact);
  CAPTURE(acc.mean());
  CAPTURE(acc.error());
  CAPTURE(acc.autocorrelation_time());
  CHECK(acc.error() < most_error);
  CHECK(std::abs(acc.mean() - exact) < student_limit * acc.error());
}

double sum_of(const Chains& chains, Index row, LayerId layer = LayerId{0}) {
  const ConstMatrixRef x = chains.read(layer);
  double sum = 0.0;
  for (Index c = 0; c < x.cols; ++c) sum += static_cast<double>(x(row, c));
  return sum;
}

/// Of a model of n spins.
std::vector<Measurement> of_spins(double n) {
  return {[n](const Chains&, Index, double energy) { return energy / n; },
          [n](const Chains& chains, Index r, double) { return std::abs(sum_of(chains, r)) / n; },
          [n](const Chains& chains, Index r, double) { return std::pow(sum_of(chains, r) / n, 2); }};
}

ParallelTempering tempering(std::vector<double> betas) {
  return ParallelTempering({.betas = std::move(betas), .sampler = std::make_unique<Gibbs>()});
}

}  // namespace

// Kaufman (1949), finite torus.
TEST_CASE("the Ising model of 4 x 4 spins has its exact energies and magnetisation at three temperatures") {
  const auto model = ising_torus(4);
  ParallelTempering sampler = tempering({1.0, critical / 0.7, 0.2 / 0.7});
  Chains chains = uniform_start(*model, sampler, 8);
  const auto at = measure(*model, sampler, 0.7, chains, 500, 20'000, of_spins(16));
  check_mean(at[0][0], -1.963491005004, 1e-3);
  check_mean(at[1][0], -1.56562379, 3e-3);
  check_mean(at[1][1], 0.843860444813, 3e-3);
  check_mean(at[1][2], 0.761358908569, 3e-3);
  check_mean(at[2][0], -0.456135369543, 3e-3);
}

TEST_CASE("Gibbs sampling and tempering find the exact critical energy of 8 x 8 spins") {
  const auto model = ising_torus(8);
  Gibbs gibbs;
  Chains chains = uniform_start(*model, gibbs, 16);
  check_mean(measure(*model, gibbs, critical, chains, 1000, 10'000, of_spins(64))[0][0], -1.49158911, 4e-3);
  ParallelTempering sampler = tempering({1.0, 0.9, 0.8, 0.65});
  chains = uniform_start(*model, sampler, 4);
  check_mean(measure(*model, sampler, critical, chains, 1000, 10'000, of_spins(64))[0][0], -1.49158911, 4e-3);
}

// tau of E is some 7 steps, and a deviation of E/N some 0.1: 4 chains of 2048 have an error of 0.003. The sign of m
// is drawn anew at each step, where single spins keep it for thousands.
TEST_CASE("cluster moves find the exact critical energy of 32 x 32 spins, and both signs of their order") {
  const auto model = ising_torus(32);
  SwendsenWang sampler;
  Chains chains = uniform_start(*model, sampler, 4);
  std::vector<Measurement> what = of_spins(1024);
  what.emplace_back([](const Chains& all, Index r, double) { return sum_of(all, r) > 0.0 ? 1.0 : 0.0; });
  const auto at = measure(*model, sampler, critical, chains, 100, 2048, what);
  check_mean(at[0][0], -1.43365846, 6e-3);
  check_mean(at[0][3], 0.5, 1e-2);  // each sign at each step with probability 1/2: an error of 0.0055
}

TEST_CASE("the Curie-Weiss model of 100 spins has its exact magnetisation on both sides of its transition") {
  const auto model = curie_weiss(100);
  ParallelTempering sampler = tempering({1.0, 0.9, 0.8, 1.0 / 1.5, 0.5, 0.5 / 1.5});
  Chains chains = uniform_start(*model, sampler, 4);
  const auto at = measure(*model, sampler, 1.5, chains, 500, 8192, of_spins(100));
  check_mean(at[0][2], 0.724520494729, 4e-3);
  check_mean(at[3][2], 0.114481046196, 4e-3);
  check_mean(at[5][2], 0.019617447165, 1e-3);
}

namespace {

/// The mean number of visible ones of an RBM of n + n bits with one weight, over n: a sum over the numbers of ones.
double mean_of_uniform_rbm(Index n, double w, double b, double c) {
  const auto size = static_cast<double>(n);
  const auto log_choose = [&](double k) {
    return std::lgamma(size + 1.0) - std::lgamma(k + 1.0) - std::lgamma(size - k + 1.0);
  };
  double z = 0.0, sum = 0.0;
  for (Index i = 0; i <= n; ++i) {
    for (Index j = 0; j <= n; ++j) {
      const auto v = static_cast<double>(i), h = static_cast<double>(j);
      const double p = std::exp(log_choose(v) + log_choose(h) + w * v * h + b * v + c * h);
      z += p;
      sum += p * v / size;
    }
  }
  return sum / z;
}

}  // namespace

// Each number has a standard error of 0.0061 at most. So what is off by 13.3 times that, 0.081, is seen but for a
// probability of 1e-9: odds of the two modes that are 1.7 times the right ones, or 0.51 nats too much of one.
TEST_CASE("tempering visits both modes of the uniform RBM with their exact weights, Gibbs sampling stays in one" *
          doctest::test_suite("slow")) {
  const double exact = mean_of_uniform_rbm(100, 0.06, -2.99, -3.0), most_error = 0.0061;
  CHECK(std::abs(exact - 0.673479794) < 1e-9);
  const auto model = uniform_rbm(100, 100, 0.06, -2.99, -3.0);
  const std::vector<Measurement> what = {
      [](const Chains& chains, Index r, double) { return sum_of(chains, r) / 100.0; },
      [](const Chains& chains, Index r, double) { return sum_of(chains, r) * sum_of(chains, r, LayerId{1}) / 1e4; },
      [](const Chains& chains, Index r, double) { return sum_of(chains, r, LayerId{1}) / 100.0; }};
  const auto tempered = [&](const EnergyModel& m) {
    ParallelTempering sampler({.num_rungs = 8, .adapt_steps = 500, .sampler = std::make_unique<Gibbs>()});
    Chains chains = uniform_start(m, sampler, 8);
    return measure(m, sampler, 1.0, chains, 1000, 45'000, what);
  };
  const auto at = tempered(*model);
  check_mean(at[0][0], exact, most_error);
  check_mean(at[0][1], 0.606856687, most_error);
  check_mean(at[0][2], 0.673007658, most_error);

  // The first control: visible biases higher by 0.006 make the odds of the modes 1.7 times as high, and are found out.
  const double shifted = mean_of_uniform_rbm(100, 0.06, -2.984, -3.0);
  CHECK(shifted - exact > (student_limit + 6.1) * most_error);
  const auto wrong = tempered(*uniform_rbm(100, 100, 0.06, -2.984, -3.0));
  CHECK(wrong[0][0].mean() - exact > student_limit * wrong[0][0].error());

  // The second: eight chains of Gibbs sampling that start in the mode of few ones stay there, and the same check
  // rejects them.
  Gibbs gibbs;
  Chains low(model->layout(), 8);
  const auto stuck = measure(*model, gibbs, 1.0, low, 500, 5000, what);
  CHECK(stuck[0][0].mean() < 0.3);
  CHECK(std::abs(stuck[0][0].mean() - exact) > 10.0 * student_limit * stuck[0][0].error());
}

}  // namespace exact_solutions_test
