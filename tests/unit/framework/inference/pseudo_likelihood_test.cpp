#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/execution/deal.hpp>
#include <harmonium/framework/inference/pseudo_likelihood.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/unit_conditionals.hpp>

namespace pseudo_likelihood_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
const Execution execution{executor, RandomSource{1, 2}};

double tolerance(const Oracle& oracle) {
  return rounding<double>(16.0 * static_cast<double>(oracle.columns()), oracle.scale());
}

double sum_of(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double v : x) sum += v;
  return sum;
}

double mean_of(const std::vector<double>& x) { return sum_of(x) / static_cast<double>(x.size()); }

/// The square of the error of a mean, in two passes.
double square_of_error(const std::vector<double>& x) {
  const double mean = mean_of(x), n = static_cast<double>(x.size());
  double squares = 0.0;
  for (const double v : x) squares += (v - mean) * (v - mean);
  return squares / (n - 1.0) / n;
}

/// A model whose conditionals at means are not to be had.
class WithoutMeans final : public Forwarding {
 public:
  using Forwarding::Forwarding;
  const FactorizedExpectation* factorized_expectation() const override { return nullptr; }
};

/// Remembers of each unit of the first layer in how many rows it was asked for, and the most units of a row.
class CountingRatios final : public FreeEnergy {
 public:
  explicit CountingRatios(const EnergyModel& inner) : times(inner.layout()[LayerId{0}].size, 0), inner_(inner) {}
  bool closed(LayerSet kept) const override { return inner_.free_energy()->closed(kept); }
  void evaluate(LayerSet kept, double beta, ConstChainView x, std::span<double> out) const override {
    inner_.free_energy()->evaluate(kept, beta, x, out);
  }
  void add_gradient(LayerSet kept, ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& threads) const override {
    inner_.free_energy()->add_gradient(kept, x, weights, gradient, threads);
  }
  void log_ratios(const Layout& layout, LayerSet kept, double beta, ConstChainView x, LayerId layer,
                  std::span<const Index> units, MatrixView<double> out) const override {
    for (const Index u : units) times[u] += x.rows();
    most = std::max(most, units.size());
    inner_.free_energy()->log_ratios(layout, kept, beta, x, layer, units, out);
  }
  double operations(LayerSet kept) const override { return inner_.free_energy()->operations(kept); }

  mutable std::vector<Index> times;
  mutable Index most = 0;

 private:
  const EnergyModel& inner_;
};

class Counting final : public Forwarding {
 public:
  explicit Counting(const EnergyModel& inner) : Forwarding(inner), asked(inner) {}
  const FreeEnergy* free_energy() const override { return &asked; }

  CountingRatios asked;
};

/// Rows of bits of which the unit u is 1 with a probability that goes from 0.05 to 0.95, latent units 0.
std::vector<Oracle::State> random_rows(const Oracle& oracle, Index observed, Index count, std::uint64_t seed) {
  std::mt19937_64 words(seed);
  std::vector<Oracle::State> rows(count, Oracle::State(oracle.columns(), 0.0));
  for (Oracle::State& x : rows)
    for (Index u = 0; u < observed; ++u)
      x[u] = std::bernoulli_distribution(0.05 + 0.9 * static_cast<double>(u) / static_cast<double>(observed))(words);
  return rows;
}

double exact_mean(const Oracle& oracle, const std::vector<Oracle::State>& rows) {
  double sum = 0.0;
  for (const Oracle::State& x : rows) sum += sum_of(pseudo_likelihood_terms(oracle, x));
  return sum / static_cast<double>(rows.size());
}

}  // namespace

TEST_CASE("pseudo likelihoods of all units are their definition, at any temperature") {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const LayerSet visible = m.model->layout().observed();
    REQUIRE(offers_pseudo_likelihood(*m.model) == oracle.uncoupled(m.model->layout().latent()));
    if (!offers_pseudo_likelihood(*m.model)) continue;
    const auto states = oracle.states(visible, Oracle::State(oracle.columns(), 7.0));
    const Chains rows = oracle.chains(states);
    for (const double beta : {1.0, 0.35}) {
      CAPTURE(beta);
      std::vector<double> expected;
      for (const Oracle::State& x : states) expected.push_back(sum_of(pseudo_likelihood_terms(oracle, x, beta)));
      const std::vector<double> found = pseudo_log_likelihoods(*m.model, rows, beta, executor);
      for (Index r = 0; r < states.size(); ++r) CHECK(std::abs(found[r] - expected[r]) <= tolerance(oracle));
      for (const Index all : {0, 99}) {
        const WithError mean = estimated_pseudo_log_likelihood(*m.model, rows, beta, all, execution);
        CHECK(std::abs(mean.value - mean_of(expected)) <= tolerance(oracle));
        CHECK(std::abs(mean.error.value() - std::sqrt(square_of_error(expected))) <= tolerance(oracle));
        CHECK(pseudo_log_likelihood(*m.model, rows, beta, all, execution) == mean.value);
      }
    }
  }
}

