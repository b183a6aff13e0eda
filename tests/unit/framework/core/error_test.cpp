#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>

namespace error_test {

using namespace harmonium;

TEST_CASE("a mistake of the user's ends the program with 2, a failure at run time with 1") {
  CHECK(ConfigError("x").exit_status() == 2);
  CHECK(CapabilityError("x").exit_status() == 2);
  CHECK(PluginError("x").exit_status() == 2);
  CHECK(DataError("x").exit_status() == 1);
  CHECK(FileError("x").exit_status() == 1);
  CHECK(NumericalError("x").exit_status() == 1);
}

TEST_CASE("every error is an Error and keeps its message") {
  const auto caught = [](const auto& error) -> std::string {
    try {
      throw error;
    } catch (const Error& e) {
      return e.what();
    }
  };
  CHECK(caught(ConfigError("a")) == "a");
  CHECK(caught(NumericalError("b")) == "b");
}

}  // namespace error_test
