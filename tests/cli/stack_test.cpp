// Machines trained one upon the other.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "files.hpp"
#include "stacks.hpp"

namespace stack_test {

using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

/// 9 visible units, 5 and 12 hidden ones: each machine by its exact gradient.
constexpr const char* stack_file = R"(base = "small.toml"

[[machines]]
estimator = { type = "exact" }
"training.num_epochs" = 1500
"optimizer.learning_rate" = 1.0

[[machines]]
estimator = { type = "exact" }
"model.num_hidden" = 12
"training.num_epochs" = 500
"optimizer.learning_rate" = 0.3
)";

/// The same, but that the second machine is left as it starts: steps of 1e-12.
std::string still_file() {
  std::string text = stack_file;
  return text.replace(text.rfind("0.3"), 3, "1e-12");
}

}  // namespace

TEST_CASE(
    "a machine that starts as the one below turned over keeps its likelihood as the bound, and training raises it") {
  const CliFolder folder;
  folder.write("deep.toml", stack_file);
  Outcome outcome = stack(folder, {"deep.toml"});
  CHECK(outcome.err == "");
  CHECK(outcome.out == "deep/model.h5\n");  // with --quiet
  REQUIRE(outcome.status == 0);
  for (const char* file : {"model.h5", "stack.toml", "machine1/model.h5", "machine2/model.h5", "machine2/metrics.jsonl",
                           "passed_up1/train.npy", "passed_up1/start.h5"})
    CHECK_MESSAGE(fs::exists(folder / "deep" / file), file);

  const double alone = figure(folder, "deep/machine1", "log_likelihood");
  // Three of the second machine's units are new, with couplings of deviation 0.01: a hundredth of a nat at the most.
  folder.write("still.toml", still_file());
  REQUIRE(stack(folder, {"still.toml"}).status == 0);
  CHECK(std::abs(figure(folder, "still/machine1", "log_likelihood") - alone) < 1e-12);
  CHECK(std::abs(figure(folder, "still/model.h5", "variational_bound") - alone) < 0.01);
  CHECK(std::abs(figure(folder, "still/model.h5", "log_likelihood") - alone) < 0.01);

  const double bound = figure(folder, "deep/model.h5", "variational_bound");
  const double likelihood = figure(folder, "deep/model.h5", "log_likelihood");
  INFO("alone: ", alone, ", bound: ", bound, ", likelihood: ", likelihood);
  CHECK(bound > alone + 0.1);
  CHECK(likelihood >= bound);
  CHECK(figure(folder, "deep/model.h5", "log_z") ==
        doctest::Approx(figure(folder, "deep/machine2/model.h5", "log_z", "")).epsilon(1e-9));
}

TEST_CASE("the likelihood of a machine above the first is said to be of hidden states, not of the data") {
  const CliFolder folder;
  folder.write("two.toml",
               "base = \"small.toml\"\n[[machines]]\n\"training.num_epochs\" = 2\n[[machines]]\n"
               "\"model.num_hidden\" = 6\n\"training.num_epochs\" = 2\n");
  const Outcome outcome = run(
      folder, {"stack", "two.toml", "--output", "deep", "--set", "observers=[{type=\"pseudo_likelihood\", rows=2}]"});
  CHECK(outcome.status == 0);
  CHECK_MESSAGE(
      like(outcome.err + outcome.out,
           "*machine 1 of 2*log likelihood of all rows, exact, in nats: -* training rows. Figures *machine 2 of "
           "2*log likelihood of all rows, exact, in nats: -* training rows of hidden states of machine 1. "
           "Figures *"),
      outcome.err, outcome.out);
  // A machine that goes on by itself has the rows that it had; those of the first are the data.
  const auto longer = [&](const char* machine) {
    const Outcome resumed = run(folder, {"resume", machine, "--epochs", "3"});
    REQUIRE_MESSAGE(resumed.status == 0, resumed.err);
    return resumed.err;
  };
  const std::string upper = longer("deep/machine2/"), lower = longer("deep/machine1");
  CHECK_MESSAGE(like(upper, "*in nats: -* training rows of hidden states of machine 1. Figures *"), upper);
  CHECK_MESSAGE(like(lower, "*in nats: -* training rows. Figures *"), lower);
}

