// What `observe` measures, on models of which every state can be visited.
#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/thermal_averages.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/spins.hpp>

namespace thermal_averages_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

using Exact = std::map<std::string, double>;

/// s of the units of the observed layer: 0 and 1 are -1 and 1; the number of its state of a site.
std::vector<double> spins_of(const Oracle& oracle, const Oracle::State& x) {
  const Layer& layer = oracle.layout()[LayerId{0}];
  const Index width = layer.unit->width();
  std::vector<double> s;
  for (Index i = 0; i < layer.size; ++i) {
    double value = 0.0;
    for (Index c = 0; c < width; ++c) value += static_cast<double>(c) * x[i * width + c];
    if (width == 1) value = layer.unit->min() < 0.0 ? x[i] : 2.0 * x[i] - 1.0;
    s.push_back(value);
  }
  return s;
}

struct Weighted {
  double probability = 0.0, energy = 0.0;
  std::vector<double> spins;
};

std::vector<Weighted> law(const EnergyModel& model, double beta) {
  const Oracle oracle(model);
  const double log_z = oracle.log_z(beta);
  std::vector<Weighted> all;
  for (const Oracle::State& x : oracle.states(model.layout().all())) {
    const double energy = oracle.energy(x);
    all.push_back({std::exp(-beta * energy - log_z), energy, spins_of(oracle, x)});
  }
  return all;
}

/// The law of the observed layer alone.
std::map<std::vector<double>, double> marginal(const std::vector<Weighted>& law) {
  std::map<std::vector<double>, double> of;
  for (const Weighted& w : law) of[w.spins] += w.probability;
  return of;
}

double overlap_of(const std::vector<double>& a, const std::vector<double>& b, bool sites) {
  double sum = 0.0;
  for (Index i = 0; i < a.size(); ++i) sum += sites ? (a[i] == b[i] ? 1.0 : 0.0) : a[i] * b[i];
  return sum / static_cast<double>(a.size());
}

/// Whether any of the couplings of two units is not 0.
bool joined(const Oracle& oracle, Index i, Index j, Index width) {
  for (Index r = 0; r < width; ++r)
    for (Index c = 0; c < width; ++c)
      if (oracle.coupling(i * width + r, j * width + c) != 0.0) return true;
  return false;
}

/// Everything that averages_of says, by sums over all states.
Exact exact_averages(const EnergyModel& model, double beta) {
  const Oracle oracle(model);
  const Layer& layer = model.layout()[LayerId{0}];
  const bool sites = layer.unit->width() > 1;
  const auto n = static_cast<double>(layer.size);
  double all_units = 0.0, e = 0.0, e2 = 0.0, m1 = 0.0, size = 0.0, m2 = 0.0, m4 = 0.0, pairs = 0.0, couple = 0.0,
         order = 0.0, order2 = 0.0;
  for (const Layer& l : model.layout().layers()) all_units += static_cast<double>(l.size);
  std::vector<double> shares(layer.unit->width(), 0.0);
  const std::vector<Weighted> states = law(model, beta);
  for (const Weighted& w : states) {
    e += w.probability * w.energy;
    e2 += w.probability * w.energy * w.energy;
    double m = 0.0;
    std::vector<double> counts(shares.size(), 0.0);
    for (const double s : w.spins) {
      m += s / n;
      if (sites) shares[static_cast<Index>(s)] += w.probability / n;
      if (sites) counts[static_cast<Index>(s)] += 1.0;
    }
    const auto p = static_cast<double>(shares.size());
    const double o = (p * std::ranges::max(counts) / n - 1.0) / (p - 1.0);
    order += w.probability * o;
    order2 += w.probability * o * o;
    m1 += w.probability * m;
    size += w.probability * std::abs(m);
    m2 += w.probability * m * m;
    m4 += w.probability * std::pow(m, 4);
    for (Index i = 0; i < w.spins.size(); ++i)
      for (Index j = 0; j < i; ++j) {
        if (!joined(oracle, i, j, layer.unit->width())) continue;
        couple += w.probability;
        pairs += w.probability * (sites ? (w.spins[i] == w.spins[j] ? 1.0 : 0.0) : w.spins[i] * w.spins[j]);
      }
  }
  Exact found{{"energy", e},
              {"energy_per_unit", e / all_units},
              {"specific_heat", beta * beta * (e2 - e * e) / all_units},
              {"overlap", 0.0},
              {"abs_overlap", 0.0},
              {"squared_overlap", 0.0}};
  double q4 = 0.0;
  const auto layers_law = marginal(states);
  for (const auto& [a, p] : layers_law)
    for (const auto& [b, r] : layers_law) {
      const double q = overlap_of(a, b, sites);
      found["overlap"] += p * r * q;
      found["abs_overlap"] += p * r * std::abs(q);
      found["squared_overlap"] += p * r * q * q;
      q4 += p * r * std::pow(q, 4);
    }
  for (Index s = 0; s < shares.size() && sites; ++s) found["share_" + std::to_string(s)] = shares[s];
  if (sites) {
    found["potts_order"] = order;
    found["potts_susceptibility"] = beta * n * (order2 - order * order);
    if (couple > 0.0) found["pair_delta"] = pairs / couple;
    return found;
  }
  const double q2 = found["squared_overlap"];
  found["spin_glass_susceptibility"] = n * q2;
  found["overlap_binder"] = 0.5 * (3.0 - q4 / (q2 * q2));
  found["magnetization"] = m1;
  found["abs_magnetization"] = size;
  found["squared_magnetization"] = m2;
  found["susceptibility"] = beta * n * (m2 - m1 * m1);
  found["abs_susceptibility"] = beta * n * (m2 - size * size);
  found["binder_cumulant"] = 1.0 - m4 / (3.0 * m2 * m2);
  if (couple > 0.0) found["pair_correlation"] = pairs / couple;
  return found;
}

