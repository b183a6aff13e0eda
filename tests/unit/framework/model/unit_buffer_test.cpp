#include <doctest/doctest.h>

#include <harmonium/framework/model/unit_buffer.hpp>
#include <harmonium/tests/support/units.hpp>

namespace unit_buffer_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE("a buffer has curvatures for units that have one, and keeps what it holds at the same size") {
  const TernaryUnit curved;
  UnitBuffer buffer(curved, 2, 3);
  CHECK(buffer.fields().linear.rows == 2);
  CHECK(buffer.fields().linear.cols == 3);
  CHECK(buffer.fields().curvature.empty() == !curved.has_curvature());
  buffer.first()(1, 2) = 5;
  buffer.resize(curved, 2, 3);
  CHECK(buffer.first()(1, 2) == 5);
  CHECK(UnitBuffer().fields().linear.empty());
}

TEST_CASE("fields are cut by rows and by columns, with their bias and scale") {
  const TernaryUnit unit;
  UnitBuffer buffer(unit, 3, 4);
  const Real bias[] = {1, 2, 3, 4}, scale[] = {5, 6, 7};
  Fields fields = buffer.fields();
  fields.bias = bias;
  fields.scale = scale;
  const Fields part = fields.slice(1, 3).columns(2, 4);
  CHECK(part.linear.data == buffer.first().row(1) + 2);
  CHECK(part.linear.rows == 2);
  CHECK(part.linear.cols == 2);
  CHECK(part.bias[0] == 3);
  CHECK(part.scale[0] == 6);
  CHECK(buffer.fields().slice(1, 3).scale == nullptr);
}

TEST_CASE("a unit's states are found by their values, and a value between them is none") {
  const TernaryUnit unit;
  const UnitStates states(unit);
  CHECK(states.size() == unit.num_states());
  for (Index s = 0; s < states.size(); ++s) CHECK(states.find(states[s]) == s);
  std::vector<Real> between(unit.width(), static_cast<Real>(0.25));
  CHECK(states.find(between) == states.size());
}

TEST_CASE("a log weight is linear in the state but for half the curvature times its square") {
  const TernaryUnit unit;
  UnitBuffer buffer(unit, 1, 2);
  buffer.first()(0, 1) = 3;
  const std::vector<Real> x{-1};
  double expected = -3.0;
  if (unit.has_curvature()) {
    buffer.second()(0, 1) = 4;
    expected -= 2.0;
  }
  CHECK(log_weight(buffer.fields(), 0, 1, x) == expected);
}

}  // namespace unit_buffer_test
