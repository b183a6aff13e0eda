// The interval of a bound, and how long log Z is annealed that nobody asked for.
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/log_partition.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/composed_figures.hpp>
#include <harmonium/program/work/due_effort.hpp>
#include <harmonium/program/work/log_z_way.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace bound_and_effort_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE("the interval of a bound is that of log Z and of its draws, which are independent") {
  Evaluation e;
  e.log_z = 10.0;
  e.log_z_interval = {9.7, 10.4};
  compose_bound(-80.0, 0.3 / 1.96, e);
  REQUIRE(e.variational_bound);
  CHECK(*e.variational_bound == -90.0);
  REQUIRE(e.variational_bound_interval);
  CHECK(e.variational_bound_interval->low == doctest::Approx(-90.5).epsilon(1e-12));
  CHECK(e.variational_bound_interval->high == doctest::Approx(-90.0 + std::sqrt(0.18)).epsilon(1e-12));
  // Draws that all say the same differ by rounding, and an exact log Z leaves nothing open.
  e.log_z_interval = {10.0, 10.0};
  compose_bound(-80.0, 1e-15, e);
  CHECK(e.variational_bound_interval->low == e.variational_bound_interval->high);
  // Where the ways to log Z do not agree all that was measured is there, and no bound.
  Evaluation unknown;
  unknown.log_z_interval = {9.0, std::numeric_limits<double>::infinity()};
  compose_bound(-80.0, 0.0, unknown);
  CHECK_FALSE(unknown.variational_bound);
  CHECK(std::isinf(unknown.variational_bound_interval->low));
  CHECK(unknown.variational_bound_interval->high == -89.0);
}

TEST_CASE("log Z that nobody asked for has the usual effort up to a number of operations, and less beyond") {
  const auto model = random_rbm(9, 6, 1);
  const Value options = make_table({});
  EvaluateRequest request;
  request.log_z = "ais";
  const double operations = LogZWay(request, options, *model, builtin_registries()).operations();
  REQUIRE(operations > 0.0);
  const auto due = [&](double beyond) {
    request.effort = 0.1;
    request.effort_beyond = beyond;
    const EvaluateRequest found = with_due_effort(request, options, *model, builtin_registries());
    const LogZWay way(found, options, *model, builtin_registries());
    CHECK(way.anneals());
    CHECK(way.annealed({2.0, 1}).seconds == 2.0);
    return way.annealed({2.0, 1}).effort;
  };
  CHECK(due(operations) == 1.0);
  CHECK(due(0.99 * operations) == 0.1);
  // Of what is exact no time is told.
  request.log_z = "exact";
  request.effort.reset();
  CHECK(LogZWay(request, options, *model, builtin_registries()).annealed({2.0, 1}).effort == 0.0);
}

TEST_CASE("a stack, whose bound is by draws, has an interval of it") {
  const ScratchFolder folder;
  const auto whole = [](std::int64_t n) { return make_value(n); };
  const auto rbm = [&](std::int64_t visible, std::int64_t hidden) {
    return make_table({{"type", make_value("rbm")}, {"num_visible", whole(visible)}, {"num_hidden", whole(hidden)}});
  };
  Value machines, effective;
  machines.data = Value::List{rbm(4, 3), rbm(3, 2)};
  const auto stack = builtin_registries().make<EnergyModel>(
      make_table({{"type", make_value("stack")}, {"machines", std::move(machines)}}), effective);
  randomize(*stack, 4, 1.0);
  const std::string path = (folder / "m.h5").string();
  write_model(path, *stack,
              make_table({{"model", effective},
                          {"data", make_table({{"type", make_value("bars_and_stripes")}, {"side", whole(2)}})},
                          {"precision", make_value(in_double ? "float64" : "float32")}}));
  EvaluateRequest request;
  request.model = path;
  request.own_data = true;
  const Evaluation found = evaluate(request, builtin_registries()).splits.at(0).second;
  REQUIRE(found.variational_bound);
  REQUIRE(found.variational_bound_interval);
  CHECK(found.bound_error > 0.0);
  CHECK(found.variational_bound_interval->high - found.variational_bound_interval->low ==
        doctest::Approx(2.0 * 1.96 * found.bound_error).epsilon(1e-6));
}

}  // namespace bound_and_effort_test
