#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/estimators/gradients/contrastive.hpp>
#include <harmonium/estimators/phases/exact_phase.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/elimination.hpp>
#include <harmonium/framework/model/moments.hpp>
#include <harmonium/models/lattice_edges.hpp>
#include <harmonium/models/layered.hpp>
#include <harmonium/models/terms/lattice.hpp>
#include <harmonium/models/units/binary.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/models/units/gamma.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/lattices.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace lattice_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);

LatticeTerm::Options lattice(std::vector<double> shape, std::vector<double> open = {}, bool uniform = false,
                             std::vector<std::string> offsets = {}) {
  return {.layer = "v",
          .shape = std::move(shape),
          .open_axes = std::move(open),
          .offsets = std::move(offsets),
          .uniform = uniform};
}

std::unique_ptr<LayeredModel> model_of(const LatticeTerm::Options& options, Index units,
                                       const std::shared_ptr<const UnitType>& unit) {
  EnergyTerms terms;
  terms.push_back(std::make_unique<LatticeTerm>(options));
  const std::vector<Layer> layers{{"v", units, unit, Role::observed}};
  return std::make_unique<LayeredModel>(layers, with_unit_terms(layers, std::move(terms), {}));
}

std::span<const Real> weights_of(const EnergyModel& model) {
  return model.parameters().subspan(edges_block(model).offset, edges_block(model).size());
}

void set_weights(EnergyModel& model, double weight) {
  const ParameterBlock& edges = edges_block(model);
  model.update_parameters([&](std::span<Real> theta) {
    std::ranges::fill(theta.subspan(edges.offset, edges.size()), static_cast<Real>(weight));
  });
}

/// log Z of the Ising model E = −Σ s s at coupling K on a torus of m × n sites (Kaufman 1949, equation 84).
double kaufman(Index m, Index n, double coupling) {
  const auto gamma = [&](Index r) {
    if (r == 0) return 2.0 * coupling + std::log(std::tanh(coupling));
    const double c = std::cosh(2.0 * coupling) / std::tanh(2.0 * coupling) -
                     std::cos(M_PI * static_cast<double>(r) / static_cast<double>(n));
    return std::acosh(c);
  };
  double products[] = {1.0, 1.0, 1.0, 1.0};
  for (Index r = 0; r < n; ++r) {
    const double half = 0.5 * static_cast<double>(m);
    products[0] *= 2.0 * std::cosh(half * gamma(2 * r + 1));
    products[1] *= 2.0 * std::sinh(half * gamma(2 * r + 1));
    products[2] *= 2.0 * std::cosh(half * gamma(2 * r));
    products[3] *= 2.0 * std::sinh(half * gamma(2 * r));
  }
  const double sites = static_cast<double>(m * n);
  return 0.5 * sites * std::log(2.0 * std::sinh(2.0 * coupling)) +
         std::log(0.5 * (products[0] + products[1] + products[2] + products[3]));
}

double tolerance(double size) { return (in_double ? 1e-12 : 1e-5) * (1.0 + std::abs(size)); }

struct Kind {
  const char* name;
  std::shared_ptr<const UnitType> unit;
};
std::vector<Kind> kinds() {
  return {{"bits", std::make_shared<BinaryUnit>()},
          {"spins", std::make_shared<SpinUnit>()},
          {"three states", std::make_shared<CategoricalUnit>(CategoricalUnit::Options{3})}};
}

}  // namespace

TEST_CASE(
    "the formula of a lattice has the product of two spins, and of units with columns for states whether they agree") {
  const auto units = kinds();
  CHECK(model_of(lattice({3, 4}), 12, units[1].unit)->formula() == "- sum_i b_i v_i - sum_<ij> w_ij v_i v_j");
  const auto potts = model_of(lattice({2, 2}, {0, 1}, true), 4, units[2].unit);
  CHECK(potts->formula() == "- sum_i b_i v_i - sum_<ij> w_ij delta(v_i, v_j)");
  // Were states numbers to multiply, sites all in the first one would have no energy, and in the third four times that of the
  // second.
  potts->update_parameters([](std::span<Real> theta) { std::ranges::fill(theta, Real{0}); });
  set_weights(*potts, 1.5);
  for (const Index state : {0, 1, 2}) {
    Chains row(potts->layout(), 1);
    for (Index site = 0; site < 4; ++site) row.write(LayerId{0})(0, 3 * site + state) = 1;
    double energy = 0.0;
    potts->energy(row, {&energy, 1});
    CHECK(energy == -4 * 1.5);
  }
}

