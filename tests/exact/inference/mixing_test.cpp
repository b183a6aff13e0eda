// Verdicts on mixing, where it is known whether chains mix.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/enumeration.hpp>
#include <harmonium/framework/inference/mixing.hpp>
#include <harmonium/framework/inference/observables.hpp>
#include <harmonium/models/layered.hpp>
#include <harmonium/models/terms/lattice.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/spins.hpp>

namespace mixing_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);

MixingReport examined(const EnergyModel& model, const char* sampler, Index steps, std::uint64_t seed,
                      const Chains* data = nullptr) {
  const auto made = make<Sampler>(std::string("type = '") + sampler + "'");
  return examine_mixing(model, *made, data, {.num_steps = steps}, {executor, {seed, 5}});
}

/// Spins on the L × L torus, E = −w Σ s s over the edges of the term `lattice`.
std::unique_ptr<LayeredModel> torus(Index side, Real w) {
  const auto length = static_cast<double>(side);
  EnergyTerms terms;
  terms.push_back(std::make_unique<LatticeTerm>(
      LatticeTerm::Options{.layer = "v", .shape = {length, length}, .open_axes = {}, .offsets = {}, .uniform = true}));
  const std::vector<Layer> layers{{"v", side * side, std::make_shared<SpinUnit>(), Role::observed}};
  auto model = std::make_unique<LayeredModel>(layers, with_unit_terms(layers, std::move(terms), {}));
  model->update_parameters([&](std::span<Real> theta) {
    for (const ParameterBlock& b : model->parameter_layout().blocks())
      if (b.role == ParameterRole::edges) std::ranges::fill(theta.subspan(b.offset, b.size()), w);
  });
  return model;
}
std::unique_ptr<LayeredModel> antiferromagnet(Index side) { return torus(side, Real(-1)); }

/// The same energy, of a matrix of all pairs.
std::unique_ptr<LayeredModel> dense_torus(Index side, Real w) {
  auto model = random_model({{observed("v", side * side, std::make_shared<SpinUnit>())}, {{0, 0}}, {}}, 1);
  const ParameterLayout& layout = model->parameter_layout();
  model->update_parameters([&](std::span<Real> theta) {
    std::ranges::fill(theta, Real(0));
    for (const ParameterBlock& b : layout.blocks())
      for (Index i = 0; b.role == ParameterRole::coupling && i < side * side; ++i)
        for (const Index j : {i / side * side + (i + 1) % side, (i + side) % (side * side)})
          theta[b.offset + i * side * side + j] = theta[b.offset + j * side * side + i] = w;
  });
  return model;
}

}  // namespace

TEST_CASE("exact draws are called unmixed in one of two hundred cases at most") {
  // 100 machines, 5 seeds. The level is a thousandth over all numbers of a machine, by Bonferroni, so that 3 of 500 or more would be met
  // once in 70 times; at the level of half a percent that would be in 46 of 100.
  int alarms = 0;
  for (std::uint64_t n = 0; n < 100; ++n) {
    const auto model = random_rbm(6 + n % 5, 4, n + 1, 1.0);
    for (std::uint64_t seed = 0; seed < 5; ++seed) alarms += examined(*model, "exact", 200, seed).mixed ? 0 : 1;
  }
  INFO(alarms, " false alarms of 500");
  CHECK(alarms <= 2);
}

TEST_CASE("chains that sit in one of two modes are called unmixed, in every seed, and tempering helps") {
  const auto model = uniform_rbm(100, 100, 0.06, -2.99, -3.0);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const MixingReport found = examined(*model, "gibbs", 1000, seed);
    CHECK_FALSE(found.mixed);
    CHECK(found.why.size() >= 1);
  }
  // 20 and 20 units: the modes are there as well, and the exact law is known.
  const auto small = uniform_rbm(20, 20, 0.5, -5.0, -5.0);
  CHECK_FALSE(examined(*small, "gibbs", 2000, 1).mixed);
}

TEST_CASE("chains of an antiferromagnet that keep to a sublattice order are called unmixed, and hot ones mixed") {
  // The sum of the spins is near 0 in either order, and the energy the same. At beta = 1 one turns into the other in 10^16 sweeps or so.
  const auto model = antiferromagnet(8);
  const auto at = [&](double beta, std::uint64_t seed) {
    const auto sampler = make<Sampler>("type = 'gibbs'");
    return examine_mixing(*model, *sampler, nullptr, {.num_steps = 1000, .beta = beta}, {executor, {seed, 5}});
  };
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    CAPTURE(seed);
    CHECK_FALSE(at(1.0, seed).mixed);
    CHECK(at(0.1, seed).mixed);
  }
}

