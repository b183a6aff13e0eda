// Chains from uniform draws as they go, and where draws lie along the leading modes.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <boost/math/distributions/students_t.hpp>
#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/aging.hpp>
#include <harmonium/framework/inference/annealing.hpp>
#include <harmonium/framework/inference/leading_modes.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/in_single.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace aging_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);

Chains exact_draws(const EnergyModel& model, Index num, std::uint64_t seed) {
  Chains chains(model.layout(), num);
  make<Sampler>("type = 'exact'")->advance({.model = model}, chains, 1, {executor, {seed, 5}});
  return chains;
}

/// What chains of `steps` steps from uniform draws come to.
Chains fresh_draws(const EnergyModel& model, Index num, Index steps, std::uint64_t seed) {
  Chains chains(model.layout(), num);
  AnnealingBase::uniform(model).draw(nullptr, {seed, 6}, chains);
  make<Sampler>("type = 'gibbs'")->advance({.model = model}, chains, steps, {executor, {seed, 7}});
  return chains;
}

AgingReport aged(const EnergyModel& model, const Chains& data, std::uint64_t seed, Index steps, Index k) {
  return examine_aging(model, *make<Sampler>("type = 'gibbs'"), data, {.num_steps = steps, .trained_steps = k},
                       {executor, {seed, 8}});
}

/// All couplings alike: two modes, all units 0 or all 1, of which the second has most of the weight. Chains from uniform draws
/// fall into either within a few steps, the mean of a visible unit being 0.59 after three, and find the right shares within
/// hundreds of steps, the mean being 0.90.
std::unique_ptr<LayeredModel> two_sided(double coupling, double tilt) {
  auto model = make_rbm({.num_visible = 8, .num_hidden = 6});
  model->update_parameters([&](std::span<Real> theta) {
    for (const ParameterBlock& b : model->parameter_layout().blocks()) {
      const Index others = b.name == "bias.visible" ? 6 : 8;
      const double value =
          b.role == ParameterRole::coupling ? coupling : tilt - 0.5 * coupling * static_cast<double>(others);
      std::ranges::fill(theta.subspan(b.offset, b.size()), static_cast<Real>(value));
    }
  });
  return model;
}

/// E[x_i x_j] of the visible units, every state of the model visited.
std::vector<double> exact_second_moments(const EnergyModel& model) {
  const Oracle oracle(model);
  const Index size = model.layout()[LayerId{0}].size;
  const double log_z = oracle.log_z();
  std::vector<double> moments(size * size, 0.0);
  oracle.for_each(model.layout().all(), Oracle::State(oracle.columns(), 0.0), [&](const Oracle::State& x) {
    const double p = std::exp(-oracle.energy(x) - log_z);
    for (Index i = 0; i < size; ++i)
      for (Index j = 0; j < size; ++j) moments[i * size + j] += p * x[i] * x[j];
  });
  return moments;
}

}  // namespace

TEST_CASE("the distance of chains from data is that of their laws, without what noise adds") {
  const auto model = random_rbm(6, 4, 3, 0.8), other = random_rbm(6, 4, 4, 0.8);
  const Chains data = exact_draws(*other, 1000, 1);
  const ConstMatrixRef x = data.read(LayerId{0});
  const std::vector<double> exact = exact_second_moments(*model);
  double squares = 0.0;
  for (Index i = 0; i < x.cols; ++i)
    for (Index j = 0; j < x.cols; ++j) {
      double moment = 0.0;
      for (Index r = 0; r < x.rows; ++r) moment += static_cast<double>(x(r, i) * x(r, j)) / static_cast<double>(x.rows);
      squares += std::pow(moment - exact[i * x.cols + j], 2) / static_cast<double>(x.cols * x.cols);
    }
  std::vector<double> found;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const AgingReport report = aged(*model, data, seed, 200, 5);
    CHECK(report.points.back().step == 200);
    found.push_back(report.points.back().distance * report.points.back().distance);
  }
  const auto n = static_cast<double>(found.size());
  const double mean = std::accumulate(found.begin(), found.end(), 0.0) / n;
  double variance = 0.0;
  for (const double d : found) variance += (d - mean) * (d - mean) / (n - 1.0);
  const double error = std::sqrt(variance / n);
  const double far_out = boost::math::quantile(boost::math::complement(boost::math::students_t(n - 1.0), 1e-6));
  CHECK(std::abs(mean - squares) < far_out * error);
  // Power: a distance that is off by a twentieth.
  CHECK(far_out * error < 0.1 * squares);
}

