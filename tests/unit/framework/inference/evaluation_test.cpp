#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/diagnostics/error_over_rows.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace evaluation_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
const Execution execution{executor, RandomSource{1, 2}};

double tolerance(const Oracle& oracle) {
  return rounding<double>(16.0 * static_cast<double>(oracle.columns()), oracle.scale());
}

/// log p(x_u | all other observed units) of each observed unit, in layout order.
std::vector<double> unit_terms(const Oracle& oracle, const Oracle::State& x, double beta) {
  const Layout& layout = oracle.layout();
  const LayerSet visible = layout.observed();
  std::vector<double> terms;
  for (const LayerId l : layout.ids()) {
    if (layout[l].role == Role::latent) continue;
    const UnitType& unit = *layout[l].unit;
    std::vector<Real> values(unit.num_states() * unit.width());
    unit.states({values.data(), unit.num_states(), unit.width(), unit.width()});
    for (Index u = 0; u < layout[l].size; ++u) {
      const double own = -oracle.free_energy(visible, x, beta);
      double sum = 0.0;
      Oracle::State changed = x;
      for (Index s = 0; s < unit.num_states(); ++s) {
        for (Index c = 0; c < unit.width(); ++c)
          changed[oracle.first(l) + u * unit.width() + c] = static_cast<double>(values[s * unit.width() + c]);
        sum += std::exp(-oracle.free_energy(visible, changed, beta) - own);
      }
      terms.push_back(-std::log(sum));
    }
  }
  return terms;
}

double sum_of(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double v : x) sum += v;
  return sum;
}

}  // namespace

