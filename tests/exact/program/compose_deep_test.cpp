// What trained machines make: the deep Boltzmann machine against its formula, unit by unit and state by state.
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/plugins/builtin/enroll.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace compose_deep_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

Value integer(Index n) { return make_value(static_cast<std::int64_t>(n)); }

Value rbm_table(Index num_visible, Index num_hidden) {
  return make_table(
      {{"type", make_value("rbm")}, {"num_visible", integer(num_visible)}, {"num_hidden", integer(num_hidden)}});
}

Value config_of(Value model) {
  return make_table({{"model", std::move(model)}, {"precision", make_value(in_double ? "float64" : "float32")}});
}

/// RBMs over layers of these sizes, one upon the other, in files; and the deep machine that they make.
struct Made {
  explicit Made(const std::vector<Index>& sizes) {
    enroll_builtin(registries);
    JoinRequest request;
    Value hidden;
    hidden.data = Value::List{};
    for (Index k = 0; k + 1 < sizes.size(); ++k) {
      machines.push_back(random_rbm(sizes[k], sizes[k + 1], 90 + k, 1.0));
      request.models.push_back((folder / ("machine" + std::to_string(k) + ".h5")).string());
      write_model(request.models.back(), *machines.back(), config_of(rbm_table(sizes[k], sizes[k + 1])));
      std::get<Value::List>(hidden.data).push_back(integer(sizes[k + 1]));
    }
    request.output = (folder / "deep.h5").string();
    compose_deep(request,
                 make_table({{"type", make_value("deep")}, {"num_visible", integer(sizes[0])}, {"num_hidden", hidden}}),
                 registries);
    deep = load_model(request.output, read_model_header(request.output), registries);
  }

  ScratchFolder folder;
  Registries registries;
  std::vector<std::unique_ptr<LayeredModel>> machines;
  std::unique_ptr<EnergyModel> deep;
};

/// The field of unit j of the latent layer of an RBM, the observed units counting `times`; and of an observed one.
double up(const Oracle& rbm, double times, const std::vector<double>& below, Index j) {
  const Index at = below.size() + j;
  double sum = rbm.bias[at];
  for (Index i = 0; i < below.size(); ++i) sum += times * rbm.coupling(i, at) * below[i];
  return sum;
}
double down(const Oracle& rbm, double times, const std::vector<double>& above, Index i) {
  double sum = rbm.bias[i];
  for (Index j = 0; j < above.size(); ++j) sum += times * rbm.coupling(i, rbm.columns() - above.size() + j) * above[j];
  return sum;
}

}  // namespace

TEST_CASE("each layer of a composed deep machine sees the mean of what the machines on both sides of it see") {
  for (const std::vector<Index>& sizes : {std::vector<Index>{3, 2, 3}, {3, 4, 2, 3}, {2, 2, 3, 2, 2}}) {
    const Made made(sizes);
    const Oracle deep(*made.deep);
    std::vector<Oracle> rbms;
    for (const auto& machine : made.machines) rbms.emplace_back(*machine);
    const Index last = rbms.size() - 1;
    double seen = 0.0;
    for (const Oracle::State& x : deep.states(made.deep->layout().all())) {
      std::vector<std::vector<double>> layers;
      for (Index k = 0, at = 0; k < sizes.size(); at += sizes[k++])
        layers.emplace_back(x.begin() + static_cast<std::ptrdiff_t>(at),
                            x.begin() + static_cast<std::ptrdiff_t>(at + sizes[k]));
      double energy = 0.0;
      for (Index k = 0, at = 0; k < sizes.size(); at += sizes[k++])
        for (Index i = 0; i < sizes[k]; ++i) {
          // A machine in between was trained as an RBM: its couplings are the doubled ones.
          const double from_below = k == 0 ? 0.0 : up(rbms[k - 1], k == 1 ? 2.0 : 1.0, layers[k - 1], i);
          const double from_above = k > last ? 0.0 : down(rbms[k], k == last ? 2.0 : 1.0, layers[k + 1], i);
          double right = 0.5 * (from_below + from_above);
          if (k == 0) right = down(rbms[0], 1.0, layers[1], i);
          if (k > last) right = up(rbms[last], 1.0, layers[last], i);
          double field = deep.bias[at + i];
          for (Index other = 0; other < deep.columns(); ++other) field += deep.coupling(at + i, other) * x[other];
          seen = std::max(seen, std::abs(field - right));
          energy -= 0.5 * x[at + i] * (right + deep.bias[at + i]);
        }
      // Each coupling stands in the fields of two units.
      CHECK(std::abs(deep.energy(x) - energy) <= rounding(64.0, deep.scale()));
    }
    CHECK(seen <= rounding(64.0, 8.0));
  }
}

