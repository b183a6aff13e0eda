// Samplers whose proposals are hardly ever accepted: what is shown, what is a warning, and what is an error.
#include <doctest/doctest.h>

#include "files.hpp"

#include <harmonium/framework/files/npy.hpp>

namespace standstill_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr const char* gaussian = R"(
[data]
type = "csv"
path = "real.csv"
[model]
type = "rbm"
num_visible = 3
num_hidden = 2
visible_units = "gaussian"
[estimator]
type = "pcd"
num_chains = 20
[training]
num_epochs = 1
)";

/// A machine of three Gaussian units and two bits as run/model.h5.
class GaussianFolder : public ScratchFolder {
 public:
  explicit GaussianFolder(const std::string& precision = "float64") {
    write("real.csv", "0.5,-1,2\n1,0.25,-0.5\n-1,1,0\n");
    write("c.toml", gaussian);
    REQUIRE(run(*this, {"train", "c.toml", "--set", "precision=" + precision, "--output", "run", "--quiet"}).status ==
            0);
  }
  Outcome sample(const char* rows, const char* steps, const Words& more) const {
    Words words{"sample", "run/model.h5", "--num-samples", rows, "--steps", steps, "--output", "s.npy"};
    words.insert(words.end(), more.begin(), more.end());
    return run(*this, words);
  }
  bool written() const { return std::filesystem::exists(*this / "s.npy"); }
};

const Words wide_langevin{"--sampler", "langevin", "--set", "sampler.step_size=50"};
const Words wide_metropolis{"--sampler", "metropolis", "--set", "sampler.scale=1e9"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("a sampler that leaves continuous units where they started is an error, and no file is left") {
  for (const char* precision : {"float64", "float32"}) {
    CAPTURE(precision);
    const GaussianFolder folder(precision);
    check_refusal(folder.sample("100", "100", wide_langevin), 1,
                  "sampler 'langevin': layer 'visible' stands where it started in * of 100 rows, after 100 "
                  "transitions (acceptance *). Rows of the start are no samples, and nothing is "
                  "written. Lower sampler.step_size, which is 50.");
    check_refusal(folder.sample("100", "100", wide_metropolis), 1,
                  "sampler 'metropolis': layer 'visible' stands where it started in 100 of 100 rows, after 100 "
                  "transitions (acceptance *). Rows of the start are no samples, and nothing is "
                  "written. Lower sampler.scale, which is 1e+09.");
    // One chain that is thinned, and one within a ladder of temperatures.
    check_refusal(folder.sample("50", "0", with(wide_metropolis, {"--thin", "20"})), 1,
                  "sampler 'metropolis': layer 'visible' stands where it started in 1 of 1 rows, after 980 "
                  "transitions *");
    check_refusal(folder.sample("100", "100",
                                {"--sampler", "parallel_tempering", "--set", "sampler.betas=[1, 0.5]", "--set",
                                 "sampler.sampler={ type = \"metropolis\", scale = 1e9 }"}),
                  1,
                  "sampler 'parallel_tempering': layer 'visible' stands where it started in * Lower "
                  "sampler.sampler.scale, which is 1e+09.");
    // Steps too small to be seen: all are accepted, and change nothing.
    check_refusal(folder.sample("100", "20", {"--sampler", "metropolis", "--set", "sampler.scale=1e-30"}), 1,
                  "sampler 'metropolis': layer 'visible' stands where it started in * (acceptance 1). * Raise "
                  "sampler.scale, which is 1e-30.");
    CHECK_FALSE(folder.written());
  }
}

TEST_CASE("proposals that are accepted are shown, and a few that are refused are no fault") {
  const GaussianFolder folder;
  const Outcome good = folder.sample("100", "100", {"--sampler", "langevin", "--set", "sampler.step_size=0.3"});
  CHECK(good.status == 0);
  CHECK(good.err == "");
  CHECK(like(good.out, "langevin: acceptance 0.*\n"));
  // Three rows after one transition: at the least acceptance, 0.05, all stay where they are with probability 0.86.
  for (const Words& wide : {wide_langevin, wide_metropolis}) {
    const Outcome early = folder.sample("3", "1", wide);
    CHECK(early.status == 0);
    CHECK(early.err == "");
  }
  // All continuous units are held: there is nothing to propose.
  const Outcome held = folder.sample("20", "500", with(wide_langevin, {"--clamp", "visible=0.5"}));
  CHECK(held.status == 0);
  CHECK(held.out == "");
  const Outcome gibbs = folder.sample("20", "50", {});
  CHECK(gibbs.status == 0);
  CHECK(gibbs.out == "");
}

TEST_CASE("an acceptance too low for good samples is a warning") {
  const GaussianFolder folder;
  // (2/pi) arctan(2 s / scale) of the proposals are accepted of a normal unit of deviation s: 0.013 for s = 1. In 5,000
  // transitions a row stays with probability e^-63.
  const Outcome slow = folder.sample("10", "5000", {"--sampler", "metropolis", "--set", "sampler.scale=100"});
  CHECK(slow.status == 0);
  CHECK(like(slow.err,
             "harmonium: note: metropolis: acceptance 0.0*, and below 0.05 chains move much more slowly than they "
             "could. Lower "
             "sampler.scale, which is 100.\n"));
  CHECK(folder.written());
}

TEST_CASE("discrete units that stay because their conditionals are sharp are no fault") {
  const ScratchFolder folder;
  folder.write("ring.txt", "4 4\n1 2 1\n2 3 1\n3 4 1\n4 1 1\n");
  REQUIRE(run(folder, {"import", "ring.txt", "--output", "ring.h5"}).status == 0);
  for (const char* sampler : {"metropolis", "flip_the_state"}) {
    CAPTURE(sampler);
    const Outcome frozen = run(folder, {"sample", "ring.h5", "--num-samples", "500", "--steps", "2000", "--beta", "30",
                                        "--sampler", sampler, "--output", "s.npy"});
    CHECK(frozen.status == 0);
    CHECK(frozen.err == "");
    CHECK(like(frozen.out, std::string(sampler) + ": acceptance *\n"));
  }
}

TEST_CASE("tempered transitions that are all refused are an error") {
  const ScratchFolder folder;
  std::string ones;
  for (int i = 0; i < 60; ++i) ones += i == 0 ? "1" : ",1";
  std::string rows;
  for (int i = 0; i < 30; ++i) rows += ones + "\n";
  folder.write("ones.csv", rows);
  folder.write("c.toml",
               "data = { type = \"csv\", path = \"ones.csv\" }\nmodel = { type = \"rbm\", num_visible = 60, num_hidden "
               "= 2 }\nestimator = { type = \"cd\" }\ntraining = { num_epochs = 1 }\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run", "--quiet"}).status == 0);
  // One temperature, at which the biases hardly hold the units: the way back ends 100 nats and more above the start.
  check_refusal(
      run(folder, {"sample", "run/model.h5", "--num-samples", "50", "--steps", "20", "--output", "s.npy", "--sampler",
                   "tempered_transitions", "--set", "sampler.num_temperatures=1", "--set", "sampler.lowest_beta=0.01"}),
      1,
      "sampler 'tempered_transitions': every row stands where it started: none of 1000 proposals was accepted. Rows "
      "of the start are no samples, and nothing is written. Raise sampler.num_temperatures, which is 1.");
  CHECK_FALSE(std::filesystem::exists(folder / "s.npy"));
}

