// Gaussian free fields: a lattice of Gaussian units against the Fourier modes of a torus, and against a matrix with a mask.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/exact_averages.hpp>
#include <harmonium/models/layered.hpp>
#include <harmonium/models/terms/coupling.hpp>
#include <harmonium/models/terms/lattice.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace gaussian_lattice_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
constexpr Index down = 3, right = 4, sites = down * right;

/// The sites v of a lattice of 3 x 4, and perhaps three bits h that are coupled with them.
std::vector<Layer> layers_of(bool bits) {
  std::vector<Layer> layers{{"v", sites, std::make_shared<GaussianUnit>(), Role::observed}};
  if (bits) layers.push_back(latent("h", 3));
  return layers;
}

std::unique_ptr<LayeredModel> lattice_of(bool uniform, bool bits) {
  EnergyTerms terms;
  terms.push_back(std::make_unique<LatticeTerm>(
      LatticeTerm::Options{.layer = "v", .shape = {down, right}, .open_axes = {}, .offsets = {}, .uniform = uniform}));
  if (bits) terms.push_back(std::make_unique<CouplingTerm>(CouplingTerm::Options{{"v", "h"}}));
  const std::vector<Layer> layers = layers_of(bits);
  return std::make_unique<LayeredModel>(layers, with_unit_terms(layers, std::move(terms), {.learned_precisions = {0}}));
}

const ParameterBlock& block_of(const EnergyModel& model, const char* name) {
  return model.parameter_layout()[model.parameter_layout().find(name)];
}

/// The free field E = ½ γ Σ x² − Σ (j₀ x x′ + j₁ x x″) on the torus.
struct FreeField {
  double gamma, j[2];

  std::unique_ptr<LayeredModel> model() const {
    auto made = lattice_of(true, false);
    const ParameterBlock &edges = block_of(*made, "lattice.v"), &precision = block_of(*made, "log_precision.v");
    made->update_parameters([&](std::span<Real> theta) {
      for (Index axis = 0; axis < 2; ++axis) theta[edges.offset + axis] = static_cast<Real>(j[axis]);
      std::ranges::fill(theta.subspan(precision.offset, sites), static_cast<Real>(std::log(gamma)));
    });
    return made;
  }
  /// Σ over the modes k of f(λ_k, k·r), λ_k = γ − 2 j₀ cos k₀ − 2 j₁ cos k₁ being the eigenvalues of the precision matrix.
  template <class F>
  double over_modes(Index r, Index c, const F& f) const {
    double sum = 0.0;
    for (Index a = 0; a < down; ++a)
      for (Index b = 0; b < right; ++b) {
        const double k0 = 2.0 * std::numbers::pi * static_cast<double>(a) / down;
        const double k1 = 2.0 * std::numbers::pi * static_cast<double>(b) / right;
        sum += f(gamma - 2.0 * j[0] * std::cos(k0) - 2.0 * j[1] * std::cos(k1),
                 k0 * static_cast<double>(r) + k1 * static_cast<double>(c));
      }
    return sum;
  }
  double log_z(double beta) const {
    return over_modes(0, 0, [&](double l, double) { return 0.5 * std::log(2.0 * std::numbers::pi / (beta * l)); });
  }
  /// ⟨x_0 x_r⟩ at β = 1.
  double correlation(Index r, Index c) const {
    return over_modes(r, c, [](double l, double phase) { return std::cos(phase) / l; }) / sites;
  }
};

/// Parameters hold γ and j to a rounding of Real, and the least eigenvalue of those below is a tenth of γ: some twenty roundings of
/// the sum.
double tolerance(double size) { return (in_double ? 1e-12 : 2e-5) * (1.0 + std::abs(size)); }

double log_z(const EnergyModel& model, double beta) {
  const Chains nothing(model.layout(), 1);
  double free_energy = 0.0;
  REQUIRE(model.free_energy()->closed({}));
  model.free_energy()->evaluate({}, beta, {nothing, 0, 1}, {&free_energy, 1});
  return -free_energy;
}

