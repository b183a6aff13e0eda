// What chains leave of each unit and pair, beside sums by hand.
#include <random>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/local_sums.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace local_sums_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

using Pairs = std::vector<LocalObservables::Pair>;

/// A row of four units as a model has it, and of each what it counts as: a state of sites, else s or x.
struct Row {
  std::vector<Real> columns;
  std::vector<double> units;
};

Row random_row(const std::string& kind, std::mt19937_64& words) {
  Row row;
  for (Index u = 0; u < 4; ++u) {
    const auto state = static_cast<Index>(words() % (kind == "sites" ? 3 : 2));
    const double bit = state == 0 ? 0.0 : 1.0, number = 0.25 * static_cast<double>(words() % 9) - 1.0;
    if (kind == "sites")
      for (Index s = 0; s < 3; ++s) row.columns.push_back(s == state ? Real{1} : Real{0});
    else row.columns.push_back(static_cast<Real>(kind == "bits" ? bit : kind == "spins" ? 2.0 * bit - 1.0 : number));
    row.units.push_back(kind == "sites" ? static_cast<double>(state) : kind == "numbers" ? number : 2.0 * bit - 1.0);
  }
  return row;
}

std::shared_ptr<const UnitType> unit_of(const std::string& kind) {
  if (kind == "sites") return std::make_shared<CategoricalUnit>(CategoricalUnit::Options{3});
  if (kind == "numbers") return std::make_shared<GaussianUnit>();
  if (kind == "spins") return std::make_shared<SpinUnit>();
  return binary();
}

/// The numbers of a row: of each unit, of sites each state, and then of each pair.
std::vector<double> numbers_by_hand(const Row& row, const Pairs& pairs, bool sites) {
  std::vector<double> numbers;
  for (const double unit : row.units) {
    if (!sites) numbers.push_back(unit);
    for (int s = 0; s < 3 && sites; ++s) numbers.push_back(unit == s ? 1.0 : 0.0);
  }
  for (const auto& [i, j] : pairs)
    numbers.push_back(sites ? (row.units[i] == row.units[j] ? 1.0 : 0.0) : row.units[i] * row.units[j]);
  return numbers;
}

}  // namespace

TEST_CASE("sums of units and pairs over blocks are those by hand, of spins, bits, numbers and sites") {
  constexpr Index chains = 6, steps = 25;  // eleven blocks a chain of two steps, or three
  const Pairs all{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  for (const std::string kind : {"spins", "bits", "numbers", "sites"}) {
    CAPTURE(kind);
    const auto model = random_model({{observed("v", 4, unit_of(kind))}, {}, {}}, 1);
    const LayerObservables layer(*model, LayerId{0});
    const LocalObservables what(layer, LocalObservables::Pairs::all);
    CHECK(what.pairs() == all);
    LocalSums sums(what, chains, steps);
    const Index blocks = sums.blocks_per_chain();
    REQUIRE(blocks == 11);
    std::vector<std::vector<double>> expected(chains * blocks, std::vector<double>(what.size(), 0.0));
    std::mt19937_64 words(3);
    for (Index c = 0; c < chains; ++c)
      for (Index t = 0; t < steps; ++t) {
        const Row row = random_row(kind, words);
        sums.add(c, t, row.columns);
        Index block = 0;
        while ((block + 1) * steps / blocks <= t) ++block;
        const std::vector<double> numbers = numbers_by_hand(row, all, kind == "sites");
        REQUIRE(numbers.size() == what.size());
        for (Index k = 0; k < numbers.size(); ++k) expected[c * blocks + block][k] += numbers[k];
      }
    const Series found = sums.of_blocks();
    REQUIRE(found.rows == expected.size());
    for (Index g = 0; g < found.rows; ++g)
      for (Index k = 0; k < found.cols; ++k) CHECK(found(g, k) == expected[g][k]);  // multiples of 1/16
  }
}

TEST_CASE("pairs that couple are those of couplings other than 0, once each, and all pairs know which these are") {
  const auto model = random_model({{observed("v", 4, std::make_shared<SpinUnit>())}, {{0, 0}}, {}}, 2);
  keep_only(*model, "weight.v.v", {{0, 2}, {1, 3}, {2, 3}});
  const LayerObservables layer(*model, LayerId{0});
  const LocalObservables coupled(layer, LocalObservables::Pairs::coupled);
  CHECK(coupled.pairs() == Pairs{{0, 2}, {1, 3}, {2, 3}});
  CHECK(coupled.coupled().empty());
  CHECK(coupled.size() == 4 + 3);
  const LocalObservables all(layer, LocalObservables::Pairs::all);
  CHECK(all.pairs().size() == 6);
  CHECK(all.coupled() == std::vector<std::uint8_t>{0, 1, 0, 0, 1, 1});
  // The same numbers, whether pairs are looked up or all of them run through.
  const std::vector<double> units{0.5, -1.0, 2.0, 4.0};
  std::vector<double> few(coupled.size(), 0.0), many(all.size(), 0.0);
  coupled.add(units, 2.0, few);
  all.add(units, 2.0, many);
  CHECK(few == std::vector<double>{1.0, -2.0, 4.0, 8.0, 2.0, -8.0, 16.0});
  CHECK(many == std::vector<double>{1.0, -2.0, 4.0, 8.0, -1.0, 2.0, 4.0, -4.0, -8.0, 16.0});
  // Of a model in which all couple there is nothing to tell apart.
  const auto full = random_model({{observed("v", 4, std::make_shared<SpinUnit>())}, {{0, 0}}, {}}, 2);
  const LayerObservables of_full(*full, LayerId{0});
  CHECK(LocalObservables(of_full, LocalObservables::Pairs::coupled).pairs() == all.pairs());
  CHECK(LocalObservables(of_full, LocalObservables::Pairs::all).coupled().empty());
}

}  // namespace local_sums_test