std::vector<ThermalAverages> averages(const ThermalRecord& record, const EnergyModel& model,
                                      const LayerObservables& what) {
  Index units = 0;
  for (const Layer& l : model.layout().layers()) units += l.size;
  std::vector<ThermalAverages> all;
  for (const ThermalSeries& t : record.temperatures) all.push_back(averages_of(t, what, units));
  return all;
}

std::vector<ThermalAverages> tempered(const EnergyModel& model, const ThermalPlan& plan, std::uint64_t seed,
                                      int threads = 2) {
  const Executor executor(threads);
  const LayerObservables what(model, LayerId{0});
  const auto gibbs = make<Sampler>("type = 'gibbs'");
  return averages(record_tempered(model, *gibbs, what, plan, {executor, {seed, 0}}), model, what);
}

std::vector<ThermalAverages> alone(const EnergyModel& model, const std::string& sampler, const ThermalPlan& plan,
                                   std::uint64_t seed, int threads = 2) {
  const Executor executor(threads);
  const LayerObservables what(model, LayerId{0});
  return averages(record_alone(model, [&] { return make<Sampler>(sampler); }, what, plan, {executor, {seed, 0}}), model,
                  what);
}

/// How many standard errors an average is from what it should be.
double deviation(const ThermalAverage& found, double exact) {
  const double off = std::abs(found.value - exact);
  return off <= 1e-12 * (1.0 + std::abs(exact)) ? 0.0 : off / found.error;
}

void check_averages(const ThermalAverages& found, const Exact& exact) {
  CAPTURE(found.beta);
  CHECK(found.averages.size() == exact.size());
  for (const ThermalAverage& a : found.averages) {
    CAPTURE(a.name);
    REQUIRE(exact.contains(a.name));
    CHECK(a.long_enough);
    CHECK(deviation(a, exact.at(a.name)) < student_limit);
  }
}

const ThermalAverage& named(const ThermalAverages& found, const std::string& name) {
  return *std::ranges::find(found.averages, name, &ThermalAverage::name);
}

}  // namespace

