// What is said of draws of two models that count between them, or do not.
#include <doctest/doctest.h>

#include <harmonium/program/paired/draws_between.hpp>

#include "program.hpp"

namespace draws_between_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE("draws that are too few are never told as many as are needed, and what to do is said") {
  CHECK(
      like(words_on_draws({{49.6, 50.0, 200}}),
           "The difference is that of two independent estimates: between the models 49 of 200 draws count, and 50 are "
           "needed for an estimate of the difference itself. More draws are had by --log-z ais --set "
           "log_z.num_chains=250; or compare each with a model C that lies between the two (--against C) and add the "
           "differences, or give more --effort, for closer estimates of each."));
  // Of so few of them no number of draws is enough.
  CHECK(like(words_on_draws({{10.0, 50.0, 200}}),
             "*needed for an estimate of the difference itself. Compare each with a model C *"));
  // 50.25 of 201: one more than what counts.
  CHECK(like(words_on_draws({{50.2, 50.25, 201}}), "* 50 of 201 draws count, and 51 are needed *"));
  CHECK(like(words_on_draws({{3.0, 50.0, 200}, {49.9, 50.0, 200}}),
             "The differences are those *at most 49 of 200 draws count, and 50 are needed *"));
}

TEST_CASE("draws that are just enough are told as enough") {
  CHECK(
      like(words_on_draws({{50.0, 50.0, 200}}), "The difference is the acceptance ratio *of which 50 of 200 count, *"));
  CHECK(like(words_on_draws({{50.6, 50.0, 200}, {90.0, 50.0, 200}}), "*of which 50 of 200 or more count, *"));
}

}  // namespace draws_between_test
