#include <harmonium/framework/studies/part_names.hpp>

#include <doctest/doctest.h>

namespace part_names_test {

using namespace harmonium;

TEST_CASE("words and numbers are taken off the front of a part's name, and nothing where they do not stand there") {
  std::string_view name = "diagonal_6_12";
  CHECK_FALSE(take(name, "one_d_ball"));
  CHECK_FALSE(take_number(name));
  CHECK(name == "diagonal_6_12");
  CHECK(take(name, "diagonal_"));
  CHECK(take_number(name));
  CHECK(take(name, "_"));
  CHECK(name == "12");
  CHECK(take_number(name));
  CHECK(name.empty());
  CHECK_FALSE(take_number(name));
}

}  // namespace part_names_test