TEST_CASE("training tells the acceptance of its chains, and that they move too slowly") {
  const GaussianFolder folder;
  const Outcome trained = run(folder, {"train", "c.toml", "--output", "still", "--set",
                                       "estimator.sampler={ type = \"metropolis\", scale = 1e9 }", "--set",
                                       "estimator.gibbs_steps=50", "--set", "observers=[{ type = \"acceptance\" }]"});
  CHECK(trained.status == 0);
  CHECK(like(trained.err,
             "*harmonium: note: chains of the negative phase move much more slowly than they could: acceptance * at "
             "the last update. Lower "
             "estimator.sampler.scale, which is 1e+09.\n"));
  CHECK(content_of(folder / "still/metrics.jsonl").find("\"acceptance\":") != std::string::npos);
  // The same of ladders beside chains that refuse nothing.
  const Outcome ladders =
      run(folder, {"train", "c.toml", "--output", "ladders", "--set", "observers=[{ type = \"acceptance\" }]", "--set",
                   "estimator={ type = \"contrastive\", negative = { type = \"chains_and_ladders\", num_chains = 20, "
                   "num_ladders = 20, ladder_steps = 50, ladder = { type = \"parallel_tempering\", betas = [1, 0.5], "
                   "sampler = { type = \"metropolis\", scale = 1e9 } } } }"});
  CHECK(ladders.status == 0);
  CHECK(like(ladders.err,
             "*chains of the negative phase move much more slowly * Lower "
             "estimator.negative.ladder.sampler.scale, which is 1e+09.\n"));
  CHECK(content_of(folder / "ladders/metrics.jsonl").find("\"acceptance\":") != std::string::npos);
  // Of chains that move there is the figure, and no warning; of Gibbs sampling, which refuses nothing, neither.
  const Outcome good =
      run(folder, {"train", "c.toml", "--output", "good", "--set", "estimator.sampler={ type = \"metropolis\" }",
                   "--set", "observers=[{ type = \"acceptance\" }]"});
  CHECK(good.status == 0);
  CHECK(good.err.find("more slowly") == std::string::npos);
  CHECK(content_of(folder / "good/metrics.jsonl").find("\"acceptance\":0.") != std::string::npos);
  const Outcome gibbs = run(
      folder, {"train", "c.toml", "--output", "gibbs", "--quiet", "--set", "observers=[{ type = \"acceptance\" }]"});
  CHECK(gibbs.status == 0);
  CHECK(content_of(folder / "gibbs/metrics.jsonl").find("\"acceptance\"") == std::string::npos);
}

TEST_CASE("check tells the acceptance of a sampler, and of one that is ill chosen that it is") {
  const GaussianFolder folder;
  const auto checked = [&](const char* scale) {
    return run(folder, {"check", "c.toml", "--set",
                        std::string("estimator.sampler={ type = \"metropolis\", scale = ") + scale + " }"})
        .out;
  };
  CHECK(like(checked("2"), "*acceptance*acceptance 0.*, from independent rows*"));
  CHECK(like(checked("1e9"), "*acceptance*acceptance *, so low that the proposals are ill chosen, *"));
}

}  // namespace standstill_test
