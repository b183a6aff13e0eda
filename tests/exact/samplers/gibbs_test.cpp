#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace gibbs_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
const RandomSource random_words{9, 4};
const Execution execution{executor, random_words};

/// One row for each of `rows` configurations, spread over all of them, at rungs 0, 1, 2, 0, 1, …
Chains spread(const Oracle& oracle, Index rows) {
  const auto all = oracle.states(oracle.layout().all());
  std::vector<Oracle::State> states;
  for (Index r = 0; r < rows; ++r) states.push_back(all[(r * 37 + 5) % all.size()]);
  Chains chains = oracle.chains(states);
  for (Index r = 0; r < rows; ++r) chains.rung()[r] = static_cast<std::uint32_t>(r % 3);
  chains.set_step(17);
  return chains;
}

const std::vector<double> ladder{1.0, 0.5, 0.25};  // the same numbers in both precisions

/// Holds some units of a layer in some rows.
HeldMask some_units(const Layout& layout, LayerId layer, Index rows) {
  std::vector<std::uint8_t> held;
  for (Index r = 0; r < rows; ++r)
    for (Index u = 0; u < layout[layer].size; ++u) held.push_back((r * 5 + u * 3) % 4 == 0 ? 1 : 0);
  return HeldMask().hold_units(layer, layout[layer].size, std::move(held));
}

/// Buffers for the means that a sweep leaves behind, with a value that no mean has.
struct Means {
  Means(const Layout& layout, Index rows) {
    for (const LayerId l : layout.ids()) {
      const Index columns = layout[l].columns();
      mean.emplace_back(rows * columns, Real{-7});
      second.emplace_back(rows * columns, Real{-7});
    }
    for (const LayerId l : layout.ids()) {
      const Index columns = layout[l].columns();
      last.mean.push_back({mean[static_cast<Index>(l)].data(), rows, columns, columns});
      last.second.push_back(layout[l].unit->has_curvature()
                                ? MatrixRef{second[static_cast<Index>(l)].data(), rows, columns, columns}
                                : MatrixRef{});
    }
  }
  std::vector<std::vector<Real>> mean, second;
  LastMeans last;
};

/// What is held in each of the comparisons below: nothing, single units, a whole layer.
std::vector<HeldMask> masks(const Layout& layout, Index rows) {
  std::vector<HeldMask> all{{}};
  for (const LayerId l : layout.ids()) {
    all.push_back(some_units(layout, l, rows));
    if (layout.size() > 1) all.emplace_back(LayerSet{}.add(l));
  }
  return all;
}

}  // namespace

TEST_CASE("a model's own kernel draws what the path through its conditionals draws, bit by bit") {
  // Both add the bias to the same product and scale the sum, so there is nothing to round differently.
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const Layout& layout = m.model->layout();
    const WithoutKernel reference(*m.model);
    for (const Index tile : {Index{0}, Index{8}}) {  // one tile cut into panels of units, and several tiles
      CAPTURE(tile);
      for (const bool tempered : {false, true}) {
        CAPTURE(tempered);
        const Chains start = spread(oracle, 30);
        for (const HeldMask& held : masks(layout, 30)) {
          Chains a = start, b = start;
          Means means_a(layout, 30), means_b(layout, 30);
          Target target{*m.model}, other{reference};
          target.held = other.held = &held;
          if (tempered) target.ladder = other.ladder = ladder;
          Gibbs({.tile = tile}).advance(target, a, 3, execution, &means_a.last);
          Gibbs({.tile = tile}).advance(other, b, 3, execution, &means_b.last);
          CHECK(a.step() == 20);
          CHECK(b.step() == 20);
          bool equal = true;
          for (Index r = 0; r < 30; ++r) equal = equal && oracle.state(a, r) == oracle.state(b, r);
          CHECK(equal);
          CHECK(means_a.last.filled == means_b.last.filled);
          CHECK(means_a.mean == means_b.mean);
          CHECK(means_a.second == means_b.second);
        }
      }
    }
  }
}

TEST_CASE("where nobody asks for the last states, the means and all that is read before them stay what they were") {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const Layout& layout = m.model->layout();
    const Chains start = spread(oracle, 30);
    for (const HeldMask& held : masks(layout, 30)) {
      Chains a = start, b = start;
      Means with(layout, 30), without(layout, 30);
      without.last.states = false;
      Target target{*m.model};
      target.held = &held;
      Gibbs().advance(target, a, 3, execution, &with.last);
      Gibbs().advance(target, b, 3, execution, &without.last);
      CHECK(with.last.filled == without.last.filled);
      CHECK(with.mean == without.mean);
      CHECK(with.second == without.second);
      for (const LayerId l : layout.ids()) {
        if (with.last.filled.contains(l)) continue;
        const ConstMatrixRef x = a.read(l), y = b.read(l);
        CHECK(std::equal(x.data, x.data + x.rows * x.cols, y.data));
      }
    }
  }
}