TEST_CASE("averages along a ladder are those of the law at each temperature, of spins, bits and sites" *
          doctest::test_suite("slow")) {
  // Each of some 200 numbers is beyond the limit with probability 1e-9, where the error is that of a normal mean of 64 blocks.
  const ThermalPlan plan{.betas = {1.0, 0.6, 0.25, 0.0}, .warm_up = 500, .num_steps = 8000};
  const Example models[] = {{"spin glass", small_spin_glass()},     {"all coupled", small_general()},
                            {"spin RBM", small_spin_rbm()},         {"lateral hidden", small_lateral_hidden()},
                            {"categorical", small_categorical()},   {"Potts", small_potts()},
                            {"sparse Potts", small_sparse_potts()}, {"ring", small_sparse()}};
  for (const Example& example : models) {
    CAPTURE(example.name);
    const std::vector<ThermalAverages> found = tempered(*example.model, plan, 5);
    REQUIRE(found.size() == plan.betas.size());
    for (const ThermalAverages& t : found) check_averages(t, exact_averages(*example.model, t.beta));
  }
}

TEST_CASE("so are those of each temperature by itself, whatever the sampler" * doctest::test_suite("slow")) {
  const ThermalPlan plan{.betas = {0.8, 0.3}, .num_chains = 4, .warm_up = 600, .num_steps = 16000};
  const auto model = small_general();
  for (const char* sampler :
       {"type = 'gibbs'", "type = 'flip_the_state'", "type = 'exact'", "type = 'parallel_tempering'\nnum_rungs = 4"}) {
    CAPTURE(sampler);
    for (const ThermalAverages& t : alone(*model, sampler, plan, 6)) check_averages(t, exact_averages(*model, t.beta));
  }
}

TEST_CASE("a temperature that is off by three percent is seen" * doctest::test_suite("slow")) {
  const auto model = small_spin_glass();
  const ThermalPlan plan{.betas = {1.0, 0.5}, .warm_up = 500, .num_steps = 40000};
  const std::vector<ThermalAverages> found = tempered(*model, plan, 7);
  for (const ThermalAverages& t : found) {
    const double right = exact_averages(*model, t.beta).at("energy");
    const double wrong = exact_averages(*model, 1.03 * t.beta).at("energy");
    CHECK(deviation(named(t, "energy"), right) < student_limit);
    CHECK(deviation(named(t, "energy"), wrong) > student_limit);
  }
}

TEST_CASE("the law of the overlap is that of two independent replicas") {
  const auto model = small_spin_glass();
  const ThermalPlan plan{.betas = {1.0, 0.4}, .warm_up = 500, .num_steps = 20000};
  for (const ThermalAverages& t : tempered(*model, plan, 8)) {
    const auto states = marginal(law(*model, t.beta));
    REQUIRE(t.overlaps.size() == 8);  // of seven spins
    double sum = 0.0;
    for (Index k = 0; k < 8; ++k) {
      const OverlapShare& bin = t.overlaps[k];
      const double q = -1.0 + 2.0 * static_cast<double>(k) / 7.0;
      CHECK(bin.low == doctest::Approx(q));
      CHECK(bin.high == doctest::Approx(q));
      double exact = 0.0;
      for (const auto& [a, p] : states)
        for (const auto& [b, r] : states) exact += std::abs(overlap_of(a, b, false) - q) < 1e-9 ? p * r : 0.0;
      CHECK(std::abs(bin.share - exact) < student_limit * bin.error);
      sum += bin.share;
    }
    CHECK(sum == doctest::Approx(1.0));
  }
}

TEST_CASE(
    "bins of several overlaps lie as far from 0 on either side, hold every value once, and know how many they hold") {
  for (const Index n : {150, 151, 216, 305}) {
    CAPTURE(n);
    const auto model = random_model({{observed("v", n, std::make_shared<SpinUnit>())}, {}, {}}, 3, 0.1);
    const auto bins = tempered(*model, {.betas = {1.0}, .warm_up = 0, .num_steps = 64}, 2).front().overlaps;
    REQUIRE(bins.size() <= 101);
    const double step = 2.0 / static_cast<double>(n);
    CHECK(bins.front().low == -1.0);
    double values = 0.0;
    for (Index k = 0; k < bins.size(); ++k) {
      CHECK(bins[k].low == doctest::Approx(-bins[bins.size() - 1 - k].high));
      CHECK(bins[k].width == doctest::Approx(bins[k].high - bins[k].low + step));
      if (k > 0) CHECK(bins[k].low == doctest::Approx(bins[k - 1].high + step));
      values += bins[k].width / step;
    }
    CHECK(values == doctest::Approx(static_cast<double>(n + 1)));
  }
}

