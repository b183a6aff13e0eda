// The measuring instruments themselves: laws, draws from them, and the chi-square that all the other tests lean on.

#include <cmath>
#include <numeric>

#include <doctest/doctest.h>

#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/stationarity.hpp>

namespace check_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE("states keep their numbers through chains") {
  const auto machine = small_triangle();
  const StateSpace space(machine->layout());
  REQUIRE(space.size() == 256);
  std::vector<std::size_t> all(space.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  Chains chains(machine->layout(), all.size());
  space.put(all, chains);
  CHECK(space.read(chains) == all);
}

TEST_CASE("energies by loops over the tensors are those of the model") {
  for (const auto& machine : {small_rbm(), small_general(), small_triangle(), small_visible()}) {
    const StateSpace space(machine->layout());
    std::vector<std::size_t> all(space.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    Chains chains(machine->layout(), all.size());
    space.put(all, chains);
    std::vector<double> energy(all.size());
    machine->energy(chains, energy);
    const std::vector<double> own = energies(*machine, space);
    // At most 72 terms of a few nats each, summed in double: errors of some 1e-14.
    for (std::size_t s = 0; s < all.size(); ++s) CHECK(std::abs(energy[s] - own[s]) < 1e-12);
  }
}

TEST_CASE("a sweep of exact heat baths leaves the enumerated law as it is") {
  const auto machine = small_general();
  const StateSpace space(machine->layout());
  const std::vector<double> energy = energies(*machine, space);
  const Law law = law_of(energy);
  Law moved = law;
  sweep(moved, energy, space);
  for (std::size_t s = 0; s < law.size(); ++s) CHECK(std::abs(moved[s] - law[s]) < 1e-15);
}

// p-values of 2,000 tables from the right law, the size of those that the suite makes. Of a uniform p, the numbers below
// 0.5, 0.01 and 0.001 have means 1000, 20 and 2 and deviations 22.4, 4.4 and 1.4: five deviations are allowed. Pooling at 5
// makes the far tail slightly heavier than chi-square's, which is why it is looked at.
TEST_CASE("the check rejects the right law no more often than it says") {
  const auto machine = small_rbm();
  const StateSpace space(machine->layout());
  const Law law = law_of(energies(*machine, space));
  const Drawing draw(law);
  std::mt19937_64 random(5);
  int below_half = 0, below_hundredth = 0, below_thousandth = 0;
  for (int table = 0; table < 2000; ++table) {
    std::vector<std::uint64_t> counts(space.size(), 0);
    for (int i = 0; i < 5000; ++i) ++counts[draw(random)];
    ChiSquare test;
    test.add(counts, law);
    below_half += test.p_value() < 0.5 ? 1 : 0;
    below_hundredth += test.p_value() < 0.01 ? 1 : 0;
    below_thousandth += test.p_value() < 0.001 ? 1 : 0;
  }
  CHECK(std::abs(below_half - 1000) < 112);
  CHECK(std::abs(below_hundredth - 20) < 23);
  CHECK(below_thousandth < 10);
}

TEST_CASE("the limit is passed with the stated probability") {
  ChiSquare test;
  std::vector<std::uint64_t> counts(101, 1000);
  test.add(counts, Law(101, 1.0 / 101));
  CHECK(test.degrees() == 100);
  CHECK(test.statistic() == doctest::Approx(0.0));
  CHECK(test.p_value() == doctest::Approx(1.0));
  // Wilson and Hilferty: (X / df)^(1/3) is nearly normal, here at the 1e-9 quantile, z = 5.998.
  const double wilson = 100.0 * std::pow(1.0 - 2.0 / 900.0 + 5.998 * std::sqrt(2.0 / 900.0), 3);
  CHECK(std::abs(test.limit() - wilson) < 1.0);
}

TEST_CASE("cells that expect less than five draws are pooled") {
  ChiSquare test;
  const std::vector<std::uint64_t> counts{490, 490, 8, 7, 5};
  test.add(counts, Law{0.49, 0.49, 0.008, 0.008, 0.004});  // the last one alone expects 4
  CHECK(test.degrees() == 3);
}

}  // namespace check_test
