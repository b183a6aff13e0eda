#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/enumeration.hpp>
#include <harmonium/samplers/exact.hpp>
#include <harmonium/tests/support/continuous.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace exact_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
const RandomSource random_words{5, 9};
const std::string too_many_free =
    "sampler 'exact': enumeration of the units that are free would take 2^8 states, more than the limit of 2^4 (option "
    "max_bits). Raise it where time allows, or hold more of them. Try 'gibbs' or 'parallel_tempering'.";

class WithoutConditionals final : public Forwarding {
 public:
  using Forwarding::Forwarding;
  const BlockConditionals* block_conditionals() const override { return nullptr; }
};

/// Counts the free energies it is asked for.
class CountsFreeEnergies final : public Forwarding, public FreeEnergy {
 public:
  using Forwarding::add_gradient;
  using Forwarding::Forwarding;
  const FreeEnergy* free_energy() const override { return this; }
  bool closed(LayerSet kept) const override { return inner_.free_energy()->closed(kept); }
  void evaluate(LayerSet kept, double beta, ConstChainView x, std::span<double> out) const override {
    count += out.size();
    inner_.free_energy()->evaluate(kept, beta, x, out);
  }
  void add_gradient(LayerSet kept, ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& threads) const override {
    inner_.free_energy()->add_gradient(kept, x, weights, gradient, threads);
  }
  double operations(LayerSet kept) const override { return inner_.free_energy()->operations(kept); }

  mutable std::atomic<std::size_t> count = 0;
};

}  // namespace

TEST_CASE("what exact sampling cannot serve is refused with what would") {
  const auto model = random_rbm(9, 9, 1);
  const WithoutConditionals bare(*model);
  const HeldMask units = HeldMask().hold_units(LayerId{0}, 9, {1, 0, 0, 0, 0, 0, 0, 0, 0});
  const Exact exact({.max_bits = 8}), larger;
  Target held{*model};
  held.held = &units;
  CHECK_NOTHROW(exact.check(held));
  CHECK(message_of<CapabilityError>([&] { Exact({.max_bits = 4}).check(held); }) == too_many_free);
  CHECK(message_of<CapabilityError>([&] {
          larger.check(Target{*model, model.get()});
        }) == "sampler 'exact': it draws from the model itself and takes no base distribution.");
  CHECK(message_of<CapabilityError>([&] { larger.check(Target{bare}); }) ==
        "sampler 'exact': the model offers no block conditionals to draw the remaining layers from.");
  CHECK(message_of<CapabilityError>([&] { exact.check(Target{*model}); }) ==
        "sampler 'exact': enumeration would take 2^9 states, more than the limit of 2^8 (option max_bits). Raise it "
        "where time allows, or take a "
        "smaller model. Try 'gibbs' or 'parallel_tempering'.");
  CHECK_NOTHROW(larger.check(Target{*model}));
  // What is held may differ from call to call, and from row to row.
  const HeldMask other = HeldMask().hold_units(LayerId{0}, 9, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0});
  held.held = &other;
  CHECK_NOTHROW(Exact({.max_bits = 4}).check(held));
  Chains chains(model->layout(), 2);
  CHECK(message_of<CapabilityError>([&] {
          Exact({.max_bits = 4}).advance(held, chains, 1, {executor, random_words});
        }) == too_many_free);
  const auto numbers = small_gaussian(3, false, false, 1);
  const HeldMask of_numbers = HeldMask().hold_units(LayerId{0}, 3, {0, 1, 0});
  Target some{*numbers};
  some.held = &of_numbers;
  CHECK(message_of<CapabilityError>([&] { larger.check(some); }) ==
        "sampler 'exact': units of a continuous layer are held, and the others of it have no states to enumerate. Try "
        "'gibbs' or 'parallel_tempering'.");

  const char* coupled =
      "sampler 'exact': Gaussian units are coupled with one another, and it draws what it does not enumerate unit by "
      "unit. "
      "Try 'gibbs' or 'parallel_tempering'.";
  for (const Index hidden : {0, 3})
    CHECK(message_of<CapabilityError>([&] { larger.check(Target{*small_gaussian(hidden, true, false, 1)}); }) ==
          coupled);
  CHECK_NOTHROW(larger.check(Target{*small_gaussian(3, false, false, 1)}));
}

