// Variances of what rows lack: by sums, against an enumeration or a fine grid of the one number that is missing; by chains, against sums.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/levels.hpp>
#include <harmonium/models/units/poisson.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/program/work/seen_means.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace seen_spread_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr Index columns = 3, num_rows = 6;
constexpr double seen = 1.0;  // in the other columns, a value of every kind of unit
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const Executor executor(2);

/// A model, and the values that a unit takes, or where it has no end as many of them as count.
struct Subject {
  std::unique_ptr<LayeredModel> model;
  std::vector<double> values;
};

std::unique_ptr<LayeredModel> rbm_of(std::unique_ptr<UnitType> unit) {
  return make_rbm({.num_visible = columns, .num_hidden = 2, .visible_units = std::move(unit)});
}

std::vector<Subject> subjects() {
  std::vector<double> grid, counts;
  for (int k = -4000; k <= 4000; ++k) grid.push_back(k / 200.0);
  for (int k = 0; k <= 100; ++k) counts.push_back(k);
  std::vector<Subject> all;
  all.push_back({make_rbm({.num_visible = columns, .num_hidden = 2}), {0, 1}});
  all.push_back({make_semi_restricted({.num_visible = columns, .num_hidden = 2}), {0, 1}});
  all.push_back({rbm_of(std::make_unique<SpinUnit>()), {-1, 1}});
  all.push_back({rbm_of(std::make_unique<LevelsUnit>(LevelsUnit::Options{})), {-1, 0, 1}});
  all.push_back({rbm_of(std::make_unique<GaussianUnit>()), std::move(grid)});
  all.push_back({rbm_of(std::make_unique<PoissonUnit>()), std::move(counts)});
  for (Subject& subject : all) randomize(*subject.model, 3, 0.5);
  return all;
}

/// Row r lacks column r % 3 alone.
Dataset rows_with_one_hole() {
  std::vector<double> x;
  for (Index r = 0; r < num_rows; ++r)
    for (Index c = 0; c < columns; ++c) x.push_back(c == r % columns ? nan : seen);
  return Dataset(Table{num_rows, columns, std::move(x), {num_rows, columns}}, "holes", {.missing = Missing::nan});
}

Clamp clamp_of(const Dataset& data, const Layout& layout) {
  return Clamp({{"rows", "rows"}}, layout, nullptr, [&](const std::string&) { return data; });
}

/// Mean and variance of the one number that row r lacks, by its values one by one.
std::pair<double, double> by_values(const Subject& subject, Index r) {
  const Layout& layout = subject.model->layout();
  const LayerId visible = layout.ids(layout.observed()).front();
  Chains rows(layout, subject.values.size());
  const MatrixRef x = rows.write(visible);
  for (Index k = 0; k < x.rows; ++k)
    for (Index c = 0; c < columns; ++c) x(k, c) = static_cast<Real>(c == r % columns ? subject.values[k] : seen);
  std::vector<double> weights = free_energies(*subject.model, rows, 1.0, executor);
  for (double& w : weights) w = -w;  // with the base measure of counts
  const double top = *std::ranges::max_element(weights);
  double total = 0.0, mean = 0.0, variance = 0.0;
  for (double& w : weights) total += w = std::exp(w - top);
  for (Index k = 0; k < weights.size(); ++k) mean += weights[k] / total * subject.values[k];
  for (Index k = 0; k < weights.size(); ++k) variance += weights[k] / total * std::pow(subject.values[k] - mean, 2);
  return {mean, variance};
}

}  // namespace

TEST_CASE("the variance of what a row lacks, by sums, is that of its values one by one") {
  const Dataset data = rows_with_one_hole();
  for (const Subject& subject : subjects()) {
    const Clamp clamp = clamp_of(data, subject.model->layout());
    SeenMeans sums(*subject.model, clamp, num_rows, {});
    REQUIRE(sums.estimated() == 0);
    sums.want_variances();
    const EstimatedMeans found = sums.of_rows(0, num_rows, {executor, {5, 0}}, [](double) {});
    CAPTURE(subject.values.size());
    for (Index r = 0; r < num_rows; ++r)
      for (Index c = 0; c < columns; ++c) {
        if (c != r % columns) {
          CHECK(found.variances(r, c) == 0.0);
          continue;
        }
        const auto expected = by_values(subject, r);
        CHECK(found.means(r, c) == doctest::Approx(expected.first).epsilon(1e-4));
        CHECK(found.variances(r, c) == doctest::Approx(expected.second).epsilon(1e-4));
      }
  }
}

TEST_CASE("the variance of what a row lacks, by chains, is near that of sums") {
  const Dataset data = rows_with_one_hole();
  for (const Subject& subject : subjects()) {
    const Layout& layout = subject.model->layout();
    const Clamp clamp = clamp_of(data, layout);
    SeenMeans sums(*subject.model, clamp, num_rows, {});
    sums.want_variances();
    const EstimatedMeans exact = sums.of_rows(0, num_rows, {executor, {5, 0}}, [](double) {});
    Chains chains(layout, num_rows * 20);
    std::vector<Index> sources(chains.size());
    for (Index k = 0; k < sources.size(); ++k) sources[k] = k / 20;
    Chains rows(layout, num_rows);
    clamp.write(rows, 0, 1);
    const LayerId visible = layout.ids(layout.observed()).front();
    const MatrixRef to = chains.write(visible);
    for (Index k = 0; k < to.rows; ++k) std::copy_n(rows.read(visible).row(sources[k]), columns, to.row(k));
    Gibbs gibbs{GibbsOptions{}};
    const EstimatedMeans found = means_by_chains(
        *subject.model, gibbs, chains, clamp.mask(0, num_rows, 1).of_rows(sources), layout.observed(),
        {.chains_of_row = 20, .warm_up = 50, .steps = 500, .variances = true}, {executor, {7, 0}}, [](double) {});
    CAPTURE(subject.values.size());
    for (Index r = 0; r < num_rows; ++r)
      for (Index c = 0; c < columns; ++c)
        CHECK(std::abs(found.variances(r, c) - exact.variances(r, c)) <= 0.05 * exact.variances(r, c));
  }
}

}  // namespace seen_spread_test
