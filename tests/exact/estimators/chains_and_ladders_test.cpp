// Persistent chains that ladders of temperatures supply. Scores are normal with the exact variance, or binomial, at rates of false
// alarm below 1e-9.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/estimators/phases/chains_and_ladders.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/samplers/parallel_tempering.hpp>
#include <harmonium/tests/exact/transition.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace chains_and_ladders_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);

std::unique_ptr<Sampler> ladder(std::vector<double> betas) {
  return std::make_unique<ParallelTempering>(
      ParallelTemperingOptions{.betas = std::move(betas), .sampler = std::make_unique<Gibbs>()});
}

ChainsAndLaddersOptions options(Index num_chains, Index num_ladders, std::vector<double> betas) {
  ChainsAndLaddersOptions made;
  made.num_chains = num_chains;
  made.num_ladders = num_ladders;
  made.sampler = std::make_unique<Gibbs>();
  made.ladder = ladder(std::move(betas));
  return made;
}

/// An update's share in the gradient, of rows that begin with these means of the observed units.
std::vector<double> accumulate(PhaseEstimator& phase, const EnergyModel& model, std::vector<double> means,
                               std::uint64_t seed) {
  Batch batch(model.layout(), {std::vector<double>(means.size(), 0.0)});
  DataBatch view = batch.view();
  view.marginals = means;
  std::vector<Real> gradient(model.parameters().size(), Real{0});
  phase.accumulate(model, view, Phase::negative, 1.0, gradient, {executor, RandomSource{seed, 0}});
  return {gradient.begin(), gradient.end()};
}

/// An RBM of six and six units whose law has nearly all mass where most are 0 and where most are 1, the one as heavy as the other.
std::unique_ptr<LayeredModel> two_modes(double coupling) {
  auto model = make_rbm({.num_visible = 6, .num_hidden = 6});
  model->update_parameters([&](std::span<Real> theta) {
    for (const ParameterBlock& block : model->parameter_layout().blocks())
      std::ranges::fill(theta.subspan(block.offset, block.size()),
                        static_cast<Real>(block.role == ParameterRole::bias ? -3.0 * coupling : coupling));
  });
  return model;
}

/// The share of chains with more than half of the visible units at 1; and the same of half of those with just as many.
double upper_share(const Layout& layout, const Chains& chains) {
  const ConstMatrixRef x = chains.read(layout.find("visible"));
  double sum = 0.0;
  for (Index r = 0; r < x.rows; ++r) {
    const double ones = std::accumulate(x[r].begin(), x[r].end(), 0.0);
    sum += ones > 3.0 ? 1.0 : ones == 3.0 ? 0.5 : 0.0;
  }
  return sum / static_cast<double>(x.rows);
}

/// Rows of one temperature or several that stay where they are.
class Still final : public Sampler {
 public:
  explicit Still(Index rungs) : rungs_(rungs) {}
  Index rungs() const override { return rungs_; }
  void check(const Target&) const override {}
  SamplerReport advance(const Target&, Chains& chains, Index steps, const Execution&, LastMeans*) override {
    chains.set_step(chains.step() + steps);
    return {};
  }

 private:
  Index rungs_;
};

using Row = std::vector<Real>;

Row row_of(const Layout& layout, const Chains& chains, Index r) {
  Row row;
  for (const LayerId l : layout.ids()) {
    const ConstMatrixRef x = chains.read(l);
    row.insert(row.end(), x[r].begin(), x[r].end());
  }
  return row;
}

}  // namespace

