#include <doctest/doctest.h>

#include <harmonium/framework/core/function_ref.hpp>

namespace function_ref_test {

using namespace harmonium;

namespace {

int call(FunctionRef<int(int&)> f, int x) {
  const int returned = f(x);
  return 100 * x + returned;
}

}  // namespace

TEST_CASE("a borrowed callable is called with its own state and the caller's arguments") {
  int calls = 0;
  auto mutating = [&, sum = 0](int& x) mutable {
    ++calls;
    sum += x;
    x = 7;
    return sum;
  };
  CHECK(call(mutating, 2) == 702);
  CHECK(call(mutating, 3) == 705);
  CHECK(calls == 2);
  const auto constant = [](int&) { return 1; };
  CHECK(call(constant, 4) == 401);
}

}  // namespace function_ref_test