TEST_CASE("a sweep redraws each unit from its conditional by the word of its own address") {
  Index compared = 0, close = 0;
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const Layout& layout = m.model->layout();
    if (!std::ranges::all_of(layout.layers(), [](const Layer& l) { return l.unit->name() == "binary"; })) continue;
    Chains chains = spread(oracle, 96);
    for (Index sweep = 0; sweep < 4; ++sweep) {
      const Chains before = chains;
      Target target{*m.model};
      target.ladder = ladder;
      Gibbs().advance(target, chains, 1, execution, nullptr);
      bool right = true;
      for (Index r = 0; r < chains.size(); ++r) {
        Oracle::State x = oracle.state(before, r);
        const Oracle::State after = oracle.state(chains, r);
        for (const Block& block : m.model->block_conditionals()->blocks()) {
          const LayerId l = block.layer;
          const DrawBlock addresses = DrawBlock::of(random_words, 0, before.step(), l);
          for (Index k = 0; k < block.size; ++k) {
            const Index u = block.whole() ? k : block.units[k];
            const Index i = oracle.first(l) + u;
            double field = oracle.bias[i];
            for (Index j = 0; j < oracle.columns(); ++j) field += oracle.coupling(i, j) * x[j];
            const double p = logistic(ladder[chains.rung()[r]] * field);
            const double word = static_cast<double>(uniform<Real>(addresses.word(r, static_cast<std::uint32_t>(u))));
            ++compared;
            // Rounding of the field moves p by at most a quarter of it; the draw compares at the resolution of u.
            if (std::abs(word - p) <= rounding(16.0, 1.0)) ++close;
            else right = right && after[i] == (word < p ? 1.0 : 0.0);
            x[i] = after[i];
          }
        }
      }
      CHECK(right);
    }
  }
  CHECK(compared > 10'000);
  // The bound for single precision is 16 · 2^-23 either side: a handful of 20,000 words at most come so near.
  CHECK(close <= (in_double ? 0 : 3));
}

TEST_CASE("units of every panel and rows of every tile have words of their own") {
  // Without couplings and biases a unit is 1 where its word is in the lower half: nothing is rounded.
  const auto model = random_rbm(900, 450, 1, 0.0);
  const Layout& layout = model->layout();
  const WithoutKernel reference(*model);
  for (const EnergyModel* each :
       {static_cast<const EnergyModel*>(model.get()), static_cast<const EnergyModel*>(&reference)}) {
    for (const Index rows : {Index{5}, Index{300}}) {  // panels of one tile; two tiles
      CAPTURE(rows);
      Chains chains(layout, rows, 12);
      chains.set_step(17);
      Gibbs().advance(Target{*each}, chains, 2, execution, nullptr);
      bool right = true;
      for (const LayerId l : layout.ids()) {
        const DrawBlock addresses = DrawBlock::of(random_words, 12, 18, l);
        for (Index r = 0; r < rows; ++r)
          for (Index u = 0; u < layout[l].size; ++u)
            right = right && chains.read(l)(r, u) ==
                                 (addresses.word(r, static_cast<std::uint32_t>(u)) < 0x80000000u ? Real{1} : Real{0});
      }
      CHECK(right);
    }
  }
}

TEST_CASE("what is held is left alone, and the words of other units do not change with it") {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const Layout& layout = m.model->layout();
    const Chains start = spread(oracle, 24);
    for (const LayerId l : layout.ids()) {
      const HeldMask units = some_units(layout, l, 24), layer(LayerSet{}.add(l));
      Chains a = start, b = start;
      Target target{*m.model};
      target.held = &units;
      Gibbs().advance(target, a, 5, execution, nullptr);
      target.held = &layer;
      if (layout.size() > 1) Gibbs().advance(target, b, 5, execution, nullptr);
      const Index width = layout[l].unit->width();
      bool held = true;
      for (Index r = 0; r < 24; ++r) {
        for (Index c = 0; c < layout[l].columns(); ++c) {
          if (units.units(l, 0, 24)(r, c / width)) held = held && a.read(l)(r, c) == start.read(l)(r, c);
          held = held && b.read(l)(r, c) == start.read(l)(r, c);
        }
      }
      CHECK(held);
      // Holding what would not have changed changes nothing.
      Chains free = start, again = start;
      Gibbs().advance(Target{*m.model}, free, 1, execution, nullptr);
      std::vector<std::uint8_t> unchanged;
      for (Index r = 0; r < 24; ++r)
        for (Index u = 0; u < layout[l].size; ++u)
          unchanged.push_back(std::equal(free.read(l).row(r) + u * width, free.read(l).row(r) + (u + 1) * width,
                                         start.read(l).row(r) + u * width)
                                  ? 1
                                  : 0);
      const HeldMask as_it_is = HeldMask().hold_units(l, layout[l].size, unchanged);
      target.held = &as_it_is;
      Gibbs().advance(target, again, 1, execution, nullptr);
      bool same = true;
      for (Index r = 0; r < 24; ++r) same = same && oracle.state(again, r) == oracle.state(free, r);
      CHECK(same);
    }
  }
}

