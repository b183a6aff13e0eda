// What the errors of a Potts model have of its gauge: directions, moments along them, and what rows never have.
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "lattice_gas.hpp"

namespace zero_sum_gauge_test {

using namespace harmonium;
using namespace harmonium::testing;
using namespace harmonium::testing::lattice_gas;

TEST_CASE("moments along the directions of the gauge are those by the gradients of the estimator") {
  const auto model = potts();
  set(*model, zero_sum_of(truth()));
  const Dataset data = rows_of(drawn(law(truth()), 300, 7));
  const std::vector<Places> numbers = own_numbers(*model);
  const std::vector<Direction> directions = zero_sum_directions(*model, numbers);
  REQUIRE(directions.size() == own);
  for (Index a = 0; a < own; ++a)
    for (Index b = 0; b < own; ++b) {
      double product = 0.0;
      for (const auto& [k, x] : directions[a])
        for (const auto& [l, y] : directions[b]) product += k == l ? x * y : 0.0;
      CHECK(std::abs(product - (a == b ? 1.0 : 0.0)) < 1e-14);
    }
  const auto pairwise = PairwiseMoments::of(*model, numbers);
  REQUIRE(pairwise);
  Value unused;
  const auto estimator =
      builtin_registries().make<GradientEstimator>(make_table({{"type", make_value("pseudo_likelihood")}}), unused);
  const Executor executor(2);
  const Execution execution{executor, {1, 0}};
  GradientsOfParts gradients(*model, *estimator, Objective::own, 1, execution);
  gradients.begin(data, {});
  const RowMoments found =
      (*pairwise)(WholeData(data, model->layout()).rows().read(model->layout().id(0)), false, execution);
  const RowMoments other = moments_by_estimator(*model, gradients, data, numbers, directions, false, execution);
  const double rounding = in_double ? 1e-9 : 1e-5;
  const Matrix<double> covariance = along(directions, found.covariance), curvature = along(directions, found.curvature);
  for (Index a = 0; a < own; ++a)
    for (Index b = 0; b < own; ++b) {
      CHECK(std::abs(covariance(a, b) - other.covariance(a, b)) < rounding);
      // Differences, of steps of 1e-6 and 1e-2, know it to a few of these.
      CHECK(std::abs(curvature(a, b) - other.curvature(a, b)) < 1e4 * rounding);
    }
}

TEST_CASE("a gauge is told from what rows never have, and that is named") {
  const auto model = potts();
  set(*model, zero_sum_of(truth()));
  std::vector<Index> counts = drawn(law(truth()), 1000, 1);
  CHECK_THROWS_WITH_AS(errors_of(*model, rows_of(counts), "pseudo_likelihood", false),
                       doctest::Contains("Add --gauge zero_sum for the errors"), CapabilityError);
  // Two states that are never together: of the pseudo likelihood there is a remark, of the likelihood nothing is left to invert.
  for (Index s = 0; s < num_states; ++s)
    if (state_of(s)[0] == 1 && state_of(s)[2] == 2) counts[s] = 0;
  const ParameterErrors apart = errors_of(*model, rows_of(counts), "pseudo_likelihood");
  REQUIRE(apart.endless.size() == 1);
  CHECK(apart.endless[0] == "'visible[0]=1' and 'visible[2]=2'");
  CHECK_THROWS_WITH_AS(errors_of(*model, rows_of(counts), "exact"),
                       doctest::Contains("never together are 'visible[0]=1' and 'visible[2]=2'"), NumericalError);
  for (Index s = 0; s < num_states; ++s)
    if (state_of(s)[0] == 1) counts[s] = 0;
  for (const char* estimator : {"pseudo_likelihood", "exact"})
    CHECK_THROWS_WITH_AS(
        errors_of(*model, rows_of(counts), estimator),
        "--errors: 'visible[0]=1' is in no row: the rows do not tell such a parameter, whose optimum is "
        "not finite. Leave the column out of the model, or make its rare states one.",
        NumericalError);
}

}  // namespace zero_sum_gauge_test
