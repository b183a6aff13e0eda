#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace evaluation_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);

double tolerance(const Oracle& oracle) {
  return rounding<double>(16.0 * static_cast<double>(oracle.columns()), oracle.scale());
}

}  // namespace

TEST_CASE("mean free energies and reconstruction errors are their definitions, at any temperature") {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const Layout& layout = m.model->layout();
    const LayerSet visible = layout.observed();
    if (!oracle.uncoupled(layout.latent())) {
      CHECK_FALSE(offers_reconstruction(*m.model));
      // By enumeration of the latent states of each row.
      const auto states = oracle.states(visible, Oracle::State(oracle.columns(), 7.0));
      CHECK(offers_free_energy(*m.model));
      for (const double beta : {1.0, 0.35}) {
        const std::vector<double> f = free_energies(*m.model, oracle.chains(states), beta, executor);
        for (Index r = 0; r < states.size(); ++r)
          CHECK(std::abs(f[r] - oracle.free_energy(visible, states[r], beta)) <= tolerance(oracle));
      }
      continue;
    }
    CHECK(offers_reconstruction(*m.model) == (oracle.uncoupled(visible) && !layout.latent().empty()));
    const auto states = oracle.states(visible, Oracle::State(oracle.columns(), 7.0));
    const Chains rows = oracle.chains(states);
    const double n = static_cast<double>(states.size());
    for (const double beta : {1.0, 0.35}) {
      CAPTURE(beta);
      double free_energy = 0.0, error = 0.0;
      for (const Oracle::State& x : states) {
        free_energy += oracle.free_energy(visible, x, beta) / n;
        if (!offers_reconstruction(*m.model)) continue;
        // Means of the latent units, then of the observed ones in their field: units are independent both times, and the
        // energy is linear in the other side's values, so that a mean takes the place of a state.
        const auto means = [&](LayerSet free, const Oracle::State& given) {
          const double log_sum = oracle.log_sum(free, given, beta);
          Oracle::State mean = given;
          for (const LayerId l : layout.ids())
            for (Index c = 0; free.contains(l) && c < layout[l].columns(); ++c) mean[oracle.first(l) + c] = 0.0;
          oracle.for_each(free, given, [&](const Oracle::State& s) {
            const double p = std::exp(-beta * oracle.energy(s) - log_sum);
            for (const LayerId l : layout.ids())
              for (Index c = 0; free.contains(l) && c < layout[l].columns(); ++c)
                mean[oracle.first(l) + c] += p * s[oracle.first(l) + c];
          });
          return mean;
        };
        const Oracle::State back = means(visible, means(layout.latent(), x));
        for (const LayerId l : layout.ids())
          for (Index c = 0; layout[l].role == Role::observed && c < layout[l].columns(); ++c)
            error += std::pow(x[oracle.first(l) + c] - back[oracle.first(l) + c], 2) /
                     (n * static_cast<double>(layout.columns(visible)));
      }
      CHECK(std::abs(mean_free_energy(*m.model, rows, beta, executor) - free_energy) <= tolerance(oracle));
      if (offers_reconstruction(*m.model))
        CHECK(std::abs(reconstruction_error(*m.model, rows, beta, executor) - error) <= tolerance(oracle));
    }
  }
}

TEST_CASE("too many coupled latent states to enumerate are refused") {
  const auto model = random_model({{observed("v", 2), latent("h", 17)}, {{0, 1}, {1, 1}}, {}}, 1);
  CHECK_FALSE(offers_free_energy(*model));
  CHECK(message_of<CapabilityError>([&] { free_energies(*model, Chains(model->layout(), 1), 1.0, executor); }) ==
        "the model offers no free energy: its latent units are coupled given the observed ones, and too many to "
        "enumerate.");
}

}  // namespace evaluation_test
