#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/acceptance.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/samplers/langevin.hpp>
#include <harmonium/samplers/metropolis.hpp>
#include <harmonium/samplers/parallel_tempering.hpp>
#include <harmonium/samplers/tempered_transitions.hpp>
#include <harmonium/tests/support/continuous.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace acceptance_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();
const RandomSource words{3, 4};

/// A model whose energies are another number beyond the first `good` calls.
class Spoilt final : public Forwarding {
 public:
  Spoilt(const EnergyModel& inner, double energy, int good) : Forwarding(inner), energy_(energy), good_(good) {}
  void energy(ConstChainView x, std::span<double> out) const override {
    inner_.energy(x, out);
    if (calls_++ >= good_) std::fill(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(x.rows()), energy_);
  }
  const LayerKernel* layer_kernel() const override { return nullptr; }  // it would tell the energies of the other model

 private:
  double energy_;
  int good_;
  mutable int calls_ = 0;
};

bool same(const Chains& a, const Chains& b) {
  bool same = a.step() == b.step() && std::ranges::equal(a.rung(), b.rung());
  for (Index l = 0; l < a.num_layers(); ++l) {
    const ConstMatrixRef x = a.read(static_cast<LayerId>(l)), y = b.read(static_cast<LayerId>(l));
    same = same && std::equal(x.data, x.data + x.rows * x.cols, y.data);
  }
  return same;
}

ParallelTempering tempering() {
  ParallelTempering::Options options;
  options.betas = {1.0, 0.5};
  options.sampler = std::make_unique<Gibbs>();
  return ParallelTempering(std::move(options));
}

TemperedTransitions transitions() {
  return TemperedTransitions({.num_temperatures = 3, .lowest_beta = 0.3, .sampler = std::make_unique<Gibbs>()});
}

}  // namespace

TEST_CASE("a move is taken with probability min(1, e^r), and never where r is not a number") {
  CHECK(acceptance_probability(0.0) == 1.0);
  CHECK(acceptance_probability(3.0) == 1.0);
  CHECK(acceptance_probability(infinity) == 1.0);
  CHECK(acceptance_probability(-infinity) == 0.0);
  CHECK(acceptance_probability(-1.0) == std::exp(-1.0));
  CHECK(acceptance_probability(not_a_number) == 0.0);
  CHECK(accepts(-1.0, 0.36));
  CHECK_FALSE(accepts(-1.0, 0.37));
  CHECK_FALSE(accepts(not_a_number, 1e-300));
  CHECK(accepts_ratio(1.0, 2.0, 0.49));
  CHECK_FALSE(accepts_ratio(1.0, 2.0, 0.51));
  CHECK(accepts_ratio(1.0, 0.0, 0.99));
  CHECK_FALSE(accepts_ratio(0.0, 0.0, 1e-300));
  CHECK_FALSE(accepts_ratio(not_a_number, 1.0, 1e-300));
  CHECK_FALSE(accepts_ratio(1.0, not_a_number, 1e-300));
}

TEST_CASE("exchanges of rows whose energies differ by no number are refused") {
  const auto rbm = random_rbm(4, 3, 1);
  const Spoilt infinite(*rbm, infinity, 0);  // ∞ − ∞
  Chains chains(rbm->layout(), 40);
  for (Index r = 0; r < 40; ++r) chains.rung()[r] = static_cast<std::uint32_t>(r % 2);
  const Executor executor(1);
  ParallelTempering sampler = tempering();
  const SamplerReport report = sampler.advance(Target{infinite}, chains, 2, {executor, words});
  CHECK(report.ladder->proposed[0] == 20);
  CHECK(report.ladder->accepted[0] == 0);
}

TEST_CASE("chains whose energy is not a number end the run") {
  const auto rbm = random_rbm(4, 3, 1);
  const auto normals = coupled_normals(3, 0.3);
  const Executor executor(1);
  const auto message = [&](Sampler& sampler, const EnergyModel& model, double energy, std::uint32_t rungs) {
    const Spoilt spoilt(model, energy, 0);
    Chains chains(model.layout(), 6, 10);
    chains.set_step(4);
    for (Index r = 0; r < 6; ++r) chains.rung()[r] = static_cast<std::uint32_t>(r % rungs);
    return message_of<NumericalError>([&] { sampler.advance(Target{spoilt}, chains, 2, {executor, words}); });
  };
  const std::string expected =
      "the energy of chain 10 is not a number: a state or a parameter is not finite, or beyond what a number holds. "
      "Take "
      "shorter steps (of 'langevin': step_size), or look at the parameters.";
  ParallelTempering exchanges = tempering();
  CHECK(message(exchanges, *rbm, not_a_number, 2) == expected);
  Langevin langevin;
  CHECK(message(langevin, *normals, not_a_number, 1) == expected);
  TemperedTransitions climbing = transitions();
  CHECK(message(climbing, *rbm, not_a_number, 1) == expected);
}

TEST_CASE("a Langevin proposal whose energy is not a number is refused") {
  const auto normals = coupled_normals(3, 0.3);
  const Spoilt spoilt(*normals, not_a_number, 1);  // the first call is of where the chains stand
  const Executor executor(1);
  Chains chains(normals->layout(), 50);
  const Chains before = chains;
  Langevin langevin({.step_size = 0.1, .inner_steps = 4});
  CHECK(langevin.advance(Target{spoilt}, chains, 1, {executor, words}).acceptance == 0.0);
  chains.set_step(before.step());
  CHECK(same(chains, before));
}

TEST_CASE("Metropolis moves by fields that are not numbers are refused") {
  const auto rbm = random_rbm(4, 3, 1);
  rbm->update_parameters(
      [](std::span<Real> theta) { std::ranges::fill(theta, std::numeric_limits<Real>::quiet_NaN()); });
  const Executor executor(1);
  Chains chains(rbm->layout(), 50);
  const Chains before = chains;
  Metropolis metropolis;
  CHECK(metropolis.advance(Target{*rbm}, chains, 1, {executor, words}).acceptance == 0.0);
  chains.set_step(before.step());
  CHECK(same(chains, before));
}

TEST_CASE("a tempered transition that ends on its way leaves the chains as they were before it") {
  const auto rbm = random_rbm(4, 3, 1);
  const Executor executor(1);
  Chains chains(rbm->layout(), 20, 3);
  chains.set_step(7);
  // Each transition takes six energies: the second one ends half-way.
  const Spoilt spoilt(*rbm, not_a_number, 9);
  TemperedTransitions one = transitions(), two = transitions();
  Chains whole = chains;
  CHECK_THROWS_AS(one.advance(Target{spoilt}, chains, 3, {executor, words}), NumericalError);
  two.advance(Target{*rbm}, whole, 1, {executor, words});
  CHECK(chains.step() == 8);
  CHECK(same(chains, whole));
}

}  // namespace acceptance_test