TEST_CASE("each row is the inverse of the cumulative law at its own words, at its own temperature and held layers") {
  const std::vector<double> ladder{1.0, 0.5, 0.25};
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const Layout& layout = m.model->layout();
    std::vector<HeldMask> masks{{}};
    if (layout.size() > 1)
      for (const LayerId l : layout.ids()) masks.emplace_back(LayerSet{}.add(l));
    for (const HeldMask& held : masks) {
      const auto all = oracle.states(layout.all());
      std::vector<Oracle::State> start;
      for (Index r = 0; r < 12; ++r) start.push_back(all[(r * 31 + 3) % all.size()]);
      Chains chains = oracle.chains(start);
      for (Index r = 0; r < 12; ++r) chains.rung()[r] = static_cast<std::uint32_t>(r % 3);
      chains.set_step(40);
      Target target{*m.model};
      target.ladder = ladder;
      target.held = &held;
      Exact().advance(target, chains, 3, {executor, random_words}, nullptr);
      CHECK(chains.step() == 43);

      const Enumeration enumeration(*m.model, held.layers(), 20);
      Chains states(layout, enumeration.num_states());
      enumeration.states(0, enumeration.num_states(), states);
      for (Index r = 0; r < 12; ++r) {
        const double beta = ladder[r % 3];
        const Oracle::State drawn = oracle.state(chains, r);
        for (const LayerId l : layout.ids())
          for (Index c = 0; held.holds(l) && c < layout[l].columns(); ++c)
            CHECK(drawn[oracle.first(l) + c] == start[r][oracle.first(l) + c]);
        // The law of the enumerated layers given the held ones, the rest summed out.
        const DrawBlock addresses = DrawBlock::of(random_words, static_cast<std::uint32_t>(r), 42, layout.id(0));
        const double u =
            (addresses.word(0, 0xffffffffu, 0) + (addresses.word(0, 0xffffffffu, 1) + 0.5) * 0x1p-32) * 0x1p-32;
        const double log_z = oracle.log_sum(oracle.without(held.layers()), start[r], beta);
        double before = 0.0;
        for (Index s = 0; s < enumeration.num_states(); ++s) {
          Oracle::State x = start[r];
          for (const LayerId l : layout.ids())
            for (Index c = 0; enumeration.enumerated().contains(l) && c < layout[l].columns(); ++c)
              x[oracle.first(l) + c] = static_cast<double>(states.read(l)(s, c));
          const double p = std::exp(oracle.log_sum(enumeration.summed(), x, beta) - log_z);
          bool is_drawn = true;
          for (const LayerId l : layout.ids())
            for (Index c = 0; enumeration.enumerated().contains(l) && c < layout[l].columns(); ++c)
              is_drawn = is_drawn && x[oracle.first(l) + c] == drawn[oracle.first(l) + c];
          if (is_drawn) {
            CHECK(u >= before - 1e-12);
            CHECK(u <= before + p + 1e-12);
          }
          before += p;
        }
        CHECK(std::abs(before - 1.0) <= 1e-12);
      }
    }
  }
}

TEST_CASE("each row is the inverse of the cumulative law of its free units, given those that are held") {
  const auto model = random_model({{observed("v", 4), latent("h", 3)}, {{0, 1}, {0, 0}}, {}}, 21);
  const Oracle oracle(*model);
  const LayerId v{0}, h{1};
  const std::vector<std::uint8_t> units{0, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0};
  const HeldMask held = HeldMask().hold_units(v, 4, units);
  std::vector<Oracle::State> start;
  for (Index r = 0; r < 4; ++r) start.push_back(oracle.states(model->layout().all())[29 * r + 5]);
  for (const double beta : {1.0, 0.5}) {
    Chains chains = oracle.chains(start);
    Target target{*model};
    target.beta = beta;
    target.held = &held;
    Exact().advance(target, chains, 1, {executor, random_words}, nullptr);
    for (Index r = 0; r < 4; ++r) {
      const Oracle::State drawn = oracle.state(chains, r);
      const DrawBlock addresses = DrawBlock::of(random_words, static_cast<std::uint32_t>(r), 0, model->layout().id(0));
      const double u =
          (addresses.word(0, 0xffffffffu, 0) + (addresses.word(0, 0xffffffffu, 1) + 0.5) * 0x1p-32) * 0x1p-32;
      double below = 0.0, own = 0.0, all = 0.0;
      bool met = false;
      oracle.for_each(LayerSet{}.add(v), start[r], [&](const Oracle::State& x) {  // the first unit changes fastest
        for (Index i = 0; i < 4; ++i)
          if (units[4 * r + i] && x[i] != start[r][i]) return;
        const double p = std::exp(oracle.log_sum(LayerSet{}.add(h), x, beta));
        all += p;
        if (std::equal(x.begin(), x.begin() + 4, drawn.begin())) {
          own = p;
          met = true;
        } else if (!met) {
          below += p;
        }
      });
      REQUIRE(met);  // a state in which what was held is as it was
      CHECK(u >= below / all - 1e-6);
      CHECK(u <= (below + own) / all + 1e-6);
    }
  }
}

