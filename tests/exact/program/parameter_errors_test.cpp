// Standard errors of parameters: of a chain of spins in closed form, and as often as they should.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <boost/random/bernoulli_distribution.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/program/work/followed_objective.hpp>
#include <harmonium/program/work/gradients_of_parts.hpp>
#include <harmonium/program/work/parameter_errors.hpp>
#include <harmonium/program/work/rows_for_errors.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace parameter_errors_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr Index spins = 6, bonds = spins - 1, num_rows = 4000;

const Executor executor(2);

double coupling(Index bond) { return 0.2 + 0.15 * static_cast<double>(bond); }

/// An open chain, E = −Σ J_i s_i s_{i+1}, whose bonds are independent with the mean tanh J_i. `terms`: how its couplings are held.
std::unique_ptr<EnergyModel> chain(const char* terms) {
  Value effective;
  auto model = builtin_registries().make<EnergyModel>(
      parse_toml(fmt::format("type = 'layered'\nlayers = [{{ name = 's', size = 6, units = 'spin', bias = false }}]\n"
                             "terms = [{}]\n",
                             terms),
                 "test"),
      effective);
  return model;
}

constexpr const char* as_bonds = "{ type = 'lattice', layer = 's', shape = [6], open_axes = [0] }";

Dataset draw(std::uint64_t seed, std::vector<double>& mean_bonds) {
  boost::random::mt19937_64 words(seed);
  boost::random::bernoulli_distribution<double> up(0.5);
  std::vector<double> states(num_rows * spins);
  mean_bonds.assign(bonds, 0.0);
  for (Index r = 0; r < num_rows; ++r) {
    double* const s = states.data() + r * spins;
    s[0] = up(words) ? 1.0 : -1.0;
    for (Index b = 0; b < bonds; ++b) {
      boost::random::bernoulli_distribution<double> alike((1.0 + std::tanh(coupling(b))) / 2.0);
      s[b + 1] = alike(words) ? s[b] : -s[b];
      mean_bonds[b] += s[b] * s[b + 1] / num_rows;
    }
  }
  return Dataset(Table{num_rows, spins, NumberArray<double>(std::move(states)), {num_rows, spins}}, "chain");
}

void set_bonds(EnergyModel& model, const std::vector<double>& values) {
  REQUIRE(model.parameters().size() == bonds);
  model.update_parameters([&](std::span<Real> theta) {
    std::ranges::transform(values, theta.begin(), [](double v) { return static_cast<Real>(v); });
  });
}

ParameterErrors errors_of(EnergyModel& model, const Dataset& data, const std::string& config) {
  return parameter_errors(model, data, parse_toml(config, "test"), builtin_registries(), {executor, {1, 0}}, {});
}

}  // namespace

TEST_CASE("errors of the likelihood are those of independent bonds, whatever chains the run took") {
  const auto model = chain(as_bonds);
  std::vector<double> mean;
  const Dataset data = draw(1, mean);
  std::vector<double> found(bonds);
  std::ranges::transform(mean, found.begin(), [](double m) { return std::atanh(m); });
  set_bonds(*model, found);
  for (const char* estimator : {"exact", "pcd"}) {
    CAPTURE(estimator);
    const ParameterErrors errors = errors_of(*model, data, fmt::format("estimator = {{ type = '{}' }}", estimator));
    // Of J = atanh m an error is that of m, √((1 − m²)/n), over 1 − m². Bonds of a sample are independent to √(1/n) or so, by squares
    // of which the errors grow.
    for (Index b = 0; b < bonds; ++b) {
      const double expected = 1.0 / std::sqrt(num_rows * (1.0 - mean[b] * mean[b]));
      CHECK(errors.errors[b] >= 0.999 * expected);
      CHECK(errors.errors[b] < 1.005 * expected);
    }
  }
}

