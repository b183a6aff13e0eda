#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/latent_law.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace latent_law_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

std::vector<std::unique_ptr<LayeredModel>> coupled_machines() {
  std::vector<std::unique_ptr<LayeredModel>> machines;
  machines.push_back(make_deep({.num_visible = 3, .num_hidden = {3, 2}}));
  machines.push_back(make_deep({.num_visible = 3, .num_hidden = {2, 3}, .num_labels = 3}));
  machines.push_back(make_boltzmann_machine({.num_visible = 3, .num_hidden = 4}));
  for (auto& model : machines) randomize(*model, 7, 1.5);
  return machines;
}

/// E[x | observed layers of x] of each column, by sums over all states of the latent layers.
std::vector<double> latent_means(const Oracle& oracle, const Oracle::State& x) {
  std::vector<double> mean(oracle.columns(), 0.0);
  const LayerSet latent = oracle.layout().latent();
  const double log_sum = oracle.log_sum(latent, x);
  oracle.for_each(latent, x, [&](const Oracle::State& s) {
    const double p = std::exp(-oracle.energy(s) - log_sum);
    for (Index c = 0; c < s.size(); ++c) mean[c] += p * s[c];
  });
  return mean;
}

}  // namespace

TEST_CASE("means of coupled latent units are sums over all their states") {
  const Executor one(1), two(2);
  for (const auto& model : coupled_machines()) {
    const Oracle oracle(*model);
    const Layout& layout = model->layout();
    const auto states = oracle.states(layout.observed());
    const Chains rows = oracle.chains(states);
    REQUIRE(offers_enumerated_law(*model));
    const Chains means = enumerated_means(*model, rows, one), again = enumerated_means(*model, rows, two);
    double worst = 0.0;
    for (Index r = 0; r < states.size(); ++r) {
      const std::vector<double> exact = latent_means(oracle, states[r]);
      for (const LayerId l : layout.ids())
        for (Index c = 0; c < layout[l].columns(); ++c) {
          const Real found = means.read(l)(r, c);
          CHECK(found == again.read(l)(r, c));
          worst = std::max(worst, std::abs(static_cast<double>(found) - exact[oracle.first(l) + c]));
        }
    }
    CHECK(worst <= rounding(100, oracle.scale()));
  }
}

TEST_CASE("draws of coupled latent units have their joint law given each row, on any number of threads") {
  const auto model = make_deep({.num_visible = 2, .num_hidden = {2, 2}});
  randomize(*model, 3, 1.5);
  const Oracle oracle(*model);
  const Layout& layout = model->layout();
  const LayerSet latent = layout.latent();
  constexpr Index copies = 4000;
  const auto states = oracle.states(layout.observed());
  std::vector<Oracle::State> all;
  for (Index i = 0; i < copies; ++i) all.insert(all.end(), states.begin(), states.end());
  const Executor one(1), two(2);
  const Chains rows = oracle.chains(all);
  const Chains drawn = enumerated_draws(*model, rows, 0, {one, {11, 0}});
  const Chains again = enumerated_draws(*model, rows, 0, {two, {11, 0}});
  // The rows from 1000 on alone draw the same words.
  const Chains later =
      enumerated_draws(*model, oracle.chains({all.begin() + 1000, all.begin() + 1200}), 1000, {one, {11, 0}});
  for (const LayerId l : layout.ids(latent)) {
    CHECK(std::ranges::equal(drawn.read(l).all(), again.read(l).all()));
    CHECK(std::ranges::equal(later.read(l).all(), drawn.read(l).slice(1000, 1200).all()));
  }
  // 64 frequencies of 4000 draws, of which the smallest expected count is above 10: beyond 5.5 standard deviations once in
  // 100 000 such tests. Units drawn one by one from their means, which loses their coupling, are further away.
  double worst = 0.0;
  for (Index v = 0; v < states.size(); ++v) {
    const double log_sum = oracle.log_sum(latent, states[v]);
    oracle.for_each(latent, states[v], [&](const Oracle::State& s) {
      double count = 0.0;
      for (Index i = 0; i < copies; ++i) {
        bool same = true;
        for (const LayerId l : layout.ids(latent))
          for (Index c = 0; c < layout[l].columns(); ++c)
            same &= static_cast<double>(drawn.read(l)(i * states.size() + v, c)) == s[oracle.first(l) + c];
        count += same ? 1.0 : 0.0;
      }
      const double p = std::exp(-oracle.energy(s) - log_sum);
      worst = std::max(worst, std::abs(count - p * copies) / std::sqrt(std::max(10.0, p * (1 - p) * copies)));
    });
  }
  CHECK(worst < 5.5);
}

TEST_CASE("mean field solves its equations, and is exact only where latent units are not coupled") {
  const Executor executor(2);
  const MeanFieldLimits limits{.tolerance = in_double ? 1e-13 : 1e-6, .max_iterations = 10000};
  for (const auto& model : coupled_machines()) {
    const Oracle oracle(*model);
    const Layout& layout = model->layout();
    const auto states = oracle.states(layout.observed());
    REQUIRE(offers_mean_field(*model));
    double left = 1.0, off = 0.0, wrong = 0.0;
    const Chains means = mean_field_means(*model, oracle.chains(states), limits, executor, &left);
    CHECK(left <= limits.tolerance);
    for (Index r = 0; r < states.size(); ++r) {
      const std::vector<double> exact = latent_means(oracle, states[r]);
      std::vector<double> m(oracle.columns());
      for (const LayerId l : layout.ids())
        for (Index c = 0; c < layout[l].columns(); ++c)
          m[oracle.first(l) + c] = static_cast<double>(means.read(l)(r, c));
      for (const LayerId l : layout.ids(layout.latent()))
        for (Index i = oracle.first(l); i < oracle.first(l) + layout[l].columns(); ++i) {
          double field = oracle.bias[i];
          for (Index j = 0; j < oracle.columns(); ++j) field += oracle.coupling(i, j) * m[j];
          off = std::max(off, std::abs(m[i] - 1.0 / (1.0 + std::exp(-field))));
          wrong = std::max(wrong, std::abs(m[i] - exact[i]));
        }
    }
    CHECK(off <= 100 * limits.tolerance);
    CHECK(wrong > 1e-3);  // or the equations would not have been needed
  }
  const auto rbm = make_rbm({.num_visible = 3, .num_hidden = 4});
  randomize(*rbm, 7, 1.5);
  const Oracle oracle(*rbm);
  const auto states = oracle.states(rbm->layout().observed());
  const Chains means = mean_field_means(*rbm, oracle.chains(states), limits, executor);
  const LayerId hidden = rbm->layout().find("hidden");
  for (Index r = 0; r < states.size(); ++r)
    for (Index c = 0; c < 4; ++c)
      CHECK(std::abs(static_cast<double>(means.read(hidden)(r, c)) -
                     latent_means(oracle, states[r])[oracle.first(hidden) + c]) <= rounding(100, oracle.scale()));
}

TEST_CASE("latent states that are too many are not enumerated") {
  const auto model = make_deep({.num_visible = 3, .num_hidden = {20, 20}});
  CHECK_FALSE(offers_enumerated_law(*model));
  CHECK_THROWS_AS(enumerated_means(*model, Chains(model->layout(), 1), Executor(1)), CapabilityError);
}

}  // namespace latent_law_test
