// Negative controls of the exact-start tests: kernels that are wrong, each in one way that has happened somewhere, and
// that the same check must reject. "margin > 6": were the seeds drawn anew, the wrong kernel would pass with probability
// below 1e-9 (chi_square.hpp).

#include <doctest/doctest.h>

#include <harmonium/tests/controls/wrong_samplers.hpp>
#include <harmonium/tests/support/stationarity.hpp>

namespace invariance_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

void check_law_rejected(const Findings& findings) {
  INFO(findings.law.summary());
  CHECK(findings.law.rejected());
  CHECK(findings.law.seen_margin() > 6.0);
}

}  // namespace

TEST_CASE("the right kernel passes where the controls below are caught") {
  Gibbs gibbs;
  for (const auto& model : {small_rbm(), small_semi_restricted(), small_visible()})
    CHECK(examine(gibbs, {.model = *model, .steps = 2}).complaint() == "");
}

TEST_CASE("coupled units updated at once are rejected") {
  for (const auto& model : {small_semi_restricted(), small_lateral_hidden(), small_general(), small_visible()}) {
    const FalselyIndependent wrong(*model);
    // The law is that of the right model; only the partition into blocks is wrong.
    Gibbs gibbs;
    check_law_rejected(examine(gibbs, {.model = wrong}));
    check_law_rejected(examine(gibbs, {.model = wrong, .steps = 5}));
  }
}

TEST_CASE("a sweep without the corrections within a tile is rejected") {
  Gibbs gibbs;
  for (const auto& model : {small_semi_restricted(), small_lateral_hidden(), small_general(), small_visible(),
                            small_chain(), small_spins()}) {
    const WithoutCorrections wrong(*model);
    check_law_rejected(examine(gibbs, {.model = wrong}));
    check_law_rejected(examine(gibbs, {.model = wrong, .beta = 0.7, .steps = 5, .batch = 37}));
  }
}

TEST_CASE("hidden units drawn from a stale visible layer are rejected") {
  StaleVisible wrong;
  const auto rbm = small_rbm(), deep = small_deep();
  check_law_rejected(examine(wrong, {.model = *rbm}));
  check_law_rejected(examine(wrong, {.model = *rbm, .steps = 5}));
  check_law_rejected(examine(wrong, {.model = *deep}));
}

// Power from theory: the law q that the wrong kernel leaves is computed, and with it the noncentrality n Σ (q − p)² / p.
// The check does not see everything: what is off by 1 % may pass at these numbers of draws.
TEST_CASE("fields that are off by 2 %, or with fewer draws by 10 %, are rejected with the power that theory gives") {
  struct Try {
    double factor;
    Index draws;
  };
  const auto model = small_rbm();
  const StateSpace space(model->layout());
  const std::vector<double> energy = energies(*model, space);
  const Law right = law_of(energy);
  for (const Try t : {Try{1.02, 2'000'000}, Try{0.98, 2'000'000}, Try{1.1, 150'000}, Try{0.9, 150'000}}) {
    std::vector<double> scaled(energy);
    for (double& e : scaled) e *= t.factor;
    Law left = right;
    sweep(left, scaled, space);
    ScaledField wrong(t.factor);
    const Findings findings = examine(wrong, {.model = *model, .draws = t.draws});
    const double expected = noncentrality(left, right, findings.draws);
    CAPTURE(t.factor);
    CAPTURE(expected);
    check_law_rejected(findings);
    CHECK(findings.law.margin(expected) > 6.0);
    // What was seen is what was expected, within five standard deviations.
    CHECK(std::abs(findings.law.statistic() - findings.law.degrees() - expected) <
          5.0 * std::sqrt(2.0 * (findings.law.degrees() + 2.0 * expected)));
  }
}

TEST_CASE("lateral couplings counted twice are rejected") {
  for (const auto& model : {small_semi_restricted(), small_general(), small_visible()}) {
    const CountedTwice wrong(*model);
    Gibbs gibbs;
    check_law_rejected(examine(gibbs, {.model = wrong}));
  }
}

