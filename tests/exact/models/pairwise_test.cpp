#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/models/layered.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace pairwise_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
const std::vector<double> betas{1.0, 0.0, 0.35, 2.5};

/// Rounding error of an energy in double, which it is computed in whatever the precision.
double energy_tolerance(const Oracle& oracle) {
  return rounding<double>(static_cast<double>(oracle.columns()), oracle.scale());
}

/// A free energy that leaves neighbors to the defaults.
class OnlyFreeEnergy final : public FreeEnergy {
 public:
  explicit OnlyFreeEnergy(const FreeEnergy& inner) : inner_(inner) {}
  bool closed(LayerSet kept) const override { return inner_.closed(kept); }
  void evaluate(LayerSet kept, double beta, ConstChainView x, std::span<double> out) const override {
    inner_.evaluate(kept, beta, x, out);
  }
  void add_gradient(LayerSet kept, ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& work) const override {
    inner_.add_gradient(kept, x, weights, gradient, work);
  }
  double operations(LayerSet kept) const override { return inner_.operations(kept); }

 private:
  const FreeEnergy& inner_;
};

}  // namespace

TEST_CASE("the energy is its definition in every configuration, to double accuracy in both precisions") {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const auto states = oracle.states(m.model->layout().all());
    const Chains rows = oracle.chains(states);
    std::vector<double> energies(states.size());
    m.model->energy(rows, energies);
    double worst = 0.0;
    for (Index r = 0; r < states.size(); ++r) worst = std::max(worst, std::abs(energies[r] - oracle.energy(states[r])));
    CHECK(worst <= energy_tolerance(oracle));
  }
}

TEST_CASE("the gradient of each configuration is the central difference of its energy, for every parameter") {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    LayeredModel& model = *m.model;
    const Oracle oracle(model);
    const auto states = oracle.states(model.layout().all());
    const Chains rows = oracle.chains(states);
    std::vector<std::vector<Real>> gradients(states.size(), std::vector<Real>(model.parameters().size(), Real{0}));
    const double one = 1.0;
    for (Index r = 0; r < states.size(); ++r) model.add_gradient({rows, r, r + 1}, {&one, 1}, gradients[r], executor);

    const auto energies = [&] {
      std::vector<double> e(states.size());
      model.energy(rows, e);
      return e;
    };
    std::vector<char> seen(model.parameters().size(), 0);
    const double h = 0x1p-8;
    for (const std::vector<Index>& entries : free_parameters(model)) {
      const std::vector<double> slope = derivative(model, entries, h, energies);
      for (const Index i : entries) {
        CAPTURE(i);
        seen[i] = 1;
        bool learned = true, curved = false;
        for (const ParameterBlock& b : model.parameter_layout().blocks()) {
          if (i < b.offset || i >= b.offset + b.size()) continue;
          learned = b.learned;
          curved = b.role == ParameterRole::log_precision;
        }
        // 18/12 of an energy's rounding error over h; h⁴/30 of ½ e^λ x² < 2 where it is not linear.
        const double bound = 1.5 * energy_tolerance(oracle) / h + (curved ? std::pow(2 * h, 4) / 15.0 : 0.0);
        double worst = 0.0;
        for (Index r = 0; r < states.size(); ++r)
          worst = std::max(worst, std::abs(static_cast<double>(gradients[r][i]) - (learned ? slope[r] : 0.0)));
        CHECK(worst <= bound);
      }
    }
    // What is no free parameter is a fixed zero of a lateral coupling.
    for (Index i = 0; i < seen.size(); ++i)
      for (Index r = 0; !seen[i] && r < states.size(); ++r) CHECK(gradients[r][i] == 0);
  }
}