TEST_CASE("an estimate is the sum of means over groups that it says it is, whole layers beside those that are dealt") {
  const auto model =
      random_model({{latent("h", 2), observed("v", 5), observed("y", 2)}, {{1, 0}, {2, 0}, {1, 2}}, {}}, 7, 1.5);
  const Oracle oracle(*model);
  const auto states = oracle.states(model->layout().observed());
  std::vector<Oracle::State> some;
  for (Index i = 0; i < states.size(); i += 7) some.push_back(states[i]);
  REQUIRE(some.size() == 19);
  // Five units, two of a row: three groups, of 7, 6 and 6 rows. Both units of y are taken of every row.
  const Deal of_rows(19, 3, execution.random.child("rows").key(0));
  const Deal of_units(5, 3, execution.random.child("units").child("v").key(0));
  const WithoutMeans plain(*model);
  for (const bool with_means : {true, false}) {
    CAPTURE(with_means);
    double value = 0.0, square = 0.0;
    for (Index g = 0; g < 3; ++g) {
      std::vector<double> figures;
      const double share = static_cast<double>(of_rows.group(g).size()) / 19.0;
      for (const Index r : of_rows.group(g)) {
        const std::vector<double> t = pseudo_likelihood_terms(oracle, some[r]);
        const std::vector<double> a = with_means ? terms_at_means(oracle, some[r]) : std::vector<double>(7, 0.0);
        double figure = share * (t[5] + t[6] + a[0] + a[1] + a[2] + a[3] + a[4]);
        for (const Index u : of_units.group(g)) figure += t[u] - a[u];
        figures.push_back(figure);
      }
      value += mean_of(figures);
      square += square_of_error(figures);
    }
    const EnergyModel& asked = with_means ? static_cast<const EnergyModel&>(*model) : plain;
    const WithError found = estimated_pseudo_log_likelihood(asked, oracle.chains(some), 1.0, 2, execution);
    const double near = rounding(64.0 * static_cast<double>(oracle.columns()), oracle.scale());
    CHECK(std::abs(found.value - value) <= near);
    CHECK(std::abs(found.error.value() - std::sqrt(square)) <= near);
  }
}

TEST_CASE("each unit is asked of as many rows as any other, up to one, and of two at least") {
  const auto model = random_rbm(10, 3, 9);
  const Oracle oracle(*model);
  const Executor one_thread(1);
  const Execution alone{one_thread, RandomSource{1, 2}};
  struct Case {
    Index num_rows, units, fewest, most, of_a_row;
  };
  for (const Case& c : {Case{23, 3, 5, 6, 3},       // four groups
                        Case{600, 3, 150, 150, 3},  // a group is more than one piece of work
                        Case{20, 1, 2, 2, 1},       // as many groups as there are units
                        Case{7, 1, 2, 3, 4},        // two rows of each of three groups: more units
                        Case{3, 1, 3, 3, 10},       // all
                        Case{23, 6, 11, 12, 5}, Case{23, 10, 23, 23, 10}}) {
    CAPTURE(c.num_rows);
    CAPTURE(c.units);
    const Counting counted(*model);
    const Chains rows = oracle.chains(random_rows(oracle, 10, c.num_rows, 3));
    const WithError found = estimated_pseudo_log_likelihood(counted, rows, 1.0, c.units, alone);
    CHECK(found.error.has_value());
    CHECK(std::ranges::min(counted.asked.times) == c.fewest);
    CHECK(std::ranges::max(counted.asked.times) == c.most);
    CHECK(counted.asked.most == c.of_a_row);
  }
  const Chains one = oracle.chains(random_rows(oracle, 10, 1, 3));
  CHECK_FALSE(estimated_pseudo_log_likelihood(*model, one, 1.0, 3, alone).error);
}

