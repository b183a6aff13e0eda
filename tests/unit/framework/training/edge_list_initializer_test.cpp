#include <fstream>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/training/edge_list_initializer.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/models/units/levels.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace edge_list_initializer_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(1);
const Execution execution{executor, {1, 2}};

}  // namespace

TEST_CASE("edges become couplings of spins, with the energy of the file") {
  const ScratchFolder scratch;
  const std::string path = (scratch / "edges.txt").string();
  std::ofstream(path) << "3 2\n1 3 0.5\n2 3 -2\n";
  for (const double sign : {1.0, -1.0}) {
    const auto model = make_fully_visible({.num_visible = 3, .visible_units = std::make_unique<SpinUnit>()});
    EdgeListInitializer({.path = path, .sign = sign}).initialize(*model, nullptr, execution);
    Chains chains(model->layout(), 1);
    const MatrixRef x = chains.write(LayerId{0});
    x(0, 0) = 1;
    x(0, 1) = 1;
    x(0, 2) = -1;
    double energy = 0.0;
    model->energy(chains, {&energy, 1});
    CHECK(energy == -sign * (0.5 * -1 + -2 * -1));
  }
}

TEST_CASE("edges couple equal states of categorical units, and no others") {
  const ScratchFolder scratch;
  const std::string path = (scratch / "edges.txt").string();
  std::ofstream(path) << "1 3 0.5\n2 3 -2\n";
  const auto model = make_fully_visible(
      {.num_visible = 3,
       .visible_units = std::make_unique<CategoricalUnit>(CategoricalUnit::Options{.num_states = 4})});
  EdgeListInitializer({.path = path}).initialize(*model, nullptr, execution);
  Chains chains(model->layout(), 1);
  for (Index state = 0; state < 64; ++state) {
    const Index s[] = {state / 16, state / 4 % 4, state % 4};
    const MatrixRef x = chains.write(LayerId{0});
    for (Index i = 0; i < 3; ++i)
      for (Index q = 0; q < 4; ++q) x(0, i * 4 + q) = s[i] == q ? Real(1) : Real(0);
    double energy = 0.0;
    model->energy(chains, {&energy, 1});
    CHECK(energy == -(s[0] == s[2] ? 0.5 : 0.0) + (s[1] == s[2] ? 2.0 : 0.0));
  }
}

TEST_CASE("spins 1 on a graph have the Blume-Capel energy of its edges, a field and a crystal field") {
  const ScratchFolder scratch;
  const std::string path = (scratch / "edges.txt").string();
  std::ofstream(path) << "3 2\n1 3 0.5\n2 3 -2\n";
  const auto model =
      make_fully_visible({.num_visible = 3, .visible_units = std::make_unique<LevelsUnit>(LevelsUnit::Options{})});
  EdgeListInitializer({.path = path, .field = 0.25, .crystal_field = -1.5}).initialize(*model, nullptr, execution);
  Chains chains(model->layout(), 1);
  for (int state = 0; state < 27; ++state) {
    const int s[] = {state / 9 - 1, state / 3 % 3 - 1, state % 3 - 1};
    const MatrixRef x = chains.write(LayerId{0});
    for (Index i = 0; i < 3; ++i) x(0, i) = static_cast<Real>(s[i]);
    double energy = 0.0;
    model->energy(chains, {&energy, 1});
    CHECK(energy == -0.5 * s[0] * s[2] + 2.0 * s[1] * s[2] - 1.5 * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]) -
                        0.25 * (s[0] + s[1] + s[2]));
  }
}

TEST_CASE("fields become biases, with the sign of the couplings") {
  const ScratchFolder scratch;
  const std::string path = (scratch / "edges.txt").string(), fields = (scratch / "h.csv").string();
  std::ofstream(path) << "3 2\n1 3 0.5\n2 3 -2\n";
  std::ofstream(fields) << "1\n0\n-0.25\n";
  const auto model = make_fully_visible({.num_visible = 3, .visible_units = std::make_unique<SpinUnit>()});
  EdgeListInitializer({.path = path, .sign = -1.0, .fields = fields}).initialize(*model, nullptr, execution);
  const ParameterLayout& layout = model->parameter_layout();
  const ConstMatrixRef bias = layout.view(layout.find("bias.visible"), model->parameters().data());
  CHECK(bias.data[0] == -1);
  CHECK(bias.data[1] == 0);
  CHECK(bias.data[2] == Real(0.25));
}

