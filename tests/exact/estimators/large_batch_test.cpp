// Gradients of losses over single units' states by a batch of very many rows, beside those of its few different rows.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/plugins/builtin/enroll.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace large_batch_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);

std::vector<Real> gradient_of(const std::string& name, const EnergyModel& model, const Chains& rows,
                              const std::vector<double>& weights) {
  Registries registries;
  enroll_builtin(registries);
  Value effective;
  const auto estimator = registries.make<GradientEstimator>(make_table({{"type", make_value(name)}}), effective);
  std::vector<Real> gradient(model.parameters().size());
  Posterior posterior;
  estimator->estimate(model, {rows, weights, posterior}, gradient, {executor, RandomSource{1, 0}});
  return gradient;
}

}  // namespace

TEST_CASE("a batch of 65,536 rows has the gradient of its eight different rows, in single precision as well") {
  constexpr Index count = 65536, different = 8;
  std::vector<Example> models;
  models.push_back({"spin glass", small_spin_glass()});
  models.push_back({"RBM", small_rbm()});
  models.push_back({"categorical RBM", small_categorical()});
  for (const Example& m : models)
    for (const std::string name : {"pseudo_likelihood", "ratio_matching", "minimum_probability_flow"}) {
      CAPTURE(m.name);
      CAPTURE(name);
      const Oracle oracle(*m.model);
      const auto all = oracle.states(m.model->layout().observed(), Oracle::State(oracle.columns(), 1.0));
      std::vector<Oracle::State> few, many;
      for (Index r = 0; r < different; ++r) few.push_back(all[(r * r + 3 * r + 1) % all.size()]);
      for (Index r = 0; r < count; ++r) many.push_back(few[r * r % 13 % different]);
      std::vector<double> shares(different, 0.0);
      for (Index r = 0; r < count; ++r) shares[r * r % 13 % different] += 1.0 / static_cast<double>(count);
      const std::vector<Real> right = gradient_of(name, *m.model, oracle.chains(few), shares);
      const std::vector<Real> found = gradient_of(name, *m.model, oracle.chains(many),
                                                  std::vector<double>(count, 1.0 / static_cast<double>(count)));
      double worst = 0.0, largest = 1.0;
      for (Index i = 0; i < right.size(); ++i) {
        worst = std::max(worst, std::abs(static_cast<double>(found[i]) - static_cast<double>(right[i])));
        largest = std::max(largest, std::abs(static_cast<double>(right[i])));
      }
      // 1024 slabs of rows are added, each with half the rounding of what is there, and rows of a slab with that of a 64th.
      // Terms of weight 1 that cancel in each slab would leave 1024 times half the rounding of 64, thirty times as much.
      CHECK(worst <= rounding(1024.0, largest));
    }
}

}  // namespace large_batch_test
