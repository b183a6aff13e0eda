#include <harmonium/framework/training/figure_observer.hpp>

#include <string>

#include <doctest/doctest.h>

namespace figure_observer_test {

using namespace harmonium;

TEST_CASE("how often a figure is measured is set of the observer that has it") {
  const auto set = [](const char* observer) {
    return std::string("--set 'observers=[{type=\"") + observer + "\",every=7}]'";
  };
  CHECK(setting_of_every("log_likelihood", 7) == set("log_likelihood"));
  CHECK(setting_of_every("validation_log_likelihood", 7) == set("log_likelihood"));
  CHECK(setting_of_every("test_pseudo_log_likelihood", 7) == set("pseudo_likelihood"));
  CHECK(setting_of_every("label_log_likelihood", 7) == set("classification"));
  CHECK(setting_of_every("mixing.r_hat", 7) == set("mixing"));
  CHECK(setting_of_every("own_figure", 7) == set("NAME"));
}

}  // namespace figure_observer_test
