// What is told of the rows that were done when a signal ends an evaluation.
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/plugins/builtin/enroll.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/first_machine.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace evaluate_stopped_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// Asks for the end once rows are being evaluated, as a signal does.
class StopAmongRows final : public Display {
 public:
  void note(const std::string&) override {}
  void warn(const std::string& line) override { said.push_back(line); }
  void progress(double, const std::string& what) override {
    if (what.ends_with("evaluating")) stop = true;
  }
  void finish() override {}

  std::atomic<bool> stop{false};
  std::vector<std::string> said;
};

/// Rows of three bits, those of numbers `first`, `first` + 1 and so on.
std::string bits_of(int first, int rows) {
  std::string text;
  for (int r = first; r < first + rows; ++r) text += fmt::format("{},{},{}\n", r & 1, r >> 1 & 1, r % 3 == 0 ? 1 : 0);
  return text;
}

}  // namespace

TEST_CASE("an evaluation that a signal ends among the rows tells what those came to that were done, and writes none") {
  const ScratchFolder folder;
  Registries registries;
  enroll_builtin(registries);
  const std::string model = (folder / "m.h5").string();
  write_model(model, *random_rbm(3, 2, 5, 1.0),
              make_table({{"model", make_table({{"type", make_value("rbm")},
                                                {"num_visible", make_value(std::int64_t{3})},
                                                {"num_hidden", make_value(std::int64_t{2})}})},
                          {"precision", make_value(in_double ? "float64" : "float32")}}));
  folder.write("first.csv", bits_of(0, 2000));  // a piece, after which it is asked whether to go on
  folder.write("all.csv", bits_of(0, 5000));

  EvaluateRequest first;
  first.model = model;
  first.data = (folder / "first.csv").string();
  const Evaluation expected = evaluate(first, registries).whole;
  REQUIRE(expected.log_likelihood);
  REQUIRE(expected.rows_error);

  StopAmongRows display;
  EvaluateRequest all = first;
  all.data = (folder / "all.csv").string();
  all.rows = (folder / "rows.csv").string();
  all.display = &display;
  all.stop = &display.stop;
  CHECK_THROWS_AS(evaluate(all, registries), Stopped);
  CHECK(display.said == std::vector<std::string>{
                            fmt::format("2000 of 5000 rows were done: log_likelihood {:.6f} ± {:.2g} nats a sample.",
                                        *expected.log_likelihood, *expected.rows_error)});
  CHECK_FALSE(std::filesystem::exists(folder / "rows.csv"));

  // Of one of two models that are compared it has the name.
  StopAmongRows again;
  all.called = "other";
  all.display = &again;
  all.stop = &again.stop;
  CHECK_THROWS_AS(evaluate(all, registries), Stopped);
  REQUIRE(again.said.size() == 1);
  CHECK(again.said[0] == "other: " + display.said[0]);
}

TEST_CASE("sums over latent units are forecast, and a signal finds rows that are done among two thousand") {
  const ScratchFolder folder;
  Registries registries;
  enroll_builtin(registries);
  const auto whole = [](std::int64_t n) { return make_value(n); };
  Value hidden;
  hidden.data = Value::List{whole(12), whole(100)};
  const Value config = make_table({{"type", make_value("deep")}, {"num_visible", whole(9)}, {"num_hidden", hidden}});
  Value effective;
  const auto model = registries.make<EnergyModel>(config, effective);
  const std::string path = (folder / "m.h5").string();
  write_model(path, *model,
              make_table({{"model", config}, {"precision", make_value(in_double ? "float64" : "float32")}}));
  std::string text;
  for (int r = 0; r < 5000; ++r) {
    for (int c = 0; c < 9; ++c) text += (r >> c & 1) != 0 ? (c > 0 ? ",1" : "1") : (c > 0 ? ",0" : "0");
    text += "\n";
  }
  folder.write("rows.csv", text);

  StopAmongRows display;
  EvaluateRequest request;
  request.model = path;
  request.data = (folder / "rows.csv").string();
  request.log_z = "none";
  request.left_out_by = "--no-likelihood";
  request.display = &display;
  request.stop = &display.stop;
  CHECK_THROWS_AS(evaluate(request, registries), Stopped);
  REQUIRE(display.said.size() == 2);
  CHECK(display.said[0].starts_with("the sums over latent units of 5000 rows take some "));
  CHECK(display.said[0].ends_with(
      " of one core. --no-likelihood leaves them out. Ctrl-C tells what the rows come to that are done by then."));
  // A piece of these takes a second or so, where one of 2000 rows would take ten times that.
  const int done = std::atoi(display.said[1].c_str());
  CHECK(display.said[1].starts_with(fmt::format("{} of 5000 rows were done: free_energy ", done)));
  CHECK(done >= 32);
  CHECK(done < 2000);
}

