// Means of what rows lack: sums against chains, of rows of which both can be had.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/latent_of_seen.hpp>
#include <harmonium/framework/inference/rows_with_holes.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/program/work/seen_means.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace seen_means_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr double no_sums = 0.0;
constexpr Index columns = 7, num_rows = 24;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Rows of bits, each of which lacks all but two columns and has no class; the first lacks one column alone.
Dataset holed_rows() {
  std::vector<double> x(num_rows * columns, nan);
  for (Index r = 0; r < num_rows; ++r)
    for (const Index c : {r % columns, (r + 2) % columns}) x[r * columns + c] = static_cast<double>((r + c) % 2);
  x[0] = nan;
  std::fill_n(x.begin() + 1, columns - 1, 1.0);
  Table table{num_rows, columns, std::move(x), {num_rows, columns}};
  return Dataset(std::move(table), "holes", {.missing = Missing::nan});
}

Clamp clamp_of(const Dataset& data, const Layout& layout) {
  return Clamp({{"rows", "rows"}}, layout, nullptr, [&](const std::string&) { return data; });
}

EstimatedMeans all_rows(SeenMeans& means, int threads) {
  const Executor executor(threads);
  return means.of_rows(0, num_rows, {executor, {5, 0}}, [](double) {});
}

/// By chains alone, but for rows of few ways.
EstimatedMeans by_chains(const EnergyModel& model, const Clamp& clamp, std::optional<LayerId> classes,
                         const ChainAverage& average, int threads = 2) {
  SeenMeans means(model, clamp, num_rows, classes, no_sums);
  means.take(std::make_unique<Gibbs>(GibbsOptions{}), average);
  return all_rows(means, threads);
}

/// The largest distance in standard errors, over the numbers that are estimated. Chains that met one state alone have an error of
/// nothing, where that of others has a probability up to 10^-3.
double furthest(const EstimatedMeans& estimated, const Matrix<double>& exact) {
  double worst = 0.0;
  for (Index r = 0; r < exact.shape(0); ++r)
    for (Index c = 0; c < exact.shape(1); ++c)
      if (const double error = estimated.errors(r, c); error > 0.0)
        worst = std::max(worst, std::abs(estimated.means(r, c) - exact(r, c)) / std::max(error, 1e-3));
  return worst;
}

/// Whether numbers without an error are the exact ones, all bits alike but for Real.
bool same_where_exact(const EstimatedMeans& estimated, const Matrix<double>& exact) {
  bool same = true;
  for (Index r = 0; r < exact.shape(0); ++r)
    for (Index c = 0; c < exact.shape(1); ++c)
      if (estimated.errors(r, c) == 0.0) same &= std::abs(estimated.means(r, c) - exact(r, c)) <= rounding(100);
  return same;
}

double largest(const Matrix<double>& numbers) { return *std::max_element(numbers.begin(), numbers.end()); }

// Some 170 numbers, each (m - mu) / (s / sqrt n) of n = 24 chains, Student's t of 23 degrees of freedom: one is beyond 7 in less than
// one of 10^3 such tests.
constexpr ChainAverage average{.chains_of_row = 24, .warm_up = 50, .steps = 200};
constexpr double most_errors = 7.0;

}  // namespace

