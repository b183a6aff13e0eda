// Couplings by way of normal latent units against the law of the observed ones, by sums of exp(−E) over a grid of the latent ones.
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/model/latent_couplings.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/spin.hpp>

namespace latent_couplings_test {

using namespace harmonium;

namespace {

constexpr double tolerance = sizeof(Real) == sizeof(float) ? 1e-4 : 1e-10;

/// log Σ_h exp(−E(x, h)) of two normal units h on a grid that is wide and fine enough for every digit (σ > 0.6, means within 12),
/// the unit u of the first layer being in state s[u].
double log_weight(const EnergyModel& model, const std::vector<Index>& s) {
  constexpr Index side = 161;
  const Layout& layout = model.layout();
  const LayerId visible = layout.find("visible"), hidden = layout.find("hidden");
  const UnitStates states(*layout[visible].unit);
  const Index width = layout[visible].unit->width();
  Chains rows(layout, side * side);
  const MatrixRef x = rows.write(visible), h = rows.write(hidden);
  for (Index r = 0; r < rows.size(); ++r) {
    for (Index u = 0; u < s.size(); ++u) std::ranges::copy(states[s[u]], x.row(r) + u * width);
    const Index first = r / side, second = r % side;
    h(r, 0) = static_cast<Real>(0.25 * (static_cast<double>(first) - 80.0));
    h(r, 1) = static_cast<Real>(0.25 * (static_cast<double>(second) - 80.0));
  }
  std::vector<double> energies(rows.size());
  model.energy(rows, energies);
  for (double& e : energies) e = -e;
  return logsumexp(energies);
}

/// The couplings of a layer's own tensor, where it has one, and those by the latent units.
Matrix<double> all_couplings(const EnergyModel& model) {
  const LayerId visible = model.layout().find("visible");
  Matrix<double> j = couplings_by_latent(model, visible);
  for (const ParameterBlock& block : model.parameter_layout().blocks())
    if (block.symmetry != Symmetry::none)
      for (Index i = 0; i < block.size(); ++i)
        j(i / block.cols, i % block.cols) += static_cast<double>(model.parameters()[block.offset + i]);
  return j;
}

/// Three visible units: the log of each weight, differenced in the states of two of them, is what their coupling says, in every state
/// of the third.
void check_pairs_alone(const EnergyModel& model) {
  REQUIRE_FALSE(latent_of_other_kind(model));
  const Matrix<double> coupling = all_couplings(model);
  const UnitType& unit = *model.layout()[model.layout().find("visible")].unit;
  const UnitStates states(unit);
  const Index q = states.size(), width = unit.width();
  std::vector<double> weight;
  for (Index k = 0; k < q * q * q; ++k) weight.push_back(log_weight(model, {k / (q * q), k / q % q, k % q}));
  const Index place[] = {q * q, q, 1};
  const auto step = [&](Index state, Index column) {
    return static_cast<double>(states[state][column]) - static_cast<double>(states[0][column]);
  };
  for (Index i = 0; i < 3; ++i)
    for (Index j = i + 1; j < 3; ++j)
      for (Index third = 0; third < q; ++third)
        for (Index a = 1; a < q; ++a)
          for (Index b = 1; b < q; ++b) {
            const Index at = third * place[3 - i - j], ia = a * place[i], jb = b * place[j];
            double wanted = 0.0;
            for (Index c = 0; c < width; ++c)
              for (Index d = 0; d < width; ++d)
                wanted += step(a, c) * coupling(i * width + c, j * width + d) * step(b, d);
            const double found = weight[at + ia + jb] - weight[at + ia] - weight[at + jb] + weight[at];
            CHECK(std::abs(found - wanted) < tolerance);
          }
}

RbmOptions options(std::unique_ptr<UnitType> visible, std::unique_ptr<UnitType> hidden) {
  return {.num_visible = 3, .num_hidden = 2, .visible_units = std::move(visible), .hidden_units = std::move(hidden)};
}

}  // namespace

TEST_CASE("normal latent units couple pairs of spins and of units of several states, and no more of them") {
  const auto spins = make_rbm(options(std::make_unique<SpinUnit>(), std::make_unique<GaussianUnit>()));
  conformance::randomize(*spins, 3, 0.75);  // log γ among it: with γ = 1 a missing precision would not be seen
  check_pairs_alone(*spins);
  const auto states = make_rbm(
      options(std::make_unique<CategoricalUnit>(CategoricalUnit::Options{3}), std::make_unique<GaussianUnit>()));
  conformance::randomize(*states, 4, 0.75);
  check_pairs_alone(*states);
  const auto both = make_semi_restricted(options(std::make_unique<SpinUnit>(), std::make_unique<GaussianUnit>()));
  conformance::randomize(*both, 5, 0.75);
  check_pairs_alone(*both);
}

TEST_CASE("latent units of another kind, or coupled with each other, are told") {
  const auto bits = make_rbm(options(std::make_unique<SpinUnit>(), std::make_unique<SpinUnit>()));
  CHECK(latent_of_other_kind(*bits) == bits->layout().find("hidden"));
  const auto coupled = make_boltzmann_machine({.num_visible = 3,
                                               .num_hidden = 2,
                                               .visible_units = std::make_unique<SpinUnit>(),
                                               .hidden_units = std::make_unique<SpinUnit>()});
  CHECK(latent_of_other_kind(*coupled) == coupled->layout().find("hidden"));
  const auto none = make_fully_visible({.num_visible = 3, .visible_units = std::make_unique<SpinUnit>()});
  CHECK_FALSE(latent_of_other_kind(*none));
}

}  // namespace latent_couplings_test