TEST_CASE("a stack is judged beside its first machine, and one that its upper machine makes worse says so") {
  const CliFolder folder;
  // The second machine is left at small random couplings: it knows nothing of what it is passed.
  folder.write("worse.toml", "start = \"initializer\"\n" + still_file());
  const Outcome worse = run(folder, {"stack", "worse.toml"});
  REQUIRE(worse.status == 0);
  CHECK(like(worse.err, "*\nharmonium: what the machines come to (--no-likelihood leaves it out)\n*"));
  CHECK(like(worse.err,
             "*\n  * training\n"
             "first machine  * -*  nats a row, the log likelihood of the first machine alone\n"
             "stack  * -*  nats a row, the log likelihood of the stack\n"
             "stack's bound  * -*  nats a row, a lower bound of the log likelihood of the stack\n*"));
  CHECK(
      like(worse.err, "*note: training rows: The machines above the first lower the log likelihood by * nats a row.*"));

  const double alone = figure(folder, "worse/machine1", "log_likelihood");
  const double whole = figure(folder, "worse/model.h5", "log_likelihood");
  CHECK(whole < alone - 0.1);
  CHECK(std::abs(figure(folder, "worse/model.h5", "first_machine_log_likelihood") - alone) < 1e-9);
  const Outcome told = run(folder, {"evaluate", "worse", "--quiet"});
  const std::string gain = fmt::format("{:.4f}", alone - whole);
  CHECK(like(told.out, "*\nfirst_machine *\n*training rows: The machines above the first lower the log likelihood by " +
                           gain + " nats a row. The curve of each*"));
  CHECK(run(folder, {"evaluate", "worse", "--json"}).out.find("\"machines_above\": \"lower\"") != std::string::npos);
  // More effort is for the first machine, too, whatever log Z of the top takes.
  CHECK(run(folder, {"evaluate", "worse", "--effort", "10", "--quiet"}).status == 0);
  // Annealing can be long: it is said what it is for, and how to do without.
  const Outcome annealed = run(folder, {"evaluate", "worse", "--log-z", "ais", "--effort", "0.1"});
  CHECK(like(
      annealed.err,
      "*note: log Z of the first machine alone is annealed too, so that its log likelihood can stand beside that of "
      "the stack; * --no-first-machine leaves it out; --effort 0.01 takes about a tenth of the time, *"));
  const Outcome left_out = run(folder, {"evaluate", "worse", "--no-first-machine"});
  CHECK(left_out.status == 0);
  CHECK(left_out.err.find("first machine") == std::string::npos);
  CHECK(like(left_out.out, "*\nNo first_machine: it was left out (--no-first-machine).\n*"));
  check_refusal(run(folder, {"evaluate", "worse/machine1", "--no-first-machine"}), 2,
                "--no-first-machine: it is for stacks of machines, and worse/machine1/model.h5 is none. Leave it out.");
  check_refusal(run(folder, {"evaluate", "worse", "--no-first-machine", "--against", "worse/machine1"}), 2,
                "--against worse/machine1: * does not go with --no-first-machine. Leave one of the two out.");
  // More effort is for no machine where no rows are judged by it.
  check_refusal(run(folder, {"evaluate", "worse/model.h5", "--effort", "10"}), 2, "--effort is for annealing*");
  // A model that is no stack has none.
  CHECK(run(folder, {"evaluate", "worse/machine1", "--json"}).out.find("\"machines_above\": null") !=
        std::string::npos);

  // A second machine that starts as the first turned over and learns is not warned of.
  folder.write("deep.toml", stack_file);
  const Outcome better = run(folder, {"stack", "deep.toml"});
  CHECK(like(better.err, "*training rows: The machines above the first raise the log likelihood by *"));
  CHECK(better.err.find("lower the") == std::string::npos);
  const std::string silent = run(folder, {"stack", "deep.toml", "--no-likelihood"}).err;
  for (const char* words : {"of the first machine alone", "what the machines come to"})
    CHECK(silent.find(words) == std::string::npos);

  // Reports and comparisons take the folder of a stack for its machines.
  CHECK(run(folder, {"report", "worse", "--no-diagnosis", "--quiet"}).status == 0);
  CHECK(content_of(folder / "report.html").find("lower the log likelihood by " + gain) != std::string::npos);
  CHECK(like(run(folder, {"compare", "worse"}).out, " *machine1 *machine2*"));
}

