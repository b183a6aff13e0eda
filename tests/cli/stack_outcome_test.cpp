// What is told of a stack at its end.
#include <limits>

#include <harmonium/program/stack/stack_outcome.hpp>

#include <doctest/doctest.h>

namespace stack_outcome_test {

using namespace harmonium;

namespace {

constexpr const char* more = "More tells more.";

MachinesAbove above(MachinesAbove::Effect effect) { return {effect, "Words.", "Give more --effort."}; }

/// A bound of -92.5, beside a first machine whose ways to log Z do not agree.
Evaluation of_first_unknown() {
  Evaluation e;
  e.log_z = 10.0;
  e.log_z_interval = {9.9, 10.1};
  e.variational_bound = -92.5;
  e.first_machine_interval = {-90.0, -87.25};
  e.machines_above = above(MachinesAbove::Effect::unknown);
  return e;
}

Evaluations all_of(const Evaluation& e) { return {{}, {{"training", e}}}; }

}  // namespace

TEST_CASE("at the end of a stack what is known is told beside what is not") {
  const auto lines = outcome_lines("training", of_first_unknown(), more);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].words ==
        "training rows: between -90.0000 and -87.2500 (measured, not certified) nats a row by the first machine alone, "
        "at least -92.5000 by the stack");
  CHECK(!lines[0].warns);
  CHECK(lines[1].words == "training rows: Words. More tells more.");
  CHECK(lines[1].warns);
  // Of neither side of the first machine, and of one.
  Evaluation e = of_first_unknown();
  constexpr double inf = std::numeric_limits<double>::infinity();
  e.first_machine_interval = {-inf, inf};
  CHECK(outcome_lines("test", e, more)[0].words == "test rows: at least -92.5000 nats a row");
  e.first_machine_interval = {-90.0, inf};
  CHECK(outcome_lines("test", e, more)[0].words ==
        "test rows: hardly less than -90.0000 nats a row by the first machine alone, at least -92.5000 by the stack");
  // Of the first machine alone.
  e.first_machine_log_likelihood = -88.0;
  e.variational_bound.reset();
  CHECK(outcome_lines("test", e, more)[0].words == "test rows: -88.0000 nats a row by the first machine alone");
}

TEST_CASE("of an exact stack nothing more is advised, and of none that is a stack there is the likelihood alone") {
  Evaluation e;
  e.log_z = 10.0;
  e.log_z_interval = {10.0, 10.0};
  e.log_likelihood = -5.1764;
  e.variational_bound = -5.2591;
  CHECK(outcome_lines("training", e, more).size() == 1);
  CHECK(outcome_lines("training", e, more)[0].words == "training rows: -5.1764 nats a row");
  e.first_machine_log_likelihood = -5.6815;
  e.first_machine_interval = {-5.6815, -5.6815};
  e.machines_above = above(MachinesAbove::Effect::raise);
  const auto lines = outcome_lines("training", e, more);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].words == "training rows: -5.6815 nats a row by the first machine alone, -5.1764 by the stack");
  CHECK(lines[1].words == "training rows: Words.");
  CHECK(!lines[1].warns);
  // Where nothing is known there is why.
  Evaluation none;
  none.log_z_interval = {9.0, 11.0};
  none.reasons = {{"log_likelihood", "it takes log_z, which is absent too."}, {"log_z", "The sides differ."}};
  const auto reason = outcome_lines("training", none, more);
  REQUIRE(reason.size() == 1);
  CHECK(reason[0].words == "training rows: the likelihood is not known: The sides differ. More tells more.");
  CHECK(reason[0].warns);
}

TEST_CASE("all of the annealing is taken where a part of it does not tell, and nowhere else") {
  Evaluation e = of_first_unknown();
  CHECK(undecided(all_of(e)));
  e.machines_above = above(MachinesAbove::Effect::lower);
  CHECK(!undecided(all_of(e)));
  // Where both are exact there is nothing to anneal.
  e = of_first_unknown();
  e.log_z_interval = {10.0, 10.0};
  CHECK(undecided(all_of(e)));
  e.first_machine_interval = {-90.0, -90.0};
  CHECK(!undecided(all_of(e)));
  // A deep Boltzmann machine has no machines above.
  e = of_first_unknown();
  e.machines_above.reset();
  e.first_machine_interval.reset();
  CHECK(!undecided(all_of(e)));
  e.log_z.reset();
  CHECK(undecided(all_of(e)));
  CHECK(!undecided({}));
}

TEST_CASE("what tells more of a stack names what was annealed") {
  Evaluation e = of_first_unknown();
  const std::string own = "'harmonium evaluate deep --effort 10'",
                    first = "'harmonium evaluate deep/machine1 --effort 10'";
  CHECK(annealing_commands(all_of(e), "deep", false) == "'harmonium evaluate deep'");
  CHECK(annealing_commands(all_of(e), "deep", true, " --effort 10") == own + " and " + first);
  // What is exact has no use for effort.
  e.log_z_interval = {10.0, 10.0};
  CHECK(annealing_commands(all_of(e), "deep", true, " --effort 10") == first);
  CHECK(annealing_commands(all_of(e), "deep", false, " --effort 10") == own);
  e = of_first_unknown();
  e.first_machine_interval = {-90.0, -90.0};
  CHECK(annealing_commands(all_of(e), "deep", true, " --effort 10") == own);
}

}  // namespace stack_outcome_test