TEST_CASE("of Gaussian units there are means and products, as integrals by hand have them") {
  auto model =
      random_model({{observed("x", 2, std::make_shared<GaussianUnit>()), latent("h", 2)}, {{0, 1}}, {}}, 3, 0.7);
  const double beta = 0.7;
  const Oracle oracle(*model);
  // Given h, x_i is normal with mean μ_i = (b_i + W_i h)/γ_i and precision βγ_i; h has the weight e^{βc·h + β Σ γ_i μ_i²/2}.
  double sum = 0.0, mean = 0.0, moments[2][2] = {}, means[2] = {};
  for (int state = 0; state < 4; ++state) {
    const double h[2] = {(state & 1) == 1 ? 1.0 : 0.0, (state & 2) == 2 ? 1.0 : 0.0};
    double log_weight = beta * (oracle.bias[2] * h[0] + oracle.bias[3] * h[1]), mu[2];
    for (Index i = 0; i < 2; ++i) {
      mu[i] = (oracle.bias[i] + oracle.coupling(i, 2) * h[0] + oracle.coupling(i, 3) * h[1]) / oracle.gamma[i];
      log_weight += 0.5 * beta * oracle.gamma[i] * mu[i] * mu[i];
    }
    const double weight = std::exp(log_weight);
    sum += weight;
    for (Index i = 0; i < 2; ++i) {
      means[i] += weight * mu[i];
      for (Index j = 0; j < 2; ++j)
        moments[i][j] += weight * (mu[i] * mu[j] + (i == j ? 1.0 / (beta * oracle.gamma[i]) : 0.0));
    }
  }
  double q = 0.0, q2 = 0.0, square = 0.0;
  for (Index i = 0; i < 2; ++i) {
    square += moments[i][i] / sum / 2.0;
    mean += means[i] / sum / 2.0;
    q += means[i] * means[i] / sum / sum / 2.0;
    for (Index j = 0; j < 2; ++j) q2 += moments[i][j] * moments[i][j] / sum / sum / 4.0;
  }
  const ThermalPlan plan{.betas = {beta}, .warm_up = 500, .num_steps = 20000};
  const std::vector<ThermalAverages> found = alone(*model, "type = 'gibbs'", plan, 9);
  CHECK(deviation(named(found[0], "mean"), mean) < student_limit);
  CHECK(deviation(named(found[0], "mean_square"), square) < student_limit);
  CHECK(deviation(named(found[0], "mean_square"), mean * mean) >
        student_limit);  // the control: it is no square of the mean
  CHECK(deviation(named(found[0], "overlap"), q) < student_limit);
  CHECK(deviation(named(found[0], "squared_overlap"), q2) < student_limit);
  CHECK(found[0].overlaps.size() == 50);
  double shares = 0.0;
  for (const OverlapShare& o : found[0].overlaps) shares += o.share;
  CHECK(shares == doctest::Approx(1.0));
}

TEST_CASE("chains that sit in one of two modes are told, and a ladder helps them" * doctest::test_suite("slow")) {
  const auto model = uniform_rbm(20, 20, 0.5, -5.0, -5.0);
  const ThermalAverages stuck =
      alone(*model, "type = 'gibbs'", {.betas = {1.0}, .warm_up = 200, .num_steps = 2000}, 3)[0];
  CHECK_FALSE(named(stuck, "magnetization").long_enough);
  CHECK_FALSE(named(stuck, "overlap").long_enough);
  // The law of this machine is symmetric under x → 1 − x, h → 1 − h: the magnetization is 0.
  const ThermalPlan ladder{.betas = {1.0, 0.85, 0.7, 0.55, 0.4, 0.2, 0.0}, .warm_up = 2000, .num_steps = 20000};
  const ThermalAverages helped = tempered(*model, ladder, 3)[0];
  CHECK(named(helped, "magnetization").long_enough);
  CHECK(deviation(named(helped, "magnetization"), 0.0) < student_limit);
}

