#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/diagnostics/error_over_rows.hpp>
#include <harmonium/framework/inference/classification.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace classification_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE("classes are told by sums over all hidden states, in every machine with labels") {
  const Executor executor(2);
  std::vector<std::unique_ptr<LayeredModel>> machines;
  machines.push_back(make_rbm({.num_visible = 3, .num_hidden = 4, .num_labels = 3}));
  machines.push_back(make_semi_restricted({.num_visible = 3, .num_hidden = 4, .num_labels = 2}));
  machines.push_back(make_boltzmann_machine({.num_visible = 3, .num_hidden = 4, .num_labels = 3}));
  machines.push_back(make_deep({.num_visible = 3, .num_hidden = {2, 3}, .num_labels = 4}));
  for (auto& model : machines) {
    randomize(*model, 5, 1.5);
    const Oracle oracle(*model);
    const Layout& layout = model->layout();
    const LayerId label = layout.find("label");
    const Index classes = layout[label].columns();
    const auto states = oracle.states(layout.observed());
    const Chains rows = oracle.chains(states);
    for (const double beta : {1.0, 0.5}) {
      double log_likelihood = 0.0, right = 0.0, worst = 0.0;
      const Matrix<double> told =
          class_probabilities(*model, "label", rows, HeldMask(layout.observed()), beta, executor);
      for (const Oracle::State& x : states) {
        std::vector<double> score(classes);
        Index own = 0;
        for (Index k = 0; k < classes; ++k) {
          Oracle::State asked = x;
          if (x[oracle.first(label) + k] == 1.0) own = k;
          for (Index c = 0; c < classes; ++c) asked[oracle.first(label) + c] = c == k ? 1.0 : 0.0;
          score[k] = -oracle.free_energy(layout.observed(), asked, beta);
        }
        double sum = 0.0;
        for (const double s : score) sum += std::exp(s - score[own]);
        const auto r = static_cast<Index>(&x - states.data());
        for (Index k = 0; k < classes; ++k)
          worst = std::max(worst, std::abs(told(r, k) - std::exp(score[k] - score[own]) / sum));
        log_likelihood -= std::log(sum);
        right += std::ranges::max_element(score) - score.begin() == static_cast<std::ptrdiff_t>(own) ? 1.0 : 0.0;
      }
      const auto n = static_cast<double>(states.size());
      const Classification c = classify(*model, "label", rows, HeldMask(layout.observed()), beta, executor);
      const ToldClasses each = tell_classes(*model, "label", rows, HeldMask(layout.observed()), beta, executor);
      for (Index r = 0; r < rows.size(); ++r) {
        const std::span<const double> p = row_of(told, r);
        Index own = 0;
        while (states[r][oracle.first(label) + own] != 1.0) ++own;
        CHECK(each.predicted[r] == static_cast<Index>(std::ranges::max_element(p) - p.begin()));
        CHECK(each.probability[r] == doctest::Approx(std::ranges::max(p)).epsilon(1e-12));
        CHECK(each.right[r] == (each.predicted[r] == own ? 1.0 : 0.0));
        CHECK(each.log_likelihood[r] == doctest::Approx(std::log(p[own])).epsilon(1e-9));
      }
      CHECK(c.accuracy == right / n);
      CHECK(worst <= rounding<double>(100, oracle.scale()));
      CHECK(std::abs(c.log_likelihood - log_likelihood / n) <= rounding<double>(100, oracle.scale()));
    }
  }
}

