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
        "at least -92.5000 by the stack's bound");
  CHECK(!lines[0].warns);
  CHECK(lines[1].words == "training rows: Words. More tells more.");
  CHECK(lines[1].warns);
  // Of neither side of the first machine, and of one.
  Evaluation e = of_first_unknown();
  constexpr double inf = std::numeric_limits<double>::infinity();
  e.first_machine_interval = {-inf, inf};
  CHECK(outcome_lines("test", e, more)[0].words ==
        "test rows: at least -92.5000 nats a row by the stack's bound; that of the first machine alone is not known");
  e.first_machine_interval = {-90.0, inf};
  CHECK(outcome_lines("test", e, more)[0].words ==
        "test rows: hardly less than -90.0000 nats a row by the first machine alone, at least -92.5000 by the stack's "
        "bound");
  // Of the first machine alone.
  e.first_machine_log_likelihood = -88.0;
  e.first_machine_interval = {-88.0, -88.0};
  e.variational_bound.reset();
  CHECK(outcome_lines("test", e, more)[0].words ==
        "test rows: -88.0000 nats a row by the first machine alone; that of the stack is not known");
}

TEST_CASE("at the end of a stack figures of its first machine and its bound have their intervals") {
  Evaluation e = of_first_unknown();
  e.first_machine_log_likelihood = -94.5;
  e.first_machine_interval = {-94.75, -94.25};
  e.variational_bound_interval = {-92.875, -92.125};
  const std::string first =
      "training rows: -94.5000 nats a row, between -94.7500 and -94.2500 (95 %), by the first "
      "machine alone, ";
  CHECK(outcome_lines("training", e, more)[0].words ==
        first + "at least -92.5000, between -92.8750 and -92.1250 (95 %), by the stack's bound");
  // Where the ways to log Z of the stack do not agree there is what was measured of the bound.
  e.log_z.reset();
  e.variational_bound.reset();
  CHECK(outcome_lines("training", e, more)[0].words ==
        first + "between -92.8750 and -92.1250 (measured, not certified) by the stack's bound");
  // A deep Boltzmann machine has no first machine, and one line, which tells how more is had.
  Evaluation deep;
  deep.log_z = 10.0;
  deep.log_z_interval = {9.9, 10.1};
  deep.variational_bound = -92.5;
  deep.variational_bound_interval = {-92.625, -92.375};
  const auto lines = outcome_lines("training", deep, more);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].words ==
        "training rows: at least -92.5000 nats a row, between -92.6250 and -92.3750 (95 %). More tells more.");
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
  CHECK(lines[0].words ==
        "training rows: -5.6815 nats a row by the first machine alone, -5.1764 by the stack (its bound: -5.2591)");
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

TEST_CASE("of a stack it is known whether a longer annealing may tell more") {
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

TEST_CASE("what tells more of a stack says how long that takes, by what was annealed in part, or did not decide") {
  Evaluation e = of_first_unknown();
  const auto words = [&](bool fine_tuned = false) { return words_on_more(all_of(e), "deep", fine_tuned); };
  e.annealed = {0.1, 30.0};
  e.first_machine_annealed = {0.1, 60.0};
  CHECK(words() ==
        "Log Z was annealed for a tenth of the usual time; all of it is taken by 'harmonium evaluate deep', in some 15 "
        "minutes.");
  CHECK(words(true) ==
        "Log Z was annealed for a tenth of the usual time; all of it is taken by 'harmonium evaluate deep' and "
        "'harmonium evaluate deep/machine1', in some 15 minutes.");
  // What was annealed in full is so again.
  e.annealed = {1.0, 30.0};
  CHECK(words() ==
        "Log Z of the first machine was annealed for a tenth of the usual time; all of it is taken by 'harmonium "
        "evaluate deep', in some 10 minutes.");
  e.annealed = {0.1, 3.0};
  e.first_machine_annealed = {};
  CHECK(words() ==
        "Log Z of the stack was annealed for a tenth of the usual time; all of it is taken by 'harmonium evaluate "
        "deep', in some 30 seconds.");
  e.annealed = {1.0, 3000.0};
  e.first_machine_annealed = {1.0, 600.0};
  CHECK(words() == "Log Z is annealed ten times as long by 'harmonium evaluate deep --effort 10', in some 10 hours.");
  // Where all of it decided, and where there was nothing to anneal, nothing more is told.
  e.machines_above = above(MachinesAbove::Effect::raise);
  CHECK(words().empty());
  e.annealed = e.first_machine_annealed = {};
  CHECK(words().empty());
  CHECK(words_on_more({}, "deep", false).empty());
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