TEST_CASE("a lattice is a matrix of couplings with a mask: energies, draws and gradients are the same") {
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.name);
    const auto model = model_of(lattice({3, 4}, {0}, false, {"0 1", "1 0", "1 -1"}), 12, kind.unit);
    randomize(*model, 5);
    const auto twin = with_a_matrix(*model);
    const RandomSource words{3, 4};
    Chains x(model->layout(), 40), y(model->layout(), 40);
    Gibbs sampler;
    for (auto [m, c] : {std::pair{model.get(), &x}, std::pair{twin.get(), &y}})
      sampler.advance(Target{*m}, *c, 7, {executor, words}, nullptr);
    const ConstMatrixRef a = x.read(LayerId{0}), b = y.read(LayerId{0});
    Real spread = 0;
    for (Index r = 0; r < a.rows; ++r) {
      CHECK(std::ranges::equal(a[r], b[r]));
      spread += a(r, 0);
    }
    CHECK(std::abs(spread) < Real(40));
    std::vector<double> energy(40), energy_of_twin(40);
    model->energy(x.real(), energy);
    twin->energy(y.real(), energy_of_twin);
    for (Index r = 0; r < 40; ++r) CHECK(energy[r] == doctest::Approx(energy_of_twin[r]).epsilon(1e-14));

    std::vector<double> weights(40);
    std::mt19937_64 random(9);
    for (double& w : weights) w = static_cast<double>(random() % 1000) / 1000.0 - 0.4;
    std::vector<Real> gradient(model->parameters().size(), Real{0}), of_twin(twin->parameters().size(), Real{0});
    model->add_gradient(x.real(), weights, gradient, executor);
    twin->add_gradient(y.real(), weights, of_twin, executor);
    const MatrixRef matrix = twin->parameter_layout().view(twin->parameter_layout().find("weight.v.v"), of_twin.data());
    const Index width = kind.unit->width(), offset = edges_block(*model).offset;
    for (const Edge& e : *edges_block(*model).edges) {
      const double sum = sum_of_edge(e, width, matrix);  // of the states, whose couplings are one number here
      CHECK(static_cast<double>(gradient[offset + e.entry]) == doctest::Approx(sum).epsilon(in_double ? 1e-12 : 1e-5));
    }
  }
}

TEST_CASE("one coupling for all edges of an offset has the sum of their gradients") {
  const auto each = model_of(lattice({3, 4}), 12, std::make_shared<SpinUnit>());
  const auto one = model_of(lattice({3, 4}, {}, true), 12, std::make_shared<SpinUnit>());
  REQUIRE(weights_of(*each).size() == 24);
  REQUIRE(weights_of(*one).size() == 2);
  Chains x(each->layout(), 30);
  const RandomSource words{3, 4};
  Gibbs().advance(Target{*each}, x, 1, {executor, words}, nullptr);
  const std::vector<double> weights(30, 0.125);
  for (const int threads : {1, 3}) {
    std::vector<Real> of_each(each->parameters().size(), Real{0}), of_one(one->parameters().size(), Real{0});
    each->add_gradient(x.real(), weights, of_each, Executor(threads));
    one->add_gradient(x.real(), weights, of_one, Executor(threads));
    double sums[] = {0.0, 0.0};
    for (Index e = 0; e < 24; ++e) sums[e % 2] += static_cast<double>(of_each[edges_block(*each).offset + e]);
    for (Index o = 0; o < 2; ++o) CHECK(static_cast<double>(of_one[edges_block(*one).offset + o]) == sums[o]);
  }
}