TEST_CASE("a temperature, a ladder or a base that is ignored is rejected") {
  const auto model = small_rbm();
  Forgetful no_temperature(Forgetful::What::temperature), no_base(Forgetful::What::base);
  check_law_rejected(examine(no_temperature, {.model = *model, .beta = 0.5}));
  check_law_rejected(examine(no_temperature, {.model = *model, .beta = 1.7}));
  check_law_rejected(examine(no_temperature, {.model = *model, .ladder = {1.0, 0.9}}));
  LayerGraph graph;
  graph.layers = model->layout().layers();
  const auto base = random_machine(graph, 1.0, 8);
  check_law_rejected(examine(no_base, {.model = *model, .base = base.get(), .beta = 0.5}));
  check_law_rejected(examine(no_temperature, {.model = *model, .base = base.get(), .beta = 0.5}));
}

TEST_CASE("held layers and held units that are drawn anew are caught") {
  const auto model = small_rbm();
  Forgetful wrong(Forgetful::What::held);
  const Findings layers = examine(wrong, {.model = *model, .held_layers = model->layout().observed()});
  CHECK(layers.held_changed > 0);
  check_law_rejected(layers);
  std::vector<std::uint8_t> one(9, 0);
  one[6] = 1;
  const Findings units = examine(wrong, {.model = *model, .held_units = {one}});
  CHECK(units.held_changed > 0);
  check_law_rejected(units);
}

// Each chain by itself is right, so the law passes: it takes pairs of chains to see it.
TEST_CASE("random words that neighboring chains share are caught by the pairs, and only by them") {
  const auto model = small_rbm();
  for (const Index sharers : {Index{2}, Index{4}}) {
    SharedWords wrong(sharers);
    const Findings findings = examine(wrong, {.model = *model});
    CHECK(findings.pairs.at(0).rejected());
    CHECK(findings.pairs.at(0).seen_margin() > 6.0);
  }
  SharedWords right(1);
  CHECK(examine(right, {.model = *model}).complaint() == "");
}

TEST_CASE("random words used again in the next step are rejected") {
  ReusedWords wrong;
  for (const auto& model : {small_rbm(), small_general()}) {
    check_law_rejected(examine(wrong, {.model = *model, .steps = 2}));
    check_law_rejected(examine(wrong, {.model = *model, .steps = 5}));
  }
}

TEST_CASE("an exact sampler that is off by one state is rejected") {
  OffByOne wrong;
  const auto model = small_rbm();
  check_law_rejected(examine(wrong, {.model = *model, .draws = 50'000}));
}

TEST_CASE("chains that stay where they are pass as invariant, and are rejected by their transitions") {
  const auto model = random_machine(binary_layers({2, 2}, {true, false}, {{0, 1}}), 1.0, 11);
  LastChainStays wrong;
  CHECK_FALSE(examine(wrong, {.model = *model, .batch = 130}).law.rejected());
  const TransitionFindings findings = examine_transitions(wrong, *model, 1.0, 1, 130, 400'000);
  INFO(findings.matrix.summary());
  CHECK(findings.matrix.rejected());
  CHECK(findings.matrix.seen_margin() > 6.0);
}

TEST_CASE("a kernel that is off by 2 %, or reuses its words, is rejected by its transitions") {
  const auto model = random_machine(binary_layers({2, 2}, {true, false}, {{0, 1}}), 1.0, 11);
  ReusedWords reused;
  CHECK(examine_transitions(reused, *model, 1.0, 2, 1000, 400'000).matrix.seen_margin() > 6.0);
  ScaledField scaled(1.02);
  CHECK(examine_transitions(scaled, *model, 1.0, 1, 1000, 8'000'000).matrix.seen_margin() > 6.0);
}

}  // namespace invariance_test