TEST_CASE("gradients of many rows add up with their weights") {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const auto states = oracle.states(m.model->layout().all());
    const Chains rows = oracle.chains(states);
    for (const bool equal : {false, true}) {
      CAPTURE(equal);
      const std::vector<double> weights =
          equal ? std::vector<double>(states.size(), 0.125) : random_weights(states.size(), 7);
      const Index n = m.model->parameters().size();
      std::vector<double> expected(n, 3.0);
      for (Index r = 0; r < states.size(); ++r) {
        std::vector<Real> one(n, Real{0});
        const double w = 1.0;
        m.model->add_gradient({rows, r, r + 1}, {&w, 1}, one, executor);
        for (Index i = 0; i < n; ++i) expected[i] += weights[r] * static_cast<double>(one[i]);
      }
      // It is added to what is there, and a symmetric tensor's fixed zeros are made zero.
      std::vector<Real> gradient(n, Real{3});
      m.model->add_gradient(rows, weights, gradient, executor);
      for (const std::vector<Index>& entries : free_parameters(*m.model))
        for (const Index i : entries)
          CHECK(std::abs(static_cast<double>(gradient[i]) - expected[i]) <=
                rounding(static_cast<double>(states.size()), static_cast<double>(states.size())));
    }
  }
}

TEST_CASE("fields are energy differences, for every unit and state") {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const Layout& layout = m.model->layout();
    const auto states = oracle.states(layout.all());
    const Chains rows = oracle.chains(states);
    std::vector<int> visited(oracle.columns(), 0);
    for (const Block& block : m.model->block_conditionals()->blocks()) {
      const Layer& layer = layout[block.layer];
      const UnitType& unit = *layer.unit;
      const Index width = unit.width(), n = unit.num_states();
      std::vector<Real> values(n * width);
      unit.states({values.data(), n, width, width});
      // In one call and in pieces of one unit, into a matrix with room between its rows.
      const Index columns = block.size * width, stride = columns + 3;
      std::vector<Real> linear(states.size() * stride, Real{-9}), curvature(linear);
      std::vector<Real> by_unit(linear), curvature_by_unit(linear);
      const auto fields = [&](std::vector<Real>& l, std::vector<Real>& c, Index begin, Index end) {
        Fields f{{l.data() + begin * width, states.size(), (end - begin) * width, stride}};
        if (unit.has_curvature())
          f.curvature = {c.data() + begin * width, states.size(), (end - begin) * width, stride};
        m.model->block_conditionals()->fields(block, begin, end, rows, f);
      };
      fields(linear, curvature, 0, block.size);
      for (Index u = 0; u < block.size; ++u) fields(by_unit, curvature_by_unit, u, u + 1);

      double worst = 0.0, between_calls = 0.0;
      for (Index r = 0; r < states.size(); ++r) {
        for (Index u = 0; u < block.size; ++u) {
          const Index first = oracle.first(block.layer) + (block.whole() ? u : block.units[u]) * width;
          if (r == 0)
            for (Index c = 0; c < width; ++c) ++visited[first + c];
          Oracle::State changed = states[r];
          for (Index s = 0; s < n; ++s) {
            double difference = 0.0;
            for (Index c = 0; c < width; ++c) {
              const Index at = r * stride + u * width + c;
              const double from = states[r][first + c], to = static_cast<double>(values[s * width + c]);
              changed[first + c] = to;
              difference += static_cast<double>(linear[at]) * (to - from);
              if (unit.has_curvature())
                difference -= 0.5 * static_cast<double>(curvature[at]) * (to * to - from * from);
              between_calls = std::max(between_calls, static_cast<double>(std::abs(linear[at] - by_unit[at])));
            }
            worst = std::max(worst, std::abs(oracle.energy(states[r]) - oracle.energy(changed) - difference));
          }
        }
        for (Index c = columns; c < stride; ++c) CHECK(linear[r * stride + c] == -9);
      }
      CHECK(worst <= rounding(static_cast<double>(oracle.columns()), oracle.scale()));
      CHECK(between_calls <= rounding(static_cast<double>(oracle.columns())));
    }
    CHECK(std::ranges::all_of(visited, [](int v) { return v == 1; }));
  }
}