TEST_CASE("the exact gradient of a coupling that edges share is the slope of the log likelihood along it") {
  // Means over edges in place of sums would be a twelfth of it, and those of one axis half of what both share.
  constexpr Index rows = 5, down = 3, right = 4;
  std::mt19937_64 random(11);
  std::vector<Oracle::State> states(rows, Oracle::State(down * right));
  for (Oracle::State& x : states)
    for (double& s : x) s = random() % 2 == 0 ? -1.0 : 1.0;
  for (const std::vector<double>& share : {std::vector<double>{}, std::vector<double>{0, 0}}) {
    LatticeTerm::Options options = lattice({down, right}, {}, true);
    options.share = share;
    const auto model = model_of(options, down * right, std::make_shared<SpinUnit>());
    randomize(*model, 12, 0.25);
    REQUIRE(weights_of(*model).size() == (share.empty() ? 2 : 1));
    const auto energy = [&](const Oracle::State& x) {
      const double j0 = static_cast<double>(weights_of(*model).front()),
                   j1 = static_cast<double>(weights_of(*model).back());
      const ParameterLayout& layout = model->parameter_layout();
      const auto bias = model->parameters().subspan(layout[layout.find("bias.v")].offset, down * right);
      double e = 0.0;
      for (Index r = 0; r < down; ++r)
        for (Index c = 0; c < right; ++c) {
          const double s = x[r * right + c];
          e -= static_cast<double>(bias[r * right + c]) * s + j0 * s * x[(r + 1) % down * right + c] +
               j1 * s * x[r * right + (c + 1) % right];
        }
      return e;
    };
    const Oracle oracle(*model);
    const std::vector<Oracle::State> all = oracle.states(model->layout().all());
    const auto log_likelihood = [&] {
      double z = 0.0, sum = 0.0;
      for (const Oracle::State& x : all) z += std::exp(-energy(x));
      for (const Oracle::State& x : states) sum -= energy(x) / rows;
      return std::vector<double>{sum - std::log(z)};
    };
    ContrastiveOptions exact;
    exact.positive = std::make_unique<ExactPhase>();
    exact.negative = std::make_unique<ExactPhase>();
    Contrastive estimator(std::move(exact));
    const Chains data = oracle.chains(states);
    const std::vector<double> weights(rows, 1.0 / rows);
    Posterior posterior;
    std::vector<Real> gradient(model->parameters().size());
    estimator.estimate(*model, {data, weights, posterior}, gradient, {executor, RandomSource{1, 0}});
    for (Index k = 0; k < gradient.size(); ++k) {
      CAPTURE(k);
      // h⁴/30 times a fifth cumulant of sums of 24 products: at most some 1e6 · 5e-13. Of a loss the gradient is minus this.
      const double slope = derivative(*model, {k}, 0x1p-9, log_likelihood)[0];
      CHECK(std::abs(static_cast<double>(gradient[k]) + slope) < (in_double ? 1e-6 : 1e-4));
    }
  }
}

TEST_CASE("log Z of the Ising model on a torus is Kaufman's") {
  for (const auto& [m, n] : {std::pair<Index, Index>{3, 4}, {4, 4}, {5, 6}}) {
    const auto model = model_of(lattice({static_cast<double>(m), static_cast<double>(n)}, {}, true), m * n,
                                std::make_shared<SpinUnit>());
    model->update_parameters(
        [&](std::span<Real> theta) { std::ranges::fill(theta.subspan(edges_block(*model).offset, 2), Real{1}); });
    const Elimination elimination(*model, 24);
    for (const double coupling : {0.2, 0.44, 0.9}) {
      const double expected = kaufman(m, n, coupling), got = elimination.log_sum(coupling, executor);
      CHECK(std::abs(got - expected) <= 1e-11 * expected);
      CHECK(std::abs(got - kaufman(m, n, 1.001 * coupling)) > 1e-11 * expected);
    }
  }
}

TEST_CASE("log Z and the ground state of a Potts glass are those of all states") {
  const auto model = model_of(lattice({2, 3}, {0}), 6, std::make_shared<CategoricalUnit>(CategoricalUnit::Options{3}));
  randomize(*model, 8);
  const auto twin = with_a_matrix(*model);
  const Oracle oracle(*twin);
  const Elimination elimination(*model, 20);
  CHECK(std::abs(elimination.log_sum(1.0, executor) - oracle.log_z(1.0)) <= tolerance(oracle.log_z(1.0)));
}