TEST_CASE("what is advised on a stack whose log Z is not known stands apart from what is said of it") {
  const MachinesAbove unknown = machines_above(Evaluation());
  CHECK(unknown.effect == MachinesAbove::Effect::unknown);
  CHECK(unknown.words ==
        "Whether the machines above the first raise the likelihood is not known: the ways to log Z of the first "
        "machine do not agree.");
  CHECK(unknown.amount.empty());
  CHECK(unknown.with_remedy() == unknown.words + " Give more --effort.");
  Evaluation known;
  known.first_machine_log_likelihood = -4.0;
  known.log_likelihood = -3.0;
  known.log_z = 1.0;
  known.log_z_interval = {1.0, 1.0};
  CHECK(machines_above(known).effect == MachinesAbove::Effect::raise);
  CHECK(machines_above(known).amount == "1.0000");
  CHECK(machines_above(known).with_remedy() == machines_above(known).words);
}

TEST_CASE("where ways to log Z of a stack do not agree, ends of what was measured decide that lie apart") {
  using Effect = MachinesAbove::Effect;
  Evaluation e;
  e.log_z = 1.0;
  e.log_z_interval = {1.0, 1.0};
  e.variational_bound = -173.75;
  e.variational_bound_interval = {-174.0, -173.5};
  e.first_machine_interval = {-159.0, -156.0};
  const MachinesAbove lower = machines_above(e);
  CHECK(lower.effect == Effect::lower);
  CHECK(lower.words ==
        "The bound is at least 14.5000 nats a row below the log likelihood of the first machine alone, by all that was "
        "measured, though the ways to log Z of the first machine do not agree: the machines above it may do harm.");
  CHECK(lower.amount == "14.5000");
  CHECK(lower.with_remedy() ==
        lower.words +
            " The curve of each (harmonium report DIR) tells what to change: more epochs where it still rises, smaller "
            "steps where it falls or wobbles, more chains or hidden units where it rests. Else take the first "
            "machine alone.");
  // Of a bound in the interval, or of ends that are not known, nothing follows.
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const Interval& first : {Interval{-173.75, -156.0}, Interval{-174.0, -173.5}, Interval{-inf, -156.0},
                                Interval{-180.0, inf}, Interval{-inf, inf}}) {
    e.first_machine_interval = first;
    CHECK(machines_above(e).effect == Effect::unknown);
  }
  e.first_machine_interval = {-180.0, -175.0};
  CHECK(machines_above(e).effect == Effect::raise);
  CHECK(
      machines_above(e).words ==
      "The machines above the first raise the log likelihood by at least 1.0000 nats a row, by all that was measured, "
      "though the ways to log Z of the first machine do not agree.");
  // Where it is the stack's log Z, too, and its own likelihood that is known between ends.
  e.log_z.reset();
  e.variational_bound.reset();
  e.log_likelihood_interval = {-172.0, -171.0};
  e.first_machine_log_likelihood = -160.0;
  e.first_machine_interval = {-160.0, -160.0};
  CHECK(
      machines_above(e).words ==
      "The machines above the first lower the log likelihood by at least 11.0000 nats a row, by all that was measured, "
      "though the ways to log Z of the stack do not agree.");
}

}  // namespace evaluate_stopped_test