TEST_CASE("fields of units of several states are a row of numbers for each unit, or these one below the other") {
  const ScratchFolder scratch;
  const std::string path = (scratch / "edges.txt").string(), fields = (scratch / "h.csv").string();
  std::ofstream(path) << "2 1\n1 2 0.5\n";
  const auto model = make_fully_visible(
      {.num_visible = 2, .visible_units = std::make_unique<CategoricalUnit>(CategoricalUnit::Options{3})});
  const auto set = [&](const std::string& text) {
    std::ofstream(fields) << text;
    EdgeListInitializer({.path = path, .sign = -1.0, .fields = fields}).initialize(*model, nullptr, execution);
  };
  for (const char* text : {"1,0,-0.25\n2,4,8\n", "1\n0\n-0.25\n2\n4\n8\n"}) {
    set(text);
    Chains chains(model->layout(), 1);
    const Real h[] = {1, 0, Real(-0.25), 2, 4, 8};
    for (Index state = 0; state < 9; ++state) {
      const Index a = state / 3, b = state % 3;
      const MatrixRef x = chains.write(LayerId{0});
      for (Index c = 0; c < 6; ++c) x(0, c) = c == a || c == 3 + b ? Real(1) : Real(0);
      double energy = 0.0;
      model->energy(chains, {&energy, 1});
      CHECK(energy == (a == b ? 0.5 : 0.0) + h[a] + h[3 + b]);
    }
  }
  CHECK(message_of<DataError>([&] { set("1,0\n0,1\n2,2\n"); }) ==
        fields + ": has 2 columns (a row of 3 fields a unit, one for each of its states, or one field a row expected)");
  CHECK(message_of<ConfigError>([&] { set("1,0,2\n"); }) ==
        fields +
            ": it has 3 fields, and layer 'visible' 6 columns, 2 units of 3 states. Give one number for each: a "
            "row of 3 for each unit.");
}

TEST_CASE("edges that do not fit the model are refused") {
  const ScratchFolder scratch;
  const std::string path = (scratch / "edges.txt").string();
  std::ofstream(path) << "3 1\n1 3 0.5\n";
  const EdgeListInitializer initializer({.path = path});
  const auto four = make_fully_visible({.num_visible = 4});
  const auto rbm = make_rbm({.num_visible = 3, .num_hidden = 3});
  const auto both = make_boltzmann_machine({.num_visible = 3, .num_hidden = 3});
  for (EnergyModel* model : {static_cast<EnergyModel*>(four.get()), static_cast<EnergyModel*>(rbm.get()),
                             static_cast<EnergyModel*>(both.get())})
    CHECK_THROWS_AS(initializer.initialize(*model, nullptr, execution), ConfigError);
  const auto sites = make_fully_visible(
      {.num_visible = 3, .visible_units = std::make_unique<CategoricalUnit>(CategoricalUnit::Options{3})});
  CHECK(message_of<ConfigError>([&] {
          EdgeListInitializer({.path = path, .field = 0.5}).initialize(*sites, nullptr, execution);
        }).find("field 0.5: all states of a unit of layer 'visible' would have it, which changes nothing.") !=
        std::string::npos);
  CHECK_THROWS_AS(EdgeListInitializer({}), ConfigError);
  CHECK_THROWS_AS(EdgeListInitializer({.path = path, .sign = 0.5}), ConfigError);
  CHECK(message_of<ConfigError>([&] {
          EdgeListInitializer::Options options;
          read_options(make_table({{"path", make_value(path)}, {"sign", make_value(0.5)}}), "initializer 'edge_list'",
                       options);
        }) == "initializer 'edge_list': option 'sign' = 0.5 is not allowed: it must be 1 or -1.");
}

}  // namespace edge_list_initializer_test