TEST_CASE("errors of the pseudo likelihood of two spins are those of the likelihood, and the model is left as it was") {
  // Both conditionals are σ(2 J s₁ s₂): twice the log likelihood but for a constant, so that H⁻¹SH⁻¹ is that of the likelihood.
  Value effective;
  const auto model = builtin_registries().make<EnergyModel>(
      parse_toml("type = 'layered'\nlayers = [{ name = 's', size = 2, units = 'spin', bias = false }]\n"
                 "terms = [{ type = 'lattice', layer = 's', shape = [2], open_axes = [0] }]\n",
                 "test"),
      effective);
  constexpr Index rows = 1000, alike = 800;
  std::vector<double> states;
  for (Index r = 0; r < rows; ++r) {
    const double s = r % 2 == 0 ? 1.0 : -1.0;
    states.push_back(s);
    states.push_back(r < alike ? s : -s);
  }
  const Dataset data(Table{rows, 2, NumberArray<double>(std::move(states)), {rows, 2}}, "pair");
  const double mean = 2.0 * alike / rows - 1.0;
  model->update_parameters([&](std::span<Real> theta) { theta[0] = static_cast<Real>(std::atanh(mean)); });
  const double expected = 1.0 / std::sqrt(rows * (1.0 - mean * mean));
  const Real before = model->parameters()[0];
  const ParameterErrors errors = errors_of(*model, data, "estimator = { type = 'pseudo_likelihood' }");
  CHECK(std::abs(errors.errors[0] / expected - 1.0) <
        2e-3);  // 1/(2n) of a covariance, and differences in single precision
  CHECK(model->parameters()[0] == before);
}

TEST_CASE(
    "errors by products of matrices are those by the gradients of the estimator, of bits, spins and states, and of "
    "shared couplings") {
  const char* const models[] = {"type = 'fully_visible'\nnum_visible = 4\nvisible_units = 'spin'",
                                "type = 'fully_visible'\nnum_visible = 4",
                                ("type = 'layered'\nlayers = [{ name = 's', size = 4, units = 'spin' }]\n"
                                 "terms = [{ type = 'lattice', layer = 's', shape = [4], uniform = true }]"),
                                ("type = 'layered'\nlayers = [{ name = 's', size = 4 }]\n"
                                 "terms = [{ type = 'lattice', layer = 's', shape = [4], uniform = true },\n"
                                 "{ type = 'bias', layer = 's', uniform = true }]"),
                                "type = 'fully_visible'\nnum_visible = 4\nvisible_units = { type = 'categorical', "
                                "num_states = 3 }",
                                "type = 'layered'\nlayers = [{ name = 's', size = 4, units = { type = 'categorical', "
                                "num_states = 3 } }]\n"
                                "terms = [{ type = 'lattice', layer = 's', shape = [4], uniform = true }]"};
  for (const char* text : models) {
    CAPTURE(text);
    Value effective;
    const auto model = builtin_registries().make<EnergyModel>(parse_toml(text, "test"), effective);
    const std::vector<Places> numbers = own_numbers(*model);
    model->update_parameters([&](std::span<Real> theta) {
      for (Index k = 0; k < numbers.size(); ++k)
        for (const Index place : numbers[k])
          theta[place] = static_cast<Real>(0.3 * std::sin(1.7 * static_cast<double>(k) + 0.4));
    });
    const Layer& layer = model->layout().layers()[0];
    const bool spin = layer.unit->name() == "spin";
    std::vector<double> states;
    for (Index r = 0; r < 300; ++r)
      for (Index c = 0; c < 4; ++c) {
        const Index word = (r * (2 * c + 3) + r * r / 7) % 11;
        if (layer.unit->width() == 1) states.push_back(word < 5 ? 1.0 : spin ? -1.0 : 0.0);
        else
          for (Index s = 0; s < 3; ++s) states.push_back(word % 3 == s ? 1.0 : 0.0);
      }
    const Dataset data(Table{300, layer.columns(), NumberArray<double>(std::move(states)), {300, layer.columns()}},
                       "states");
    const auto pairwise = PairwiseMoments::of(*model, numbers);
    REQUIRE(pairwise);
    const WholeData whole(data, model->layout());
    for (const bool of_likelihood : {false, true}) {
      CAPTURE(of_likelihood);
      Value unused;
      const auto estimator = builtin_registries().make<GradientEstimator>(
          make_table({{"type", make_value(of_likelihood ? "exact" : "pseudo_likelihood")}}), unused);
      const Execution execution{executor, {1, 0}};
      GradientsOfParts gradients(*model, *estimator, of_likelihood ? Objective::likelihood : Objective::own, 1,
                                 execution);
      gradients.begin(data, {});
      if (of_likelihood) gradients.leave_model_side();
      const RowMoments found = (*pairwise)(whole.rows().read(model->layout().id(0)), of_likelihood, execution),
                       by_estimator = moments_by_estimator(*model, gradients, data, numbers, each_alone(numbers.size()),
                                                           of_likelihood, execution);
      const double rounding = std::is_same_v<Real, double> ? 1e-9 : 1e-5;
      for (Index a = 0; a < numbers.size(); ++a)
        for (Index b = 0; b < numbers.size(); ++b) {
          CHECK(std::abs(found.covariance(a, b) - by_estimator.covariance(a, b)) < rounding);
          // Differences, of steps of 1e-6 and 1e-2, know it to a few of these.
          if (!of_likelihood) CHECK(std::abs(found.curvature(a, b) - by_estimator.curvature(a, b)) < 1e4 * rounding);
        }
    }
  }
}