TEST_CASE("over deals an estimate has the mean of all units, and conditionals at means leave it little to err by") {
  // The mean of 4,000 estimates lies 6.2 of its errors off with probability 6e-10. Forgetting what is dealt, the conditionals at
  // means alone lie hundreds off.
  constexpr Index n = 6, k = 2;
  constexpr int deals = 4000;
  const auto model = random_rbm(n, 3, 9, 1.5);
  const WithoutMeans plain(*model);
  const Oracle oracle(*model);
  const auto states = random_rows(oracle, n, 9, 4);
  const Chains rows = oracle.chains(states);
  const double truth = exact_mean(oracle, states);
  double at_means = 0.0;
  for (const Oracle::State& x : states) at_means += sum_of(terms_at_means(oracle, x)) / 9.0;
  double errors[2];
  for (const bool with_means : {false, true}) {
    CAPTURE(with_means);
    const EnergyModel& asked = with_means ? static_cast<const EnergyModel&>(*model) : plain;
    std::vector<double> found;
    for (int d = 0; d < deals; ++d) {
      const Execution own{executor, RandomSource{static_cast<std::uint64_t>(d), 2}};
      found.push_back(pseudo_log_likelihood(asked, rows, 1.0, k, own));
    }
    errors[with_means] = std::sqrt(square_of_error(found));
    CHECK(std::abs(mean_of(found) - truth) <= 6.2 * errors[with_means]);
    CHECK(std::abs(at_means - truth) > 50.0 * errors[with_means]);
  }
  CHECK(errors[true] < 0.5 * errors[false]);
}

TEST_CASE("an estimate's error is what repetitions with other rows and another deal scatter by") {
  // Rows are draws from a pool whose mean is known. Squares of the error and of the deviation have one mean; 6.2 errors of the
  // mean difference of 2,000 pairs are passed with probability 6e-10. Where conditionals at means are not to be had the error over
  // the rows, as if all units had been taken, is too small by many of them.
  constexpr Index n = 12, num_rows = 36, k = 3;
  constexpr int repeats = 2000;
  const auto model = random_rbm(n, 4, 11, 1.0);
  const WithoutMeans plain(*model);
  const Oracle oracle(*model);
  const auto pool = random_rows(oracle, n, 64, 5);
  const double truth = exact_mean(oracle, pool);
  for (const bool with_means : {true, false}) {
    CAPTURE(with_means);
    const EnergyModel& asked = with_means ? static_cast<const EnergyModel&>(*model) : plain;
    std::mt19937_64 words(8);
    std::vector<double> differences, differences_of_all;
    for (int d = 0; d < repeats; ++d) {
      std::vector<Oracle::State> drawn;
      for (Index r = 0; r < num_rows; ++r) drawn.push_back(pool[words() % pool.size()]);
      const Chains rows = oracle.chains(drawn);
      const Execution own{executor, RandomSource{static_cast<std::uint64_t>(d), 2}};
      const WithError found = estimated_pseudo_log_likelihood(asked, rows, 1.0, k, own);
      const double square = std::pow(found.value - truth, 2);
      differences.push_back(std::pow(found.error.value(), 2) - square);
      differences_of_all.push_back(square_of_error(pseudo_log_likelihoods(*model, rows, 1.0, executor)) - square);
    }
    CHECK(std::abs(mean_of(differences)) <= 6.2 * std::sqrt(square_of_error(differences)));
    if (!with_means) CHECK(mean_of(differences_of_all) < -12.0 * std::sqrt(square_of_error(differences_of_all)));
  }
}

TEST_CASE("without latent units one unit of each row tells what all do") {
  const auto model = random_model({{observed("v", 9)}, {{0, 0}}, {}}, 3);
  const Oracle oracle(*model);
  const auto states = random_rows(oracle, 9, 40, 6);
  const double found = pseudo_log_likelihood(*model, oracle.chains(states), 1.0, 1, execution);
  CHECK(std::abs(found - exact_mean(oracle, states)) <= rounding(200.0, oracle.scale()));
  const WithoutMeans latent_or_not(*model);  // means of latent units are not asked for where there are none
  CHECK(pseudo_log_likelihood(latent_or_not, oracle.chains(states), 1.0, 1, execution) == found);
}

TEST_CASE("an estimate is a function of the rows and the seed, and not of the number of threads") {
  const auto model = random_rbm(6, 3, 9);
  const Oracle oracle(*model);
  const Chains rows = oracle.chains(random_rows(oracle, 6, 500, 7));
  const double first = pseudo_log_likelihood(*model, rows, 1.0, 2, execution);
  CHECK(first == pseudo_log_likelihood(*model, rows, 1.0, 2, execution));
  const Executor single(1);
  CHECK(first == pseudo_log_likelihood(*model, rows, 1.0, 2, {single, execution.random}));
  CHECK(first != pseudo_log_likelihood(*model, rows, 1.0, 2, {executor, RandomSource{2, 2}}));
}

}  // namespace pseudo_likelihood_test
