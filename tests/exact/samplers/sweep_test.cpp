// Layers of coupled units of two states, which the model's own kernel draws in order: against the same sampler on the
// way through block conditionals, a unit at a time.

#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/models/units/spin.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/machines.hpp>

namespace sweep_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const RandomSource random_words{9, 4};

LayerGraph graph_of(Index visible, Index hidden, bool spins, std::vector<std::pair<Index, Index>> couplings) {
  const auto unit = spins ? std::shared_ptr<const UnitType>(std::make_shared<SpinUnit>()) : binary();
  LayerGraph graph{{observed("v", visible, unit)}, std::move(couplings), {}};
  if (hidden > 0) graph.layers.push_back(latent("h", hidden, unit));
  return graph;
}

/// Semi-restricted, general, fully visible; of bits or spins.
std::vector<LayerGraph> graphs(Index visible, Index hidden) {
  std::vector<LayerGraph> all;
  for (const bool spins : {false, true}) {
    all.push_back(graph_of(visible, hidden, spins, {{0, 1}, {0, 0}}));
    all.push_back(graph_of(visible, hidden, spins, {{0, 1}, {0, 0}, {1, 1}}));
    all.push_back(graph_of(visible, 0, spins, {{0, 0}}));
  }
  return all;
}

/// Chains at rungs 0, 1, 2, 0, 1, …, in any states of their units.
Chains started(const Layout& layout, Index rows) {
  Chains chains(layout, rows, 6);
  for (const LayerId l : layout.ids()) layout[l].unit->sample_uniform(DrawBlock::of({5, 6}, 6, 0, l), chains.write(l));
  for (Index r = 0; r < rows; ++r) chains.rung()[r] = static_cast<std::uint32_t>(r % 3);
  chains.set_step(17);
  return chains;
}

HeldMask some_units(const Layout& layout, Index rows) {
  HeldMask mask;
  for (const LayerId l : layout.ids()) {
    std::vector<std::uint8_t> held;
    for (Index r = 0; r < rows; ++r)
      for (Index u = 0; u < layout[l].size; ++u) held.push_back((r * 5 + u * 3) % 7 == 0 ? 1 : 0);
    mask.hold_units(l, layout[l].size, std::move(held));
  }
  return mask;
}

std::vector<Real> values(const Chains& chains) {
  std::vector<Real> all;
  for (Index l = 0; l < chains.num_layers(); ++l) {
    const ConstMatrixRef x = chains.read(static_cast<LayerId>(l));
    all.insert(all.end(), x.data, x.data + x.rows * x.cols);
  }
  return all;
}

/// Visits the blocks of a model the other way round; `with_kernel` offers the model's own kernel, whose order is not this.
class Reversed final : public Forwarding, private BlockConditionals {
 public:
  Reversed(const EnergyModel& inner, bool with_kernel) : Forwarding(inner), with_kernel_(with_kernel) {
    const std::vector<Block>& right = inner.block_conditionals()->blocks();
    blocks_.assign(right.rbegin(), right.rend());
  }
  const BlockConditionals* block_conditionals() const override { return this; }
  const LayerKernel* layer_kernel() const override { return with_kernel_ ? inner_.layer_kernel() : nullptr; }

 private:
  const std::vector<Block>& blocks() const override { return blocks_; }
  void fields(const Block& block, Index begin, Index end, ConstChainView x, const Fields& out) const override {
    inner_.block_conditionals()->fields(block, begin, end, x, out);
  }
  bool independent(LayerSet free, LayerSet given) const override {
    return inner_.block_conditionals()->independent(free, given);
  }

  bool with_kernel_;
  std::vector<Block> blocks_;
};

const std::vector<double> ladder{1.0, 0.5, 0.25};

struct Setting {
  Index tile = 0;
  bool tempered = false;
  int held = 0;  ///< nothing, some units, the first layer
  int threads = 2;
  Index steps = 3;
};

std::vector<Real> moved(const EnergyModel& model, Index rows, const Setting& s) {
  const Layout& layout = model.layout();
  Chains chains = started(layout, rows);
  HeldMask held = s.held == 1 ? some_units(layout, rows) : HeldMask();
  if (s.held == 2) held.hold(LayerId{0});
  Target target{model};
  target.held = &held;
  if (s.tempered) target.ladder = ladder;
  const Executor executor(s.threads);
  Gibbs({.tile = s.tile}).advance(target, chains, s.steps, {executor, random_words}, nullptr);
  return values(chains);
}

}  // namespace