TEST_CASE("a stack whose file has the configuration too is the one that names it") {
  const CliFolder folder;
  const std::string named = stack_file;
  folder.write("named.toml", named);
  folder.write("whole.toml", small_config + named.substr(named.find("[[machines]]")));
  REQUIRE(stack(folder, {"named.toml"}).status == 0);
  const Outcome outcome = stack(folder, {"whole.toml"});
  CHECK(outcome.err == "");
  REQUIRE(outcome.status == 0);
  CHECK(content_of(folder / "named/stack.toml") == content_of(folder / "whole/stack.toml"));
  for (const char* log : {"machine1/metrics.jsonl", "machine2/metrics.jsonl"})
    CHECK(content_of(folder / "named" / log) == content_of(folder / "whole" / log));
}

TEST_CASE("seeds beside the base of a stack stand in place of its own, and the command line before them") {
  const CliFolder folder;
  const std::string machines = "[[machines]]\n\"model.num_hidden\" = 5\n[[machines]]\n\"model.num_hidden\" = 4\n";
  folder.write("beside.toml", "base = \"small.toml\"\nseed = 7\ndata_seed = 3\n" + machines);
  const auto made = [&](const Words& more) {
    Words words{"beside.toml", "--set", "data.validation=4", "--set", "training.batch_size=5", "--epochs", "1"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = stack(folder, words);
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  };
  const auto has = [&](const std::string& run, const std::string& line) {
    return ("\n" + content_of(folder / run / "config.toml")).find("\n" + line + "\n") != std::string::npos;
  };
  made({});
  CHECK(has("beside/machine1", "seed = 7"));
  CHECK(has("beside/machine2", "seed = 8"));
  for (const char* run : {"beside/machine1", "beside/machine2"}) CHECK(has(run, "data_seed = 3"));
  made({"--output", "set", "--set", "data_seed=5"});
  CHECK(has("set/machine1", "seed = 7"));
  CHECK(has("set/machine1", "data_seed = 5"));
  // As where the base has them.
  folder.write("named.toml", "seed = 7\ndata_seed = 3" + std::string(small_config).substr(8));  // behind "seed = 3"
  folder.write("beside.toml", "base = \"named.toml\"\n" + machines);
  made({"--output", "named"});
  CHECK(content_of(folder / "named/machine1/model.h5") == content_of(folder / "beside/machine1/model.h5"));
  folder.write("beside.toml", "base = \"small.toml\"\nseed = \"one\"\n" + machines);
  check_refusal(stack(folder, {"beside.toml", "--output", "bad"}), 2, "*beside.toml:2:*seed*");
}

TEST_CASE("all layers are trained on the rows of the first machine, where a seed says which these are") {
  const CliFolder folder;
  const auto data_seed = [&](const std::string& run) {
    const std::string text = content_of(folder / run / "config.toml");
    const auto at = text.find("\ndata_seed = ");
    return at == std::string::npos ? std::string() : text.substr(at + 13, text.find('\n', at + 1) - at - 13);
  };
  const std::string machines =
      "base = \"small.toml\"\nseed = 7\n[[machines]]\n[[machines]]\n\"model.num_hidden\" = 4\n";
  for (const char* last : {"fine_tune", "joint"}) {
    folder.write("deep.toml", machines + "[" + last + "]\n");
    for (const char* set : {"data.rows=10", "data.validation=4", "data.side=3"}) {
      CAPTURE(set);
      const std::string output = std::string(last) + set;
      const Outcome outcome = stack(
          folder, {"deep.toml", "--set", set, "--set", "training.batch_size=5", "--epochs", "1", "--output", output});
      REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
      const char* const run = last == std::string("joint") ? "/joint" : "/fine_tuned";
      CHECK(data_seed(output + run) == (set == std::string("data.side=3") ? "" : "7"));
    }
  }
}

TEST_CASE("machines above the first may follow figures of rows that are set aside") {
  const CliFolder folder;
  folder.write("deep.toml", "base = \"small.toml\"\n[[machines]]\n[[machines]]\n\"model.num_hidden\" = 4\n");
  const Words words{"deep.toml",
                    "--set",
                    "data.validation=4",
                    "--set",
                    "training.batch_size=5",
                    "--epochs",
                    "2",
                    "--set",
                    "training.keep_best=validation_pseudo_log_likelihood"};
  const Outcome outcome = stack(folder, words);
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  CHECK(fs::exists(folder / "deep/machine2/best.h5"));
  Words noted{"stack", "deep.toml", "--dry-run", "--output", "other"};
  noted.insert(noted.end(), words.begin() + 1, words.end());
  CHECK(like(run(folder, noted).err,
             "*machine 2 keeps its best model in other/machine2/best.h5; all that is made from "
             "it is made from its last, other/machine2/model.h5.*"));
  // There are none where the first machine has none.
  folder.write("none.toml",
               "base = \"small.toml\"\n[[machines]]\n[[machines]]\n\"model.num_hidden\" = 4\n"
               "\"training.keep_best\" = \"validation_pseudo_log_likelihood\"\n");
  check_refusal(stack(folder, {"none.toml"}), 2, "*validation*Machine 2 of 2. Nothing was started.*");
}

TEST_CASE("a dry run looks at machines above units of any kind, or says that it does not") {
  const CliFolder folder;
  const auto file = [&](const std::string& units) {
    folder.write("deep.toml", "base = \"small.toml\"\n[[machines]]\n\"model.hidden_units\" = " + units +
                                  "\n[[machines]]\n\"model.num_hidden\" = 4\n\"estimator.type\" = \"nonsense\"\n");
  };
  for (const char* units : {"spin", "gaussian", "poisson", "exponential"}) {
    file("\"" + std::string(units) + "\"");
    check_refusal(run(folder, {"stack", "deep.toml", "--dry-run"}), 2,
                  "*nonsense*Machine 2 of 2. Nothing was started.*");
  }
  file("{ type = \"levels\", num_states = 3 }");
  const Outcome outcome = run(folder, {"stack", "deep.toml", "--dry-run"});
  CHECK(outcome.status == 0);
  CHECK(like(outcome.err, "*machine 2 of 2 is not checked before the one below it is trained: *"));
}

TEST_CASE("a stack draws from its top machine down, and by no other sampler") {
  const CliFolder folder;
  folder.write("deep.toml", stack_file);
  REQUIRE(stack(folder, {"deep.toml"}).status == 0);
  const Outcome outcome =
      run(folder, {"sample", "deep", "--num-samples", "20", "--steps", "10", "--output", "rows.csv", "--quiet"});
  CHECK(outcome.err == "");
  CHECK(outcome.status == 0);
  CHECK(csv_fields(folder / "rows.csv").size() >= 20);
  // Of the latent layers there are means, passed up: of the first one those of its machine.
  const auto means = [&](const Words& words) {
    Words all{"transform", "deep", "bars_and_stripes:side=3", "--output", "means.npy"};
    all.insert(all.end(), words.begin(), words.end());
    CHECK(run(folder, all).status == 0);
    return content_of(folder / "means.npy");
  };
  const std::string of_first = means({});
  CHECK(
      like(run(folder, {"transform", "deep", "bars_and_stripes:side=3", "--output", "means.npy"}).out,
           "means.npy: means of layer 'hidden1' (the first of 2; --layer hidden2 has the top one) given each row, *"));
  CHECK(run(folder, {"transform", "deep/machine1", "bars_and_stripes:side=3", "--output", "own.npy"}).status == 0);
  CHECK(of_first == content_of(folder / "own.npy"));
  CHECK(means({"--layer", "hidden2"}) != of_first);
  // Filters are those of the machine that observes the data, unless another tensor is named.
  CHECK(like(run(folder, {"draw", "deep", "--what", "filters", "--output", "f.png"}).out,
             "f.png: * filters of machine1.weight.visible.hidden; 3x3*"));
  CHECK(like(run(folder, {"draw", "deep", "--what", "samples", "--steps", "10", "--output", "s.png"}).out,
             "s.png: 100 samples after 10 transitions, means of the visible units given the hidden ones and no draws; "
             "3x3, *"));
  check_refusal(run(folder, {"resume", "deep"}), 2, "deep: the folder holds a stack. Give 'harmonium stack' again*");
  for (const char* sampler : {"gibbs", "exact", "metropolis", "langevin", "parallel_tempering"})
    check_refusal(run(folder, {"sample", "deep", "--num-samples", "2", "--steps", "1", "--output", "rows.csv",
                               "--sampler", sampler}),
                  2, "*The sampler of a stack is 'top_down'.");
  check_refusal(
      run(folder, {"sample", "deep", "--num-samples", "2", "--steps", "1", "--output", "rows.csv", "--beta", "0.5"}), 2,
      "*top_down*temperature*");
}

TEST_CASE("a stack that was broken off goes on to what an unbroken one gives, to the bit") {
  const CliFolder folder;
  folder.write("deep.toml", stack_file);
  const Words settings{"--set", "training.checkpoint_every=3"};
  const auto with = [&](Words words) {
    words.insert(words.end(), settings.begin(), settings.end());
    return stack(folder, words);
  };
  REQUIRE(with({"deep.toml", "--output", "whole"}).status == 0);
  REQUIRE(with({"deep.toml", "--output", "broken"}).status == 0);
  const std::string expected = content_of(folder / "whole/machine2/model.h5");
  // As a kill leaves it: in the second machine's training, and between the machines.
  fs::remove(folder / "broken/model.h5");
  fs::remove(folder / "broken/machine2/model.h5");
  REQUIRE(with({"deep.toml", "--output", "broken"}).status == 0);
  CHECK(content_of(folder / "broken/machine2/metrics.jsonl") == content_of(folder / "whole/machine2/metrics.jsonl"));
  CHECK(figure(folder, "broken/model.h5", "variational_bound") ==
        figure(folder, "whole/model.h5", "variational_bound"));
  fs::remove(folder / "broken/model.h5");
  fs::remove_all(folder / "broken/machine2");
  fs::remove_all(folder / "broken/passed_up1");
  REQUIRE(with({"deep.toml", "--output", "broken"}).status == 0);
  CHECK(content_of(folder / "broken/machine2/metrics.jsonl") == content_of(folder / "whole/machine2/metrics.jsonl"));
  CHECK(figure(folder, "broken/model.h5", "variational_bound") ==
        figure(folder, "whole/model.h5", "variational_bound"));
  // Other settings are another stack.
  check_refusal(stack(folder, {"deep.toml", "--output", "broken"}), 2, "*the folder holds another stack*");
}

/// Three RBMs, which make a deep Boltzmann machine of three hidden layers, and the training of all layers.
constexpr const char* deep_file = R"(base = "small.toml"

[[machines]]
estimator = { type = "cd", gibbs_steps = 2 }
"training.num_epochs" = 30

[[machines]]
"model.num_hidden" = 4
"training.num_epochs" = 30

[[machines]]
"model.num_hidden" = 3
"training.num_epochs" = 30

[joint]
"training.num_epochs" = 20
"estimator.positive" = { type = "mean_field" }
)";