TEST_CASE("layers are independent given the others exactly where nothing couples them") {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    for (const LayerSet given : oracle.sets()) {
      const LayerSet free = oracle.without(given);
      CHECK(m.model->block_conditionals()->independent(free, given) == oracle.uncoupled(free));
      CHECK(m.model->free_energy()->closed(given) == oracle.uncoupled(free));
    }
  }
}

TEST_CASE("layers that are neither free nor given are summed over, which couples what they join") {
  LayerGraph graph{{observed("a", 1), latent("b", 1), latent("c", 1)}, {{0, 1}, {1, 2}}, {}};
  const LayeredModel chain(graph);
  const auto set = [&](std::initializer_list<const char*> names) {
    LayerSet s;
    for (const char* name : names) s.add(chain.layout().find(name));
    return s;
  };
  const BlockConditionals& conditionals = *chain.block_conditionals();
  CHECK(conditionals.independent(set({"a", "c"}), set({"b"})));
  CHECK_FALSE(conditionals.independent(set({"a", "c"}), set({})));
  CHECK_FALSE(conditionals.independent(set({"a", "b"}), set({"c"})));
}

TEST_CASE("free energies are sums over the states of what is not kept, at every temperature") {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const FreeEnergy& free_energy = *m.model->free_energy();
    for (const LayerSet kept : oracle.sets()) {
      if (!free_energy.closed(kept)) continue;
      // The layers that are summed out hold what must not be read.
      const auto states = oracle.states(kept, Oracle::State(oracle.columns(), 7.0));
      const Chains rows = oracle.chains(states);
      for (const double beta : betas) {
        CAPTURE(beta);
        std::vector<double> values(states.size(), 1e300);
        free_energy.evaluate(kept, beta, rows, values);
        double worst = 0.0;
        for (Index r = 0; r < states.size(); ++r)
          worst = std::max(worst, std::abs(values[r] - oracle.free_energy(kept, states[r], beta)));
        CHECK(worst <=
              (1.0 + beta) * energy_tolerance(oracle) + rounding<double>(2.0 * static_cast<double>(oracle.columns())));
      }
    }
  }
}

TEST_CASE("conditionals of single units are ratios of free energies, by differences and by the default") {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const Layout& layout = m.model->layout();
    const FreeEnergy& free_energy = *m.model->free_energy();
    for (const LayerSet kept : oracle.sets()) {
      if (!free_energy.closed(kept)) continue;
      const auto states = oracle.states(kept, Oracle::State(oracle.columns(), 7.0));
      const Chains rows = oracle.chains(states);
      for (const LayerId l : layout.ids()) {
        if (!kept.contains(l)) continue;
        const Layer& layer = layout[l];
        std::vector<Index> units;
        for (Index u = layer.size; u-- > 0;) units.push_back(u);
        for (const double beta : {1.0, 0.35}) {
          CAPTURE(beta);
          const Index cols = units.size(), stride = cols + 2;
          std::vector<double> by_differences(states.size() * stride, -9.0), by_default(by_differences);
          free_energy.log_conditionals(layout, kept, beta, rows, l, units,
                                       {by_differences.data(), states.size(), cols, stride});
          OnlyFreeEnergy(free_energy)
              .log_conditionals(layout, kept, beta, rows, l, units, {by_default.data(), states.size(), cols, stride});
          double worst = 0.0, worst_default = 0.0;
          for (Index r = 0; r < states.size(); ++r) {
            for (Index k = 0; k < cols; ++k) {
              const Index width = layer.unit->width(), at = oracle.first(l) + units[k] * width;
              std::vector<Real> values(layer.unit->num_states() * width);
              layer.unit->states({values.data(), layer.unit->num_states(), width, width});
              double sum = 0.0;
              Oracle::State x = states[r];
              const double own = -oracle.free_energy(kept, x, beta);
              for (Index s = 0; s < layer.unit->num_states(); ++s) {
                for (Index c = 0; c < width; ++c) x[at + c] = static_cast<double>(values[s * width + c]);
                sum += std::exp(-oracle.free_energy(kept, x, beta) - own);
              }
              worst = std::max(worst, std::abs(by_differences[r * stride + k] + std::log(sum)));
              worst_default = std::max(worst_default, std::abs(by_default[r * stride + k] + std::log(sum)));
            }
          }
          const double bound =
              4.0 * energy_tolerance(oracle) + rounding<double>(8.0 * static_cast<double>(oracle.columns()));
          CHECK(worst <= bound);
          CHECK(worst_default <= bound);
        }
      }
    }
  }
}

