// Ground states of spin glasses that are known exactly, by tempering and descent.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/descent.hpp>
#include <harmonium/framework/inference/recombination.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/samplers/parallel_tempering.hpp>
#include <harmonium/tests/support/data.hpp>
#include <harmonium/tests/support/spins.hpp>
#include <harmonium/tests/support/tables.hpp>

namespace spin_glass_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// The lowest energy among the descents of all rows and what recombines of them, looked at every `every` transitions.
double lowest_energy(const EnergyModel& model, double beta, Index rungs, Index logical, Index steps, Index every,
                     double enough = -std::numeric_limits<double>::infinity()) {
  const Executor executor(2);
  const Execution execution{executor, {81, 82}};
  ParallelTempering sampler({.num_rungs = rungs, .adapt_steps = steps / 4, .sampler = std::make_unique<Gibbs>()});
  Target target{model};
  target.beta = beta;
  Chains chains = uniform_start(model, sampler, logical);
  double lowest = std::numeric_limits<double>::infinity();
  for (Index s = 0; s < steps && lowest > enough; s += every) {
    sampler.advance(target, chains, every, execution);
    Chains low = chains;
    descend(model, low, executor);
    double made = 0.0;
    model.energy(recombine(model, low, executor), {&made, 1});
    lowest = std::min(lowest, made);
  }
  return lowest;
}

struct Instance {
  std::string name;
  double ground_state;
};

/// The columns of a table of instances: a name, and a number in column `column`.
std::vector<Instance> instances(const std::filesystem::path& path, std::size_t column) {
  std::vector<Instance> all;
  for (const auto& words : words_below_header(path)) all.push_back({words.at(0), std::stod(words.at(column))});
  return all;
}

/// Energies are sums of some thousand terms of size one in double.
constexpr double energy_rounding = 1e-8;

}  // namespace

TEST_CASE("tempering and descent find the ground states of toroidal and fully connected spin glasses") {
  const auto table = data_file("spinglass/exact.csv");
  if (!table) return;
  Index found = 0;
  for (const Instance& instance : instances(*table, 3)) {
    CAPTURE(instance.name);
    const bool sk = instance.name.starts_with("sk");
    const auto path = data_file("spinglass/" + std::string(sk ? "sk/" : "ea2d/") + instance.name + ".gz");
    if (!path) return;
    if (instance.name.find("cylinder") != std::string::npos) continue;
    const auto model = spins_on(read_edge_list(*path));
    const double lowest = lowest_energy(*model, 3.0, 16, 2, 4000, 20, instance.ground_state + energy_rounding);
    CHECK(std::abs(lowest - instance.ground_state) < energy_rounding);
    ++found;
  }
  CHECK(found == 17);
}

TEST_CASE("tempering and descent come within half a percent of the ground state of a cylinder of 1000 spins") {
  const auto table = data_file("spinglass/exact.csv");
  const auto path = data_file("spinglass/ea2d/ea2d_cylinder_gauss_10x100.txt.gz");
  if (!table || !path) return;
  for (const Instance& instance : instances(*table, 3)) {
    if (instance.name.find("cylinder") == std::string::npos) continue;
    const auto model = sparse_spins_on(read_edge_list(*path));
    const double lowest = lowest_energy(*model, 3.0, 24, 1, 1000, 50, 0.996 * instance.ground_state);
    CAPTURE(lowest);
    CHECK(lowest < 0.995 * instance.ground_state);
    CHECK(lowest > instance.ground_state - energy_rounding);
  }
}

// Their energy is +Σ w s s, and weights go to ±100: the temperature is in their units.
TEST_CASE("tempering and descent find the optimum of dense max-cut instances") {
  const auto table = data_file("spinglass/be/optimal.csv");
  if (!table) return;
  for (const Instance& instance : instances(*table, 6)) {
    CAPTURE(instance.name);
    const auto path = data_file("spinglass/be/" + instance.name + ".txt.gz");
    if (!path) return;
    const auto model = spins_on(read_edge_list(*path), -1.0);
    CHECK(lowest_energy(*model, 0.01, 12, 2, 2000, 20, instance.ground_state) == instance.ground_state);
  }
}

TEST_CASE("descent alone, from anywhere, does not find them") {
  const auto path = data_file("spinglass/ea2d/ea2d_torus_gauss_L12_s0.txt.gz");
  if (!path) return;
  const auto model = spins_on(read_edge_list(*path));
  Gibbs hot;
  Chains chains = uniform_start(*model, hot, 500);
  descend(*model, chains, Executor(2));
  std::vector<double> energy(chains.size());
  model->energy(chains, energy);
  CHECK(std::ranges::min(energy) > -179.8 + 1.0);
}

}  // namespace spin_glass_test