TEST_CASE("machines make a deep Boltzmann machine, which is trained on from there, and broken off, to the bit") {
  const CliFolder folder;
  folder.write("deep.toml", deep_file);
  const auto with = [&](const std::string& output) {
    return stack(folder, {"deep.toml", "--output", output, "--set", "training.checkpoint_every=7"});
  };
  const Outcome outcome = with("whole");
  CHECK(outcome.err == "");
  REQUIRE(outcome.status == 0);
  const std::string first = content_of(folder / "whole/machine1/config.toml"),
                    second = content_of(folder / "whole/machine2/config.toml"),
                    third = content_of(folder / "whole/machine3/config.toml"),
                    joint = content_of(folder / "whole/joint/config.toml");
  const auto has = [](const std::string& text, const char* line) { return text.find(line) != std::string::npos; };
  CHECK(has(first, "units = \"observed\""));
  CHECK(has(first, "start = \"data\""));
  CHECK(has(first, "gibbs_steps = 2"));
  CHECK(!has(second, "doubled"));
  CHECK(has(third, "units = \"latent\""));
  CHECK(has(third, "num_chains = 8"));
  CHECK(has(joint, "start.h5"));
  CHECK(has(joint, "mean_field"));
  CHECK(content_of(folder / "whole/model.h5") == content_of(folder / "whole/joint/model.h5"));
  CHECK(figure(folder, "whole", "log_likelihood") == figure(folder, "whole/joint", "log_likelihood"));
  const std::string expected = content_of(folder / "whole/joint/metrics.jsonl");
  // As a kill leaves it: in the training of all layers, before it, and in the last machine.
  REQUIRE(with("broken").status == 0);
  const auto goes_on = [&] {
    fs::remove(folder / "broken/model.h5");
    REQUIRE(with("broken").status == 0);
    CHECK(content_of(folder / "broken/joint/metrics.jsonl") == expected);
    CHECK(figure(folder, "broken", "log_likelihood") == figure(folder, "whole", "log_likelihood"));
  };
  fs::remove(folder / "broken/joint/model.h5");
  goes_on();
  fs::remove_all(folder / "broken/joint");
  goes_on();
  fs::remove_all(folder / "broken/joint");
  fs::remove_all(folder / "broken/machine3");
  fs::remove_all(folder / "broken/passed_up2");
  goes_on();
}