TEST_CASE("of a full matrix both places of a pair have the error of the pair, and the diagonal has none") {
  const auto model = random_model({{observed("v", 4)}, {{0, 0}}, {}}, 4, 0.5);
  std::vector<double> bits;
  for (Index r = 0; r < 800; ++r)
    for (Index c = 0; c < 4; ++c) bits.push_back((r * (2 * c + 3) + r * r / 7) % 11 < 5 ? 1.0 : 0.0);
  const Dataset data(Table{800, 4, NumberArray<double>(std::move(bits)), {800, 4}}, "bits");
  const ParameterErrors errors = errors_of(*model, data, "estimator = { type = 'exact' }");
  for (const ParameterBlock& block : model->parameter_layout().blocks())
    for (Index r = 0; r < block.rows; ++r)
      for (Index c = 0; c < block.cols; ++c) {
        const double own = errors.errors[block.offset + r * block.cols + c];
        const bool none = block.symmetry != Symmetry::none && r == c;
        CHECK((own == 0.0) == none);
        if (block.symmetry != Symmetry::none) CHECK(own == errors.errors[block.offset + c * block.cols + r]);
        CHECK(own < 1.0);
      }
}

TEST_CASE("of a lattice with one coupling four rows have errors of the pseudo likelihood, those of its sums by hand") {
  constexpr Index side = 4, sites = side * side;
  Value effective;
  const auto model = builtin_registries().make<EnergyModel>(
      parse_toml("type = 'layered'\nlayers = [{ name = 's', size = 16, units = 'spin', bias = false }]\n"
                 "terms = [{ type = 'lattice', layer = 's', shape = [4, 4], uniform = true, share = [0, 0] }]\n",
                 "test"),
      effective);
  constexpr double j = 0.3;
  REQUIRE(model->parameters().size() == 1);
  model->update_parameters([&](std::span<Real> theta) { theta[0] = static_cast<Real>(j); });
  const auto rows_of = [](Index rows) {
    std::vector<double> states;
    for (Index r = 0; r < rows; ++r)
      for (Index i = 0; i < sites; ++i) states.push_back((r * (2 * i + 3) + i * i / 3 + r * r) % 11 < 5 ? 1.0 : -1.0);
    return states;
  };
  const auto data_of = [&](Index rows) {
    return Dataset(Table{rows, sites, NumberArray<double>(rows_of(rows)), {rows, sites}}, "torus");
  };
  for (const Index rows : {Index{4}, Index{9}}) {
    CAPTURE(rows);
    const std::vector<double> x = rows_of(rows);
    double sum = 0.0, squares = 0.0, h = 0.0;
    for (Index r = 0; r < rows; ++r) {
      double score = 0.0;
      for (Index a = 0; a < side; ++a)
        for (Index b = 0; b < side; ++b) {
          const auto at = [&](Index y, Index z) { return x[r * sites + y % side * side + z % side]; };
          const double f = at(a + 1, b) + at(a + side - 1, b) + at(a, b + 1) + at(a, b + side - 1);
          const double mean = std::tanh(j * f);
          score += (at(a, b) - mean) * f;
          h += (1.0 - mean * mean) * f * f / static_cast<double>(rows);
        }
      sum += score;
      squares += score * score;
    }
    const auto n = static_cast<double>(rows);
    const double expected = std::sqrt((squares - sum * sum / n) / (n - 1.0) / n) / h;
    const ParameterErrors errors = errors_of(*model, data_of(rows), "estimator = { type = 'pseudo_likelihood' }");
    CHECK(errors.errors[0] == doctest::Approx(expected).epsilon(1e-5));
  }
  CHECK_THROWS_WITH_AS(errors_of(*model, data_of(3), "estimator = { type = 'pseudo_likelihood' }"),
                       doctest::Contains("errors of 1 parameter take 4 rows or more, and there are 3. Take more rows"),
                       DataError);
}