TEST_CASE("chains find what sums find of what rows lack, classes among it, within their errors") {
  std::vector<std::unique_ptr<LayeredModel>> machines;
  machines.push_back(make_rbm({.num_visible = columns, .num_hidden = 4, .num_labels = 3}));
  machines.push_back(make_deep({.num_visible = columns, .num_hidden = {3, 2}}));
  machines.push_back(make_semi_restricted({.num_visible = columns, .num_hidden = 3}));
  const Dataset data = holed_rows();
  for (const auto& model : machines) {
    randomize(*model, 3, 1.5);
    const Layout& layout = model->layout();
    const Clamp clamp = clamp_of(data, layout);
    SeenMeans sums(*model, clamp, num_rows, {});
    CHECK(sums.with_holes() == num_rows);
    CHECK(sums.estimated() == 0);
    const EstimatedMeans exact = all_rows(sums, 2);
    CHECK(largest(exact.errors) == 0.0);
    Chains rows(layout, num_rows);
    clamp.write(rows, 0, 1);
    CHECK(exact.means == means_of_seen(*model, rows, clamp.mask(0, num_rows, 1), Executor(1)));

    SeenMeans chains(*model, clamp, num_rows, {}, no_sums);
    CHECK(chains.estimated() == num_rows - 1);  // the first row is filled in in 2 ways, or 6 with its class
    const EstimatedMeans estimated = by_chains(*model, clamp, {}, average);
    CHECK(furthest(estimated, exact.means) < most_errors);
    CHECK(same_where_exact(estimated, exact.means));
    for (Index c = 0; c < columns; ++c) CHECK(estimated.errors(0, c) == 0.0);
    CHECK(largest(estimated.errors) > 1e-4);
    CHECK(largest(estimated.errors) < 0.1);

    // Chains that forgot what was seen of rows would have the means of the model.
    HeldMask nothing;
    Chains free(layout, num_rows);
    const Matrix<double> forgotten = means_of_seen(*model, free, nothing, Executor(1));
    CHECK(furthest(estimated, forgotten) > 2.0 * most_errors);
  }
}

TEST_CASE("chains find what sums find of latent units given what was seen, within their errors") {
  std::vector<std::unique_ptr<LayeredModel>> machines;
  machines.push_back(make_rbm({.num_visible = columns, .num_hidden = 4, .num_labels = 3}));
  machines.push_back(make_deep({.num_visible = columns, .num_hidden = {3, 2}}));
  const Dataset data = holed_rows();
  for (const auto& model : machines) {
    randomize(*model, 3, 1.5);
    const Layout& layout = model->layout();
    const Clamp clamp = clamp_of(data, layout);
    Chains rows(layout, num_rows);
    clamp.write(rows, 0, 1);
    for (const LayerId l : layout.ids(layout.latent())) {
      SeenMeans sums(*model, clamp, num_rows, l);
      CHECK(sums.with_holes() == num_rows);
      CHECK(sums.estimated() == 0);
      const EstimatedMeans exact = all_rows(sums, 2);
      CHECK(largest(exact.errors) == 0.0);
      REQUIRE(exact.means.shape(1) == layout[l].columns());
      CHECK(exact.means == latent_means_of_seen(*model, l, rows, clamp.mask(0, num_rows, 1), Executor(1)));
      const EstimatedMeans estimated = by_chains(*model, clamp, l, average);
      CHECK(furthest(estimated, exact.means) < most_errors);
      CHECK(same_where_exact(estimated, exact.means));
      CHECK(estimated.errors(0, 0) == 0.0);  // its holes are filled in in few ways
      CHECK(largest(estimated.errors) > 1e-4);
      CHECK(largest(estimated.errors) < 0.1);
      const Matrix<double> forgotten = latent_means_of_seen(*model, l, Chains(layout, num_rows), {}, Executor(1));
      CHECK(furthest(estimated, forgotten) > 2.0 * most_errors);
    }
  }
}

TEST_CASE("the estimates of rows are the same on any number of threads, and others by another seed") {
  const auto model = make_rbm({.num_visible = columns, .num_hidden = 4, .num_labels = 3});
  randomize(*model, 3, 0.7);
  const Dataset data = holed_rows();
  const Clamp clamp = clamp_of(data, model->layout());
  const ChainAverage few{.chains_of_row = 3, .warm_up = 2, .steps = 10};
  const EstimatedMeans one = by_chains(*model, clamp, {}, few, 1), three = by_chains(*model, clamp, {}, few, 3);
  CHECK(one.means == three.means);
  CHECK(one.errors == three.errors);
  SeenMeans other(*model, clamp, num_rows, {}, no_sums);
  other.take(std::make_unique<Gibbs>(GibbsOptions{}), few);
  const Executor executor(1);
  CHECK(other.of_rows(0, num_rows, {executor, {6, 0}}, [](double) {}).means != one.means);
}