TEST_CASE("the machines of a deep Boltzmann machine know their data in the units that it is trained in") {
  const CliFolder folder;
  folder.write("rows.csv", "1.5,20\n2.5,30\n3.5,10\n0.5,25\n");
  folder.write("deep.toml", R"(data = { type = "csv", path = "rows.csv", standardize = true }
model = { type = "rbm", num_visible = 2, num_hidden = 3, visible_units = "gaussian" }
estimator = { type = "pcd", num_chains = 5 }
training = { num_epochs = 1, batch_size = 2 }
[[machines]]
[[machines]]
[joint]
)");
  const Outcome outcome = run(folder, {"stack", "deep.toml"});
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  CHECK(outcome.err.find("other units") == std::string::npos);
}

TEST_CASE("a part of a deep Boltzmann machine is not judged as the RBM of its couplings, and an RBM is") {
  const CliFolder folder;
  const std::string text = R"(seed = 1
precision = "float64"
data = { type = "bars_and_stripes", side = 4 }
model = { type = "rbm", num_visible = 16, num_hidden = 12 }
estimator = { type = "pcd", num_chains = 100, gibbs_steps = 5, centering = true }
optimizer = { type = "sgd", learning_rate = 0.05 }
training = { batch_size = 30, num_epochs = 1000 }
[[machines]]
[[machines]]
"model.num_hidden" = 8
"training.num_epochs" = 1
[joint]
"training.num_epochs" = 1
)";
  folder.write("deep.toml", text);
  const Outcome outcome = run(folder, {"stack", "deep.toml"});
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  CHECK(outcome.err.find("independent columns") == std::string::npos);
  // The RBM of its couplings would be told so: independent columns have -11.0904.
  CHECK(figure(folder, "deep/machine1", "log_likelihood", "bars_and_stripes:side=4") < 1.01 * -11.0904);
}