/// The same couplings as a matrix with a mask.
std::unique_ptr<LayeredModel> with_a_matrix(const EnergyModel& model, bool bits) {
  std::vector<std::pair<Index, Index>> couplings{{0, 0}};
  if (bits) couplings.emplace_back(0, 1);
  auto twin = std::make_unique<LayeredModel>(LayerGraph{layers_of(bits), std::move(couplings), {0}});
  const ParameterBlock& edges = block_of(model, "lattice.v");
  std::vector<std::pair<Index, Index>> pairs;
  for (const Edge& e : *edges.edges) pairs.emplace_back(e.a, e.b);
  keep_only(*twin, "weight.v.v", pairs);
  twin->update_parameters([&](std::span<Real> theta) {
    for (const ParameterBlock& b : model.parameter_layout().blocks())
      if (b.name != edges.name)
        std::ranges::copy(model.parameters().subspan(b.offset, b.size()),
                          theta.begin() + static_cast<std::ptrdiff_t>(block_of(*twin, b.name.c_str()).offset));
    const ParameterLayout& layout = twin->parameter_layout();
    const MatrixRef w = layout.view(layout.find("weight.v.v"), theta.data());
    for (const Edge& e : *edges.edges) w(e.a, e.b) = w(e.b, e.a) = model.parameters()[edges.offset + e.entry];
  });
  return twin;
}

void check_gradients(const EnergyModel& model, const std::vector<Real>& own, const EnergyModel& twin,
                     const std::vector<Real>& of_twin) {
  const double limit = in_double ? 1e-10 : 1e-3;
  const ParameterLayout& layout = twin.parameter_layout();
  const ParameterBlock& matrix = block_of(twin, "weight.v.v");
  REQUIRE(layout.size() >= matrix.size());
  for (const ParameterBlock& b : model.parameter_layout().blocks()) {
    CAPTURE(b.name);
    if (b.role == ParameterRole::edges) {
      for (const Edge& e : *b.edges)
        CHECK(static_cast<double>(own[b.offset + e.entry]) ==
              doctest::Approx(static_cast<double>(of_twin[matrix.offset + e.a * sites + e.b])).epsilon(limit));
      continue;
    }
    for (Index i = 0; i < b.size(); ++i)
      CHECK(static_cast<double>(own[b.offset + i]) ==
            doctest::Approx(static_cast<double>(of_twin[block_of(twin, b.name.c_str()).offset + i])).epsilon(limit));
  }
}

}  // namespace

TEST_CASE("log Z of a free field is the sum over its Fourier modes, and its slope their correlations") {
  for (const FreeField& field : {FreeField{4.5, {1.0, 1.0}}, FreeField{2.0, {0.5, -0.25}}}) {
    const auto model = field.model();
    for (const double beta : {0.5, 1.0, 2.0})
      CHECK(std::abs(log_z(*model, beta) - field.log_z(beta)) <= tolerance(field.log_z(beta)));
    CHECK(std::abs(log_z(*model, 1.0) - FreeField{field.gamma, {0.0, 0.0}}.log_z(1.0)) > 0.1);

    const Chains nothing(model->layout(), 1);
    const double one = 1.0;
    std::vector<Real> gradient(model->parameters().size(), Real{0});
    model->free_energy()->add_gradient({}, {nothing, 0, 1}, {&one, 1}, gradient, executor);
    const Index edges = block_of(*model, "lattice.v").offset, precision = block_of(*model, "log_precision.v").offset;
    const double next[] = {field.correlation(1, 0), field.correlation(0, 1)};
    for (Index axis = 0; axis < 2; ++axis)
      CHECK(std::abs(static_cast<double>(gradient[edges + axis]) + sites * next[axis]) <=
            tolerance(sites * next[axis]));
    const double square = 0.5 * field.gamma * field.correlation(0, 0);  // ∂F/∂log γ_i = ½ γ ⟨x_i²⟩
    for (Index i = 0; i < sites; ++i)
      CHECK(std::abs(static_cast<double>(gradient[precision + i]) - square) <= tolerance(square));
  }
}

