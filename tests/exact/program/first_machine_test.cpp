// What is said of the machines above the first of a stack, from its figures.
#include <doctest/doctest.h>

#include <harmonium/program/work/first_machine.hpp>

namespace first_machine_test {

using namespace harmonium;

namespace {

/// Of figures that are exact.
MachinesAbove judged(double whole, double first) {
  Evaluation e;
  e.log_z = 1.0;
  e.log_z_interval = Interval{1.0, 1.0};
  e.log_likelihood = whole;
  e.log_likelihood_interval = Interval{whole, whole};
  e.first_machine_log_likelihood = first;
  e.first_machine_interval = Interval{first, first};
  return machines_above(e);
}

}  // namespace

TEST_CASE("machines that leave the likelihood as it is to all digits that are told neither raise nor lower it") {
  using Effect = MachinesAbove::Effect;
  CHECK(judged(-6.24170, -6.24160).effect == Effect::lower);
  CHECK(judged(-6.24160, -6.24170).effect == Effect::raise);
  for (const double change : {-4e-5, 0.0, 4e-5}) {
    const MachinesAbove same = judged(-6.2416 + change, -6.2416);
    CHECK(same.effect == Effect::unknown);
    CHECK(same.words ==
          "The machines above the first leave the log likelihood as it is, to less than 0.0001 nats a row.");
  }
}

}  // namespace first_machine_test
