// What is told of a stack at its end.
#include <limits>
#include <string>

#include <harmonium/program/stack/above_of_parts.hpp>
#include <harmonium/program/stack/outcome_table.hpp>
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

TEST_CASE("at the end of a stack what is known is told beside what is not, in a table of the parts") {
  const std::string head = "                      training\n";
  const std::string of_bound =
      "stack's bound         -92.5000  nats a row, a lower bound of the log likelihood of the stack\n";
  const std::string absent =
      "first machine                -  nats a row, the log likelihood of the first machine alone\n";
  CHECK(outcome_table(all_of(of_first_unknown())) ==
        head + absent + of_bound +
            "first machine of training rows: between -90.0000 and -87.2500 (measured, not certified)\n");
  // Of neither side of the first machine, and of one.
  Evaluation e = of_first_unknown();
  constexpr double inf = std::numeric_limits<double>::infinity();
  e.first_machine_interval = {-inf, inf};
  CHECK(outcome_table(all_of(e)) == head + absent + of_bound + "first machine of training rows: not known\n");
  e.first_machine_interval = {-90.0, inf};
  CHECK(outcome_table(all_of(e)) ==
        head + absent + of_bound + "first machine of training rows: hardly less than -90.0000\n");
  e.first_machine_interval = {-inf, -90.0};
  CHECK(outcome_table(all_of(e)) ==
        head + absent + of_bound + "first machine of training rows: hardly more than -90.0000\n");
  // Of the first machine alone.
  e.first_machine_log_likelihood = -88.0;
  e.first_machine_interval = {-88.0, -88.0};
  e.variational_bound.reset();
  CHECK(outcome_table(all_of(e)) ==
        head + "first machine         -88.0000  nats a row, the log likelihood of the first machine alone\n" +
            "stack                        -  nats a row, the log likelihood of the stack\n" +
            "stack of training rows: not known\n");
  // Of neither.
  e = Evaluation();
  e.machines_above = above(MachinesAbove::Effect::unknown);
  CHECK(outcome_table(all_of(e)).empty());
  CHECK(outcome_table({}).empty());
}

TEST_CASE("at the end of a stack each part of the data has a column, and intervals stand below") {
  Evaluation e = of_first_unknown();
  e.first_machine_log_likelihood = -94.5;
  e.first_machine_interval = {-94.75, -94.25};
  e.variational_bound_interval = {-92.875, -92.125};
  Evaluation other = of_first_unknown();
  other.first_machine_interval.reset();
  other.variational_bound = -101.25;
  CHECK(outcome_table({{}, {{"training", e}, {"validation", other}, {"test", other}}}) ==
        "                      training    validation          test\n"
        "first machine         -94.5000             -             -  nats a row, the log likelihood of the first "
        "machine alone\n"
        "stack's bound         -92.5000     -101.2500     -101.2500  nats a row, a lower bound of the log likelihood "
        "of the stack\n"
        "first machine of training rows: between -94.7500 and -94.2500 (95 %)\n"
        "first machine of validation and test rows: not known\n"
        "stack's bound of training rows: between -92.8750 and -92.1250 (95 %)\n");
  // Where the ways to log Z of the stack do not agree there is what was measured of the bound.
  e.log_z.reset();
  e.variational_bound.reset();
  CHECK(outcome_table(all_of(e)) ==
        "                      training\n"
        "first machine         -94.5000  nats a row, the log likelihood of the first machine alone\n"
        "stack's bound                -  nats a row, a lower bound of the log likelihood of the stack\n"
        "first machine of training rows: between -94.7500 and -94.2500 (95 %)\n"
        "stack's bound of training rows: between -92.8750 and -92.1250 (measured, not certified)\n");
  // A deep Boltzmann machine has no first machine, and a line on how more is had.
  Evaluation deep;
  deep.log_z = 10.0;
  deep.log_z_interval = {9.9, 10.1};
  deep.variational_bound = -92.5;
  deep.variational_bound_interval = {-92.625, -92.375};
  CHECK(outcome_table(all_of(deep)) ==
        "                      training\n"
        "bound                 -92.5000  nats a row, a lower bound of the log likelihood\n"
        "bound of training rows: between -92.6250 and -92.3750 (95 %)\n");
  const auto lines = outcome_lines(all_of(deep), more);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].words == more);
  CHECK(!lines[0].warns);
}

