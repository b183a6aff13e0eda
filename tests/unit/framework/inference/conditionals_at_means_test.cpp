#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/conditionals_at_means.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/unit_conditionals.hpp>

namespace conditionals_at_means_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE("conditionals at means are their definition, never less than with the latent units summed out") {
  Index compared = 0, apart = 0;
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const Layout& layout = m.model->layout();
    CHECK(offers_conditionals_at_means(*m.model) == oracle.uncoupled(layout.latent()));
    if (!offers_conditionals_at_means(*m.model)) continue;
    // Fields are sums in the precision of the build: each may err by its terms' rounding, and so may a difference of two.
    const double tolerance = rounding(16.0 * static_cast<double>(oracle.columns()), oracle.scale());
    const auto states = oracle.states(layout.observed(), Oracle::State(oracle.columns(), 7.0));
    const Chains rows = oracle.chains(states);
    for (const double beta : {1.0, 0.35}) {
      const ConditionalsAtMeans found(*m.model, beta, rows);
      for (Index r = 0; r < states.size(); ++r) {
        const std::vector<double> expected = terms_at_means(oracle, states[r], beta);
        const std::vector<double> summed_out = pseudo_likelihood_terms(oracle, states[r], beta);
        Index k = 0;
        for (const LayerId l : layout.ids(layout.observed())) {
          double sum = 0.0;
          for (Index u = 0; u < layout[l].size; ++u, ++k) {
            const double own = found.of_unit(l, r, u);
            CHECK(std::abs(own - expected[k]) <= tolerance);
            CHECK(own >= summed_out[k] - tolerance);
            if (layout.latent().empty()) CHECK(std::abs(own - summed_out[k]) <= tolerance);
            sum += expected[k];
            ++compared;
            apart += own > summed_out[k] + 0.01 ? 1 : 0;
          }
          CHECK(std::abs(found.sums(l)[r] - sum) <= tolerance);
        }
      }
    }
  }
  CHECK(apart > compared / 5);  // the two are not the same
}

}  // namespace conditionals_at_means_test
