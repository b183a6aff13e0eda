#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <doctest/doctest.h>

#include <harmonium/estimators/log_partition/exact.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/enumeration.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/recorder.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace enumeration_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);

double tolerance(const Oracle& oracle, double beta) {
  return (1.0 + beta) * rounding<double>(2.0 * static_cast<double>(oracle.columns()), oracle.scale());
}

/// The rest of `all` without two sets of layers.
LayerSet without(const Oracle& oracle, LayerSet a, LayerSet b) { return oracle.without(a | b); }

}  // namespace

TEST_CASE("enumeration takes the cheapest set of layers whose complement is independent, whatever is held") {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    for (const LayerSet held : oracle.sets()) {
      double min = std::numeric_limits<double>::infinity();
      for (const LayerSet set : oracle.sets()) {
        bool free = true;
        for (const LayerId l : oracle.layout().ids()) free = free && !(set.contains(l) && held.contains(l));
        if (free && oracle.uncoupled(without(oracle, set, held))) min = std::min(min, oracle.layout().log2_states(set));
      }
      CHECK(Enumeration::log2_states(*m.model, held) == min);
      const Enumeration enumeration(*m.model, held, 20);
      CHECK(std::log2(static_cast<double>(enumeration.num_states())) == doctest::Approx(min).epsilon(1e-14));
      CHECK(oracle.layout().log2_states(enumeration.enumerated()) == min);
      CHECK(enumeration.held() == held);
      CHECK((enumeration.enumerated() | enumeration.summed() | held) == oracle.layout().all());
      CHECK(oracle.uncoupled(enumeration.summed()));
    }
  }
}

TEST_CASE("the log sum over what is free is that of all its states, at every temperature and with held layers") {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const Layout& layout = m.model->layout();
    for (const LayerSet held : oracle.sets()) {
      // A configuration from the middle of all of them; only its held layers may matter.
      const auto all = oracle.states(layout.all());
      const Oracle::State& base = all[all.size() * 5 / 9];
      const Chains given = oracle.chains({base});
      const Enumeration enumeration(*m.model, held, 20);
      for (const double beta : {1.0, 0.0, 0.35, 2.5}) {
        CAPTURE(beta);
        const double expected = oracle.log_sum(oracle.without(held), base, beta);
        CHECK(std::abs(enumeration.log_sum(beta, &given, executor) - expected) <= tolerance(oracle, beta));
        if (held.empty())
          CHECK(enumeration.log_sum(beta, nullptr, executor) == enumeration.log_sum(beta, &given, executor));

        const std::vector<double> log_p = enumeration.log_probabilities(beta, &given, executor);
        REQUIRE(log_p.size() == enumeration.num_states());
        Chains rows(layout, enumeration.num_states());
        enumeration.states(0, enumeration.num_states(), rows);
        std::set<Oracle::State> seen;
        for (Index i = 0; i < log_p.size(); ++i) {
          Oracle::State x = oracle.state(rows, i);
          for (const LayerId l : layout.ids())
            for (Index c = 0; held.contains(l) && c < layout[l].columns(); ++c)
              x[oracle.first(l) + c] = base[oracle.first(l) + c];
          seen.insert(x);
          const double marginal = oracle.log_sum(enumeration.summed(), x, beta) - expected;
          CHECK(std::abs(log_p[i] - marginal) <= 2.0 * tolerance(oracle, beta));
        }
        CHECK(seen.size() == enumeration.num_states());
      }
    }
  }
}

TEST_CASE("states of a range are those of the whole") {
  const auto model = random_model({{observed("v", 4), latent("h", 3)}, {{0, 0}, {0, 1}, {1, 1}}, {}}, 3);
  const Enumeration enumeration(*model, {}, 10);
  const Oracle oracle(*model);
  Chains whole(model->layout(), 128), part(model->layout(), 10);
  enumeration.states(0, 128, whole);
  enumeration.states(37, 47, part);
  for (Index r = 0; r < 10; ++r) CHECK(oracle.state(part, r) == oracle.state(whole, r + 37));
}

TEST_CASE("a sum over many pieces is the same on any number of threads, and right") {
  // 2^15 states in 32 pieces: two tasks.
  const auto model = random_model({{observed("v", 15)}, {{0, 0}}, {}}, 4, 0.25);
  const Oracle oracle(*model);
  const Enumeration enumeration(*model, {}, 15);
  REQUIRE(enumeration.num_states() == 32768);
  const double expected = oracle.log_z(0.7);
  const Executor one(1), four(4);
  CHECK(enumeration.log_sum(0.7, nullptr, one) == enumeration.log_sum(0.7, nullptr, four));
  CHECK(std::abs(enumeration.log_sum(0.7, nullptr, one) - expected) <= tolerance(oracle, 0.7));
  const std::vector<double> log_p = enumeration.log_probabilities(0.7, nullptr, four);
  CHECK(log_p == enumeration.log_probabilities(0.7, nullptr, one));
  Chains rows(model->layout(), 1);
  for (const std::uint64_t state :
       {std::uint64_t{0}, std::uint64_t{1024}, std::uint64_t{20000}, std::uint64_t{32767}}) {
    enumeration.states(state, state + 1, rows);
    CHECK(std::abs(log_p[state] - (-0.7 * oracle.energy(oracle.state(rows, 0)) - expected)) <=
          2.0 * tolerance(oracle, 0.7));
  }
}

TEST_CASE("who watches a sum over many states is told how far it is, and the sum is the same") {
  const auto model = random_model({{observed("v", 15)}, {{0, 0}}, {}}, 4, 0.25);
  const Enumeration enumeration(*model, {}, 15);
  const double expected = enumeration.log_sum(1.0, nullptr, Executor(1));
  Recorder alone, beside_others;
  CHECK(enumeration.log_sum(1.0, nullptr, Executor(1), &alone) == expected);
  REQUIRE(alone.shares.size() == 32);  // a piece of 1024 states each
  for (std::size_t k = 0; k < 32; ++k) CHECK(alone.shares[k] == doctest::Approx(static_cast<double>(k + 1) / 32.0));
  // Others work beside the thread that tells, so that it may miss steps.
  CHECK(enumeration.log_sum(1.0, nullptr, Executor(3), &beside_others) == expected);
  CHECK(std::ranges::is_sorted(beside_others.shares));
  CHECK(beside_others.shares.size() <= 32);
}

TEST_CASE("log Z at an inverse temperature is the sum over all configurations") {
  const ExactLogPartition exact;
  const Execution execution{executor, {}};
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    for (const double beta : {1.0, 0.0, 0.35, 2.5})
      CHECK(std::abs(exact.estimate(*m.model, beta, execution).log_z - oracle.log_z(beta)) <= tolerance(oracle, beta));
  }
}

TEST_CASE("too many states are refused with their number") {
  const auto model = random_rbm(12, 9, 1);
  CHECK(Enumeration::log2_states(*model) == 9.0);
  CHECK_NOTHROW(Enumeration(*model, {}, 9));
  CHECK(message_of<CapabilityError>([&] { Enumeration(*model, {}, 8); }) ==
        "enumeration would take 2^9 states, more than the limit of 2^8 (option max_bits). Raise it where time allows, "
        "or take a "
        "smaller model.");
  CHECK(message_of<CapabilityError>([&] { ExactLogPartition({.max_bits = 8}).check(*model); }) ==
        "log_partition 'exact': enumeration would take 2^9 states, more than the limit of 2^8 (option max_bits). Raise "
        "it where time allows, or take a "
        "smaller model. 'ais' estimates log Z, and 'pseudo_likelihood' does without it.");
}

}  // namespace enumeration_test