TEST_CASE("what the machines above do is said once of the parts of which it is the same but for the amount") {
  using Effect = MachinesAbove::Effect;
  const auto part = [](Effect effect, const std::string& amount, const char* training) {
    Evaluation e = of_first_unknown();
    const char* const what = effect == Effect::raise ? "Up by " : "Down by ";
    e.machines_above = MachinesAbove{effect, what + amount + " nats a row (95 %).", "", training, amount};
    return e;
  };
  const Evaluation a = part(Effect::lower, "0.0075", "Train."), b = part(Effect::lower, "0.0080", "Train."),
                   c = part(Effect::lower, "0.0083", "Train.");
  auto lines = outcome_lines({{}, {{"training", a}, {"validation", b}, {"test", c}}}, more, "Longer.");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].words ==
        "training, validation and test rows: Down by 0.0075, 0.0080 and 0.0083 nats a row (95 %). Longer.");
  CHECK(lines[0].warns);
  CHECK(lines[1].words == more);
  CHECK(!lines[1].warns);
  // Where they do not agree each has its own, in the order of the parts.
  const Evaluation up = part(Effect::raise, "0.5000", "");
  lines = outcome_lines({{}, {{"training", up}, {"validation", b}, {"test", c}}}, "");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].words == "training rows: Up by 0.5000 nats a row (95 %).");
  CHECK(!lines[0].warns);
  CHECK(lines[1].words == "validation and test rows: Down by 0.0080 and 0.0083 nats a row (95 %). Train.");
  // Advice of two sentences stands with the last of them.
  Evaluation worded = c;
  worded.machines_above->words = "Lost: 0.0083.";
  lines = outcome_lines({{}, {{"training", a}, {"validation", worded}, {"test", b}}}, "");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].words == "training and test rows: Down by 0.0075 and 0.0080 nats a row (95 %).");
  CHECK(lines[1].words == "validation rows: Lost: 0.0083. Train.");
}

TEST_CASE("parts that have no machines above are left out of what is said of these, with its advice") {
  const auto part = [](double bound) {
    Evaluation e;
    e.num_samples = 3;
    e.log_z = 1.0;
    e.log_z_interval = {1.0, 1.0};
    e.variational_bound = bound;
    e.first_machine_log_likelihood = -4.0;
    const std::string amount = bound < -5.0 ? "2.0000" : "1.0000";
    e.machines_above =
        MachinesAbove{MachinesAbove::Effect::lower, "Down by " + amount + ".", "More.", "Train.", amount};
    return e;
  };
  const auto found = above_of_parts({{}, {{"training", part(-5.0)}, {"test", part(-6.0)}, {"none", Evaluation()}}});
  REQUIRE(found.size() == 1);
  CHECK(found[0].parts == "training and test");
  CHECK(found[0].above.with_remedy() == "Down by 1.0000 and 2.0000. Train. More.");
  CHECK(found[0].above.effect == MachinesAbove::Effect::lower);
}

TEST_CASE("of an exact stack nothing more is advised, and of none that is a stack there is the likelihood alone") {
  Evaluation e;
  e.log_z = 10.0;
  e.log_z_interval = {10.0, 10.0};
  e.log_likelihood = -5.1764;
  e.variational_bound = -5.2591;
  CHECK(outcome_lines(all_of(e), more).empty());
  CHECK(outcome_table(all_of(e)) ==
        "                      training\n"
        "log likelihood         -5.1764  nats a row\n");
  e.first_machine_log_likelihood = -5.6815;
  e.first_machine_interval = {-5.6815, -5.6815};
  e.machines_above = above(MachinesAbove::Effect::raise);
  CHECK(outcome_table(all_of(e)) ==
        "                      training\n"
        "first machine          -5.6815  nats a row, the log likelihood of the first machine alone\n"
        "stack                  -5.1764  nats a row, the log likelihood of the stack\n"
        "stack's bound          -5.2591  nats a row, a lower bound of the log likelihood of the stack\n");
  const auto lines = outcome_lines(all_of(e), more);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].words == "training rows: Words.");
  CHECK(!lines[0].warns);
  // Where nothing is known there is why, once.
  Evaluation none;
  none.log_z_interval = {9.0, 11.0};
  none.reasons = {{"log_likelihood", "it takes log_z, which is absent too."}, {"log_z", "The sides differ."}};
  CHECK(outcome_table(all_of(none)).empty());
  const auto reason = outcome_lines({{}, {{"training", none}, {"test", none}}}, more);
  REQUIRE(reason.size() == 2);
  CHECK(reason[0].words == "training and test rows: the likelihood is not known: The sides differ.");
  CHECK(reason[0].warns);
  CHECK(reason[1].words == more);
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