TEST_CASE(
    "where chains differ in one average no other of that temperature is vouched for, of other temperatures all are") {
  // Each pair of replicas of a machine of two modes keeps to its own: the susceptibility within a mode is precise, and far from that of
  // the law.
  const auto model = uniform_rbm(20, 20, 0.5, -5.0, -5.0);
  const ThermalAverages stuck =
      alone(*model, "type = 'gibbs'", {.betas = {1.0}, .warm_up = 200, .num_steps = 2000}, 3)[0];
  constexpr double most_r_hat = 1.05;
  REQUIRE(std::ranges::any_of(stuck.averages, [](const ThermalAverage& a) { return a.r_hat > most_r_hat; }));
  REQUIRE(std::ranges::any_of(stuck.averages, [](const ThermalAverage& a) { return a.r_hat <= most_r_hat; }));
  for (const ThermalAverage& a : stuck.averages) {
    CAPTURE(a.name);
    CHECK_FALSE(a.long_enough);
  }
  for (const ThermalAverage& a : stuck.correlations) CHECK_FALSE(a.long_enough);
  const ThermalAverages warm =
      alone(*model, "type = 'gibbs'", {.betas = {0.2}, .warm_up = 200, .num_steps = 4000}, 3)[0];
  for (const ThermalAverage& a : warm.averages) {
    CAPTURE(a.name);
    CHECK(a.long_enough);
  }
}

TEST_CASE("the overlap of chains that keep to orders of their own is doubted, though their pairs agree by chance" *
          doctest::test_suite("slow")) {
  // An antiferromagnet on the 6 × 6 torus: each chain keeps to one of two orders that m does not tell apart. The four pairs of 8 chains
  // have one sign in an eighth of the seeds at least; all chains have one order in a 128th at most.
  EdgeList torus{.num_nodes = 36};
  for (Index i = 0; i < 36; ++i) {
    for (const Index j : {i / 6 * 6 + (i + 1) % 6, (i + 6) % 36})
      torus.edges.push_back({std::min(i, j), std::max(i, j), -1.0});
  }
  const auto model = spins_on(torus);
  int vouched = 0, alike = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const ThermalAverages found =
        alone(*model, "type = 'gibbs'", {.betas = {0.9}, .warm_up = 200, .num_steps = 1000}, seed)[0];
    const ThermalAverage& q = named(found, "overlap");
    vouched += q.long_enough ? 1 : 0;
    alike += std::abs(q.value) > 0.8 ? 1 : 0;
  }
  INFO(vouched, " of 40 vouched for, ", alike, " of 40 with pairs alike");
  CHECK(alike >= 2);
  CHECK(vouched <= 1);
}

TEST_CASE("what is measured has the same bits on one thread and on three") {
  const ThermalPlan plan{.betas = {1.0, 0.5}, .num_chains = 6, .warm_up = 50, .num_steps = 300};
  const auto model = small_general();
  const auto same = [](const std::vector<ThermalAverages>& a, const std::vector<ThermalAverages>& b) {
    for (Index t = 0; t < a.size(); ++t)
      for (Index k = 0; k < a[t].averages.size(); ++k) {
        CHECK(a[t].averages[k].value == b[t].averages[k].value);
        CHECK(a[t].averages[k].error == b[t].averages[k].error);
        CHECK(a[t].averages[k].time == b[t].averages[k].time);
        REQUIRE(a[t].averages[k].windowed_time.has_value() == b[t].averages[k].windowed_time.has_value());
        if (!a[t].averages[k].windowed_time) continue;
        CHECK(a[t].averages[k].windowed_time->value == b[t].averages[k].windowed_time->value);
        CHECK(a[t].averages[k].windowed_time->error == b[t].averages[k].windowed_time->error);
      }
  };
  same(tempered(*model, plan, 2, 1), tempered(*model, plan, 2, 3));
  same(alone(*model, "type = 'gibbs'", plan, 2, 1), alone(*model, "type = 'gibbs'", plan, 2, 3));
}