TEST_CASE("the means left behind are conditional means given the rest of the configuration as it stands") {
  Index layers_filled = 0;
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const Layout& layout = m.model->layout();
    const Index rows = 30;
    for (const HeldMask& held : masks(layout, rows)) {
      Chains chains = spread(oracle, rows);
      Means means(layout, rows);
      Target target{*m.model};
      target.held = &held;
      target.ladder = ladder;
      Gibbs().advance(target, chains, 2, execution, &means.last);
      for (const LayerId l : layout.ids()) {
        const auto i = static_cast<Index>(l);
        if (!means.last.filled.contains(l)) {
          CHECK(std::ranges::all_of(means.mean[i], [](Real v) { return v == -7; }));
          continue;
        }
        ++layers_filled;
        CHECK_FALSE(held.holds(l));
        const Index width = layout[l].unit->width(), columns = layout[l].columns();
        double worst = 0.0;
        for (Index r = 0; r < rows; ++r) {
          const Oracle::State x = oracle.state(chains, r);
          // Everything else stands, the other filled layers too: they are independent of this one.
          std::vector<double> mean(columns, 0.0), second(columns, 0.0);
          const double beta = ladder[chains.rung()[r]];
          const double log_sum = oracle.log_sum(LayerSet{}.add(l), x, beta);
          oracle.for_each(LayerSet{}.add(l), x, [&](const Oracle::State& s) {
            const double p = std::exp(-beta * oracle.energy(s) - log_sum);
            for (Index c = 0; c < columns; ++c) {
              const double v = s[oracle.first(l) + c];
              mean[c] += p * v;
              second[c] += p * v * v;
            }
          });
          const auto units = held.units(l, 0, rows);
          for (Index c = 0; c < columns; ++c) {
            const double value = x[oracle.first(l) + c];
            const bool fixed = !units.empty() && units(r, c / width);
            const double got = static_cast<double>(means.mean[i][r * columns + c]);
            worst = std::max(worst, std::abs(got - (fixed ? value : mean[c])));
            if (!layout[l].unit->has_curvature()) continue;
            const double got_second = static_cast<double>(means.second[i][r * columns + c]);
            worst = std::max(worst, std::abs(got_second - (fixed ? value * value : second[c])));
          }
        }
        CHECK(worst <= rounding(32.0) + rounding<double>(4.0 * static_cast<double>(oracle.columns()), oracle.scale()));
      }
    }
  }
  CHECK(layers_filled > 0);
}

TEST_CASE("layers whose means are left behind are independent of each other") {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    Chains chains = spread(oracle, 8);
    Means means(m.model->layout(), 8);
    Gibbs().advance(Target{*m.model}, chains, 1, execution, &means.last);
    CHECK(oracle.uncoupled(means.last.filled));
    // A last layer without lateral couplings is always among them.
    const LayerId last = m.model->layout().id(m.model->layout().size() - 1);
    CHECK(means.last.filled.contains(last) == oracle.uncoupled(LayerSet{}.add(last)));
  }
}

TEST_CASE("without a step there are no means and no change") {
  const auto model = random_rbm(4, 3, 2);
  const Oracle oracle(*model);
  Chains chains = spread(oracle, 6);
  const Chains before = chains;
  Means means(model->layout(), 6);
  Gibbs().advance(Target{*model}, chains, 0, execution, &means.last);
  CHECK(means.last.filled.empty());
  CHECK(chains.step() == before.step());
  for (Index r = 0; r < 6; ++r) CHECK(oracle.state(chains, r) == oracle.state(before, r));
}

TEST_CASE("a base distribution mixes its fields in by the temperature") {
  // At β the target is β E + (1 − β) E₀: of two pairwise models again a pairwise one.
  const auto model = random_rbm(4, 3, 2), base = random_rbm(4, 3, 3), mixed = random_rbm(4, 3, 2);
  mixed->update_parameters([&](std::span<Real> theta) {
    for (Index i = 0; i < theta.size(); ++i) theta[i] = Real{0.25} * theta[i] + Real{0.75} * base->parameters()[i];
  });
  const Oracle oracle(*mixed);
  Chains a = spread(oracle, 40), b = a;
  Target target{*model};
  target.base = base.get();
  target.beta = 0.25;
  Means means_a(model->layout(), 40), means_b(model->layout(), 40);
  Gibbs().advance(target, a, 4, execution, &means_a.last);
  Gibbs().advance(Target{*mixed}, b, 4, execution, &means_b.last);
  for (Index r = 0; r < 40; ++r) CHECK(oracle.state(a, r) == oracle.state(b, r));
  for (Index i = 0; i < means_a.mean[1].size(); ++i)
    CHECK(std::abs(static_cast<double>(means_a.mean[1][i] - means_b.mean[1][i])) <= rounding(32.0));
}

}  // namespace gibbs_test