TEST_CASE("the correlations of a free field at all distances are those of its Fourier modes") {
  const FreeField field{4.5, {1.0, 1.0}};
  const auto model = field.model();
  const SiteGrid grid{{down, right}, {false, false}};
  const LayerObservables what(*model, LayerId{0}, &grid);
  const ThermalAverages found = StateSum(*model, what, executor).at(1.0, executor).thermal;
  REQUIRE(found.correlations.size() == 3);  // axis 0 to 1, axis 1 to 2
  const double expected[] = {field.correlation(1, 0), field.correlation(0, 1), field.correlation(0, 2)};
  for (Index k = 0; k < 3; ++k) CHECK(std::abs(found.correlations[k].value - expected[k]) <= tolerance(expected[k]));
  CHECK(std::abs(expected[1] - expected[2]) > 0.01);
}

TEST_CASE("a lattice of Gaussian units is a matrix of couplings with a mask, alone and beside bits") {
  for (const bool bits : {false, true}) {
    CAPTURE(bits);
    const auto model = lattice_of(false, bits);
    randomize(*model, 5, 0.125);
    const auto twin = with_a_matrix(*model, bits);
    constexpr Index rows = 20;
    Chains x(model->layout(), rows), y(model->layout(), rows);
    Gibbs sampler;
    for (auto [m, c] : {std::pair{model.get(), &x}, std::pair{twin.get(), &y}})
      sampler.advance(Target{*m}, *c, 3, {executor, RandomSource{3, 4}}, nullptr);
    // A free field is drawn as a whole, by one and the same precision matrix.
    CHECK(std::ranges::equal(x.read(LayerId{0})[7], y.read(LayerId{0})[7]));
    CHECK(x.read(LayerId{0})(0, 0) != x.read(LayerId{0})(1, 0));
    std::vector<double> energy(rows), of_twin(rows);
    model->energy(x.real(), energy);
    twin->energy(x.real(), of_twin);
    for (Index r = 0; r < rows; ++r) CHECK(energy[r] == doctest::Approx(of_twin[r]).epsilon(1e-13));

    std::vector<double> weights(rows);
    for (Index r = 0; r < rows; ++r) weights[r] = 0.1 * static_cast<double>(r % 5) - 0.15;
    const auto gradients = [&](auto add) {
      std::vector<Real> own(model->parameters().size(), Real{0}), other(twin->parameters().size(), Real{0});
      add(*model, std::span<Real>(own));
      add(*twin, std::span<Real>(other));
      check_gradients(*model, own, *twin, other);
    };
    gradients([&](const EnergyModel& m, std::span<Real> out) { m.add_gradient(x.real(), weights, out, executor); });
    LayerSet hidden;
    if (bits) hidden.add(LayerId{1});
    REQUIRE(model->free_energy()->closed(hidden));
    std::vector<double> free_energy(rows), free_of_twin(rows);
    model->free_energy()->evaluate(hidden, 0.5, x.real(), free_energy);
    twin->free_energy()->evaluate(hidden, 0.5, x.real(), free_of_twin);
    for (Index r = 0; r < rows; ++r) CHECK(free_energy[r] == doctest::Approx(free_of_twin[r]).epsilon(1e-12));
    gradients([&](const EnergyModel& m, std::span<Real> out) {
      m.free_energy()->add_gradient(hidden, x.real(), weights, out, executor);
    });
    const LayerSet seen = LayerSet().add(LayerId{0});
    REQUIRE(model->score()->offered(seen));
    std::vector<Real> directions(rows * sites);
    for (Index i = 0; i < directions.size(); ++i) directions[i] = static_cast<Real>(i % 7) - Real{3};
    std::vector<ConstMatrixRef> of_layers{{directions.data(), rows, sites, sites}};
    if (bits) of_layers.emplace_back();
    gradients([&](const EnergyModel& m, std::span<Real> out) {
      m.score()->add_gradient(seen, x.real(), of_layers, weights, 0.5, out, executor);
    });
  }
}

TEST_CASE("couplings along a lattice that leave no density are refused") {
  // The least eigenvalue is γ − 4 j.
  const FreeField holds{4.1, {1.0, 1.0}}, does_not{3.9, {1.0, 1.0}};
  CHECK_NOTHROW(holds.model());
  CHECK_THROWS_AS(does_not.model(), NumericalError);
}

}  // namespace gaussian_lattice_test
