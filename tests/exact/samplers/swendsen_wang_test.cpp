// Cluster moves against the matrix of transitions of Edwards and Sokal's step, and against enumerated laws. False alarms: 1e-9 a test
// (chi_square.hpp). "margin > 6": were the seeds drawn anew, the wrong kernel would pass with probability below 1e-9.

#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/models/units/levels.hpp>
#include <harmonium/samplers/swendsen_wang.hpp>
#include <harmonium/tests/support/edwards_sokal.hpp>
#include <harmonium/tests/support/in_single.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/stationarity.hpp>

namespace swendsen_wang_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

struct Way {
  ClusterFields fields;
  BySpins by;
};
constexpr Way ways[] = {{ClusterFields::sum, BySpins::sum}, {ClusterFields::ghost, BySpins::ghost}};

/// Moves by the rows of a matrix.
class ByMatrix final : public Sampler {
 public:
  explicit ByMatrix(std::vector<Law> matrix) : matrix_(std::move(matrix)) {}
  void check(const Target&) const override {}
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans*) override {
    const StateSpace space(target.model.layout());
    std::vector<std::size_t> states = space.read(chains);
    for (Index s = 0; s < steps; ++s) {
      const DrawBlock words = DrawBlock::of(execution.random, chains.first_chain(), chains.step() + s, LayerId{0});
      for (Index r = 0; r < states.size(); ++r) {
        const Law& row = matrix_[states[r]];
        double rest = uniform_f64(words.word(r, 0));
        std::size_t to = 0;
        while (to + 1 < row.size() && rest >= row[to]) rest -= row[to++];
        states[r] = to;
      }
    }
    space.put(states, chains);
    chains.set_step(chains.step() + steps);
    return {};
  }

 private:
  std::vector<Law> matrix_;
};

/// The matrix of two transitions.
std::vector<Law> twice(const std::vector<Law>& matrix) {
  std::vector<Law> product(matrix.size(), Law(matrix.size(), 0.0));
  for (std::size_t i = 0; i < matrix.size(); ++i)
    for (std::size_t k = 0; k < matrix.size(); ++k)
      for (std::size_t j = 0; j < matrix.size(); ++j) product[i][j] += matrix[i][k] * matrix[k][j];
  return product;
}

void check_stationary(const Scenario& scenario) {
  for (const Way& way : ways) {
    CAPTURE(way.fields == ClusterFields::ghost);
    SwendsenWang sampler({.fields = way.fields});
    const Findings findings = examine(sampler, drawn_here(scenario));
    INFO(findings.law.summary());
    CHECK(findings.complaint() == "");
  }
}

std::unique_ptr<LayeredModel> small_levels() {
  LayerGraph graph = binary_layers({3, 2}, {true, false}, {{0, 1}, {0, 0}});
  graph.layers[0].unit = std::make_shared<LevelsUnit>(LevelsUnit::Options{});
  return random_machine(graph, 0.8, 21);
}

std::vector<std::unique_ptr<LayeredModel>> all_kinds() {
  std::vector<std::unique_ptr<LayeredModel>> all;
  for (const auto make : {&small_rbm, &small_general, &small_deep, &small_triangle, &small_visible, &small_spin_rbm,
                          &small_spin_glass, &small_categorical, &small_potts, &small_sparse, &small_sparse_potts})
    all.push_back(make());
  all.push_back(small_levels());
  return all;
}

/// Some that hold about half of the units, other ones in each pattern, and none.
std::vector<std::vector<std::uint8_t>> held_patterns(std::size_t units) {
  std::vector<std::vector<std::uint8_t>> patterns(3, std::vector<std::uint8_t>(units, 0));
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t u = 0; u < units; ++u) patterns[i][u] = (u * 5 + i * 3) % 7 < 3 ? 1 : 0;
  return patterns;
}

}  // namespace

