// A model whose energies are multiplied by beta: what rows lack, and latent means, against free energies and energies at that beta.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/latent_of_seen.hpp>
#include <harmonium/models/stack.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/poisson.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/program/work/model_at_beta.hpp>
#include <harmonium/program/work/seen_means.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace model_at_beta_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr Index columns = 3, num_rows = 3;
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
  for (int k = -8000; k <= 8000; ++k) grid.push_back(k / 200.0);
  for (int k = 0; k <= 100; ++k) counts.push_back(k);
  std::vector<Subject> all;
  all.push_back({make_rbm({.num_visible = columns, .num_hidden = 2}), {0, 1}});
  all.push_back({make_semi_restricted({.num_visible = columns, .num_hidden = 2}), {0, 1}});
  all.push_back({rbm_of(std::make_unique<SpinUnit>()), {-1, 1}});
  all.push_back({rbm_of(std::make_unique<GaussianUnit>()), std::move(grid)});
  all.push_back({rbm_of(std::make_unique<PoissonUnit>()), std::move(counts)});
  for (Subject& subject : all) randomize(*subject.model, 3, 0.5);
  return all;
}

/// Mean and variance of the one number that row r lacks, column r, by its values one by one.
std::pair<double, double> by_values(const Subject& subject, Index r, double beta) {
  const Layout& layout = subject.model->layout();
  Chains rows(layout, subject.values.size());
  const MatrixRef x = rows.write(layout.ids(layout.observed()).front());
  for (Index k = 0; k < x.rows; ++k)
    for (Index c = 0; c < columns; ++c) x(k, c) = static_cast<Real>(c == r ? subject.values[k] : seen);
  std::vector<double> weights = free_energies(*subject.model, rows, beta, executor);  // with the base measure of counts
  const double least = *std::ranges::min_element(weights);
  double total = 0.0, mean = 0.0, variance = 0.0;
  for (double& w : weights) total += w = std::exp(least - w);
  for (Index k = 0; k < weights.size(); ++k) mean += weights[k] / total * subject.values[k];
  for (Index k = 0; k < weights.size(); ++k) variance += weights[k] / total * std::pow(subject.values[k] - mean, 2);
  return {mean, variance};
}

/// E[h | row] of the two hidden bits by their four states, row 0 of all ones.
std::vector<double> hidden_by_states(const EnergyModel& model, double beta) {
  const Layout& layout = model.layout();
  Chains states(layout, 4);
  std::ranges::fill(states.write(layout.find("visible")).all(), Real{1});
  const MatrixRef h = states.write(layout.find("hidden"));
  for (Index k = 0; k < 4; ++k)
    for (Index j = 0; j < 2; ++j) h(k, j) = static_cast<Real>(k >> j & 1);
  std::vector<double> energies(4), means(2, 0.0);
  model.energy(states.real(), energies);
  double total = 0.0;
  for (Index k = 0; k < 4; ++k) {
    const double p = std::exp(-beta * (energies[k] - energies[0]));
    total += p;
    for (Index j = 0; j < 2; ++j) means[j] += (k >> j & 1) != 0 ? p : 0.0;
  }
  for (double& m : means) m /= total;
  return means;
}

}  // namespace

TEST_CASE("what a row lacks, and hidden units, of a model at beta are those of p(x)^beta") {
  std::vector<double> x;
  for (Index r = 0; r < num_rows; ++r)
    for (Index c = 0; c < columns; ++c) x.push_back(c == r ? nan : seen);
  const Dataset data(Table{num_rows, columns, std::move(x), {num_rows, columns}}, "holes", {.missing = Missing::nan});
  for (const double beta : {0.4, 2.5})
    for (const Subject& subject : subjects()) {
      CAPTURE(beta);
      CAPTURE(subject.values.size());
      const Clamp clamp({{"rows", "rows"}}, subject.model->layout(), nullptr, [&](const std::string&) { return data; });
      const std::unique_ptr<EnergyModel> model = model_at_beta(subject.model->copy(), beta);
      SeenMeans sums(*model, clamp, num_rows, {});
      REQUIRE(sums.estimated() == 0);
      sums.want_variances();
      const EstimatedMeans found = sums.of_rows(0, num_rows, {executor, {5, 0}}, [](double) {});
      for (Index r = 0; r < num_rows; ++r) {
        const auto expected = by_values(subject, r, beta), plain = by_values(subject, r, 1.0);
        CHECK(found.means(r, r) == doctest::Approx(expected.first).epsilon(1e-4));
        CHECK(found.variances(r, r) == doctest::Approx(expected.second).epsilon(1e-4));
        CHECK(std::abs(found.variances(r, r) - plain.second) > 1e-3 * plain.second);
      }
      Chains ones(model->layout(), 1);
      std::ranges::fill(ones.write(model->layout().find("visible")).all(), Real{1});
      const Matrix<double> means = latent_means_of_complete(*model, model->layout().find("hidden"), ones, executor);
      const std::vector<double> hidden = hidden_by_states(*subject.model, beta);
      for (Index j = 0; j < 2; ++j) CHECK(means(0, j) == doctest::Approx(hidden[j]).epsilon(1e-5));
    }
}

TEST_CASE("what has no law at a beta, or another one than a model's own, is refused there") {
  std::vector<std::unique_ptr<EnergyModel>> machines;
  machines.push_back(make_rbm({.num_visible = 3, .num_hidden = 2}));
  machines.push_back(make_rbm({.num_visible = 2, .num_hidden = 2}));
  const Stack stack(StackOptions{std::move(machines)});
  CHECK_THROWS_WITH_AS(model_at_beta(stack.copy(), 0.5),
                       "--beta: the law of a stack at another temperature is no stack's. Leave the temperature at 1.",
                       CapabilityError);
  CHECK(model_at_beta(stack.copy(), 1.0) != nullptr);
  CHECK_THROWS_WITH_AS(model_at_beta(rbm_of(std::make_unique<GaussianUnit>()), 0.0),
                       "--beta: at beta = 0 the continuous units of layer 'visible' have no law. Take a beta above 0.",
                       ConfigError);
}

}  // namespace model_at_beta_test