TEST_CASE("after each transition of the chains it is told how far they are, so that the time left is known early") {
  const auto model = make_rbm({.num_visible = columns, .num_hidden = 4});
  randomize(*model, 3, 0.7);
  const Dataset data = holed_rows();
  const Clamp clamp = clamp_of(data, model->layout());
  SeenMeans means(*model, clamp, num_rows, {}, no_sums);
  means.take(std::make_unique<Gibbs>(GibbsOptions{}), {.chains_of_row = 2, .warm_up = 1, .steps = 3});
  REQUIRE(means.estimated() == num_rows - 1);
  std::vector<double> told;
  const Executor executor(1);
  means.of_rows(0, num_rows, {executor, {5, 0}}, [&](double rows) { told.push_back(rows); });
  CHECK(told == std::vector<double>{1.0, 6.75, 12.5, 18.25, 24.0, 24.0});
}

TEST_CASE("the class of a row that lacks too much is that of its completion, and sums to one") {
  const auto model = make_rbm({.num_visible = columns, .num_hidden = 4, .num_labels = 3});
  randomize(*model, 4, 0.7);
  const Dataset data = holed_rows();
  const Layout& layout = model->layout();
  const Clamp clamp = clamp_of(data, layout);
  SeenMeans sums(*model, clamp, num_rows, layout.find(label_layer));
  const EstimatedMeans exact = all_rows(sums, 2),
                       estimated = by_chains(*model, clamp, layout.find(label_layer), average);
  REQUIRE(exact.means.shape(1) == 3);
  CHECK(furthest(estimated, exact.means) < most_errors);
  SeenMeans all(*model, clamp, num_rows, {});
  const EstimatedMeans completed = all_rows(all, 2);
  for (Index r = 0; r < num_rows; ++r) {
    double sum = 0.0;
    for (Index k = 0; k < 3; ++k) {
      sum += estimated.means(r, k);
      CHECK(std::abs(exact.means(r, k) - completed.means(r, *label_place(layout) + k)) <=
            rounding(100, size_of_parameters(*model)));
    }
    CHECK(std::abs(sum - 1.0) <= rounding(1000));
  }
}

TEST_CASE("real numbers that rows lack are found by chains where latent states are too many to be added up") {
  // Of one latent unit and of 20 more that are coupled to nothing: sums over two states, and none over 2^21.
  const auto small =
                 make_rbm({.num_visible = columns, .num_hidden = 1, .visible_units = std::make_unique<GaussianUnit>()}),
             large = make_rbm(
                 {.num_visible = columns, .num_hidden = 21, .visible_units = std::make_unique<GaussianUnit>()});
  randomize(*small, 8, 0.8);
  const auto tensor = [](const LayeredModel& m, std::span<const Real> theta, const char* name) {
    return m.parameter_layout().view(m.parameter_layout().find(name), theta.data());
  };
  large->update_parameters([&](std::span<Real> theta) {
    std::ranges::fill(theta, Real{0});
    const ParameterLayout& p = large->parameter_layout();
    for (const char* name : {"bias.visible", "log_precision.visible", "weight.visible.hidden", "bias.hidden"}) {
      const ConstMatrixRef from = tensor(*small, small->parameters(), name);
      const MatrixRef to = p.view(p.find(name), theta.data());
      for (Index i = 0; i < from.rows; ++i)
        for (Index j = 0; j < from.cols; ++j) to(i, j) = from(i, j);
    }
  });
  const Dataset data = holed_rows();
  const Clamp of_small = clamp_of(data, small->layout()), of_large = clamp_of(data, large->layout());
  SeenMeans sums(*small, of_small, num_rows, {});
  CHECK(sums.estimated() == 0);
  const EstimatedMeans exact = all_rows(sums, 1), estimated = by_chains(*large, of_large, {}, average);
  SeenMeans unasked(*large, of_large, num_rows, {});
  CHECK(unasked.estimated() == num_rows);
  CHECK(furthest(estimated, exact.means) < most_errors);
}

}  // namespace seen_means_test