TEST_CASE("a layer drawn in order is drawn as its units by themselves are, bit by bit where sums are exact") {
  // Parameters are multiples of 1/256: no sum is rounded, whatever its order.
  for (const Index visible : {1, 7, 8, 9, 21, 40}) {
    for (const Index rows : {1, 4, 33, 70}) {
      for (LayerGraph& graph : graphs(visible, 11)) {
        const auto model = random_model(std::move(graph), 40 + visible);
        const WithoutKernel reference(*model);
        CAPTURE(visible);
        CAPTURE(rows);
        CAPTURE(model->layout()[LayerId{0}].unit->name());
        for (const Setting& s : {Setting{}, Setting{.tile = 8}, Setting{.tempered = true}, Setting{.held = 1},
                                 Setting{.tile = 40, .tempered = true, .held = 1}, Setting{.held = 2}})
          REQUIRE(moved(*model, rows, s) == moved(reference, rows, s));
      }
    }
  }
}

TEST_CASE("where sums are rounded, only words that come very near to a probability may draw otherwise") {
  Index chains = 0, different = 0;
  double expected = 0.0;
  for (const Index rows : {1, 40, 300}) {
    for (LayerGraph& graph : graphs(60, 30)) {
      const double strength = 0.2;
      const auto model = random_machine(graph, strength, 70);
      const WithoutKernel reference(*model);
      const Setting s{.tempered = true, .steps = 2};
      const std::vector<Real> a = moved(*model, rows, s), b = moved(reference, rows, s);
      Index at = 0, units = 0;
      std::vector<bool> off(rows, false);
      for (const LayerId l : model->layout().ids()) {
        const Index columns = model->layout()[l].columns();
        units += columns;
        for (Index r = 0; r < rows; ++r)
          for (Index c = 0; c < columns; ++c, ++at)
            if (a[at] != b[at]) off[r] = true;
      }
      for (const bool o : off) different += o;
      chains += rows;
      // Two sums, each off by at most `units` units in the last place of a total below `units` · strength + 1; a word
      // falls between them with at most half (spins) of their distance.
      const double n = static_cast<double>(units), distance = 2.0 * rounding(n, n * strength + 1.0);
      expected += 2.0 * n * static_cast<double>(rows) * 0.5 * distance;
    }
  }
  CAPTURE(chains);
  CAPTURE(expected);
  CHECK(static_cast<double>(different) <= (in_double ? 0.0 : expected + 6.0 * std::sqrt(expected)));
}

TEST_CASE("layers drawn in order are the same bits on one thread, two and three, and however steps are cut") {
  for (const Index rows : {1, 5, 40, 100, 300, 700}) {
    for (LayerGraph& graph : graphs(37, 12)) {
      const auto model = random_machine(graph, 0.4, 71);
      CAPTURE(rows);
      const std::vector<Real> one = moved(*model, rows, {.tempered = true, .held = 1, .threads = 1});
      CHECK(one == moved(*model, rows, {.tempered = true, .held = 1, .threads = 2}));
      CHECK(one == moved(*model, rows, {.tempered = true, .held = 1, .threads = 3}));
      Chains whole = started(model->layout(), rows), parts = whole;
      const Executor executor(2);
      Gibbs().advance(Target{*model}, whole, 4, {executor, random_words}, nullptr);
      for (int k = 0; k < 2; ++k) Gibbs().advance(Target{*model}, parts, 2, {executor, random_words}, nullptr);
      CHECK(values(whole) == values(parts));
    }
  }
}

TEST_CASE("coupled units of another kind go on through block conditionals") {
  const auto three = std::make_shared<ThreeWayUnit>();
  const auto model = random_model({{observed("v", 4, three), latent("h", 3)}, {{0, 0}, {0, 1}, {1, 1}}, {}}, 5);
  CHECK_FALSE(model->layer_kernel()->draws(LayerId{0}));
  CHECK(model->layer_kernel()->draws(LayerId{1}));
  CHECK_FALSE(model->layer_kernel()->divisible(LayerId{1}));
  const WithoutKernel reference(*model);
  CHECK(moved(*model, 40, {}) == moved(reference, 40, {}));
}

TEST_CASE("units whose blocks come in another order are drawn in that one") {
  const auto model = random_model(graph_of(9, 5, false, {{0, 1}, {0, 0}}), 6);
  const Reversed with(*model, true), without(*model, false);
  CHECK(moved(with, 40, {}) == moved(without, 40, {}));
  CHECK(moved(with, 40, {}) != moved(*model, 40, {}));
}

}  // namespace sweep_test