TEST_CASE("a deep machine has the visible units' precisions and crystal fields of the lowest machine") {
  Registries registries;
  enroll_builtin(registries);
  const ScratchFolder folder;
  const Value levels = make_table({{"type", make_value("levels")}, {"num_states", integer(3)}});
  for (const Value& units : {make_value("gaussian"), levels}) {
    JoinRequest request;
    std::vector<std::unique_ptr<EnergyModel>> machines;
    for (Index k = 0; k < 2; ++k) {
      Value table = rbm_table(k == 0 ? 3 : 2, 2), effective;
      if (k == 0) table.set("visible_units", units);
      machines.push_back(registries.make<EnergyModel>(table, effective));
      machines.back()->update_parameters([&](std::span<Real> theta) {
        for (Index t = 0; t < theta.size(); ++t)
          theta[t] = static_cast<Real>(0.125 * static_cast<double>(t + 1 + 7 * k));
      });
      request.models.push_back((folder / ("machine" + std::to_string(k) + ".h5")).string());
      write_model(request.models.back(), *machines.back(), config_of(table));
    }
    request.output = (folder / "deep.h5").string();
    Value hidden;
    hidden.data = Value::List{integer(2), integer(2)};
    compose_deep(request,
                 make_table({{"type", make_value("deep")},
                             {"num_visible", integer(3)},
                             {"num_hidden", hidden},
                             {"visible_units", units}}),
                 registries);
    const auto deep = load_model(request.output, read_model_header(request.output), registries);
    Index own = 0;
    for (const ParameterBlock& block : deep->parameter_layout().blocks()) {
      if (block.layers != std::vector{LayerId{0}}) continue;
      const ParameterLayout& lowest = machines[0]->parameter_layout();
      const ParameterBlock& expected = lowest[lowest.find(block.name)];
      CAPTURE(block.name);
      for (Index t = 0; t < block.size(); ++t)
        CHECK(deep->parameters()[block.offset + t] == machines[0]->parameters()[expected.offset + t]);
      ++own;
    }
    CHECK(own == 2);
  }
}

TEST_CASE("what is no RBM makes no deep machine") {
  const Made made({3, 2, 3});
  const std::string path = (made.folder / "other.h5").string();
  const auto visible = make_fully_visible({.num_visible = 3});
  write_model(path, *visible,
              config_of(make_table({{"type", make_value("fully_visible")}, {"num_visible", integer(3)}})));
  JoinRequest request;
  request.models = {path, (made.folder / "machine1.h5").string()};
  request.output = (made.folder / "none.h5").string();
  Value hidden;
  hidden.data = Value::List{integer(2), integer(3)};
  const Value deep =
      make_table({{"type", make_value("deep")}, {"num_visible", integer(3)}, {"num_hidden", std::move(hidden)}});
  CHECK(message_of<ConfigError>([&] { compose_deep(request, deep, made.registries); }) ==
        path +
            ": the machine has not the couplings and biases of an RBM, of which alone a deep Boltzmann machine is "
            "composed.");
}

}  // namespace compose_deep_test