TEST_CASE("a gray value has the score of its linear continuation, by differences and by the default") {
  const auto model = random_rbm(4, 3, 5);
  const Oracle oracle(*model);
  const std::vector<Oracle::State> states{{0.25, 1, 0.5, 0, 0, 0, 0}, {1, 0.125, 0, 0.875, 0, 0, 0}};
  const Chains rows = oracle.chains(states);
  const std::vector<Index> units{0, 1, 2, 3};
  std::vector<double> a(8), b(8);
  const LayerSet visible = model->layout().observed();
  const LayerId v = model->layout().find("visible");
  model->free_energy()->log_conditionals(model->layout(), visible, 0.7, rows, v, units, {a.data(), 2, 4, 4});
  OnlyFreeEnergy(*model->free_energy())
      .log_conditionals(model->layout(), visible, 0.7, rows, v, units, {b.data(), 2, 4, 4});
  for (Index i = 0; i < 8; ++i) CHECK(std::abs(a[i] - b[i]) <= 4.0 * energy_tolerance(oracle));
}

TEST_CASE("the gradient over neighbors is the sum of theirs, by differences and by the default") {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const Layout& layout = m.model->layout();
    const FreeEnergy& free_energy = *m.model->free_energy();
    std::mt19937_64 words(5);
    for (const LayerSet kept : oracle.sets()) {
      if (!free_energy.closed(kept)) continue;
      auto states = oracle.states(kept, Oracle::State(oracle.columns(), 7.0));
      states.resize(std::min<std::size_t>(states.size(), 70));  // more than are taken together
      const Chains rows = oracle.chains(states);
      for (const LayerId l : layout.ids()) {
        if (!kept.contains(l)) continue;
        const UnitType& unit = *layout[l].unit;
        const Index width = unit.width(), columns = layout[l].size * unit.num_states();
        std::vector<Real> values(unit.num_states() * width);
        unit.states({values.data(), unit.num_states(), width, width});
        std::vector<double> weights(states.size() * columns);
        for (double& w : weights) w = words() % 4 == 0 ? 0.0 : static_cast<double>(words() % 512) / 256.0 - 1.0;
        const Index parameters = m.model->parameters().size();
        std::vector<Real> by_differences(parameters, Real{1}), by_default(parameters, Real{1}), one(parameters);
        const MatrixView<const double> view{weights.data(), states.size(), columns, columns};
        free_energy.add_neighbor_gradient(layout, kept, rows, l, view, by_differences, executor);
        OnlyFreeEnergy(free_energy).add_neighbor_gradient(layout, kept, rows, l, view, by_default, executor);
        // One neighbor at a time, added up in double.
        std::vector<double> sum(parameters, 1.0);
        double size = 1.0;
        for (Index r = 0; r < states.size(); ++r) {
          for (Index i = 0; i < columns; ++i) {
            Oracle::State y = states[r];
            for (Index c = 0; c < width; ++c)
              y[oracle.first(l) + i / unit.num_states() * width + c] =
                  static_cast<double>(values[i % unit.num_states() * width + c]);
            std::ranges::fill(one, Real{0});
            const std::vector<double> whole{1.0};
            free_energy.add_gradient(kept, oracle.chains({y}), whole, one, executor);
            for (Index k = 0; k < parameters; ++k) sum[k] += view(r, i) * static_cast<double>(one[k]);
            size += std::abs(view(r, i));
          }
        }
        // Terms are below 3 (½ e γ x² of those with a curvature), and every sum is of at most so many.
        const double bound = rounding(static_cast<double>(4 * states.size() + columns) + 16.0, 3.0 * size);
        for (const std::vector<Index>& entries : free_parameters(*m.model)) {
          for (const Index k : entries) {
            CHECK(std::abs(static_cast<double>(by_differences[k]) - sum[k]) <= bound);
            CHECK(std::abs(static_cast<double>(by_default[k]) - sum[k]) <= bound);
          }
        }
      }
    }
  }
}

