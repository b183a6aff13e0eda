#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/layer_observables.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace site_correlations_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);

/// Of sites (y, x) of 3 × 4 sites: the mean of what two sites have in common, one being `distance` further along an axis; x goes
/// round, y ends.
template <class Common>
double by_hand(Index axis, Index distance, const Common& common) {
  double sum = 0.0;
  int pairs = 0;
  for (Index y = 0; y < 3; ++y)
    for (Index x = 0; x < 4; ++x) {
      const Index to_y = axis == 0 ? y + distance : y, to_x = axis == 1 ? (x + distance) % 4 : x;
      if (to_y >= 3) continue;
      sum += common(4 * y + x, 4 * to_y + to_x);
      ++pairs;
    }
  return sum / pairs;
}

}  // namespace

TEST_CASE("correlations of sites are means over the pairs at a distance along an axis") {
  const SiteGrid grid{{3, 4}, {true, false}};
  const bool kinds[] = {false, true};
  for (const bool potts : kinds) {
    CAPTURE(potts);
    const std::shared_ptr<const UnitType> unit =
        potts ? std::shared_ptr<const UnitType>(std::make_shared<CategoricalUnit>(CategoricalUnit::Options{3}))
              : std::make_shared<SpinUnit>();
    const auto model = random_model({{observed("v", 12, unit)}, {}, {}}, 1);
    const LayerObservables what(*model, LayerId{0}, &grid);
    REQUIRE(what.distances().size() == 4);  // 1 and 2 along each axis
    Chains rows(model->layout(), 5);
    std::mt19937_64 words(7);
    std::vector<std::vector<int>> states(5, std::vector<int>(12));
    const MatrixRef x = rows.write(LayerId{0});
    for (Index r = 0; r < 5; ++r)
      for (Index u = 0; u < 12; ++u) {
        const auto state = static_cast<Index>(words() % (potts ? 3 : 2));
        states[r][u] = static_cast<int>(state);
        if (!potts) x(r, u) = state == 0 ? Real{-1} : Real{1};
        for (Index s = 0; s < 3 && potts; ++s) x(r, 3 * u + s) = s == state ? Real{1} : Real{0};
      }
    const Index numbers = what.names().size();
    std::vector<double> found(5 * numbers);
    what.evaluate(rows, executor, {found.data(), 5, numbers, numbers});
    const Index first = numbers - 4;
    CHECK(what.names()[first] == "correlation_0_1");
    CHECK(what.names()[first + 3] == "correlation_1_2");
    for (Index r = 0; r < 5; ++r)
      for (Index k = 0; k < 4; ++k) {
        const auto [axis, distance] = what.distances()[k];
        const double expected = by_hand(axis, distance, [&](Index one, Index other) {
          const bool same = states[r][one] == states[r][other];
          return same ? 1.0 : potts ? 0.0 : -1.0;
        });
        CHECK(found[r * numbers + first + k] == doctest::Approx(expected).epsilon(1e-14));
      }
  }
}

}  // namespace site_correlations_test
