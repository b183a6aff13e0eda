// Energies by what a sampler drew the last units from, beside the energy of the states that it left.
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/energy_differences.hpp>
#include <harmonium/framework/testing/sampler_suite.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace differences_after_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
const Execution execution{executor, RandomSource{9, 4}};
const std::vector<double> ladder{1.0, 0.5, 0.25};

Chains random_chains(const EnergyModel& model, Index rows) {
  Chains chains(model.layout(), rows);
  for (Index r = 0; r < rows; ++r) chains.rung()[r] = static_cast<std::uint32_t>(r % 3);
  Gibbs().advance(Target{.model = model, .ladder = ladder}, chains, 3, execution);
  return chains;
}

/// Every third unit of a layer in every other row; and the layer as a whole.
std::vector<HeldMask> masks(const Layout& layout, Index rows) {
  std::vector<HeldMask> all{{}};
  for (const LayerId l : layout.ids()) {
    std::vector<std::uint8_t> held;
    for (Index r = 0; r < rows; ++r)
      for (Index u = 0; u < layout[l].size; ++u) held.push_back(r % 2 == 0 && u % 3 == 0 ? 1 : 0);
    all.push_back(HeldMask().hold_units(l, layout[l].size, std::move(held)));
    if (layout.size() > 1) all.emplace_back(LayerSet{}.add(l));
  }
  return all;
}

double largest(std::span<const double> a, std::span<const double> b) {
  double most = 0.0;
  for (Index r = 0; r < a.size(); ++r) most = std::max(most, std::abs(a[r] - b[r]));
  return most;
}

/// The layers that a step leaves the products of.
LayerSet multiplied(const LayeredModel& model, Scan scan, const HeldMask* held = nullptr) {
  Chains chains = random_chains(model, 4);
  std::vector<double> products(4);
  LastMeans last;
  last.products = products;
  Gibbs({.scan = scan}).advance(Target{.model = model, .held = held}, chains, 1, execution, &last);
  return last.multiplied;
}

}  // namespace

TEST_CASE("what the last units were drawn from tells the energy, whatever is held and however rows and units are cut") {
  for (const Example& m : example_models())
    for (const Scan scan : {Scan::systematic, Scan::backward, Scan::random})
      for (const Index tile : {Index{0}, Index{8}})
        for (const HeldMask& held : masks(m.model->layout(), 30)) {
          CAPTURE(m.name);
          CAPTURE(tile);
          Chains chains = random_chains(*m.model, 30);
          const Target target{.model = *m.model, .ladder = ladder, .held = &held};
          Gibbs sampler({.tile = tile, .scan = scan});
          const std::vector<double> after = differences_after(sampler, target, chains, execution);
          CHECK(largest(after, energy_differences(target, chains, executor)) <= rounding(64.0));
        }
}

TEST_CASE("fields of layers that are independent given the rest tell the energy, and leave the states as they are") {
  for (const Example& m : example_models())
    for (const HeldMask& held : masks(m.model->layout(), 30)) {
      CAPTURE(m.name);
      Chains chains = random_chains(*m.model, 30);
      const Chains before = chains;
      const Target target{.model = *m.model, .ladder = ladder, .held = &held};
      const std::vector<double> found = differences_by_fields(target, chains, executor);
      CHECK(largest(found, energy_differences(target, before, executor)) <= rounding(64.0));
      CHECK(conformance::same_chains(chains, before, m.model->layout()));
    }
}

TEST_CASE("of a wide machine too fields tell the energy, in tiles as in one") {
  const auto model = random_rbm(900, 450, 1, 0.15);
  // Sums of what it has by itself, multiples of 1/256, are not rounded.
  model->update_parameters([](std::span<Real> theta) {
    for (Real& value : theta) value /= Real{3};
  });
  for (const Index rows : {Index{5}, Index{300}}) {
    Chains chains = random_chains(*model, rows);
    const Target target{*model};
    const std::vector<double> found = differences_by_fields(target, chains, executor);
    CHECK(largest(found, energy_differences(target, chains, executor)) <= rounding(450.0));  // as of what draws leave
    CHECK(found == differences_by_fields(target, chains, Executor(1)));
    // Rounded as fields are, so that it was these that were asked.
    CHECK((std::is_same_v<Real, double> || found != energy_differences(target, chains, executor)));
  }
}

TEST_CASE("a state that is no number makes no energy of fields") {
  const auto model = random_rbm(5, 4, 2);
  for (const LayerId l : model->layout().ids()) {
    Chains chains = random_chains(*model, 6);
    chains.write(l)(3, 1) = std::numeric_limits<Real>::quiet_NaN();
    const Target target{*model};
    CHECK_THROWS_AS(differences_by_fields(target, chains, executor), NumericalError);
  }
}

TEST_CASE("panels of units and tiles of rows add up to the energy") {
  const auto model = random_rbm(900, 450, 1, 0.05);
  for (const Index rows : {Index{5}, Index{300}})
    for (const Scan scan : {Scan::systematic, Scan::backward}) {
      Chains chains = random_chains(*model, rows);
      const Target target{*model};
      Gibbs sampler({.scan = scan});
      const std::vector<double> after = differences_after(sampler, target, chains, execution);
      // Some 450 units that are on, each with the rounding of a field of size 1: a thousandth part of one unit's share.
      CHECK(largest(after, energy_differences(target, chains, executor)) <= rounding(450.0));
      CHECK(multiplied(*model, scan) == LayerSet{}.add(LayerId{scan == Scan::systematic ? 1u : 0u}));
    }
}

TEST_CASE("products are left where the energy follows from them, and nowhere else") {
  const auto of = [](const LayerGraph& graph, Scan scan = Scan::systematic) {
    return multiplied(*random_model(graph, 3), scan);
  };
  const LayerGraph rbm{{observed("v", 4), latent("h", 3)}, {{0, 1}}, {}};
  const LayerGraph deep{{observed("v", 3), latent("h", 2), latent("g", 3)}, {{0, 1}, {1, 2}}, {}};
  CHECK(of(rbm) == LayerSet{}.add(LayerId{1}));
  CHECK(of(deep) == LayerSet{}.add(LayerId{2}));
  CHECK(of(deep, Scan::backward) == LayerSet{}.add(LayerId{0}));
  CHECK(of({{observed("v", 4), latent("h", 3)}, {{0, 0}, {0, 1}}, {}}) == LayerSet{}.add(LayerId{1}));
  // Units of the last layer that are coupled with each other are not drawn from one product.
  CHECK(of({{observed("v", 3), latent("h", 4)}, {{0, 1}, {1, 1}}, {}}).empty());
  // With the last layer held it is the one before.
  const HeldMask hidden(LayerSet{}.add(LayerId{1}));
  CHECK(multiplied(*random_model(rbm, 3), Scan::systematic, &hidden) == LayerSet{}.add(LayerId{0}));
}

TEST_CASE("a model whose own kernel is not used has its energy computed") {
  const auto model = random_rbm(5, 4, 2);
  const WithoutKernel other(*model);
  Chains chains = random_chains(other, 30);
  Gibbs sampler;
  const Target target{other};
  const std::vector<double> after = differences_after(sampler, target, chains, execution);
  CHECK(after == energy_differences(target, chains, executor));
  CHECK(after == differences_by_fields(target, chains, executor));
  CHECK_FALSE(model->layer_kernel()->energy_follows(model->layout().all()));
}

}  // namespace differences_after_test
