// The averages of each unit and pair, by sums over all states and by chains, beside loops over all states.
#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/local_averages.hpp>
#include <harmonium/framework/inference/local_means.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/spins.hpp>

#include "state_loops.hpp"

namespace local_averages_test {

using namespace harmonium;
using namespace harmonium::testing;
using namespace harmonium::testing::state_loops;

namespace {

const Executor executor(2);
using Pairs = LocalObservables::Pairs;

/// What a unit counts as in a state: of a site 1 where it is in state `number`.
double unit_in(const Weighted& w, Index unit, Index number, bool sites) {
  return sites ? (w.units[unit] == static_cast<double>(number) ? 1.0 : 0.0) : w.units[unit];
}

/// All means, in the order of LocalAverages, by loops.
struct ByLoops {
  std::vector<double> units, pairs, connected;

  ByLoops(const std::vector<Weighted>& law, const LocalObservables& what) {
    const bool sites = what.layer().kind() == LayerObservables::Kind::sites;
    const Index n = law[0].units.size(), numbers = what.numbers_of_unit();
    for (Index i = 0; i < n; ++i)
      for (Index a = 0; a < numbers; ++a)
        units.push_back(mean(law, [&](const Weighted& w) { return unit_in(w, i, a, sites); }));
    for (const auto& pair : what.pairs()) {
      const Index i = pair.first, j = pair.second;  // clang 14 lets no lambda have a name that a binding gave
      pairs.push_back(mean(law, [&](const Weighted& w) { return likeness(w.units, i, j, sites); }));
      double covariance = 0.0;
      for (Index a = 0; a < numbers; ++a)
        covariance += mean(law, [&](const Weighted& w) {
          return (unit_in(w, i, a, sites) - units[i * numbers + a]) *
                 (unit_in(w, j, a, sites) - units[j * numbers + a]);
        });
      connected.push_back(covariance);
    }
  }
};

/// i < j that a coupling other than 0 joins.
std::vector<LocalObservables::Pair> joined_pairs(const EnergyModel& model, LayerId layer) {
  const Oracle oracle(model);
  const Index width = model.layout()[layer].unit->width(), first = oracle.first(layer);
  std::vector<LocalObservables::Pair> pairs;
  for (std::uint32_t i = 0; i < model.layout()[layer].size; ++i)
    for (std::uint32_t j = i + 1; j < model.layout()[layer].size; ++j) {
      bool joined = false;
      for (Index r = 0; r < width; ++r)
        for (Index c = 0; c < width; ++c)
          joined |= oracle.coupling(first + i * width + r, first + j * width + c) != 0.0;
      if (joined) pairs.emplace_back(i, j);
    }
  return pairs;
}

void check_values(const std::vector<LocalAverage>& found, const std::vector<double>& exact) {
  REQUIRE(found.size() == exact.size());
  for (Index k = 0; k < found.size(); ++k) {
    CAPTURE(k);
    CHECK(std::abs(found[k].value - exact[k]) <= tolerance(exact[k]));
    CHECK(found[k].error == 0.0);
    CHECK(found[k].long_enough);
  }
}

LocalAverages exact_at(const EnergyModel& model, const LocalObservables& what, double beta, const Executor& threads,
                       const HeldState* held = nullptr) {
  const StateSum sum(model, what.layer(), threads, held);
  return *sum.at(beta, threads, &what).local;
}

void check_exactly(const EnergyModel& model, LayerId layer, Pairs which) {
  const LayerObservables own(model, layer);
  const LocalObservables what(own, which);
  if (which == Pairs::coupled) CHECK(what.pairs() == joined_pairs(model, layer));
  for (const double beta : {0.0, 1.0, 2.5}) {
    CAPTURE(beta);
    const std::vector<Weighted> law = law_of(model, layer, beta);
    const ByLoops exact(law, what);
    const LocalAverages found = exact_at(model, what, beta, executor);
    check_values(found.units, exact.units);
    check_values(found.pairs, exact.pairs);
    check_values(found.connected, exact.connected);
    const double q = by_loops(model, layer, beta, law).at("overlap");
    CHECK(std::abs(found.squares[0].value - q) <= tolerance(q));
    const auto joined = joined_pairs(model, layer);
    REQUIRE(found.squares.size() == (joined.empty() ? 1 : 2));
    if (joined.empty()) continue;
    double squares = 0.0;
    const bool sites = own.kind() == LayerObservables::Kind::sites;
    for (const auto& pair : joined) {
      const auto of_pair = [&](const Weighted& w) { return likeness(w.units, pair.first, pair.second, sites); };
      squares += std::pow(mean(law, of_pair), 2);
    }
    squares /= static_cast<double>(joined.size());
    CHECK(std::abs(found.squares[1].value - squares) <= tolerance(squares));
  }
}

HeldState first_unit_up(const EnergyModel& model) {
  HeldState held{Chains(model.layout(), 1), {}};
  held.state.write(LayerId{0})(0, 0) = Real{1};
  std::vector<std::uint8_t> units(model.layout()[LayerId{0}].size, 0);
  units[0] = 1;
  held.units.hold_units(LayerId{0}, units.size(), units);
  return held;
}

/// Σ_k ((value − exact)/error)² over the averages, and how many they are.
struct Deviations {
  double squares = 0.0;
  Index count = 0;