TEST_CASE("the steps that are wanted of a series that is only too short are enough, and of none else are any wanted") {
  // The order of the sublattices forgets itself in some ten steps at beta = 0.3: 400 used ones show that, and are not 50 times that.
  const auto model = antiferromagnet(8);
  const auto at = [&](double beta, Index steps) {
    const auto sampler = make<Sampler>("type = 'gibbs'");
    return examine_mixing(*model, *sampler, nullptr, {.num_steps = steps, .beta = beta}, {executor, {1, 5}});
  };
  const MixingReport brief = at(0.3, 800);
  CHECK(brief.too_short);
  CHECK(brief.only_length);
  REQUIRE(brief.steps_wanted());
  CHECK(*brief.steps_wanted() == doctest::Approx(2.0 * 1.25 * 50.0 * brief.slowest().time()));
  const MixingReport enough = at(0.3, static_cast<Index>(std::ceil(*brief.steps_wanted())));
  CHECK(enough.mixed);
  CHECK_FALSE(enough.steps_wanted());
  // 100 used steps do not show the time, though the starts do not differ; of chains that keep to an order it is not known at all.
  const MixingReport briefer = at(0.3, 200);
  CHECK(briefer.too_short);
  CHECK_FALSE(briefer.steps_wanted());
  CHECK_FALSE(briefer.shows_times());
  const MixingReport stuck = at(1.0, 800);
  CHECK(kept_apart(stuck.slowest(), 0.001));
  CHECK_FALSE(stuck.too_short);
  CHECK_FALSE(stuck.steps_wanted());
}

TEST_CASE("a large R-hat alone says nothing against chains, nor do halves that are alike by chance") {
  constexpr double level = 0.001;
  ObservableMixing number{.name = "energy", .r_hat = 1.7, .equal_means = 0.3, .forgotten_halves = 0.02};
  CHECK_FALSE(kept_apart(number, level));
  number.forgotten_halves = 0.0004;
  CHECK(kept_apart(number, level));
  number.r_hat = 1.2;  // slow, and on its way
  CHECK_FALSE(kept_apart(number, level));
  number.equal_means = 0.0004;
  CHECK(kept_apart(number, level));
}

TEST_CASE("the modes of listed pairs are those of the matrix of their couplings") {
  const auto model = antiferromagnet(4);
  const LeadingModes modes(*model);
  // Of the 4 × 4 torus the eigenvalues are 2 cos a + 2 cos b: 4, −4, and four times 2 and −2.
  REQUIRE(modes.singular_values.size() == 10);
  for (Index k = 0; k < 10; ++k) CHECK(modes.singular_values[k] == doctest::Approx(k < 2 ? 4.0 : 2.0).epsilon(1e-6));
}

TEST_CASE(
    "of couplings within a layer modes are eigenvectors, of two as strong that to the positive eigenvalue first") {
  // The eigenvalue of the 4 × 4 torus is 4 w of the uniform vector, and −4 w of that which changes sign from site to site.
  const auto along = [](const LeadingModes& modes, Index mode, double other) {
    double sum = 0.0;
    for (Index i = 0; i < 16; ++i) sum += ((i / 4 + i % 4) % 2 == 0 ? 0.25 : 0.25 * other) * modes.of_smaller(i, mode);
    return std::abs(sum);
  };
  for (const double w : {1.0, -1.0}) {
    CAPTURE(w);
    for (const auto& model : {torus(4, static_cast<Real>(w)), dense_torus(4, static_cast<Real>(w))}) {
      const LeadingModes modes(*model);
      CAPTURE(modes.coupling);
      CHECK(modes.singular_values[0] == doctest::Approx(4.0));
      CHECK(modes.singular_values[1] == doctest::Approx(4.0));
      CHECK(modes.singular_values[2] == doctest::Approx(2.0));
      CHECK(along(modes, 0, w) == doctest::Approx(1.0).epsilon(1e-9));
      CHECK(along(modes, 1, -w) == doctest::Approx(1.0).epsilon(1e-9));
    }
  }
}

