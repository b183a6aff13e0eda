#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
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
      const Matrix<double> told = class_probabilities(*model, "label", rows, beta, executor);
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
      const Classification c = classify(*model, "label", rows, beta, executor);
      CHECK(c.accuracy == right / n);
      CHECK(worst <= rounding<double>(100, oracle.scale()));
      CHECK(std::abs(c.log_likelihood - log_likelihood / n) <= rounding<double>(100, oracle.scale()));
    }
  }
}

TEST_CASE("a machine without labels classifies nothing") {
  const Executor executor(1);
  const auto model = make_rbm({.num_visible = 2, .num_hidden = 2});
  CHECK_FALSE(offers_classification(*model, "label"));
  CHECK_THROWS_AS(class_probabilities(*model, "label", Chains(model->layout(), 1), 1.0, executor), CapabilityError);
  CHECK_THROWS_AS(classify(*model, "label", Chains(model->layout(), 1), 1.0, executor), CapabilityError);
}

}  // namespace classification_test