// Chain 0 lies off by d: the mean's error over C chains is then d √(1/C² + …) = d / C, and blocks of it alone, B a chain, see
// d √((1 − 1/C) / C) / √(B C) of it.
TEST_CASE("errors are those between chains where one of them lies elsewhere, and those of blocks where none does") {
  const auto model = small_spin_glass();
  const LayerObservables what(*model, LayerId{0}, nullptr);
  constexpr Index chains = 8, steps = 4000;
  std::mt19937 words(3);
  std::normal_distribution<double> normal;
  ThermalSeries series(1.0, {.num_chains = chains, .num_steps = steps}, 1 + what.names().size());
  for (auto& numbers : series.numbers)
    for (double& x : numbers) x = normal(words);
  for (double& q : series.overlaps) q = 0.0;
  const double independent = 1.0 / std::sqrt(static_cast<double>(chains * steps));
  // Of 64 blocks: known to 9 %, so that 45 % is five deviations.
  const ThermalAverage together = averages_of(series, what, 7).averages[0];
  CHECK(std::abs(together.error / independent - 1.0) < 0.45);
  // A window of 3 lags of independent values: √(12/N).
  REQUIRE(together.windowed_time);
  CHECK(together.windowed_time->error == doctest::Approx(std::sqrt(12.0) * independent).epsilon(0.1));
  CHECK(std::abs(together.windowed_time->value - 1.0) < 5.0 * together.windowed_time->error);
  for (Index t = 0; t < steps; ++t) series.numbers[0][t] += 1.0;
  const double apart = 1.0 / static_cast<double>(chains);
  const ThermalAverage one_off = averages_of(series, what, 7).averages[0];
  CHECK(one_off.error == doctest::Approx(apart).epsilon(0.1));
  CHECK(one_off.r_hat > most_r_hat_of_averages);
  CHECK_FALSE(one_off.windowed_time);  // chains that differ do not tell their time
}

TEST_CASE("numbers that differ in their last bits are constant, and doubted where chains stood still") {
  const auto model = small_spin_glass();
  const LayerObservables what(*model, LayerId{0}, nullptr);
  std::mt19937 words(4);
  std::normal_distribution<double> normal;
  ThermalSeries series(1.0, {.num_chains = 8, .num_steps = 1000}, 1 + what.names().size());
  for (auto& numbers : series.numbers)
    for (double& x : numbers) x = normal(words);
  for (double& q : series.overlaps) q = normal(words);
  const auto few_bits = [&] { return static_cast<double>(words() % 5) * 1e-14; };
  for (double& e : series.numbers[0]) e = -36.0 * (1.0 + few_bits());
  for (double& pairs : series.numbers.back()) pairs = -1.0 / 3.0 * (1.0 + few_bits());
  const ThermalAverages moving = averages_of(series, what, 7);
  for (const char* name : {"energy", "specific_heat", "pair_correlation"}) {
    CAPTURE(name);
    const ThermalAverage& a = named(moving, name);
    CHECK(a.time == 1.0);
    CHECK(a.r_hat == 1.0);
    CHECK(a.error == 0.0);
    CHECK(a.long_enough);
  }
  CHECK(named(moving, "pair_correlation").value == doctest::Approx(-1.0 / 3.0).epsilon(1e-12));
  // Chains that also keep their order are doubted, of all averages alike.
  ThermalSeries frozen = series;
  for (double& q : frozen.overlaps) q = 1.0;
  for (const ThermalAverage& a : averages_of(frozen, what, 7).averages) {
    CAPTURE(a.name);
    CHECK_FALSE(a.long_enough);
  }
  // What changes by more than rounding has an error and a time.
  for (Index i = 0; i < series.numbers[0].size(); ++i) series.numbers[0][i] = -36.0 * (i % 500 < 250 ? 1.0 : 1.0001);
  CHECK(named(averages_of(series, what, 7), "energy").error > 0.0);
  CHECK(named(averages_of(series, what, 7), "energy").time > 50.0);
}

}  // namespace thermal_averages_test
