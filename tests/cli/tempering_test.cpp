#include <cmath>
#include <fstream>
#include <utility>

#include <doctest/doctest.h>

#include <harmonium/framework/files/csv.hpp>
#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/inference/replica_exchange.hpp>
#include <harmonium/program/work/ladder_warnings.hpp>
#include <harmonium/tests/support/recorder.hpp>

#include "files.hpp"

namespace tempering_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// A ring of spins with one bond that cannot be satisfied.
void write_ring(const std::filesystem::path& path, int n) {
  std::ofstream file(path);
  file << n << " " << n << "\n";
  for (int i = 1; i <= n; ++i) file << i << " " << i % n + 1 << " " << (i == 4 ? -1 : 1) << "\n";
}

Words sampling(const Words& more) {
  Words words{"sample", "ring.h5", "--num-samples", "30", "--output", "out.csv"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("a file of edges becomes a model that is sampled, evaluated and taken to its ground states") {
  const ScratchFolder folder;
  write_ring(folder / "ring.txt", 12);
  for (const std::string precision : {"float64", "float32"}) {
    CAPTURE(precision);
    const Outcome imported = run(folder, {"import", "ring.txt", "--output", "ring.h5", "--precision", precision});
    CHECK(imported.status == 0);
    // Eleven bonds of one sign and one of the other.
    CHECK(imported.out ==
          "ring.txt: 12 spins, 12 couplings J from -1 to 1: 11 above 0 (spins want to be alike), 1 below\n"
          "E = -sum J s s, each edge once, J = w of the file; where the file's energy is +sum w s s, add --negate\n"
          "energy of all spins up: -10\n");
    CHECK(imported.err == "");
    // log Z of a ring: λ₊ⁿ − λ₋ⁿ where the product of the bonds is negative, λ± = e^β ± e^−β.
    const Outcome evaluated = run(folder, {"evaluate", "ring.h5", "--log-z", "exact", "--json"});
    CHECK(evaluated.status == 0);
    const double log_z = std::log(std::pow(2 * std::cosh(1.0), 12) - std::pow(2 * std::sinh(1.0), 12));
    const std::size_t at = evaluated.out.find("\"log_z\"");
    REQUIRE(at != std::string::npos);
    CHECK(std::abs(std::stod(evaluated.out.substr(evaluated.out.find(':', at) + 1)) - log_z) < 1e-9);

    const Outcome low =
        run(folder, sampling({"--sampler", "parallel_tempering", "--beta", "3", "--steps", "600", "--descend"}));
    CHECK(low.status == 0);
    CHECK(low.err == "");
    CHECK(like(low.out,
               "parallel_tempering: 10 temperatures, exchanges accepted 0.* to 0.*, * round trips\n"
               "energies after the descent: lowest -10, mean -*\n"));
    const Table rows = read_csv(folder / "out.csv").table;
    CHECK(rows.rows == 30);
    CHECK(rows.cols == 12);
    for (Index r = 0; r < rows.rows; ++r)
      for (Index c = 0; c < rows.cols; ++c) CHECK(std::abs(rows.at(r, c)) == 1.0);
  }
}

TEST_CASE("--negate turns the sign of the weights") {
  const ScratchFolder folder;
  write_ring(folder / "ring.txt", 12);
  const Outcome imported = run(folder, {"import", "ring.txt", "--output", "ring.h5", "--negate"});
  CHECK(imported.status == 0);
  CHECK(imported.out ==
        "ring.txt: 12 spins, 12 couplings J from -1 to 1: 1 above 0 (spins want to be alike), 11 below\n"
        "E = -sum J s s, each edge once, J = -w of the file; without --negate J = w\n"
        "energy of all spins up: 10\n");
  CHECK(run(folder, {"import", "ring.txt", "--output", "ring.h5", "--negate", "--quiet", "--threads", "1"}).out == "");
  const auto w = Hdf5File::open(folder / "ring.h5").read<double>("parameters/weight.visible.visible");
  CHECK(w.values[1] == -1.0);
  CHECK(w.values[3 * 12 + 4] == 1.0);
}

TEST_CASE("import takes the fields of nodes from a file, with the sign of the couplings") {
  const ScratchFolder folder;
  std::ofstream(folder / "pair.txt") << "2 1\n1 2 0.5\n";
  std::ofstream(folder / "h.csv") << "0.25\n-1\n";
  // Four states: E = -0.5 s t - 0.25 s + t, or its opposite.
  double z[2] = {0.0, 0.0};
  for (const double s : {-1.0, 1.0})
    for (const double t : {-1.0, 1.0})
      for (const int negated : {0, 1}) z[negated] += std::exp((negated ? -1 : 1) * (0.5 * s * t + 0.25 * s - t));
  for (const int negated : {0, 1}) {
    Words words{"import", "pair.txt", "--fields", "h.csv", "--output", "pair.h5"};
    if (negated) words.emplace_back("--negate");
    const Outcome imported = run(folder, words);
    REQUIRE(imported.status == 0);
    CHECK(like(imported.out,
               negated ? "*E = -sum J s s - sum h s, *h = minus the numbers of h.csv\nenergy of all spins up: -0.25\n"
                       : "*E = -sum J s s - sum h s, *h = the numbers of h.csv\nenergy of all spins up: 0.25\n"));
    const std::string judged = run(folder, {"evaluate", "pair.h5", "--json"}).out;
    CHECK(std::stod(judged.substr(judged.find("\"log_z\": ") + 9)) ==
          doctest::Approx(std::log(z[negated])).epsilon(1e-12));
  }
  std::ofstream(folder / "short.csv") << "0.25\n";
  check_refusal(run(folder, {"import", "pair.txt", "--fields", "short.csv", "--output", "pair.h5"}), 2,
                "fields short.csv: it has 1 numbers, and there are 2 spins. Give one number for each.");
}

TEST_CASE("import takes one field for all nodes, and settings of a configuration") {
  const ScratchFolder folder;
  folder.write("pair.txt", "2 1\n1 2 0.5\n");
  folder.write("pair.toml",
               "[model]\ntype = \"fully_visible\"\nnum_visible = 2\nvisible_units = \"spin\"\n"
               "[initializer]\ntype = \"edge_list\"\npath = \"pair.txt\"\n");
  const auto imported = [&](const Words& more, const char* expected) {
    Words words{"import", "--output", "pair.h5"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    CHECK(like(outcome.out, expected));
  };
  imported({"pair.txt", "--fields", "0.25"}, "*h = 0.25 of every spin\nenergy of all spins up: -1\n");
  imported({"pair.txt", "--fields", "0.25", "--negate"}, "*h = -0.25 of every spin\nenergy of all spins up: 1\n");
  imported({"pair.toml", "--set", "initializer.field=0.25"}, "*such as spins up: -1\n");
  imported({"pair.toml", "--set", "initializer.field=0.25", "--set", "initializer.sign=-1"}, "*such as spins up: 0\n");
  check_refusal(
      run(folder, {"import", "pair.txt", "--output", "pair.h5", "--fields", "1e300", "--precision", "float32"}), 2,
      "*field 1e+300 is too large for this precision. Take float64.");
  check_refusal(run(folder, {"import", "pair.toml", "--output", "pair.h5", "--set", "initializer.field=1", "--set",
                             "initializer.fields=h.csv"}),
                2, "*initializer 'edge_list': 'field' and 'fields' are both given. Remove one.");
}

TEST_CASE("what import cannot do is said") {
  const ScratchFolder folder;
  std::ofstream(folder / "bad.txt") << "3 1\n1 1 2\n";
  check_refusal(run(folder, {"import", "bad.txt", "--output", "ring.h5"}), 1,
                "*bad.txt:2: an edge from node 1 to itself. Leave it out; fields h stand in a file of their own, "
                "*--fields FILE*");
  check_refusal(run(folder, {"import", "none.txt", "--output", "ring.h5"}), 2,
                "import none.txt: there is no such file. *");
  check_refusal(run(folder, {"import", "bad.txt", "--output", "ring.npy"}), 2,
                "--output ring.npy: models are written as .h5. Give a name that ends so.");
  std::ofstream(folder / "ok.txt") << "2 1\n1 2 1\n";
  check_refusal(run(folder, {"import", "ok.txt", "--output", "ring.h5", "--seed", "2"}), 2,
                "--seed is for a CONFIG.toml, which has sections, may draw its parameters, and may name a plugin. *");
  check_refusal(run(folder, {"import", "ok.txt", "--output", "m.h5", "--set", "precision=float64"}), 2,
                "--set is for a CONFIG.toml*Leave it out, or name the precision by --precision. *");
  check_refusal(
      run(folder, {"import", "ok.txt", "--output", "ring.h5", "--set", "initializer.field=1"}), 2,
      "--set is for a CONFIG.toml*Its units are spins; of others*visible_units = \"binary\" } and initializer = { "
      "type = \"edge_list\", path = \"*\" }.");
  std::ofstream(folder / "huge.txt") << "4000000000 0\n";
  check_refusal(run(folder, {"import", "huge.txt", "--output", "ring.h5"}), 2, "import needs about *");
}

TEST_CASE("a ladder that still adapts itself, or does not connect, is told") {
  const ScratchFolder folder;
  write_ring(folder / "ring.txt", 12);
  CHECK(run(folder, {"import", "ring.txt", "--output", "ring.h5"}).status == 0);
  const Words usual{"--sampler", "parallel_tempering", "--set", "sampler.adapt_steps=500", "--steps"};
  const auto with_usual = [&](Words words, const char* steps) {
    words.insert(words.end(), usual.begin(), usual.end());
    words.emplace_back(steps);
    return words;
  };
  check_refusal(run(folder, sampling(with_usual({}, "500"))), 2,
                "--steps 500: sampler 'parallel_tempering' adapts itself during its first 500 "
                "transitions, and rows taken before follow no fixed law. Give --steps 501 or more, or adapt for fewer "
                "(sampler.adapt_steps).");
  // In whatever else is said of rows that are drawn.
  check_refusal(run(folder, with_usual({"diagnose", "ring.h5"}, "998")), 2,
                "--steps 998, of which the second half is used: sampler 'parallel_tempering' adapts itself during its "
                "first 500 transitions, and rows taken before follow no fixed law. Give --steps 999 or more, or *");
  CHECK(run(folder, {"diagnose", "ring.h5", "--sampler", "parallel_tempering", "--steps", "999"}).status == 0);
  check_refusal(run(folder, {"draw", "ring.h5", "--what", "samples", "--sampler", "parallel_tempering", "--steps", "20",
                             "--set", "sampler.adapt_steps=20", "--output", "p.png"}),
                2, "--steps 20: * Give --steps 21 or more, or adapt for fewer (sampler.adapt_steps).");
  for (const char* what : {"samples", "chains"})
    check_refusal(run(folder, with_usual({"draw", "ring.h5", "--what", what, "--output", "p.png"}, "500")), 2,
                  "--steps 500: sampler 'parallel_tempering' adapts itself during its first 500 transitions, *");
  folder.write("watched.toml",
               "data = { type = \"bars_and_stripes\", side = 3 }\n"
               "model = { type = \"rbm\", num_visible = 9, num_hidden = 4 }\n"
               "estimator = { type = \"pcd\", num_chains = 10 }\n"
               "training = { batch_size = 14, num_epochs = 1 }\n"
               "observers = [{ type = \"mixing\", steps = 998, sampler = \"parallel_tempering\" }]\n");
  check_refusal(
      run(folder, {"train", "watched.toml", "--output", "watched"}), 2,
      "*observer 'mixing': steps = 998, of which the second half is used: the sampler adapts itself during its "
      "first 500 transitions, and rows taken before follow no fixed law. Give steps = 999 or more, or adapt *");
  folder.write(
      "normal.toml",
      "model = { type = \"layered\", layers = [{ name = \"x\", size = 3, units = \"gaussian\" }], terms = [] }\n");
  CHECK(run(folder, {"import", "normal.toml", "--output", "normal.h5"}).status == 0);
  check_refusal(
      run(folder, {"sample", "normal.h5", "--sampler", "hmc", "--set", "sampler.adapt_steps=30", "--steps", "30",
                   "--num-samples", "3", "--output", "out.csv"}),
      2, "--steps 30: sampler 'hmc' adapts itself during its first 30 transitions, * Give --steps 31 or more, *");
  const Outcome apart = run(folder, sampling({"--sampler", "parallel_tempering", "--steps", "50", "--beta", "20",
                                              "--set", "sampler.betas=[1, 0]"}));
  CHECK(apart.status == 0);
  CHECK(like(apart.err,
             "harmonium: note: only * of the exchanges between beta = 20 and 0 were accepted, so that the "
             "ladder hardly connects them. Add rungs between.\n"
             "harmonium: note: * of 30 ladders is too few: rows may be in the modes that they began in, so "
             "that shares of modes are not to be believed. Raise --steps.\n"));
  check_refusal(
      run(folder, sampling({"--sampler", "parallel_tempering", "--steps", "50", "--set", "sampler.betas=[0.5]"})), 2,
      "*sampler 'parallel_tempering': 'betas' holds one temperature*");
}

TEST_CASE("a sampler that has less time than it usually adapts itself for does so in the first half, and says so") {
  const ScratchFolder folder;
  write_ring(folder / "ring.txt", 12);
  CHECK(run(folder, {"import", "ring.txt", "--output", "ring.h5"}).status == 0);
  const Words tempered{"--sampler", "parallel_tempering", "--steps"};
  const auto rows = [&](Words steps, const std::string& note) {
    Words words = tempered;
    words.insert(words.end(), steps.begin(), steps.end());
    const Outcome outcome = run(folder, sampling(words));
    CHECK(outcome.status == 0);
    CHECK((outcome.err.find("adapts itself") == std::string::npos) == note.empty());
    CHECK_MESSAGE(outcome.err.find(note) != std::string::npos, outcome.err);
    return content_of(folder / "out.csv");
  };
  CHECK(rows({"200"},
             "harmonium: note: --steps 200: sampler 'parallel_tempering' adapts itself during the first 100 "
             "transitions, in place of 500, so that those behind them follow its law (sampler.adapt_steps).\n") ==
        rows({"200", "--set", "sampler.adapt_steps=100"}, ""));
  CHECK(rows({"51"}, "during the first 50 transitions") == rows({"51", "--set", "sampler.adapt_steps=50"}, ""));
  CHECK(rows({"501"}, "") == rows({"501", "--set", "sampler.adapt_steps=500"}, ""));
  check_refusal(
      run(folder, sampling({"--sampler", "parallel_tempering", "--steps", "50"})), 2,
      "--steps 50: sampler 'parallel_tempering' adapts itself during its first 50 transitions, * Give --steps "
      "51 or more, *");
  CHECK(like(run(folder, {"diagnose", "ring.h5", "--sampler", "parallel_tempering", "--steps", "400"}).err,
             "*--steps 400, of which the second half is used: sampler 'parallel_tempering' adapts itself during the "
             "first 100 transitions, *"));
  CHECK(like(run(folder, {"draw", "ring.h5", "--what", "samples", "--sampler", "parallel_tempering", "--steps", "120",
                          "--output", "p.png"})
                 .err,
             "*--steps 120: sampler 'parallel_tempering' adapts itself during the first 60 transitions, *"));
  // What adapts itself within a ladder that is given has its own time.
  folder.write(
      "normal.toml",
      "model = { type = \"layered\", layers = [{ name = \"x\", size = 3, units = \"gaussian\" }], terms = [] }\n");
  CHECK(run(folder, {"import", "normal.toml", "--output", "normal.h5"}).status == 0);
  check_refusal(run(folder, {"sample", "normal.h5", "--sampler", "parallel_tempering", "--set",
                             "sampler={betas=[1, 0.5], sampler=\"hmc\"}", "--steps", "200", "--num-samples", "3",
                             "--output", "out.csv"}),
                2, "--steps 200: sampler 'parallel_tempering' adapts itself during its first 300 transitions, *");
}

TEST_CASE("a diagnosis over a ladder with gaps advises more rungs, by the option that gives them") {
  const auto with_betas = [](Value::List betas) {
    Value list;
    list.data = std::move(betas);
    return make_table({{"betas", list}});
  };
  LadderReport ladder = empty_report({1.0, 0.5, 0.0});
  ladder.proposed = {1000, 1000};
  ladder.accepted = {51, 50};
  CHECK_FALSE(advice_on_gaps(ladder, make_table({})));
  ladder.accepted = {20, 3};
  CHECK(advice_on_gaps(ladder, with_betas({})) ==
        "More steps hardly help: only 0.02 of the exchanges between beta = 1 and 0.5 were accepted, so that the ladder "
        "hardly connects them (and 1 more such). Take more rungs (--set sampler.num_rungs=6).");
  ladder.accepted = {500, 3};
  CHECK(
      advice_on_gaps(ladder, with_betas({make_value(1.0)})) ==
      "More steps hardly help: only 0.003 of the exchanges between beta = 0.5 and 0 were accepted, so that the ladder "
      "does not connect them. Take more rungs (more numbers in sampler.betas).");

  // Far below the critical temperature, where magnetizations of either sign never meet.
  const ScratchFolder folder;
  write_torus(folder, 6);
  const auto advised = [&](const Words& more) {
    Words words{"diagnose", "ising.h5", "--sampler", "parallel_tempering", "--steps", "200"};
    words.insert(words.end(), more.begin(), more.end());
    return run(folder, words).out;
  };
  const std::string adapted = advised({"--set", "sampler.adapt_steps=10", "--set", "sampler.num_rungs=2"});
  CHECK(like(adapted,
             "*\nMore steps hardly help: only * of the exchanges between beta = 1 and 0 were accepted, *"
             "Take more rungs (--set sampler.num_rungs=4).\n*"));
  CHECK(adapted.find("Take more steps") == std::string::npos);
  CHECK(like(advised({"--set", "sampler.betas=[1, 0]"}), "*Take more rungs (more numbers in sampler.betas).\n*"));
}

TEST_CASE("round trips are called too few below one a ladder, or ten of a single one") {
  LadderReport ladder = empty_report({1.0, 0.5, 0.0});
  const auto told = [&](Index num_ladders, std::uint64_t round_trips) {
    Recorder display;
    ladder.round_trips = round_trips;
    warn_of_few_round_trips(ladder, num_ladders, display);
    return display.warnings.size();
  };
  CHECK(told(30, 0) == 0);  // no exchange was due
  ladder.proposed[0] = 1;
  CHECK(told(30, 29) == 1);
  CHECK(told(30, 30) == 0);
  CHECK(told(1, 9) == 1);
  CHECK(told(1, 10) == 0);
}

TEST_CASE("training reports the exchanges of its ladder, and goes on with it") {
  const ScratchFolder folder;
  std::ofstream(folder / "run.toml") << R"(
data = { type = "bars_and_stripes", side = 3 }
model = { type = "rbm", num_visible = 9, num_hidden = 4 }
training = { batch_size = 14, num_epochs = 40, checkpoint_every = 20 }
observers = [{ type = "tempering" }]
[estimator]
type = "pcd"
num_chains = 10
sampler = { type = "parallel_tempering", num_rungs = 4, adapt_steps = 30 }
)";
  CHECK(run(folder, {"train", "run.toml", "--output", "whole", "--quiet"}).status == 0);
  const std::string metrics = content_of(folder / "whole/metrics.jsonl");
  for (const char* name : {"\"swap_rate.min\"", "\"swap_rate.mean\"", "\"round_trips\""})
    CHECK(metrics.find(name) != std::string::npos);
  // Broken off after half and resumed on one thread, it is the same run.
  std::filesystem::copy(folder / "whole", folder / "half", std::filesystem::copy_options::recursive);
  std::filesystem::remove(folder / "half/model.h5");
  for (const auto& entry : std::filesystem::directory_iterator(folder / "half/checkpoints"))
    if (entry.path().string().find("40") != std::string::npos) std::filesystem::remove(entry.path());
  CHECK(run(folder, {"train", "--resume", "half", "--quiet", "--threads", "1"}).status == 0);
  CHECK(content_of(folder / "half/model.h5") == content_of(folder / "whole/model.h5"));
  CHECK(content_of(folder / "half/metrics.jsonl") == metrics);
}

}  // namespace tempering_test