TEST_CASE("a factorized law's expectation of the gradient is its sum over all configurations") {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const Layout& layout = m.model->layout();
    const Index num_laws = 3, parameters = m.model->parameters().size();

    // Three laws, each unit with probabilities of its own; the weights below are not the same, so that rows count.
    std::mt19937_64 words(11);
    std::vector<std::vector<std::vector<double>>> p(num_laws);  // law, unit, state
    std::vector<std::vector<Real>> mean(layout.size()), second(layout.size());
    Moments q;
    for (const LayerId l : layout.ids()) {
      const auto i = static_cast<Index>(l);
      mean[i].assign(num_laws * layout[l].columns(), Real{0});
      second[i] = mean[i];
    }
    for (Index law = 0; law < num_laws; ++law) {
      for (const LayerId l : layout.ids()) {
        const UnitType& unit = *layout[l].unit;
        const Index width = unit.width(), n = unit.num_states();
        std::vector<Real> values(n * width);
        unit.states({values.data(), n, width, width});
        for (Index u = 0; u < layout[l].size; ++u) {
          std::vector<double> of_unit;
          double total = 0.0;
          for (Index s = 0; s < n; ++s) total += of_unit.emplace_back(1.0 + static_cast<double>(words() % 16));
          for (Index s = 0; s < n; ++s) {
            of_unit[s] /= total;
            for (Index c = 0; c < width; ++c) {
              const Index at = law * layout[l].columns() + u * width + c;
              const double v = static_cast<double>(values[s * width + c]);
              mean[static_cast<Index>(l)][at] += static_cast<Real>(of_unit[s] * v);
              second[static_cast<Index>(l)][at] += static_cast<Real>(of_unit[s] * v * v);
            }
          }
          p[law].push_back(of_unit);
        }
      }
    }
    for (const LayerId l : layout.ids()) {
      const auto i = static_cast<Index>(l);
      const Index columns = layout[l].columns();
      q.mean.push_back({mean[i].data(), num_laws, columns, columns});
      q.second.push_back(layout[l].unit->has_curvature() ? ConstMatrixRef{second[i].data(), num_laws, columns, columns}
                                                         : ConstMatrixRef{});
    }
    const std::vector<double> weights{0.5, -1.25, 2.0};
    std::vector<Real> gradient(parameters, Real{0});
    m.model->factorized_expectation()->add_gradient(q, weights, gradient, executor);

    // for_each runs through the states of units in the order in which the probabilities were drawn.
    const auto states = oracle.states(layout.all());
    const Chains rows = oracle.chains(states);
    std::vector<double> expected(parameters, 0.0);
    for (Index r = 0; r < states.size(); ++r) {
      double weight = 0.0;
      for (Index law = 0; law < num_laws; ++law) {
        double probability = weights[law];
        Index rest = r;
        for (const std::vector<double>& of_unit : p[law]) {
          probability *= of_unit[rest % of_unit.size()];
          rest /= of_unit.size();
        }
        weight += probability;
      }
      std::vector<Real> one(parameters, Real{0});
      const double w = 1.0;
      m.model->add_gradient({rows, r, r + 1}, {&w, 1}, one, executor);
      for (Index i = 0; i < parameters; ++i) expected[i] += weight * static_cast<double>(one[i]);
    }
    for (Index i = 0; i < parameters; ++i) {
      CAPTURE(i);
      // Moments of a few states, three laws of weights up to 2; the sum over states is in double.
      CHECK(std::abs(static_cast<double>(gradient[i]) - expected[i]) <=
            rounding(3.0 * 8.0, 2.0) + rounding<double>(static_cast<double>(states.size()), 4.0));
    }
  }
}

}  // namespace pairwise_test