TEST_CASE("what a deep Boltzmann machine cannot be made of is told before the first machine is trained") {
  const CliFolder folder;
  const auto refused = [&](const std::string& text, const std::string& pattern) {
    folder.write("bad.toml", text);
    check_refusal(stack(folder, {"bad.toml"}), 2, pattern);
    CHECK(!fs::exists(folder / "bad"));
  };
  const std::string base = "base = \"small.toml\"\n", one = "[[machines]]\n\"model.num_hidden\" = 5\n",
                    joint = "[joint]\n";
  refused(base + "start = \"transposed\"\n" + one + one + joint, "*with [joint], machines start by their initializer*");
  refused("joint = 3\n" + base + one + one, "*'joint' is a table*");
  refused(base + one + one + joint + "\"model.num_hidden\" = [5, 5]\n", "*'model.num_hidden' of [joint] follows from*");
  refused(base + one + "[[machines]]\n\"model.type\" = \"semi_restricted\"\n" + joint, "*machine 2 is no 'rbm'*");
  refused(base + one + "[[machines]]\n\"model.hidden_units\" = \"spin\"\n" + joint,
          "*the hidden units of machine 2 are not binary*");
  refused(base + "[[machines]]\n\"model.learn_precision\" = true\n" + one + joint,
          "*'learn_precision' of machine 1 has no place*");
  refused(base + "[[machines]]\nestimator = { type = \"exact\" }\n" + one + joint,
          "*machine 1 is trained by chains in which one side counts twice, and the estimator is 'exact'*");
  refused(base + "[[machines]]\n\"estimator.sampled_statistics\" = true\n" + one + joint,
          "*'sampled_statistics' of the estimator has no place in machine 1*");
  refused(base + one + one + joint + "\"estimator.gibbs_stepps\" = 5\n",
          "*gibbs_stepps*The training of all layers, [joint]. Nothing was started.*");
}