TEST_CASE("rows that errors take are by the parameters in the law of one unit, of states a q - 1st of them") {
  const auto check = [](const char* text, Index of_unit, Index least) {
    CAPTURE(text);
    Value effective;
    const auto model = builtin_registries().make<EnergyModel>(parse_toml(text, "test"), effective);
    const std::vector<Places> numbers = own_numbers(*model);
    const RowsForErrors found = rows_for_errors(
        *model, numbers,
        have_gauge(*model, numbers) ? zero_sum_directions(*model, numbers) : each_alone(numbers.size()));
    CHECK(found.of_unit == of_unit);
    CHECK(found.least == least);
  };
  check("type = 'fully_visible'\nnum_visible = 12\nvisible_units = 'spin'", 12, 48);
  check(
      "type = 'layered'\nlayers = [{ name = 's', size = 36, units = 'spin' }]\n"
      "terms = [{ type = 'lattice', layer = 's', shape = [6, 6] }]",
      5, 20);
  check(
      "type = 'layered'\nlayers = [{ name = 's', size = 36, units = 'spin' }]\n"
      "terms = [{ type = 'lattice', layer = 's', shape = [6, 6], uniform = true }]",
      3, 12);
  check(
      "type = 'layered'\nlayers = [{ name = 's', size = 36, units = 'spin' }]\n"
      "terms = [{ type = 'lattice', layer = 's', shape = [6, 6], uniform = true, share = [0, 0] },\n"
      "{ type = 'bias', layer = 's', uniform = true }]",
      2, 8);
  // Of 3 states 2 biases, and 2 x 2 couplings with each of 3 others.
  check("type = 'fully_visible'\nnum_visible = 4\nvisible_units = { type = 'categorical', num_states = 3 }", 14, 28);
  // A precision that is held is no parameter.
  check(
      "type = 'layered'\nlayers = [{ name = 's', size = 3, units = 'gaussian' }]\n"
      "terms = [{ type = 'lateral', layer = 's' }]",
      3, 12);
}

TEST_CASE("what has no errors says why") {
  const auto model = chain(as_bonds);
  std::vector<double> mean;
  const Dataset data = draw(1, mean);
  const std::string own = "estimator = { type = 'pseudo_likelihood' }\n";
  CHECK_THROWS_WITH_AS(errors_of(*model, data, own + "regularizers = [{ type = 'l2' }]"),
                       doctest::Contains("regularizers, which move the optimum"), CapabilityError);
  CHECK_THROWS_WITH_AS(errors_of(*model, data, "estimator = { type = 'noise_contrastive' }"),
                       doctest::Contains("no gradient of each row without chance"), CapabilityError);
  const auto machine = random_model({{observed("v", 4), latent("h", 2)}, {{0, 1}}, {}}, 4, 0.5);
  CHECK_THROWS_WITH_AS(errors_of(*machine, data, own), doctest::Contains("latent units"), CapabilityError);
  std::vector<Index> few(4 * bonds - 1);
  for (Index r = 0; r < few.size(); ++r) few[r] = r;
  CHECK_THROWS_WITH_AS(errors_of(*model, data.part(few), "estimator = { type = 'exact' }"),
                       doctest::Contains("5 parameters by the likelihood take 20 rows or more"), DataError);
  few.resize(7);
  CHECK_THROWS_WITH_AS(errors_of(*model, data.part(few), own),
                       "--errors: chain: errors of 5 parameters, of which up to 2 are in the law of one unit given the "
                       "others, take 8 rows or more, and there are 7. Take more rows, or fewer parameters: mask "
                       "couplings that are none, or share them as a lattice does (uniform = true).",
                       DataError);
  few.push_back(7);
  CHECK_NOTHROW(errors_of(*model, data.part(few), own));
  const Dataset ones(Table{100, spins, NumberArray<double>(std::vector<double>(100 * spins, 1.0)), {100, spins}},
                     "ones");
  CHECK_THROWS_WITH_AS(
      errors_of(*model, ones, "estimator = { type = 'exact' }"),
      "--errors: the rows do not tell all parameters apart, and of these there are no errors: 's[0]' is "
      "1 in every row, 's[1]' is 1 in every row, 's[2]' is 1 in every row, 's[3]' is 1 in every row, "
      "'s[4]' is 1 in every row and 1 more. Leave these columns out of the model, or make rare states "
      "one.",
      NumericalError);
}

}  // namespace parameter_errors_test