TEST_CASE("classes of rows with holes are told by sums over these too, and a row without its class is not counted") {
  const Executor executor(2);
  const auto model = make_rbm({.num_visible = 3, .num_hidden = 4, .num_labels = 3});
  randomize(*model, 5, 1.5);
  const Oracle oracle(*model);
  const Layout& layout = model->layout();
  const LayerId label = layout.find("label"), visible = layout.find("visible");
  const auto states = oracle.states(layout.observed());
  // Of row r the unit r % 3 was not seen, and of every fourth row the class.
  std::vector<std::uint8_t> units(3 * states.size(), 1), classes(states.size(), 1);
  for (Index r = 0; r < states.size(); ++r) {
    units[3 * r + r % 3] = 0;
    classes[r] = r % 4 == 0 ? 0 : 1;
  }
  HeldMask seen;
  seen.hold_units(visible, 3, units).hold_units(label, 1, classes);
  double log_likelihood = 0.0, right = 0.0, n = 0.0, worst = 0.0;
  const Matrix<double> told = class_probabilities(*model, "label", oracle.chains(states), seen, 1.0, executor);
  for (Index r = 0; r < states.size(); ++r) {
    std::vector<double> sums(3, 0.0);
    Index own = 0;
    for (Index k = 0; k < 3; ++k) {
      if (states[r][oracle.first(label) + k] == 1.0) own = k;
      for (const double hole : {0.0, 1.0}) {
        Oracle::State asked = states[r];
        for (Index c = 0; c < 3; ++c) asked[oracle.first(label) + c] = c == k ? 1.0 : 0.0;
        asked[oracle.first(visible) + r % 3] = hole;
        sums[k] += std::exp(-oracle.free_energy(layout.observed(), asked, 1.0));
      }
    }
    const double all = sums[0] + sums[1] + sums[2];
    for (Index k = 0; k < 3; ++k) worst = std::max(worst, std::abs(told(r, k) - sums[k] / all));
    if (classes[r] == 0) continue;
    log_likelihood += std::log(sums[own] / all);
    right += std::ranges::max_element(sums) - sums.begin() == static_cast<std::ptrdiff_t>(own) ? 1.0 : 0.0;
    n += 1.0;
  }
  const Classification c = classify(*model, "label", oracle.chains(states), seen, 1.0, executor);
  const ToldClasses each = tell_classes(*model, "label", oracle.chains(states), seen, 1.0, executor);
  for (Index r = 0; r < states.size(); ++r) {  // a class is told of all, and known of some
    CHECK(each.probability[r] == doctest::Approx(std::ranges::max(row_of(told, r))).epsilon(1e-12));
    CHECK(std::isnan(each.right[r]) == (classes[r] == 0));
    CHECK(std::isnan(each.log_likelihood[r]) == (classes[r] == 0));
  }
  CHECK(worst <= rounding<double>(100, oracle.scale()));
  CHECK(static_cast<double>(c.rows) == n);
  CHECK(c.accuracy == right / n);
  CHECK(std::abs(c.log_likelihood - log_likelihood / n) <= rounding<double>(100, oracle.scale()));
  // Errors are those of all known rows at once, however these were cut.
  CHECK(c.accuracy_error() == doctest::Approx(std::sqrt(c.accuracy * (1.0 - c.accuracy) / n)).epsilon(1e-14));
  std::vector<double> known;
  std::ranges::copy_if(each.log_likelihood, std::back_inserter(known), [](double v) { return !std::isnan(v); });
  CHECK(c.log_likelihood_error() == doctest::Approx(*error_over_rows(known)).epsilon(1e-12));
  for (const std::size_t cut : {std::size_t{1}, std::size_t{7}, each.right.size() - 1}) {
    const auto from = [&](const std::vector<double>& all, bool first) {
      const auto at = all.begin() + static_cast<std::ptrdiff_t>(cut);
      return first ? std::vector<double>(all.begin(), at) : std::vector<double>(at, all.end());
    };
    Classification joined;
    for (const bool first : {true, false})
      joined.add(ToldClasses{{}, {}, from(each.right, first), from(each.log_likelihood, first)}.summary());
    CHECK(joined.rows == c.rows);
    CHECK(joined.log_likelihood_error() == doctest::Approx(c.log_likelihood_error()).epsilon(1e-12));
  }
  HeldMask no_class;
  no_class.hold(visible);
  CHECK(classify(*model, "label", oracle.chains(states), no_class, 1.0, executor).rows == 0);
}

TEST_CASE("a machine without labels classifies nothing") {
  const Executor executor(1);
  const auto model = make_rbm({.num_visible = 2, .num_hidden = 2});
  CHECK_FALSE(offers_classification(*model, "label"));
  CHECK_THROWS_AS(class_probabilities(*model, "label", Chains(model->layout(), 1), {}, 1.0, executor), CapabilityError);
  CHECK_THROWS_AS(classify(*model, "label", Chains(model->layout(), 1), {}, 1.0, executor), CapabilityError);
}

}  // namespace classification_test