TEST_CASE("rows that are held alike share a table, wherever they stand, and are drawn as one by one") {
  const auto model = random_rbm(6, 3, 2);
  const LayerId v{0}, h{1};
  std::vector<std::uint8_t> units;
  for (Index r = 0; r < 8; ++r) units.insert(units.end(), {1, 0, 0, 1, 0, 0});
  const HeldMask some = HeldMask().hold_units(v, 6, units), layer(LayerSet{}.add(v));
  for (const HeldMask* held : {&some, &layer}) {
    CAPTURE(held == &some);
    const CountsFreeEnergies counted(*model);
    Chains chains(model->layout(), 8);
    for (const Index r : {1, 4, 7}) chains.write(v)(r, 3) = Real{1};
    const Chains start = chains;
    Target target{counted};
    target.held = held;
    Exact().advance(target, chains, 1, {executor, random_words}, nullptr);
    // Three rows have another one up. Of four free units; of none, as latent ones are independent given the layer.
    CHECK(counted.count == 2 * (held == &some ? 16 : 1));
    for (Index r = 0; r < 8; ++r) {
      Chains one(model->layout(), 1, static_cast<std::uint32_t>(r));
      one.copy_rows(model->layout().all(), {start, r, r + 1});
      const HeldMask own = HeldMask().hold_units(v, 6, std::vector<std::uint8_t>(units.begin(), units.begin() + 6));
      target.held = held == &some ? &own : &layer;
      Exact().advance(target, one, 1, {executor, random_words}, nullptr);
      for (const LayerId l : {v, h}) CHECK(std::ranges::equal(one.read(l)[0], chains.read(l)[r]));
    }
  }
}

TEST_CASE("no step draws nothing, and many steps are the last of them") {
  const auto model = random_rbm(4, 3, 2);
  const Oracle oracle(*model);
  const Execution execution{executor, random_words};
  Chains chains(model->layout(), 6), one_by_one(model->layout(), 6);
  const Chains before = chains;
  Exact().advance(Target{*model}, chains, 0, execution, nullptr);
  CHECK(chains.step() == 0);
  for (Index r = 0; r < 6; ++r) CHECK(oracle.state(chains, r) == oracle.state(before, r));
  Exact().advance(Target{*model}, chains, 5, execution, nullptr);
  for (int i = 0; i < 5; ++i) Exact().advance(Target{*model}, one_by_one, 1, execution, nullptr);
  for (Index r = 0; r < 6; ++r) CHECK(oracle.state(chains, r) == oracle.state(one_by_one, r));
}

TEST_CASE("the table of a temperature is made once, and anew when the parameters have changed") {
  auto model = random_rbm(4, 3, 2);
  const CountsFreeEnergies counted(*model);
  const std::vector<double> ladder{1.0, 0.5};
  const Execution execution{executor, random_words};
  Target target{counted};
  target.ladder = ladder;
  Exact kept;
  Chains chains(model->layout(), 6), anew(model->layout(), 6);
  for (Index r = 0; r < 6; ++r) chains.rung()[r] = anew.rung()[r] = static_cast<std::uint32_t>(r % 2);
  const auto advance_both = [&] {
    const std::size_t before = counted.count;
    kept.advance(target, chains, 1, execution, nullptr);
    const std::size_t asked = counted.count - before;
    Exact().advance(target, anew, 1, execution, nullptr);
    for (const LayerId l : model->layout().ids())
      for (Index r = 0; r < 6; ++r) CHECK(std::ranges::equal(chains.read(l)[r], anew.read(l)[r]));
    return asked;
  };
  CHECK(advance_both() == 2 * 8);  // two temperatures of three units
  CHECK(advance_both() == 0);
  CHECK(advance_both() == 0);
  model->update_parameters([](std::span<Real> theta) { theta[0] += Real(1.5); });
  CHECK(advance_both() == 2 * 8);
  CHECK(advance_both() == 0);
  // A temperature that no chain is at any more is forgotten.
  std::ranges::fill(chains.rung(), 0u);
  std::ranges::fill(anew.rung(), 0u);
  CHECK(advance_both() == 0);
  chains.rung()[3] = anew.rung()[3] = 1;
  CHECK(advance_both() == 8);
}

}  // namespace exact_test
