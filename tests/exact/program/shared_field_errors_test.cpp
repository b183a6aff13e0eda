// Standard errors of a coupling and a field that all spins of a lattice share, against sums over all states.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <boost/random/mersenne_twister.hpp>
#include <doctest/doctest.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/program/work/parameter_errors.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace shared_field_errors_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
constexpr Index side = 3, sites = side * side, rows = 20'000;

/// Of the second moments of (Σ s s', Σ s), whose covariance is the Fisher information of a row, the errors of `rows` of them.
struct Moments {
  double n = 0.0, b = 0.0, f = 0.0, bb = 0.0, bf = 0.0, ff = 0.0;
  void add(double weight, double bond, double field) {
    n += weight;
    b += weight * bond;
    f += weight * field;
    bb += weight * bond * bond;
    bf += weight * bond * field;
    ff += weight * field * field;
  }
  std::vector<double> errors() const {
    const double vb = bb / n - b / n * (b / n), vf = ff / n - f / n * (f / n), v = bf / n - b / n * (f / n);
    const double determinant = vb * vf - v * v;
    return {std::sqrt(vf / determinant / rows), std::sqrt(vb / determinant / rows)};
  }
};

std::vector<double> errors_of(EnergyModel& model, const Dataset& data, const std::string& config) {
  return parameter_errors(model, data, parse_toml(config, "test"), builtin_registries(), {executor, {1, 0}}, {}).errors;
}

}  // namespace

TEST_CASE("a coupling and a field that all spins share have the errors of the Fisher information of the two") {
  const auto model = make<EnergyModel>(
      "type = 'layered'\nlayers = [{ name = 's', size = 9, units = 'spin' }]\n"
      "terms = [{ type = 'lattice', layer = 's', shape = [3, 3], uniform = true, share = [0, 0] },\n"
      "{ type = 'bias', layer = 's', uniform = true }]\n");
  constexpr double j = 0.25, h = 0.125;
  REQUIRE(model->parameters().size() == 1 + sites);
  model->update_parameters([&](std::span<Real> theta) {
    std::ranges::fill(theta, static_cast<Real>(h));
    theta[0] = static_cast<Real>(j);
  });
  const auto spin = [](unsigned state, Index r, Index c) {
    return state >> (r % side * side + c % side) & 1u ? 1.0 : -1.0;
  };
  std::vector<double> products, fields, law;  // of each state Σ s s', Σ s and its probability, summed up
  double z = 0.0;
  for (unsigned state = 0; state < 1u << sites; ++state) {
    products.push_back(0.0);
    fields.push_back(0.0);
    for (Index r = 0; r < side; ++r)
      for (Index c = 0; c < side; ++c) {
        products.back() += spin(state, r, c) * (spin(state, r + 1, c) + spin(state, r, c + 1));
        fields.back() += spin(state, r, c);
      }
    law.push_back(z += std::exp(j * products.back() + h * fields.back()));
  }
  boost::random::mt19937_64 words(3);
  std::vector<double> states;
  std::vector<unsigned> drawn;
  for (Index n = 0; n < rows; ++n) {
    const double u = static_cast<double>(words() >> 11) * 0x1p-53 * z;
    drawn.push_back(static_cast<unsigned>(std::ranges::upper_bound(law, u) - law.begin()));
    for (Index i = 0; i < sites; ++i) states.push_back(spin(drawn.back(), i / side, i % side));
  }
  Moments of_law, of_rows;
  for (unsigned state = 0; state < law.size(); ++state)
    of_law.add(std::exp(j * products[state] + h * fields[state]), products[state], fields[state]);
  for (const unsigned state : drawn) of_rows.add(1.0, products[state], fields[state]);
  const Dataset data(Table{rows, sites, NumberArray<double>(std::move(states)), {rows, sites}}, "drawn");
  const std::vector<double> found = errors_of(*model, data, "estimator = { type = 'exact' }");
  const std::vector<double> expected = of_rows.errors(), known = of_law.errors();
  for (Index k = 0; k < 1 + sites; ++k) {
    CAPTURE(k);
    const Index which = std::min<Index>(k, 1);
    CHECK(found[k] == doctest::Approx(expected[which]).epsilon(in_double ? 1e-4 : 1e-3));  // (n - 1) / n of a variance
    CHECK(found[k] == doctest::Approx(known[which]).epsilon(0.05));
    CHECK(found[k] == found[std::min<Index>(k, 1)]);
  }
  // Of the pseudo likelihood one error, too, no smaller but for what 20,000 rows leave open.
  const std::vector<double> pseudo = errors_of(*model, data, "estimator = { type = 'pseudo_likelihood' }");
  for (Index k = 0; k < 1 + sites; ++k) {
    CHECK(pseudo[k] == pseudo[std::min<Index>(k, 1)]);
    CHECK(pseudo[k] > 0.95 * known[std::min<Index>(k, 1)]);
    CHECK(pseudo[k] < 1.5 * known[std::min<Index>(k, 1)]);
  }
}

}  // namespace shared_field_errors_test