TEST_CASE("a machine that looks like its data after k steps alone is told, and one that follows its law is not" *
          doctest::test_suite("slow")) {
  const auto slow = two_sided(1.1, 0.2);
  Index told = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const AgingReport report = aged(*slow, fresh_draws(*slow, 3000, 3, seed), seed, 1000, 3);
    REQUIRE(report.out_of_equilibrium.has_value());
    told += *report.out_of_equilibrium ? 1 : 0;
    CHECK(report.at_k < report.at_end);
  }
  CHECK(told == 20);

  // False alarms, of data that follow the law: at most 0.1 %. Eight of 1,500 come about in one of 5,000 tests then, and of ten
  // times as many alarms the test would see all but 2 %. How often there is one does not hang on the precision: in single four of
  // 300, which come about in one of 3,700 tests, and a third of the tests would see ten times as many.
  constexpr std::uint64_t seeds = in_single ? 300 : 1500;
  const auto fast = random_rbm(8, 6, 12, 0.7);
  const auto modes = two_sided(0.5, 0.1), uneven = two_sided(0.6, 0.3);
  Index alarms = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const EnergyModel& model = seed % 3 == 0 ? *fast : seed % 3 == 1 ? *modes : *uneven;
    const AgingReport report = aged(model, exact_draws(model, seed % 2 ? 50 : 1000, seed), seed, 128, 3);
    alarms += *report.out_of_equilibrium ? 1 : 0;
  }
  CHECK(alarms < (in_single ? 4 : 8));
  // Of fewer rows the noise is not known well enough.
  CHECK_FALSE(aged(*fast, exact_draws(*fast, 49, 1), 1, 64, 3).out_of_equilibrium.has_value());
  CHECK_THROWS_AS(aged(*fast, exact_draws(*fast, 1, 1), 1, 64, 3), ConfigError);
}

/// `share` of the rows are what chains are after three steps, the others follow the law.
Chains partly_fresh(const EnergyModel& model, Index num, double share, std::uint64_t seed) {
  Chains rows = exact_draws(model, num, seed);
  const auto num_fresh = static_cast<Index>(share * static_cast<double>(num));
  rows.copy_rows(model.layout().all(), fresh_draws(model, num_fresh, 3, seed).real());
  return rows;
}

struct Power {
  double told = 0.0, gain = 0.0,
         told_from = 0.0;  ///< share of cases; means of squared distances beyond that after k steps
};

Power power_at(const EnergyModel& model, double share) {
  constexpr std::uint64_t seeds = 200;
  Power mean;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const AgingReport r = aged(model, partly_fresh(model, 2000, share, seed), seed, 600, 3);
    const double at_k = r.at_k * r.at_k;
    mean.told += (*r.out_of_equilibrium ? 1.0 : 0.0) / static_cast<double>(seeds);
    mean.gain += (r.at_end * r.at_end - at_k) / static_cast<double>(seeds);
    mean.told_from += (r.told_from * r.told_from - at_k) / static_cast<double>(seeds);
  }
  return mean;
}