TEST_CASE("mistakes in a stack are told before the first machine is trained") {
  const CliFolder folder;
  const auto refused = [&](const std::string& text, const std::string& pattern) {
    folder.write("bad.toml", text);
    check_refusal(stack(folder, {"bad.toml"}), 2, pattern);
    CHECK(!fs::exists(folder / "bad"));
  };
  const std::string base = "base = \"small.toml\"\n", one = "[[machines]]\n\"model.num_hidden\" = 5\n";
  refused(base + "machine = 3\n" + one + one, "*a stack with a 'base' has no 'machine' (did you mean 'machines'?)*");
  refused(base + one, "*a stack has two machines or more*");
  refused("base = 3\n" + one + one, "*'base' names the configuration*");
  refused(one + one, "*data*Machine 1 of 2. Nothing was started.*");
  refused(base + "passed_up = \"mean\"\n" + one + one, "*'passed_up' is \"draws\" or \"means\"*");
  refused(base + one + "[[machines]]\n\"model.num_visible\" = 5\n",
          "*'model.num_visible' of machine 2 follows from the machine below it*");
  refused(base + one + "[[machines]]\n\"model.num_labels\" = 10\n",
          "*'model.num_labels' of machine 2: a stack has no labels at its top. Leave it out, and set it in the first "
          "machine*'harmonium transform'*");
  refused(base + one + "[[machines]]\n\"data.validation\" = 5\n", "*'data.validation' of machine 2 follows*");
  refused(base + one + "[[machines]]\n\"model.num_hiden\" = 5\n", "*num_hiden*Machine 2 of 2. Nothing was started.*");
  refused(base + one + "[[machines]]\n\"model.type\" = \"deep\"\n\"model.num_hidden\" = [3, 2]\n",
          "*the top machine has no free energy of its observed units*");
  folder.write("bad.toml", base + one + one);
  check_refusal(run(folder, {"train", "bad.toml"}), 2, "*'base' is no section of a run*'harmonium stack'*");
  refused(base + one + "[[machines]]\n\"estimator.gibbs_stepps\" = 5\n", "*gibbs_stepps*Machine 2 of 2*");
  refused(base + one + one + "[fine_tune]\n\"training.num_epochs\" = 2\n[joint]\n\"training.num_epochs\" = 2\n",
          "*[fine_tune] trains a stack and [joint] a deep Boltzmann machine*Leave one out.*");
}

/// Two machines that are trained in an instant.
constexpr const char* quick_file = R"(base = "small.toml"

[[machines]]
"training.num_epochs" = 3

[[machines]]
"model.num_hidden" = 4
)";

TEST_CASE("--epochs of a stack is the length of each machine that sets none itself") {
  const CliFolder folder;
  folder.write("two.toml", quick_file);
  const auto lines = [&](const char* log) {
    const std::string text = content_of(folder / log);
    return std::ranges::count(text, '\n');
  };
  const Words words{"stack", "two.toml", "--epochs", "2", "--no-likelihood"};
  const Outcome first = run(folder, words);
  REQUIRE(first.status == 0);
  CHECK(like(first.err,
             "*harmonium: note: --epochs 2: machine 1 sets training.num_epochs too, which goes before it.\n*"));
  CHECK(first.err.find("machine 2 sets") == std::string::npos);
  CHECK(lines("two/machine1/metrics.jsonl") == 3);
  CHECK(lines("two/machine2/metrics.jsonl") == 2);
  // A machine that is gone on with keeps its own length.
  for (const char* file : {"model.h5", "machines.sha256", "machine1/model.h5", "machine2", "passed_up1"})
    fs::remove_all(folder / "two" / file);
  REQUIRE(run(folder, words).status == 0);
  CHECK(lines("two/machine1/metrics.jsonl") == 3);
  CHECK(lines("two/machine2/metrics.jsonl") == 2);

  check_refusal(stack(folder, {"two.toml", "--epochs", "2", "--set", "training.num_epochs=3"}), 2,
                "--epochs 2 and --set training.num_epochs=3 both say how long the run is. Give one of them.");
  // Updates are a length too.
  folder.write("updates.toml", std::string(quick_file) + "\"training.num_updates\" = 4\n");
  const Outcome updates = run(folder, {"stack", "updates.toml", "--epochs", "2", "--dry-run"});
  CHECK(updates.status == 0);
  CHECK(like(updates.err, "*--epochs 2: machine 2 sets training.num_updates too, which goes before it.\n*"));
}