TEST_CASE(
    "mean free energies, pseudo likelihoods and reconstruction errors are their definitions, at any temperature") {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const Layout& layout = m.model->layout();
    const LayerSet visible = layout.observed();
    if (!oracle.uncoupled(layout.latent())) {
      CHECK_FALSE(offers_pseudo_likelihood(*m.model));
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
    CHECK(offers_pseudo_likelihood(*m.model));
    CHECK(offers_reconstruction(*m.model) == (oracle.uncoupled(visible) && !layout.latent().empty()));
    const auto states = oracle.states(visible, Oracle::State(oracle.columns(), 7.0));
    const Chains rows = oracle.chains(states);
    const double n = static_cast<double>(states.size());
    for (const double beta : {1.0, 0.35}) {
      CAPTURE(beta);
      double free_energy = 0.0, pseudo = 0.0, error = 0.0, worst = 0.0;
      const std::vector<double> pseudo_of_rows = pseudo_log_likelihoods(*m.model, rows, beta, 0, execution);
      for (const Oracle::State& x : states) {
        free_energy += oracle.free_energy(visible, x, beta) / n;
        pseudo += sum_of(unit_terms(oracle, x, beta)) / n;
        const double own = pseudo_of_rows[static_cast<Index>(&x - states.data())];
        worst = std::max(worst, std::abs(own - sum_of(unit_terms(oracle, x, beta))));
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
      CHECK(worst <= tolerance(oracle));
      CHECK(std::abs(pseudo_log_likelihood(*m.model, rows, beta, 0, execution) - pseudo) <= tolerance(oracle));
      CHECK(std::abs(pseudo_log_likelihood(*m.model, rows, beta, 99, execution) - pseudo) <= tolerance(oracle));
      if (offers_reconstruction(*m.model))
        CHECK(std::abs(reconstruction_error(*m.model, rows, beta, executor) - error) <= tolerance(oracle));
    }
  }
}

TEST_CASE("a pseudo likelihood from some of the units is one of its subsets, and unbiased over them") {
  // Draws without repetition of k of n terms, scaled by n / k: mean Σ t, variance n² (1 − k/n) S² / k. 20,000 draws; the
  // normal score exceeds 6.2 with probability 6e-10, and a mean without the scale would be off by a hundred scores.
  constexpr Index n = 6, k = 2;
  constexpr int draws = 20'000;
  const auto model = random_rbm(n, 3, 9);
  const Oracle oracle(*model);
  const Oracle::State x{1, 0, 0, 1, 1, 0, 0, 0, 0};
  const Chains row = oracle.chains({x});
  const std::vector<double> terms = unit_terms(oracle, x, 1.0);
  const double mean = sum_of(terms);
  double variance = 0.0;
  for (const double t : terms) variance += (t - mean / n) * (t - mean / n) / (n - 1.0);
  variance *= n * n * (1.0 - static_cast<double>(k) / n) / k;
  std::vector<double> subsets;
  for (Index i = 0; i < n; ++i)
    for (Index j = i + 1; j < n; ++j) subsets.push_back(n / static_cast<double>(k) * (terms[i] + terms[j]));

  std::vector<int> counts(subsets.size(), 0);
  double sum = 0.0;
  for (int d = 0; d < draws; ++d) {
    const Execution own{executor, RandomSource{static_cast<std::uint64_t>(d), 2}};
    const double estimate = pseudo_log_likelihood(*model, row, 1.0, k, own);
    sum += estimate;
    const auto nearest = std::ranges::min_element(subsets, {}, [&](double s) { return std::abs(s - estimate); });
    REQUIRE(std::abs(*nearest - estimate) <= tolerance(oracle));
    ++counts[static_cast<Index>(nearest - subsets.begin())];
  }
  CHECK(std::abs(sum / draws - mean) <= 6.2 * std::sqrt(variance / draws));
  CHECK(std::abs(sum / draws * k / n - mean) > 100.0 * std::sqrt(variance / draws));
  CHECK(std::ranges::min(counts) > 0);

  // Of many such rows the spread over rows is that of the draws: (n²/k) (1 − k/n) S², S² the units' variance.
  constexpr Index copies = 20'000;
  const Chains many = oracle.chains(std::vector<Oracle::State>(copies, x));
  ErrorOverRows over_rows;
  over_rows.add(pseudo_log_likelihoods(*model, many, 1.0, k, execution));
  // The variance of a sample's variance of values that lie in [low, high] is at most s² (high − low)² / copies.
  const auto [low, high] = std::ranges::minmax(subsets);
  const double found = *over_rows.error() * *over_rows.error() * copies;
  CHECK(std::abs(found - variance) <= 5.0 * std::sqrt(variance / copies) * (high - low));
  CHECK(5.0 * std::sqrt(variance / copies) * (high - low) <
        0.2 * variance);  // what forgetting 1 − k/n would make is more
}

TEST_CASE("each row has units of its own, by its place and the seed") {
  const auto model = random_rbm(6, 3, 9);
  const Oracle oracle(*model);
  const Oracle::State x{1, 0, 0, 1, 1, 0, 0, 0, 0};
  const Chains one = oracle.chains({x}), many = oracle.chains(std::vector<Oracle::State>(200, x));
  const double first = pseudo_log_likelihood(*model, one, 1.0, 2, execution);
  CHECK(first == pseudo_log_likelihood(*model, one, 1.0, 2, execution));
  CHECK(std::abs(first - pseudo_log_likelihood(*model, many, 1.0, 2, execution)) > 1e-6);
  const Executor single(1);
  CHECK(pseudo_log_likelihood(*model, many, 1.0, 2, {single, execution.random}) ==
        pseudo_log_likelihood(*model, many, 1.0, 2, execution));
}

TEST_CASE("too many coupled latent states to enumerate are refused") {
  const auto model = random_model({{observed("v", 2), latent("h", 17)}, {{0, 1}, {1, 1}}, {}}, 1);
  CHECK_FALSE(offers_free_energy(*model));
  CHECK(message_of<CapabilityError>([&] { free_energies(*model, Chains(model->layout(), 1), 1.0, executor); }) ==
        "the model offers no free energy: its latent units are coupled given the observed ones, and too many to "
        "enumerate.");
}

}  // namespace evaluation_test