TEST_CASE("the distance that is told in 19 of 20 cases is" * doctest::test_suite("slow") * doctest::skip(in_single)) {
  const auto slow = two_sided(1.1, 0.2);
  const Power beyond = power_at(*slow, 0.95), half = power_at(*slow, 0.7);
  CHECK(beyond.gain > beyond.told_from);
  CHECK(beyond.gain < 1.1 * beyond.told_from);
  CHECK(half.gain == doctest::Approx(0.5 * half.told_from).epsilon(0.15));
  // Three standard deviations below 190 of 200. One that is told in 19 of 20 cases is not half as far.
  CHECK(beyond.told > 0.904);
  CHECK(half.told < 0.5);
}

TEST_CASE("chains are looked at after powers of four, k steps and the last") {
  const auto model = random_rbm(4, 3, 5);
  const Chains data = exact_draws(*model, 50, 1);
  std::vector<Index> steps;
  for (const AgingPoint& p : aged(*model, data, 1, 100, 10).points) steps.push_back(p.step);
  CHECK(steps == std::vector<Index>{1, 4, 10, 16, 64, 100});
  CHECK_FALSE(aged(*model, data, 1, 100, 100).out_of_equilibrium.has_value());
  CHECK_FALSE(aged(*model, data, 1, 100, 2000).out_of_equilibrium.has_value());
}

TEST_CASE("draws that keep to one side of the leading mode are seen in its cells") {
  const auto model = make_rbm({.num_visible = 4, .num_hidden = 2});
  model->update_parameters([&](std::span<Real> theta) {
    const ParameterLayout& p = model->parameter_layout();
    const ParameterBlock& w = p[p.find("weight.visible.hidden")];
    for (Index i = 0; i < 4; ++i) theta[w.offset + 2 * i] = Real(0.5);  // one mode: the sum of the visible units
  });
  const LayerId v = model->layout().find("visible");
  Chains data(model->layout(), 8), draws(model->layout(), 6);
  for (Index r = 0; r < 8; ++r)
    for (Index c = 0; c < 4; ++c) data.write(v)(r, c) = r % 4 >= c ? Real{1} : Real{0};  // sums 1 to 4, twice each
  for (Index r = 0; r < 6; ++r)
    for (Index c = 0; c < 4; ++c) draws.write(v)(r, c) = r == 0 && c > 0 ? Real{0} : Real{1};  // 1, and 4 five times
  const ModeOccupancy same = mode_occupancy(LeadingModes(*model), model->layout(), data, data),
                      apart = mode_occupancy(LeadingModes(*model), model->layout(), draws, data);
  CHECK(same.num_modes == 1);
  CHECK(same.of_draws == same.of_data);
  std::vector<double> shares = apart.of_draws;
  std::ranges::sort(shares);
  CHECK(shares[0] == doctest::Approx(1.0 / 6.0));
  CHECK(shares[1] == doctest::Approx(5.0 / 6.0));
  std::vector<double> halves = apart.of_data;
  CHECK(halves == std::vector<double>{0.5, 0.5});
  // Where the observed side is the smaller one, too; two samples of one law have the same shares.
  const auto wide = random_rbm(3, 9, 6);
  const Chains data_of_wide = exact_draws(*wide, 4000, 3);
  const auto largest_difference = [&](const Chains& of) {
    const ModeOccupancy cells = mode_occupancy(LeadingModes(*wide), wide->layout(), of, data_of_wide);
    REQUIRE(cells.num_modes == 3);
    double largest = 0.0;
    for (Index c = 0; c < 8; ++c) largest = std::max(largest, std::abs(cells.of_data[c] - cells.of_draws[c]));
    return largest;
  };
  // Five standard deviations of the difference of two shares of a half at most; draws of another machine are further off.
  const double noise = 5.0 * std::sqrt(2.0 * 0.25 / 4000.0);
  CHECK(largest_difference(exact_draws(*wide, 4000, 2)) < noise);
  CHECK(largest_difference(exact_draws(*random_rbm(3, 9, 7), 4000, 2)) > noise);
  const auto nothing = make_rbm({.num_visible = 3, .num_hidden = 2});
  CHECK(mode_occupancy(LeadingModes(*nothing), nothing->layout(), data, data).of_data.empty());
}

}  // namespace aging_test