TEST_CASE("a lattice lists its edges site after site, and a site beyond an open axis is none") {
  const std::vector<Edge> torus = edges_of({{3, 4}, {false, false}}, {}, false);
  REQUIRE(torus.size() == 24);
  CHECK((torus[0].a == 0 && torus[0].b == 4 && torus[0].entry == 0));
  CHECK((torus[1].a == 0 && torus[1].b == 1 && torus[1].entry == 1));
  CHECK((torus[7].a == 0 && torus[7].b == 3));  // from the end of the first row round to its beginning
  CHECK(edges_of({{3, 4}, {true, false}}, {}, false).size() == 20);
  CHECK(edges_of({{3, 4}, {true, true}}, {}, false).size() == 17);
  const std::vector<Edge> shared = edges_of({{5}, {true}}, {{1}, {2}}, true);
  REQUIRE(shared.size() == 7);
  CHECK((shared[1].a == 0 && shared[1].b == 2 && shared[1].entry == 1));
}

TEST_CASE("a lattice that joins a pair twice, or a site with itself, is refused") {
  CHECK_THROWS_WITH_AS(
      edges_of({{2, 4}, {false, false}}, {}, false),
      "sites 0 and 4 (counted from 0) are joined twice. Give each offset in one of its two directions "
      "only, and make axes open that are so short that both directions meet; two bonds of a pair are one of twice the "
      "coupling.",
      ConfigError);
  CHECK_THROWS_AS(edges_of({{4, 4}, {false, false}}, {{0, 1}, {0, -1}}, false), ConfigError);
  CHECK_THROWS_WITH_AS(edges_of({{4}, {false}}, {{4}}, false),
                       "the offset \"4\" leads from a site to itself. Leave it out, or make the axis open.",
                       ConfigError);
  CHECK_THROWS_WITH_AS(edges_of({{4}, {true}}, {{4}}, false),
                       "the offset \"4\" leads beyond the open axes from every site. Leave it out.", ConfigError);
  CHECK_THROWS_WITH_AS(edges_of({{4}, {true}}, {{1, 0}}, false),
                       "the offset \"1 0\" has 2 numbers, and the lattice 1 axes. Give one number an axis.",
                       ConfigError);
  const auto spins = std::make_shared<SpinUnit>();
  CHECK_THROWS_WITH_AS(model_of(lattice({3, 4}), 11, spins),
                       "term 'lattice': 'shape' is 3 x 4, 12 sites, and layer 'v' has 11 units.", ConfigError);
  CHECK_THROWS_WITH_AS(
      model_of(lattice({3, 3}), 9, std::make_shared<ExponentialUnit>(ExponentialUnit::Options{})),
      "term 'lattice': the units of layer 'v' are continuous, and whether they have a density is told of the "
      "term 'lateral' only. Take that, with masks = [{ coupling = \"v.v\", edges = \"FILE\" }]: the lines of "
      "the file are '9 18', '1 4', '1 2', '2 5' ..., one for each pair that is coupled.",
      ConfigError);
  CHECK_THROWS_WITH_AS(model_of(lattice({3.5}), 3, spins), "'shape' has 3.5. Give whole numbers from 1 up.",
                       ConfigError);
  CHECK_THROWS_WITH_AS(model_of(lattice({3}, {1}), 3, spins), "'open_axes' has 1, and the axes are 0 to 0.",
                       ConfigError);
  CHECK_THROWS_WITH_AS(model_of(lattice({3}, {}, false, {"one"}), 3, spins),
                       "'offsets' has \"one\". Give each as whole numbers, one an axis, such as [[0, 1], [1, 0]].",
                       ConfigError);
  // A precision matrix of 2^24 x 2^24 numbers has no room.
  CHECK_THROWS_AS(model_of(lattice({4096, 4096}, {}, true), Index{1} << 24, std::make_shared<GaussianUnit>()),
                  ConfigError);
}

}  // namespace lattice_test