TEST_CASE("a stronger mode comes first, whatever the sign of its eigenvalue") {
  // On a ring of five that dislikes to be alike: w 2 cos(2πk/5) are −2 and twice each 1.618 and −0.618.
  auto model = random_model({{observed("v", 5, std::make_shared<SpinUnit>())}, {{0, 0}}, {}}, 1);
  model->update_parameters([&](std::span<Real> theta) {
    std::ranges::fill(theta, Real(0));
    for (const ParameterBlock& b : model->parameter_layout().blocks())
      for (Index i = 0; b.role == ParameterRole::coupling && i < 5; ++i)
        theta[b.offset + i * 5 + (i + 1) % 5] = theta[b.offset + (i + 1) % 5 * 5 + i] = Real(-1);
  });
  const LeadingModes modes(*model);
  const double golden = 0.5 * (1.0 + std::sqrt(5.0));
  const std::vector<double> exact{2.0, golden, golden, golden - 1.0, golden - 1.0};
  REQUIRE(modes.singular_values.size() == 5);
  for (Index k = 0; k < 5; ++k) CHECK(modes.singular_values[k] == doctest::Approx(exact[k]));
  double uniform = 0.0;
  for (Index i = 0; i < 5; ++i) uniform += modes.of_smaller(i, 0) / std::sqrt(5.0);
  CHECK(std::abs(uniform) == doctest::Approx(1.0));
}

TEST_CASE("means and errors of chains that mix are those of the law") {
  const auto model = random_rbm(8, 5, 3, 0.7);
  const MixingReport found = examined(*model, "gibbs", 4000, 2);
  CAPTURE(found.why.empty() ? std::string() : found.why[0]);
  CHECK(found.mixed);
  CHECK(found.num_chains == 24);
  CHECK(found.starts.size() == 3);
  // The mean energy is −d log Z / dβ.
  const Enumeration all(*model, {}, 20);
  const double step = 1e-4;
  const double exact =
      -(all.log_sum(1.0 + step, nullptr, executor) - all.log_sum(1.0 - step, nullptr, executor)) / (2.0 * step);
  CHECK(found.observables[0].name == "energy");
  // Six errors, each right to a quarter.
  CHECK(std::abs(found.observables[0].mean - exact) < 6.0 * 1.25 * found.observables[0].error + 1e-3);
  CHECK(found.observables[0].error < 0.05);
  CHECK(found.effective_sample_size() > 1000.0);
}

TEST_CASE("observables are what their names say") {
  auto model = make_rbm({.num_visible = 3, .num_hidden = 2});
  randomize(*model, 4);
  const Observables observables(*model, LeadingModes(*model));
  CHECK(observables.names() == std::vector<std::string>{"energy", "sum of visible", "sum of hidden",
                                                        "mode 1 of weight.visible.hidden",
                                                        "mode 2 of weight.visible.hidden"});
  Chains rows(model->layout(), 2);
  const LayerId v = model->layout().find("visible"), h = model->layout().find("hidden");
  for (const Index c : {Index{0}, Index{2}}) rows.write(v)(1, c) = 1;
  rows.write(h)(1, 1) = 1;
  std::vector<double> out(10), energies(2);
  observables.evaluate(rows, executor, {out.data(), 2, 5, 5});
  model->energy(rows.real(), energies);
  CHECK(out[0] == energies[0]);
  CHECK(out[5] == energies[1]);
  CHECK(out[6] == 2.0);
  CHECK(out[7] == 1.0);
  // Two hidden units, two orthogonal modes of length 1: the squares of the projections are those of the row.
  CHECK(out[8] * out[8] + out[9] * out[9] == doctest::Approx(1.0).epsilon(1e-6));
  CHECK(out[3] == 0.0);
}

TEST_CASE("of categorical units the mean number of their states is looked at, which tells any two labels apart") {
  const auto three = std::make_shared<ThreeWayUnit>();
  const auto model = random_model(
      {{observed("label", 1, three), observed("site", 2, three), latent("h", 2)}, {{0, 2}, {1, 2}}, {}}, 4);
  const Observables observables(*model, LeadingModes(*model));
  const std::vector<std::string>& names = observables.names();
  REQUIRE(names.size() >= 4);
  CHECK(std::vector<std::string>(names.begin(), names.begin() + 4) ==
        std::vector<std::string>{"energy", "mean state of label", "mean state of site", "sum of h"});
  Chains rows(model->layout(), 9);  // the label in its states, with the sites in states s and t
  for (Index r = 0; r < 9; ++r) {
    const Index s = r / 3, t = r % 3;
    rows.write(LayerId{0})(r, s) = 1;
    rows.write(LayerId{1})(r, s) = 1;
    rows.write(LayerId{1})(r, 3 + t) = 1;
  }
  std::vector<double> out(9 * names.size());
  observables.evaluate(rows, executor, {out.data(), 9, names.size(), names.size()});
  for (Index r = 0; r < 9; ++r) {
    const Index s = r / 3, t = r % 3;
    CHECK(out[r * names.size() + 1] == static_cast<double>(s));
    CHECK(out[r * names.size() + 2] == 0.5 * static_cast<double>(s + t));
    CHECK(out[r * names.size() + 3] == 0.0);
  }
}

}  // namespace mixing_test