TEST_CASE("the matrix of transitions of Swendsen and Wang is that of Edwards and Sokal, of spins and of bits") {
  const FewSpins spins = few_spins();
  for (const bool bits : {false, true})
    for (const Way& way : ways)
      for (const double beta : {1.0, 0.5, 1.5}) {
        CAPTURE(bits);
        CAPTURE(beta);
        CAPTURE(way.fields == ClusterFields::ghost);
        const auto model = machine_of(spins, bits);
        const std::vector<Law> exact = edwards_sokal_matrix(spins, beta, way.by);
        SwendsenWang sampler({.fields = way.fields});
        const auto check = [&](const std::vector<Law>& matrix, Index steps) {
          const TransitionFindings found =
              examine_transitions(sampler, *model, beta, matrix, steps, 130, draws_here(260'000));
          CHECK_MESSAGE(!found.matrix.rejected(), found.matrix.summary());
        };
        check(exact, 1);
        check(twice(exact), 2);
      }
}

TEST_CASE("bonds of probability 1 - exp(-beta J) are seen, by the matrix and by the law that they lead to") {
  const FewSpins spins = few_spins();
  const auto model = machine_of(spins, false);
  for (const Way& way : ways) {
    CAPTURE(way.fields == ClusterFields::ghost);
    const std::vector<Law> right = edwards_sokal_matrix(spins, 1.0, way.by),
                           wrong = edwards_sokal_matrix(spins, 1.0, way.by, 1.0);
    SwendsenWang sampler({.fields = way.fields});
    const TransitionFindings found = examine_transitions(sampler, *model, 1.0, wrong, 1, 130, draws_here(260'000));
    CHECK(found.matrix.rejected());
    CHECK(found.matrix.seen_margin() > 6.0);

    ByMatrix by_right(right), by_wrong(wrong);
    CHECK(examine(by_right, drawn_here(Scenario{.model = *model})).complaint() == "");
    const Findings off = examine(by_wrong, drawn_here(Scenario{.model = *model}));
    INFO(off.law.summary());
    CHECK(off.law.rejected());
    CHECK(off.law.seen_margin() > 6.0);
  }
}

TEST_CASE("bits of the law of spins go where the spins go, step by step") {
  const FewSpins spins = few_spins();
  const auto of_spins = machine_of(spins, false), of_bits = machine_of(spins, true);
  const StateSpace space(of_spins->layout()), bit_space(of_bits->layout());
  const Executor executor(2);
  std::vector<std::size_t> start(64);
  for (std::size_t r = 0; r < start.size(); ++r) start[r] = r % space.size();
  for (const Way& way : ways) {
    SwendsenWang sampler({.fields = way.fields});
    Chains s(of_spins->layout(), start.size()), x(of_bits->layout(), start.size());
    space.put(start, s);
    bit_space.put(start, x);
    bool alike = true;
    for (Index step = 0; step < 50; ++step) {
      sampler.advance(Target{*of_spins}, s, 1, {executor, {3, 4}});
      sampler.advance(Target{*of_bits}, x, 1, {executor, {3, 4}});
      alike = alike && space.read(s) == bit_space.read(x);
    }
    CHECK(alike);
    CHECK(space.read(s) != start);
  }
}

TEST_CASE("cluster moves leave the law of every kind of discrete model as it is" * doctest::test_suite("slow")) {
  for (const auto& model : all_kinds()) {
    CAPTURE(model->layout().columns(model->layout().all()));
    check_stationary({.model = *model, .steps = 2, .batch = 1029, .draws = 100'000, .first_chain = 2, .threads = 2});
  }
}

// Here and of temperatures half as many draws as above or fewer: drifts that are 1.4 times as large are seen. The moves are the same.
TEST_CASE("with layers or single units held cluster moves leave the law given them as it is and them alone") {
  for (const auto& model : all_kinds()) {
    const auto patterns = held_patterns(StateSpace(model->layout()).num_units());
    check_stationary({.model = *model, .held_units = patterns, .steps = 2, .batch = 999, .draws = 45'000});
    if (model->layout().latent().empty()) continue;
    check_stationary({.model = *model, .held_layers = model->layout().observed(), .draws = 30'000});
  }
}

TEST_CASE("every temperature keeps its own law under cluster moves, with a base and without" *
          doctest::test_suite("slow")) {
  for (const auto& model : all_kinds()) {
    check_stationary({.model = *model, .ladder = {1.0, 0.4, 1.5, 0.0}, .steps = 2, .batch = 132, .draws = 66'000});
    // A base with couplings of its own.
    const auto base = random_machine(LayerGraph{model->layout().layers(), {{0, 0}}, {}}, 0.5, 8);
    check_stationary({.model = *model, .base = base.get(), .ladder = {1.0, 0.5}, .draws = 50'000});
  }
}

// Of hidden bits given gray values v, P(h = 1) = 1/(1 + exp(−c − Σ w v)): a single step draws them exactly.
TEST_CASE("gray values that are held are a field of their size, and free ones become states") {
  const auto rbm = small_rbm();
  const Layout& layout = rbm->layout();
  const LayerId visible{0}, hidden{1};
  constexpr Index rows = 40'000;
  constexpr double gray[] = {0.25, 0.5, 0.875, 0.0, 0.125};
  Chains chains(layout, rows);
  const MatrixRef v = chains.write(visible);
  for (Index r = 0; r < rows; ++r)
    for (Index i = 0; i < v.cols; ++i) v(r, i) = static_cast<Real>(gray[i]);
  Chains free = chains;
  const Executor executor(2);
  const HeldMask held(layout.observed());
  SwendsenWang sampler;
  sampler.advance({.model = *rbm, .held = &held}, chains, 1, {executor, {5, 6}});

  const ParameterLayout& p = rbm->parameter_layout();
  const ConstMatrixRef w = p.view(p.find("weight.layer0.layer1"), rbm->parameters().data()),
                       c = p.view(p.find("bias.layer1"), rbm->parameters().data());
  for (Index j = 0; j < layout[hidden].size; ++j) {
    double field = static_cast<double>(c.data[j]), ones = 0.0;
    for (Index i = 0; i < 5; ++i) field += static_cast<double>(w(i, j)) * gray[i];
    for (Index r = 0; r < rows; ++r) ones += static_cast<double>(chains.read(hidden)(r, j));
    const double mean = 1.0 / (1.0 + std::exp(-field));
    // Seven deviations: 3e-12.
    CHECK(std::abs(ones / rows - mean) < 7.0 * std::sqrt(mean * (1.0 - mean) / rows));
  }
  CHECK(std::ranges::equal(chains.read(visible)[7], free.read(visible)[7]));

  sampler.advance({.model = *rbm}, free, 1, {executor, {5, 6}});
  const ConstMatrixRef x = free.read(visible);
  CHECK(std::ranges::all_of(std::span(x.data, x.rows * x.cols), [](Real one) { return one == 0 || one == 1; }));
}

}  // namespace swendsen_wang_test