  void add(const std::vector<LocalAverage>& found, const std::vector<double>& exact) {
    for (Index k = 0; k < found.size(); ++k, ++count)
      squares += std::pow((found[k].value - exact[k]) / found[k].error, 2);
  }
  double mean() const { return squares / static_cast<double>(count); }
};

LocalSums sums_of_chains(const EnergyModel& model, const LocalObservables& what, const char* sampler,
                         const ThermalPlan& plan, std::uint64_t seed, int threads = 2) {
  const Executor own(threads);
  ThermalPlan with = plan;
  with.local = &what;
  const auto make_sampler = [&] { return make<Sampler>(sampler); };
  ThermalRecord record = record_alone(model, make_sampler, what.layer(), with, {own, {seed, 0}});
  return std::move(*record.temperatures[0].local);
}

const ThermalAverages no_others;

}  // namespace

TEST_CASE("sums over all states have the means of units and pairs of loops: spins, bits, sites, hidden layers") {
  const Example models[] = {{"spin glass", small_spin_glass()},
                            {"RBM", small_rbm()},
                            {"spin RBM", small_spin_rbm()},
                            {"lateral hidden", small_lateral_hidden()},
                            {"deep", small_deep()},
                            {"hidden first", small_triangle()},
                            {"categorical", small_categorical()},
                            {"Potts", small_potts()},
                            {"sparse Potts", small_sparse_potts()},
                            {"ring", small_sparse()}};
  for (const Example& example : models) {
    CAPTURE(example.name);
    for (const LayerId layer : example.model->layout().ids()) {
      CAPTURE(example.model->layout()[layer].name);
      for (const Pairs which : {Pairs::coupled, Pairs::all}) check_exactly(*example.model, layer, which);
    }
  }
  // Units and pairs that changed places would be seen, in double at least.
  const auto glass = small_spin_glass();
  const LayerObservables own(*glass, LayerId{0});
  const LocalObservables what(own, Pairs::all);
  const ByLoops exact(law_of(*glass, LayerId{0}, 1.0), what);
  for (const std::vector<double>& means : {exact.units, exact.pairs, exact.connected})
    for (Index k = 1; k < means.size() && in_double; ++k)
      CHECK(std::abs(means[k] - means[k - 1]) > 2.0 * tolerance(1.0));
}

TEST_CASE(
    "a unit that is in one state whenever the law has any has that as its mean, without the rounding of the law") {
  const auto model = random_model({{observed("v", 5, std::make_shared<SpinUnit>())}, {{0, 0}}, {}}, 3);
  const LayerObservables own(*model, LayerId{0});
  const LocalObservables what(own, Pairs::all);
  LayerSet layer;
  layer.add(LayerId{0});
  const JointStates states(model->layout(), layer);
  // The eight states in which units 0 and 3 are 1 and -1.
  std::vector<double> law(states.size(), 0.0);
  for (std::uint64_t s = 0; s < states.size(); ++s)
    if ((s & 1u) != 0 && (s & 8u) == 0) law[s] = 0.1;
  law[1] = 0.3;
  double all = 0.0;
  for (const double p : law) all += p;
  REQUIRE(all != 1.0);  // 0.3 + 7 · 0.1 in double, which the mean of a spin that is always up would be
  const std::vector<double> means = local_means(model->layout(), what, states, law, executor);
  REQUIRE(means.size() == 15);
  CHECK(means[0] == 1.0);
  CHECK(means[3] == -1.0);
  const auto of_pair = std::ranges::find(what.pairs(), LocalObservables::Pair{0, 3});
  CHECK(means[5 + static_cast<Index>(of_pair - what.pairs().begin())] == -1.0);
  CHECK(std::abs(means[1]) < 0.5);  // which is in both states
}

TEST_CASE("given what is held the means are those of the states that agree, and a held unit has no correlation") {
  const auto glass = small_spin_glass();
  const LayerObservables own(*glass, LayerId{0});
  const LocalObservables what(own, Pairs::all);
  const HeldState held = first_unit_up(*glass);
  std::vector<Weighted> law = law_of(*glass, LayerId{0}, 1.0);
  std::erase_if(law, [](const Weighted& w) { return w.units[0] != 1.0; });
  const double all = mean(law, [](const Weighted&) { return 1.0; });
  for (Weighted& w : law) w.probability /= all;
  const ByLoops exact(law, what);
  const LocalAverages found = exact_at(*glass, what, 1.0, executor, &held);
  check_values(found.units, exact.units);
  check_values(found.pairs, exact.pairs);
  check_values(found.connected, exact.connected);
  CHECK(found.units[0].value == doctest::Approx(1.0).epsilon(1e-13));
  for (Index p = 0; p < 6; ++p) CHECK(found.connected[p].value == 0.0);  // those of unit 0
  // Chains that hold it have no error there, and the others' are in order.
  const ThermalPlan plan{.betas = {1.0}, .warm_up = 200, .num_steps = 4000, .held = &held};
  const LocalAverages chains =
      local_averages_of(sums_of_chains(*glass, what, "type = 'gibbs'", plan, 3), no_others, executor);
  CHECK(chains.units[0].value == 1.0);
  CHECK(chains.units[0].error == 0.0);
  CHECK(chains.units[0].long_enough);
  for (Index k = 1; k < chains.units.size(); ++k)
    CHECK(std::abs(chains.units[k].value - exact.units[k]) < student_limit * chains.units[k].error);
}

TEST_CASE("what is 0 by symmetry is 0, and the bits are those of any number of threads") {
  const auto ring = spins_on({14, {{0, 1, 0.7}, {1, 2, 0.7}, {2, 3, -0.4}, {12, 13, 0.3}}});  // 16384 states: a part
  const LayerObservables own(*ring, LayerId{0});
  const LocalObservables what(own, Pairs::all);
  const LocalAverages found = exact_at(*ring, what, 0.9, executor), other = exact_at(*ring, what, 0.9, Executor(3));
  for (const LocalAverage& a : found.units) CHECK(a.value == 0.0);
  for (Index p = 0; p < found.pairs.size(); ++p) {
    const auto [i, j] = what.pairs()[p];
    if ((i < 4) != (j < 4) || (i >= 4 && i < 12)) CHECK(found.pairs[p].value == 0.0);  // nothing joins them
    CHECK(found.pairs[p].value == other.pairs[p].value);
  }
  const auto of_pair = [&](std::uint32_t i, std::uint32_t j) {
    return found
        .pairs[static_cast<Index>(std::ranges::find(what.pairs(), LocalObservables::Pair(i, j)) - what.pairs().begin())]
        .value;
  };
  // Of an open chain the product of tanh βJ between the two.
  const double k = std::tanh(0.9 * static_cast<double>(Real(0.7)));
  CHECK(std::abs(of_pair(0, 2) - k * k) <= tolerance(1.0));
  CHECK(std::abs(of_pair(12, 13) - std::tanh(0.9 * static_cast<double>(Real(0.3)))) <= tolerance(1.0));
}

// If all averages of a run deviate alike, the mean of their squares over R = 40 runs is a χ² of 40 degrees of freedom over 40, else
// closer to 1: with probability 1e-5 each it is beyond 2.25 and below 0.36. Errors of 64 blocks make it 63/61 times larger.
TEST_CASE("deviations of chains are as large as their errors say, and those from another temperature are larger") {
  constexpr int runs = 40;
  const auto glass = small_spin_glass();
  const auto ring = spins_on({6, {{0, 1, 0.8}, {1, 2, 0.8}, {2, 3, 0.8}, {3, 4, 0.8}, {4, 5, 0.8}, {0, 5, 0.8}}});
  const std::pair<const EnergyModel*, const char*> cases[] = {{glass.get(), "type = 'exact'"},
                                                              {ring.get(), "type = 'gibbs'"}};
  for (const auto& one : cases) {
    const EnergyModel* const model = one.first;
    const char* const sampler = one.second;
    CAPTURE(sampler);
    const LayerObservables own(*model, LayerId{0});
    const LocalObservables what(own, Pairs::all);
    const ByLoops exact(law_of(*model, LayerId{0}, 1.0), what), warmer(law_of(*model, LayerId{0}, 0.8), what);
    const ThermalPlan plan{.betas = {1.0}, .warm_up = 100, .num_steps = 2000};
    Deviations units, pairs, connected, of_warmer, as_if_independent;
    for (int run = 0; run < runs; ++run) {
      const auto seed = static_cast<std::uint64_t>(run);
      const LocalAverages found =
          local_averages_of(sums_of_chains(*model, what, sampler, plan, seed), no_others, executor);
      units.add(found.units, exact.units);
      pairs.add(found.pairs, exact.pairs);
      connected.add(found.connected, exact.connected);
      of_warmer.add(found.pairs, warmer.pairs);
      std::vector<LocalAverage> independent = found.units;
      for (LocalAverage& a : independent) a.error = std::sqrt((1.0 - a.value * a.value) / (8.0 * 2000.0));
      as_if_independent.add(independent, exact.units);
    }
    for (const Deviations& d : {units, pairs, connected}) {
      CHECK(d.mean() > 0.36);
      CHECK(d.mean() < 2.25 * 63.0 / 61.0);
    }
    CHECK(of_warmer.mean() > 10.0);
    // Of correlated states errors of independent ones are too small by the autocorrelation time.
    if (model == ring.get()) CHECK(as_if_independent.mean() > 2.25 * 63.0 / 61.0);
  }
}

TEST_CASE("means of sites and of chains along a ladder are those of the law") {
  const ThermalPlan plan{.betas = {1.0, 0.5}, .warm_up = 300, .num_steps = 8000};
  const Example models[] = {{"Potts", small_potts()}, {"all coupled", small_general()}};
  for (const Example& example : models) {
    CAPTURE(example.name);
    const LayerObservables own(*example.model, LayerId{0});
    const LocalObservables what(own, Pairs::coupled);
    ThermalPlan with = plan;
    with.local = &what;
    const auto gibbs = make<Sampler>("type = 'gibbs'");
    const ThermalRecord record = record_tempered(*example.model, *gibbs, own, with, {executor, {5, 0}});
    for (const ThermalSeries& t : record.temperatures) {
      CAPTURE(t.beta);
      const ByLoops exact(law_of(*example.model, LayerId{0}, t.beta), what);
      const LocalAverages found = local_averages_of(*t.local, no_others, executor);
      const auto near = [](const std::vector<LocalAverage>& averages, const std::vector<double>& values) {
        REQUIRE(averages.size() == values.size());
        for (Index k = 0; k < averages.size(); ++k) {
          CHECK(std::abs(averages[k].value - values[k]) < student_limit * averages[k].error);
          CHECK(averages[k].long_enough);
        }
      };
      near(found.units, exact.units);
      near(found.pairs, exact.pairs);
      near(found.connected, exact.connected);
    }
  }
}

// Of t with 56 degrees of freedom ⟨t²⟩ is 56/54, of deviation 1.5: that of 40 runs is known to 0.24, and beyond 2.25 or below 0.3 hardly
// ever.
TEST_CASE("squares of means come from different chains, without a bias, by two chains and by eight") {
  constexpr int runs = 40;
  const auto free_spins = spins_on({6, {{0, 1, 0.5}}});  // all means are 0, and a bias is all there is
  const auto glass = small_spin_glass();
  for (const EnergyModel* model :
       {static_cast<const EnergyModel*>(glass.get()), static_cast<const EnergyModel*>(free_spins.get())})
    for (const Index chains : {2, 8}) {
      CAPTURE(chains);
      const LayerObservables own(*model, LayerId{0});
      const LocalObservables what(own, Pairs::coupled);
      const LocalAverages exact = exact_at(*model, what, 1.0, executor);
      const ThermalPlan plan{.betas = {1.0}, .num_chains = chains, .warm_up = 10, .num_steps = 800};
      std::vector<double> off, biased;
      double deviations = 0.0;
      for (int run = 0; run < runs; ++run) {
        const std::uint64_t seed = 100 + static_cast<std::uint64_t>(run);
        const LocalAverages found =
            local_averages_of(sums_of_chains(*model, what, "type = 'exact'", plan, seed), no_others, executor);
        const ThermalAverage& q = found.squares[0];
        off.push_back(q.value - exact.squares[0].value);
        deviations += std::pow(off.back() / q.error, 2) / runs;
        double squares = 0.0;
        for (const LocalAverage& a : found.units)
          squares += a.value * a.value / static_cast<double>(found.units.size());
        biased.push_back(squares - exact.squares[0].value);
      }
      const auto student = [](const std::vector<double>& x) {
        double sum = 0.0, squares = 0.0;
        for (const double v : x) sum += v / runs;
        for (const double v : x) squares += (v - sum) * (v - sum) / (runs - 1) / runs;
        return sum / std::sqrt(squares);
      };
      CHECK(std::abs(student(off)) < 5.0);  // once in 10^5, with 39 degrees of freedom
      if (model == glass.get()) {
        CHECK(deviations < 2.25);
        CHECK(deviations > 0.3);
      } else {
        CHECK(student(biased) > 5.0);  // the control: 1/(chains × steps), of six means that each scatter by 1.4 of it
      }
    }
}

// By 7 degrees of freedom, those of eight chains, ⟨t²⟩ would be 7/5 and |t| > 2 in 8.6 % of the runs; by the 56 of their blocks it is
// 1.04 and 5 %. Of 1500 runs the one is known to 0.04, and the other to 0.6 %.
TEST_CASE("the error of a square is that of many blocks, not of eight chains") {
  constexpr int runs = 1500;
  constexpr Index chains = 8, steps = 64;
  constexpr double up = 0.75;  // so that a mean is 1/2
  const auto glass = small_spin_glass();
  const LayerObservables own(*glass, LayerId{0});
  const LocalObservables what(own, Pairs::coupled);
  std::mt19937 words(7);
  std::bernoulli_distribution is_up(up);
  double squares = 0.0, beyond = 0.0;
  std::vector<Real> row(7);
  for (int run = 0; run < runs; ++run) {
    LocalSums sums(what, chains, steps);
    for (Index c = 0; c < chains; ++c)
      for (Index t = 0; t < steps; ++t) {
        for (Real& s : row) s = is_up(words) ? Real{1} : Real{-1};
        sums.add(c, t, row);
      }
    const ThermalAverage q = local_averages_of(sums, no_others, executor).squares[0];
    const double z = (q.value - 0.25) / q.error;
    squares += z * z / runs;
    beyond += std::abs(z) > 2.0 ? 1.0 / runs : 0.0;
  }
  CHECK(squares > 0.8);
  CHECK(squares < 1.23);
  CHECK(beyond < 0.075);
}

TEST_CASE("what the temperature doubts is doubted of all units, and a unit whose chains differ with its pairs alone") {
  const auto glass = small_spin_glass();
  const LayerObservables own(*glass, LayerId{0});
  const LocalObservables what(own, Pairs::all);
  constexpr Index chains = 8, steps = 400;
  std::mt19937 words(5);
  const auto recorded = [&](bool stuck) {
    LocalSums sums(what, chains, steps);
    std::vector<Real> row(7);
    for (Index c = 0; c < chains; ++c)
      for (Index t = 0; t < steps; ++t) {
        for (Real& s : row) s = words() % 2 == 0 ? Real{-1} : Real{1};
        if (stuck) row[3] = c < 4 ? Real{1} : Real{-1};
        sums.add(c, t, row);
      }
    return sums;
  };
  const LocalAverages moving = local_averages_of(recorded(false), no_others, executor);
  const LocalAverages stuck = local_averages_of(recorded(true), no_others, executor);
  for (Index i = 0; i < 7; ++i) {
    CHECK(moving.units[i].long_enough);
    CHECK(stuck.units[i].long_enough == (i != 3));
  }
  // Half of the chains at 1 and half at −1: 1/√7 by chains, where blocks of them all would say 1/√63.
  CHECK(stuck.units[3].error == doctest::Approx(1.0 / std::sqrt(7.0)).epsilon(1e-9));
  for (Index p = 0; p < what.pairs().size(); ++p) {
    const auto [i, j] = what.pairs()[p];
    CHECK(stuck.connected[p].long_enough == (i != 3 && j != 3));
  }
  CHECK(moving.squares[0].long_enough);
  CHECK_FALSE(stuck.squares[0].long_enough);
  ThermalAverages others;
  others.averages.push_back({"energy", 1.0, 0.1});
  CHECK(local_averages_of(recorded(false), others, executor).units[0].long_enough);
  others.averages.push_back({"overlap", 1.0, 0.1});
  others.averages.back().long_enough = false;
  const LocalAverages doubted = local_averages_of(recorded(false), others, executor);
  for (const auto* averages : {&doubted.units, &doubted.pairs, &doubted.connected})
    for (const LocalAverage& a : *averages) CHECK_FALSE(a.long_enough);
  for (const ThermalAverage& a : doubted.squares) CHECK_FALSE(a.long_enough);
  // An odd average says nothing of products.
  others.averages.back().odd = true;
  const LocalAverages odd = local_averages_of(recorded(false), others, executor);
  for (const auto* averages : {&odd.units, &odd.connected})
    for (const LocalAverage& a : *averages) CHECK_FALSE(a.long_enough);
  for (const LocalAverage& a : odd.pairs) CHECK(a.long_enough);
  for (const ThermalAverage& a : odd.squares) CHECK(a.long_enough == (a.name == "link_overlap"));
}

TEST_CASE("averages of units and pairs have the same bits on one thread and on three") {
  const auto model = small_general();
  const LayerObservables own(*model, LayerId{0});
  const LocalObservables what(own, Pairs::all);
  const ThermalPlan plan{.betas = {1.0}, .num_chains = 6, .warm_up = 20, .num_steps = 150};
  const LocalAverages one =
      local_averages_of(sums_of_chains(*model, what, "type = 'gibbs'", plan, 2, 1), no_others, Executor(1));
  const LocalAverages three =
      local_averages_of(sums_of_chains(*model, what, "type = 'gibbs'", plan, 2, 3), no_others, Executor(3));
  const auto same = [](const std::vector<LocalAverage>& a, const std::vector<LocalAverage>& b) {
    for (Index k = 0; k < a.size(); ++k) {
      CHECK(a[k].value == b[k].value);
      CHECK(a[k].error == b[k].error);
    }
  };
  same(one.units, three.units);
  same(one.pairs, three.pairs);
  same(one.connected, three.connected);
  CHECK(one.squares[0].value == three.squares[0].value);
  CHECK(one.squares[0].error == three.squares[0].error);
}

}  // namespace local_averages_test