TEST_CASE(
    "the mean over chains and ladders is the expectation of the model, and a ladder's other rungs are found out") {
  const auto model = golden_model(false);
  const Transition t(*model);
  const Law start = t.of_means(std::vector<double>(golden::num_visible, 0.5));
  const Law law = t.steps(start, 400);
  constexpr Index num_chains = 100'000, num_ladders = 50'000;
  ChainsAndLadders phase(options(num_chains, num_ladders, {1.0, 0.1}));
  const std::vector<double> means(golden::num_visible, 0.5);
  for (int burn = 0; burn < 60; ++burn) accumulate(phase, *model, means, 7);

  // P(v_j = 1) enters as −∂E/∂b_j. Rows are independent of one another, whatever places they change.
  const auto check = [&](const std::vector<double>& gradient) {
    double worst = 0.0;
    for (Index j = 0; j < golden::num_visible; ++j) {
      double p = 0.0;
      for (Index v = 0; v < law.size(); ++v) p += law[v] * t.visible_states[v][j];
      const double deviation = std::sqrt(p * (1.0 - p) / static_cast<double>(num_chains + num_ladders));
      worst = std::max(worst, std::abs(-gradient[j] - p) / deviation);
    }
    return worst;
  };
  for (int update = 0; update < 3; ++update) CHECK(check(accumulate(phase, *model, means, 7)) < 6.5);

  // Were the rows at the second rung put among the chains, a third of all would be of another law.
  const auto warmer = golden_model(false);
  warmer->update_parameters([](std::span<Real> theta) {
    for (Real& parameter : theta) parameter *= Real(0.1);
  });
  const Transition tempered(*warmer);
  const Law other = tempered.steps(start, 400);
  double shift = 0.0;
  for (Index j = 0; j < golden::num_visible; ++j) {
    double p = 0.0, q = 0.0;
    for (Index v = 0; v < law.size(); ++v) {
      p += law[v] * t.visible_states[v][j];
      q += t.step(other)[v] * t.visible_states[v][j];  // a transition later
    }
    shift = std::max(shift,
                     std::abs(q - p) / 3.0 / std::sqrt(p * (1.0 - p) / static_cast<double>(num_chains + num_ladders)));
  }
  CHECK(shift > 13.0);
}

TEST_CASE("target rows and chains change places, each chain as often as another, and nothing else is touched") {
  const auto model = make_rbm({.num_visible = 40, .num_hidden = 4});  // no two rows alike
  const Layout& layout = model->layout();
  constexpr Index num_chains = 8, num_ladders = 3, rungs = 4, updates = 4'000;
  ChainsAndLadders phase({.num_chains = num_chains,
                          .num_ladders = num_ladders,
                          .rao_blackwell = false,
                          .sampler = std::make_unique<Still>(1),
                          .ladder = std::make_unique<Still>(rungs)});
  const std::vector<double> means(40, 0.5);
  const auto rows = [&] {
    std::vector<Row> chains, others;
    for (Index r = 0; r < num_chains; ++r) chains.push_back(row_of(layout, *phase.chains().chains(), r));
    const Chains& on_ladders = *phase.ladders().chains();
    for (Index r = 0; r < on_ladders.size(); ++r)
      (on_ladders.rung()[r] == 0 ? chains : others).push_back(row_of(layout, on_ladders, r));
    return std::pair{chains, others};
  };
  accumulate(phase, *model, means, 3);
  const auto first = rows();
  const std::multiset<Row> all(first.first.begin(), first.first.end());
  REQUIRE(std::set<Row>(all.begin(), all.end()).size() == num_chains + num_ladders);
  std::vector<double> moved(num_chains, 0.0);
  auto before = first;
  for (Index update = 0; update < updates; ++update) {
    accumulate(phase, *model, means, 3);
    const auto now = rows();
    REQUIRE(std::multiset<Row>(now.first.begin(), now.first.end()) == all);
    REQUIRE(now.second == first.second);
    for (Index r = 0; r < num_chains; ++r) moved[r] += now.first[r] != before.first[r] ? 1.0 : 0.0;
    before = now;
  }
  // Each of three ladders takes one of eight chains: a chain keeps its row where none takes it.
  const double p = 1.0 - std::pow(7.0 / 8.0, 3.0);
  for (const double count : moved) CHECK(std::abs(count - updates * p) < 6.5 * std::sqrt(updates * p * (1.0 - p)));
}

TEST_CASE("the estimate is the plain mean over chains and target rows") {
  const auto model = make_rbm({.num_visible = 40, .num_hidden = 4});
  const Layout& layout = model->layout();
  constexpr Index num_chains = 9, num_ladders = 2;
  ChainsAndLadders phase({.num_chains = num_chains,
                          .num_ladders = num_ladders,
                          .rao_blackwell = false,
                          .sampler = std::make_unique<Still>(1),
                          .ladder = std::make_unique<Still>(3)});
  const std::vector<double> gradient = accumulate(phase, *model, std::vector<double>(40, 0.5), 5);
  std::vector<double> sums(40, 0.0);
  for (const Chains* rows : {phase.chains().chains(), phase.ladders().chains()}) {
    const ConstMatrixRef x = rows->read(layout.find("visible"));
    for (Index r = 0; r < x.rows; ++r)
      for (Index c = 0; c < x.cols; ++c) sums[c] += rows->rung()[r] == 0 ? x(r, c) : 0.0;
  }
  const ParameterLayout& parameters = model->parameter_layout();
  const Index first = parameters[parameters.find("bias.visible")].offset;
  for (Index c = 0; c < 40; ++c) {
    CAPTURE(c);
    CHECK(-gradient[first + c] == doctest::Approx(sums[c] / (num_chains + num_ladders)).epsilon(rounding(40.0)));
  }
}

