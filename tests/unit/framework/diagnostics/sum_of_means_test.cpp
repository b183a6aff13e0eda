#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/diagnostics/sum_of_means.hpp>
#include <harmonium/framework/execution/deal.hpp>

namespace sum_of_means_test {

using namespace harmonium;

TEST_CASE("a sum of means and its error are those computed by hand") {
  // Means 2 and 20; variances 1 and 200, of means 1/3 and 100.
  const std::vector<std::vector<double>> groups{{1, 2, 3}, {10, 30}};
  const WithError found = sum_of_means(groups);
  CHECK(found.value == doctest::Approx(22.0).epsilon(1e-14));
  CHECK(found.error.value() == doctest::Approx(std::sqrt(1.0 / 3.0 + 100.0)).epsilon(1e-14));
  const std::vector<std::vector<double>> alone{{1, 2, 3}, {10}};
  CHECK(sum_of_means(alone).value == doctest::Approx(12.0).epsilon(1e-14));
  CHECK_FALSE(sum_of_means(alone).error);
}

namespace {

constexpr Index num_rows = 60, num_units = 40, num_groups = 10;
constexpr Index rows_of_group = num_rows / num_groups;
constexpr double m = rows_of_group, row_sd = 0.3;

double mean_of(Index unit) { return -static_cast<double>(unit * unit) / 100.0; }
double sd_of(Index unit) { return 0.1 + 0.8 * static_cast<double>(unit) / num_units; }

/// Units' terms of rows, t_ru = mean_u + a_r + sd_u z_ru, where each row takes the units of its group: the estimate of Σ_u mean_u,
/// and three squares of an error.
struct Draw {
  double estimate, stratified, over_rows, of_units_alone;
};

Draw draw_of(std::uint64_t seed) {
  std::mt19937_64 words(seed);
  std::normal_distribution<double> normal;
  const Deal rows(num_rows, num_groups, seed), units(num_units, num_groups, seed + 1'000'000);
  std::vector<std::vector<double>> sums;
  std::vector<double> scaled_sums;
  double of_units = 0.0;
  for (Index g = 0; g < num_groups; ++g) {
    std::vector<std::vector<double>> of_unit(units.group(g).size());
    sums.emplace_back();
    for ([[maybe_unused]] const Index row : rows.group(g)) {
      const double own = row_sd * normal(words);
      double sum = 0.0;
      for (Index i = 0; i < of_unit.size(); ++i) {
        const Index u = units.group(g)[i];
        of_unit[i].push_back(mean_of(u) + own + sd_of(u) * normal(words));
        sum += of_unit[i].back();
      }
      sums.back().push_back(sum);
      scaled_sums.push_back(num_groups * sum);
    }
    for (const std::vector<double>& terms : of_unit) of_units += std::pow(*error_over_rows(terms), 2);
  }
  const WithError found = sum_of_means(sums);
  return {found.value, std::pow(found.error.value(), 2), std::pow(*error_over_rows(scaled_sums), 2), of_units};
}

}  // namespace

TEST_CASE("the error of a sum of means covers the truth where units differ strongly, and other errors do not") {
  constexpr int num = 4000;
  // Of each group m rows with 4 units: variance Σ_g (16 row_sd² + Σ_u sd_u²) / m.
  double truth = 0.0, variance = num_groups * 16.0 * row_sd * row_sd / m;
  for (Index u = 0; u < num_units; ++u) {
    truth += mean_of(u);
    variance += sd_of(u) * sd_of(u) / m;
  }
  double sum = 0.0, squares = 0.0, covered = 0.0, covered_by_units = 0.0;
  double stratified = 0.0, stratified_squares = 0.0, over_rows = 0.0, of_units = 0.0;
  for (int k = 0; k < num; ++k) {
    const Draw d = draw_of(static_cast<std::uint64_t>(k));
    sum += (d.estimate - truth) / num;
    squares += std::pow(d.estimate - truth, 2) / num;
    covered += std::abs(d.estimate - truth) < 1.96 * std::sqrt(d.stratified) ? 1.0 / num : 0.0;
    covered_by_units += std::abs(d.estimate - truth) < 1.96 * std::sqrt(d.of_units_alone) ? 1.0 / num : 0.0;
    stratified += d.stratified / num;
    stratified_squares += d.stratified * d.stratified / num;
    over_rows += d.over_rows / num;
    of_units += d.of_units_alone / num;
  }
  // Six errors of a mean of 4,000 each, passed with probability 2e-9.
  CHECK(std::abs(sum) < 6.0 * std::sqrt(variance / num));
  CHECK(std::abs(squares - variance) < 6.0 * variance * std::sqrt(2.0 / num));
  CHECK(std::abs(stratified - variance) < 6.0 * std::sqrt((stratified_squares - stratified * stratified) / num));
  // The error has between 30 and 50 degrees of freedom: Student's law holds between 94.06 and 95 % within 1.96, and the frequency
  // has an error of 0.37 %.
  CHECK(covered > 0.9406 - 4.0 * 0.0037);
  CHECK(covered < 0.95 + 4.0 * 0.0037);
  // Not knowing of the groups counts how units differ. Each unit's variance by itself forgets that a row's terms go together.
  CHECK(over_rows > 4.0 * variance);
  CHECK(of_units < 0.8 * variance);
  CHECK(covered_by_units < 0.9406 - 4.0 * 0.0037);
}

}  // namespace sum_of_means_test