TEST_CASE("a machine that is another than the one below which the next was trained is told") {
  const CliFolder folder;
  const auto longer = [&](const std::string& machine, const std::string& epochs) {
    REQUIRE(run(folder, {"resume", machine, "--epochs", epochs, "--quiet"}).status == 0);
  };
  const std::string rest =
      "' was made from (deep/machines.sha256 has the checksum of that). Put that one back, or remove '";
  folder.write("deep.toml", quick_file);
  REQUIRE(stack(folder, {"deep.toml"}).status == 0);
  REQUIRE(stack(folder, {"deep.toml"}).status == 0);
  const std::string before = content_of(folder / "deep/machine1/model.h5");
  longer("deep/machine1", "5");
  const std::string stacked = content_of(folder / "deep/model.h5");
  const std::string other = "deep/machine1/model.h5: another model than the one that 'machine2" + rest + "machine2', *";
  check_refusal(stack(folder, {"deep.toml"}), 2, other);
  check_refusal(stack(folder, {"deep.toml", "--dry-run"}), 2, other);
  CHECK(content_of(folder / "deep/model.h5") == stacked);
  // Both ways out.
  const std::string after = content_of(folder / "deep/machine1/model.h5");
  folder.write("deep/machine1/model.h5", before);
  fs::remove(folder / "deep/machine1/model.h5.sha256");
  CHECK(stack(folder, {"deep.toml"}).status == 0);
  folder.write("deep/machine1/model.h5", after);
  fs::remove_all(folder / "deep/machine2");
  CHECK(stack(folder, {"deep.toml"}).status == 0);
  CHECK(stack(folder, {"deep.toml"}).status == 0);
  longer("deep/machine2", "6");  // from which nothing was made but the stack, which is joined anew
  CHECK(stack(folder, {"deep.toml"}).status == 0);

  for (const auto& way : {std::pair{"fine_tune", "greedy.h5"}, {"joint", "joint"}}) {
    const char *const end = way.first, *const made = way.second;
    CAPTURE(end);
    folder.write("deep.toml", std::string(quick_file) + "[" + end + "]\n\"training.num_epochs\" = 2\n");
    fs::remove_all(folder / "deep");
    REQUIRE(stack(folder, {"deep.toml"}).status == 0);
    CHECK(stack(folder, {"deep.toml"}).status == 0);
    longer("deep/machine2", "6");
    check_refusal(
        stack(folder, {"deep.toml"}), 2,
        "deep/machine2/model.h5: another model than the one that '" + std::string(made) + rest + made + "', *");
  }
}

TEST_CASE("what a stack would replace in a folder that is none of its own is kept") {
  const CliFolder folder;
  folder.trained();
  folder.write("deep.toml", quick_file);
  const std::string model = content_of(folder / "run/model.h5");
  const Words before = files_below(folder / "run");
  for (const Words& more : {Words{}, Words{"--dry-run"}}) {
    Words words{"deep.toml", "--output", "run"};
    words.insert(words.end(), more.begin(), more.end());
    check_refusal(
        stack(folder, words), 2,
        "--output run: the folder holds 'config.toml' and no stack (no stack.toml) that it is of. Name another "
        "folder, or move that.");
  }
  CHECK(content_of(folder / "run/model.h5") == model);
  CHECK(files_below(folder / "run") == before);
  fs::create_directories(folder / "mine/machine1");
  fs::copy_file(folder / "run/model.h5", folder / "mine/machine1/model.h5");
  check_refusal(stack(folder, {"deep.toml", "--output", "mine"}), 2,
                "--output mine: the folder holds 'machine1' and *");
  fs::rename(folder / "mine/machine1/model.h5", folder / "mine/model.h5");
  fs::remove(folder / "mine/machine1");
  check_refusal(stack(folder, {"deep.toml", "--output", "mine"}), 2,
                "--output mine: the folder holds 'model.h5' and *");
  CHECK(content_of(folder / "mine/model.h5") == model);
  check_refusal(stack(folder, {"deep.toml", "--output", "small.toml"}), 2,
                "--output small.toml: a file of this name exists. Give the name of a folder.");
}

}  // namespace stack_test