TEST_CASE("chains and ladders that were saved go on to the bit, and both are burned in") {
  const auto model = golden_model(false);
  const std::vector<double> means(golden::num_visible, 0.5);
  const auto made = [&] {
    auto phase = std::make_unique<ChainsAndLadders>(options(5, 2, {1.0, 0.5, 0.2}));
    phase->check(*model, Phase::negative);
    phase->begin(*model, Phase::negative, {.rows = 1});
    CHECK(phase->burn_in(4));
    return phase;
  };
  const auto one = made(), other = made();
  accumulate(*one, *model, means, 9);
  CHECK(one->chains().chains()->step() == 5);
  CHECK(one->ladders().chains()->step() == 5);
  accumulate(*one, *model, means, 9);
  StateArchive saved;
  one->state(saved);
  StateArchive loaded(saved.fields(), state_sizes(*model));
  other->state(loaded);
  CHECK(accumulate(*one, *model, means, 9) == accumulate(*other, *model, means, 9));
  const Layout& layout = model->layout();
  for (const auto& [a, b] : {std::pair{one->chains().chains(), other->chains().chains()},
                             std::pair{one->ladders().chains(), other->ladders().chains()}}) {
    REQUIRE(a->size() == b->size());
    for (Index r = 0; r < a->size(); ++r) CHECK(row_of(layout, *a, r) == row_of(layout, *b, r));
  }
}

TEST_CASE("ladders bring the chains a mode that these would not find, in its own weight") {
  const auto model = two_modes(2.0);
  const Layout& layout = model->layout();
  const std::vector<double> low(6, 0.02);
  constexpr Index num_chains = 1'000, num_ladders = 100, updates = 300;
  ChainPhaseOptions of_chains;
  of_chains.num_chains = num_chains;
  of_chains.sampler = std::make_unique<Gibbs>();
  ChainPhase alone(std::move(of_chains));
  ChainsAndLadders supplied(options(num_chains, num_ladders, {1.0, 0.7, 0.5, 0.3, 0.15}));
  alone.begin(*model, Phase::negative, {});
  supplied.begin(*model, Phase::negative, {});
  for (Index update = 0; update < updates; ++update) {
    accumulate(alone, *model, low, 11);
    accumulate(supplied, *model, low, 11);
  }
  // By symmetry half of the law is in each mode.
  const double deviation = std::sqrt(0.25 / static_cast<double>(num_chains));
  CHECK(std::abs(upper_share(layout, *supplied.chains().chains()) - 0.5) < 6.5 * deviation);
  CHECK(upper_share(layout, *alone.chains()) < 0.5 - 13.0 * deviation);
}

TEST_CASE("samplers that are not what they are given as, and the positive phase, are refused") {
  const auto built = [&](std::unique_ptr<Sampler> sampler, std::unique_ptr<Sampler> on_ladders) {
    return message_of<ConfigError>(
        [&] { ChainsAndLadders({.sampler = std::move(sampler), .ladder = std::move(on_ladders)}); });
  };
  CHECK(built(ladder({1.0, 0.5}), ladder({1.0, 0.5})) ==
        "'sampler' moves the chains, which have no temperatures, and it has several. Give it "
        "as 'ladder'.");
  CHECK(built(std::make_unique<Gibbs>(), std::make_unique<Gibbs>()) ==
        "'ladder' has one temperature. Give a sampler that has several, such as "
        "'parallel_tempering'.");
  CHECK(built(nullptr, ladder({1.0, 0.5})) == "a sampler and a ladder must be given.");
  const auto model = golden_model(false);
  const ChainsAndLadders phase(options(2, 1, {1.0, 0.5}));
  CHECK(message_of<CapabilityError>([&] { phase.check(*model, Phase::positive); }) ==
        "phase 'chains_and_ladders': it draws from the model, which is the negative phase. Try 'automatic' or "
        "'chains'.");
}

}  // namespace chains_and_ladders_test
