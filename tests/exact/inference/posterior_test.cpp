#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace posterior_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);

/// E[x] and E[x²] of each column of the layers of `free` given the rest of x.
std::pair<std::vector<double>, std::vector<double>> conditional(const Oracle& oracle, LayerSet free,
                                                                const Oracle::State& x) {
  std::vector<double> mean(oracle.columns(), 0.0), second(mean);
  const double log_sum = oracle.log_sum(free, x);
  oracle.for_each(free, x, [&](const Oracle::State& s) {
    const double p = std::exp(-oracle.energy(s) - log_sum);
    for (Index c = 0; c < s.size(); ++c) {
      mean[c] += p * s[c];
      second[c] += p * s[c] * s[c];
    }
  });
  return {mean, second};
}

}  // namespace

TEST_CASE("the moments of any uncoupled layers are those of their law given the others") {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const Layout& layout = m.model->layout();
    for (const LayerSet free : oracle.sets()) {
      if (!oracle.uncoupled(free)) continue;
      // Garbage in the free layers must not matter.
      const auto states = oracle.states(oracle.without(free), Oracle::State(oracle.columns(), 0.5));
      const Chains rows = oracle.chains(states);
      Posterior posterior(free);
      const Moments& q = posterior.moments(*m.model, rows, executor);
      CHECK(posterior_factorizes(*m.model) == oracle.uncoupled(layout.latent()));
      double worst = 0.0;
      for (Index r = 0; r < states.size(); ++r) {
        const auto [mean, second] = conditional(oracle, free, states[r]);
        for (const LayerId l : layout.ids()) {
          const auto i = static_cast<Index>(l);
          for (Index c = 0; c < layout[l].columns(); ++c) {
            const Index at = oracle.first(l) + c;
            worst = std::max(worst, std::abs(static_cast<double>(q.mean[i](r, c)) - mean[at]));
            if (layout[l].unit->has_curvature())
              worst = std::max(worst, std::abs(static_cast<double>(q.second[i](r, c)) - second[at]));
          }
        }
      }
      CHECK(worst <= rounding(32.0) + rounding<double>(4.0 * static_cast<double>(oracle.columns()), oracle.scale()));
    }
  }
}

TEST_CASE("draws from the posterior go by the addresses of their chains, and leave the other layers alone") {
  Index compared = 0;
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    if (!posterior_factorizes(*m.model)) continue;
    const Oracle oracle(*m.model);
    const Layout& layout = m.model->layout();
    const auto states = oracle.states(layout.observed(), Oracle::State(oracle.columns(), 0.5));
    const Chains rows = oracle.chains(states);
    const RandomSource random{5, 6};
    Chains chains(layout, states.size(), 8);
    chains.set_step(123);
    for (const LayerId l : layout.ids())
      for (Index r = 0; r < states.size(); ++r)
        for (Index c = 0; c < layout[l].columns(); ++c) chains.write(l)(r, c) = Real{0.25};
    Posterior posterior;
    posterior.sample(*m.model, rows, random, chains, executor);
    CHECK(chains.step() == 123);
    for (Index r = 0; r < states.size(); ++r) {
      const auto [mean, second] = conditional(oracle, layout.latent(), states[r]);
      for (const LayerId l : layout.ids()) {
        const ConstMatrixRef drawn = chains.read(l);
        for (Index c = 0; c < drawn.cols; ++c) {
          if (layout[l].role == Role::observed) {
            CHECK(drawn(r, c) == Real{0.25});
            continue;
          }
          if (layout[l].unit->name() != "binary") continue;
          const double u = static_cast<double>(
              uniform<Real>(DrawBlock::of(random, 8, 123, l).word(r, static_cast<std::uint32_t>(c))));
          const double p = mean[oracle.first(l) + c];
          if (std::abs(u - p) <= rounding(16.0)) continue;
          ++compared;
          CHECK(drawn(r, c) == (u < p ? Real{1} : Real{0}));
        }
      }
    }
  }
  CHECK(compared > 100);
}

TEST_CASE("a posterior is computed once, until it is reset") {
  auto model = random_rbm(3, 2, 1);
  const Oracle oracle(*model);
  const Chains rows = oracle.chains({{1, 0, 1, 0, 0}});
  Posterior posterior;
  const Real before = posterior.moments(*model, rows, executor).mean[1](0, 0);
  move(*model, {model->parameter_layout()[1].offset}, 1.0);
  CHECK(posterior.moments(*model, rows, executor).mean[1](0, 0) == before);
  posterior.reset();
  CHECK(posterior.moments(*model, rows, executor).mean[1](0, 0) > before);
}

TEST_CASE("a layer whose units are coupled has no factorized law") {
  const auto model = random_model({{observed("v", 3), latent("h", 3)}, {{0, 1}, {1, 1}}, {}}, 1);
  const Chains rows(model->layout(), 1);
  Posterior posterior;
  CHECK(message_of<CapabilityError>([&] { posterior.moments(*model, rows, executor); }) ==
        "the conditional law of a layer was asked for whose units are coupled");
}

}  // namespace posterior_test
