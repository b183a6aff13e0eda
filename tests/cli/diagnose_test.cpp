// The verdict on chains.
#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "files.hpp"
#include "program.hpp"

namespace diagnose_test {

using namespace harmonium::testing;

namespace {

nlohmann::json diagnosed(const ScratchFolder& folder, const Words& more) {
  Words words{"diagnose", "m.h5", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = run(folder, words);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return nlohmann::json::parse(outcome.out);
}

}  // namespace

TEST_CASE("the advice on chains of continuous units can be followed as it stands, at any temperature") {
  const ScratchFolder folder;
  folder.write(
      "hopfield.toml",
      "seed = 3\nmodel = { type = \"rbm\", num_visible = 20, num_hidden = 2, visible_units = \"spin\", hidden_units = "
      "\"gaussian\" }\ninitializer = { type = \"normal\", std = 1.0 }\n");
  REQUIRE(run(folder, {"import", "hopfield.toml", "--output", "m.h5"}).status == 0);
  const std::string program = "--sampler parallel_tempering",
                    ladder = " --set 'sampler.betas=[1, 0.7, 0.5, 0.35, 0.25]'";
  for (const std::string beta : {"1", "2"}) {
    CAPTURE(beta);
    const Outcome found = run(folder, {"diagnose", "m.h5", "--beta", beta, "--steps", "600"});
    const std::string words = beta == "1" ? program : program + ladder;
    CHECK(found.out.find("or a sampler that passes between modes (" + words + "). ") != std::string::npos);
    Words followed{"diagnose", "m.h5", "--beta", beta, "--steps", "1200", "--sampler", "parallel_tempering"};
    if (beta != "1") followed.insert(followed.end(), {"--set", "sampler.betas=[1, 0.7, 0.5, 0.35, 0.25]"});
    const Outcome outcome = run(folder, followed);
    CHECK(outcome.status == 0);
    const bool base_is_told =
        outcome.out.find(
            "temperatures down to the model without its couplings (base = \"biases\"), exchanges accepted ") !=
        std::string::npos;
    CHECK(base_is_told == (beta == "1"));
  }
  const Outcome drawn = run(folder, {"sample", "m.h5", "--sampler", "parallel_tempering", "--num-samples", "4",
                                     "--steps", "600", "--output", "s.csv"});
  CHECK(drawn.status == 0);
  CHECK(drawn.out.find("down to the model without its couplings (base = \"biases\")") != std::string::npos);
  check_refusal(run(folder, {"diagnose", "m.h5", "--sampler", "parallel_tempering", "--set", "sampler.base=none"}), 2,
                "*have no law. Set base = \"biases\" (--set sampler.base=biases), or let 'betas' end above 0 (--set "
                "'sampler.betas=[1, 0.7, 0.5, 0.35, 0.25]').*");
}

TEST_CASE("a small machine mixes, in text and in JSON, on any number of threads") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  const auto found = diagnosed(folder, {"--seed", "1"});
  CAPTURE(found.dump());
  CHECK(found["mixed"] == true);
  CHECK(found["why"].empty());
  CHECK(found["starts"] == nlohmann::json{"lowest states", "highest states", "uniform draws"});
  CHECK(found["num_chains"] == 24);
  CHECK(found["num_steps"] == 1000);
  CHECK(found["numbers"].contains("energy"));
  CHECK(found["numbers"]["energy"]["autocorrelation_time"].get<double>() >= 1.0);
  CHECK(diagnosed(folder, {"--seed", "1", "--threads", "1"}) == found);
  const auto with_data = diagnosed(folder, {"--seed", "1", "--data", "d.npy"});
  CHECK(with_data["num_chains"] == 32);
  CHECK(with_data["starts"][3] == "rows of the data");
  // Three visible units: 8 states, and draws that follow the law.
  CHECK(found["total_variation"].get<double>() < 5.0 * found["total_variation_floor"].get<double>());
  CHECK(found["total_variation"].get<double>() < 0.03);
  CHECK(found["beta_of_draws"].get<double>() == doctest::Approx(1.0).epsilon(0.1));
  CHECK(found["singular_values"].size() == 2);
  CHECK(found["means"].is_null());
  CHECK(with_data["means"].contains("pearson_of_halves"));
  CHECK(with_data["correlations"].contains("slope"));
  CHECK(found["ages"].empty());
  CHECK(found["modes_of_data"].empty());
  CHECK(with_data["ages"].front()["step"] == 1);
  CHECK(with_data["ages"].back()["step"] == 2000);
  CHECK(with_data["modes_of_data"].size() == with_data["modes_of_draws"].size());
  CHECK(with_data["modes_of_data"].size() >= 2);
  CHECK(with_data["out_of_equilibrium"].is_null());  // nobody knows how it was trained
  const Outcome text = run(folder, {"diagnose", "m.h5", "--seed", "1"});
  CHECK(like(
      text.out,
      "24 chains from lowest states, highest states, uniform draws, 1000 steps used of each\n*energy *"
      "\ntau, tau': tau = 1 + 2 sum rho, the autocorrelation time in steps, 1 of independent ones; two estimates\n*"
      "mixed: 24 chains from 3 starts follow one law; *"));
  const auto tempered = diagnosed(folder, {"--seed", "1", "--sampler", "parallel_tempering"});
  CHECK(tempered["moves"].get<std::string>().find("temperatures") != std::string::npos);
}

TEST_CASE("two modes far apart are told, and a run's folder will do") {
  const ScratchFolder folder;
  // Two units that want to be alike, and are rarely not: their chain changes sides once in some 10^8 steps.
  folder.write("edges.txt", "2 1\n1 2 20\n");
  REQUIRE(run(folder, {"import", "edges.txt", "--output", "m.h5"}).status == 0);
  const auto found = diagnosed(folder, {"--seed", "1"});
  CAPTURE(found.dump());
  CHECK(found["mixed"] == false);
  CHECK(found["why"].size() >= 1);
  REQUIRE(found["advice"].size() == 2);
  CHECK(found["advice"][1] ==
        "Samples of these chains are not to be trusted. log Z and likelihoods do not need them: evaluate finds them "
        "exactly.");

  folder.write("t.toml", small_config);
  REQUIRE(run(folder, {"train", "t.toml", "--output", "run"}).status == 0);
  const Outcome of_run = run(folder, {"diagnose", "run", "--steps", "200", "--set", "data.side=3"});
  CHECK(of_run.status == 0);
  CHECK(like(of_run.out, "32 chains from lowest states, highest states, uniform draws, rows of the data, 100 steps *"));
}

TEST_CASE("a run's folder alone brings its own training rows, and says so") {
  const CliFolder folder;
  REQUIRE(run(folder, {"train", "small.toml", "--output", "run", "--set", "data.validation=0.25", "--set",
                       "training.batch_size=5"})
              .status == 0);
  const Outcome own = run(folder, {"diagnose", "run", "--steps", "200"});
  CHECK(own.err == "");
  CHECK(like(own.out, "32 chains from *, rows of the data, 100 steps *\ndata: the run's own, its 10 training rows\n*"));
  const auto figures = nlohmann::json::parse(run(folder, {"diagnose", "run", "--steps", "200", "--json"}).out);
  CHECK(figures["own_rows"] == 10);
  CHECK(figures["means"].contains("pearson"));
  const auto model = nlohmann::json::parse(run(folder, {"diagnose", "run/model.h5", "--steps", "200", "--json"}).out);
  CHECK(model["own_rows"].is_null());
  CHECK(model["means"].is_null());
}

TEST_CASE("of a run's own rows at which no chain can start, or which are gone, there is a word") {
  const CliFolder folder;
  folder.write("d.csv", "0.5,1,0\n1,0,0.25\n0,0,1\n1,1,0.5\n");
  folder.write("h.csv", "nan,1,0\n1,0,nan\n0,0,1\n1,1,0\n");
  const auto train = [&](const char* file, const char* name, const char* setting) {
    REQUIRE(run(folder, {"train", "small.toml", "--output", name, "--set",
                         std::string("data={type=\"csv\", path=\"") + file + "\"" + setting + "}", "--set",
                         "model.num_visible=3", "--set", "training.batch_size=2"})
                .status == 0);
  };
  train("d.csv", "between", "");
  const Outcome between = run(folder, {"diagnose", "between", "--steps", "200"});
  CHECK(between.status == 0);
  CHECK(between.err ==
        "harmonium: note: no chain starts at a row of the run's data: they hold values between the units' states. "
        "--data FILE takes others.\n");
  CHECK(like(between.out, "24 chains *"));
  train("h.csv", "holes", ", missing=\"nan\"");
  CHECK(
      run(folder, {"diagnose", "holes", "--steps", "200"}).err ==
      "harmonium: note: no chain starts at a row of the run's data: entries are missing. --data FILE takes others.\n");
  check_refusal(run(folder, {"gradient", "holes", "--estimator", "cd", "--output", "g.h5"}), 2,
                "gradient: entries are missing in the run's own data. Name complete rows by --data FILE.");
  std::filesystem::remove(folder / "d.csv");
  check_refusal(run(folder, {"diagnose", "between"}), 2,
                "*d.csv*To start from other rows add --data FILE; name model.h5 itself to go without any.");
  CHECK(run(folder, {"diagnose", "between/model.h5", "--steps", "200"}).status == 0);
  check_refusal(run(folder, {"gradient", "between", "--estimator", "cd", "--output", "g.h5"}), 2,
                "*d.csv*Name other rows by --data FILE.");
}

TEST_CASE("of a run whose chains start anew, they are looked at after as many steps as it took") {
  const ScratchFolder folder;
  folder.write("r.toml",
               "data = { type = \"labeled_shifter\", bits = 6 }\n"
               "model = { type = \"rbm\", num_visible = 15, num_hidden = 4 }\n"
               "estimator = { type = \"naive_mcmc\", start = \"uniform\", gibbs_steps = 7 }\n"
               "training = { num_epochs = 3 }\n");
  REQUIRE(run(folder, {"train", "r.toml", "--output", "run"}).status == 0);
  const auto diagnosed_run = [&](const Words& more) {
    Words words{"diagnose", "run", "--set", "data.bits=6"};
    words.insert(words.end(), more.begin(), more.end());
    return run(folder, words);
  };
  const auto found = nlohmann::json::parse(diagnosed_run({"--json"}).out);
  CHECK(found["out_of_equilibrium"] == false);
  CHECK(found["told_from"].get<double>() > found["ages"].back()["distance"].get<double>());
  CHECK(std::ranges::any_of(found["ages"], [](const auto& age) { return age["step"] == 7; }));
  CHECK(like(diagnosed_run({}).out,
             "*\nshares of 8 cells along the leading modes: draws *, data *\nfrom uniform draws, after so many "
             "steps: *\n       1 * +- *\n       7 * +- *\n    Nothing shows that training out of equilibrium * after 7 "
             "steps alone: at the end * or more would be told in 19 of 20 cases.\n*"));
  // A verdict is on the run's own chains alone.
  for (const Words& other : {Words{"--beta", "2"}, Words{"--sampler", "parallel_tempering"}}) {
    Words words = other;
    words.emplace_back("--json");
    const auto other_found = nlohmann::json::parse(diagnosed_run(words).out);
    CHECK(other_found["out_of_equilibrium"].is_null());
    CHECK(other_found["told_from"].is_null());
  }
}

TEST_CASE("what cannot be diagnosed is refused") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  check_refusal(run(folder, {"diagnose"}), 2, "diagnose: MODEL.h5|RUN is missing. See 'harmonium diagnose --help'.");
  check_refusal(run(folder, {"diagnose", "m.h5", "--steps", "99"}), 2, "*--steps*");
  check_refusal(run(folder, {"diagnose", "m.h5", "--sampler", "gibs"}), 2, "*sampler 'gibs' is not registered*");
  check_refusal(run(folder, {"diagnose", "m.h5", "--set", "log_z.effort=1"}), 2, "*");
  check_refusal(run(folder, {"diagnose", "nothing"}), 2, "*nothing*");
}

TEST_CASE("chains that run away are told, and rows with holes are no start") {
  const ScratchFolder folder;
  folder.write("rows.csv", "0.1,0.2\n-0.3,0.4\n0.5,-0.1\n-0.2,-0.6\n");
  folder.write("holes.csv", "0.1,nan\n-0.3,0.4\n");
  folder.write("c.toml",
               "[data]\ntype = \"csv\"\npath = \"rows.csv\"\n[model]\ntype = \"rbm\"\nnum_visible = 2\nnum_hidden = "
               "1\nvisible_units = \"gaussian\"\n[estimator]\ntype = \"cd\"\n[training]\nnum_epochs = 2\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run"}).status == 0);
  check_refusal(run(folder, {"diagnose", "run", "--sampler", "langevin", "--set", "sampler.adjusted=false", "--set",
                             "sampler.step_size=100"}),
                1, "*");
  check_refusal(
      run(folder, {"diagnose", "run", "--data", "holes.csv", "--set", "data.missing=nan"}), 2,
      "*holes.csv: entries are missing, and only training, evaluate, draw and sample --clamp take such rows. *");
}

TEST_CASE("chains that agree on another law than the model's are no proof that they mix") {
  const ScratchFolder folder;
  folder.write("ring.txt", "1 2 1\n2 3 1\n3 4 1\n4 5 1\n5 6 1\n6 1 1\n");
  REQUIRE(run(folder, {"import", "ring.txt", "--output", "ring.h5"}).status == 0);
  const Words asked{"diagnose", "ring.h5", "--sampler", "metropolis", "--beta", "0.4", "--steps", "2000"};
  const Outcome right = run(folder, asked);
  CAPTURE(right.out);
  CHECK(like(right.out, "*\nmixed: *"));
  Words restless = asked;
  restless.insert(restless.end(), {"--set", "sampler.rest_probability=0"});
  const Outcome wrong = run(folder, restless);
  CAPTURE(wrong.out);
  CHECK(like(wrong.out, "*\nnot mixed:\n  the total variation of the observed law is 0.* of independent draws 0.0*"));
}

TEST_CASE("of a model whose log Z is no sum over few states, both sides of it are looked at where chains do not mix") {
  const ScratchFolder folder;
  // 60 units, all coupled with all, that want to be alike.
  std::string edges = "60 1770\n";
  for (int i = 1; i <= 60; ++i)
    for (int j = i + 1; j <= 60; ++j) edges += fmt::format("{} {} 1\n", i, j);
  folder.write("edges.txt", edges);
  REQUIRE(run(folder, {"import", "edges.txt", "--output", "m.h5"}).status == 0);
  const auto found = diagnosed(folder, {"--seed", "1", "--steps", "200"});
  CAPTURE(found.dump());
  CHECK(found["mixed"] == false);
  CHECK(found["advice"].back() ==
        "Samples of these chains, and a log Z from one side, are not to be trusted: evaluate --log-z ais says whether "
        "both sides agree.");
}

TEST_CASE("of series that are too short it is said how many steps decide, and not that samples are bad") {
  // Of the 8 x 8 torus at beta = 0.3 the magnetization forgets itself in some ten steps: 800, of which 400 are used, are not 50 of them.
  const ScratchFolder folder;
  write_torus(folder, 8);
  const auto at = [&](const char* beta, const std::string& steps) {
    const Outcome outcome =
        run(folder, {"diagnose", "ising.h5", "--json", "--seed", "1", "--beta", beta, "--steps", steps});
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
    return nlohmann::json::parse(outcome.out);
  };
  const auto brief = at("0.3", "800");
  CAPTURE(brief.dump());
  CHECK(brief["mixed"] == false);
  CHECK(brief["decided"] == false);
  const double wanted = 125.0 * brief["autocorrelation_time"].get<double>();
  const auto advised = brief["advised_steps"].get<double>();
  CHECK(advised >= wanted);
  CHECK(advised < 1.1 * wanted);  // two digits are a tenth at the coarsest
  REQUIRE(brief["advice"].size() == 2);
  CHECK(brief["advice"][0] ==
        fmt::format("Take more steps (--steps {:.0f}), so that the half of them that is used is 50 times the longest "
                    "autocorrelation time and a quarter more.",
                    advised));
  CHECK(brief["advice"][1] ==
        "Whether samples of these chains are to be trusted is not known yet: nothing but the length of the series "
        "speaks against it, and that many steps decide. log Z and likelihoods do not need them: evaluate finds them "
        "exactly.");
  const std::string asked = fmt::format("{:.0f}", advised);
  CHECK(like(run(folder, {"diagnose", "ising.h5", "--seed", "1", "--beta", "0.3", "--steps", "800"}).out,
             "*\nnot decided: the look was short (800 of " + asked + " steps):\n  *"));
  const auto enough = at("0.3", asked);
  CHECK(enough["mixed"] == true);
  CHECK(enough["decided"] == true);
  CHECK(enough["advised_steps"].is_null());
  const auto briefer = at("0.3", "200");
  CAPTURE(briefer.dump());
  CHECK(briefer["decided"] == false);
  CHECK(briefer["advised_steps"] == 2000);
  CHECK(like(run(folder, {"diagnose", "ising.h5", "--seed", "1", "--beta", "0.3", "--steps", "200"}).out,
             "*\nnot decided: the look was short (200 of some 2000 steps):\n  *"));
  CHECK(briefer["advice"][0] ==
        "Take more steps (--steps 2000), or a sampler that passes between modes (--sampler parallel_tempering). So "
        "short a series does not show the time that chains need: ten times as many steps are a guess.");
  CHECK(like(briefer["advice"][1].get<std::string>(),
             "Whether samples of these chains are to be trusted is not known yet: their starts do not differ, and a "
             "longer series will tell. *"));
  const auto stuck = at("1", "800");
  CAPTURE(stuck.dump());
  CHECK(stuck["decided"] == true);
  CHECK(stuck["advised_steps"] == 8000);
  CHECK(like(stuck["advice"].back().get<std::string>(), "Samples of these chains are not to be trusted. *"));
}

TEST_CASE("a model without couplings has its verdict") {
  const ScratchFolder folder;
  folder.write("c.toml", R"([data]
type = "bars_and_stripes"
side = 2
[model]
type = "layered"
layers = [{ name = "visible", size = 4 }]
terms = [{ type = "bias", layer = "visible" }]
[estimator]
type = "pcd"
[training]
num_epochs = 2
)");
  const Outcome outcome = run(folder, {"train", "c.toml", "--output", "run"});
  CHECK_MESSAGE(outcome.status == 0, outcome.err);
  CHECK(like(run(folder, {"diagnose", "run"}).out, "*\nmixed: *"));
}

TEST_CASE("where a flip leaves the model as it is and all that fails is odd under it, that is told below the verdict") {
  const ScratchFolder folder;
  // A torus of 4 x 4: chains hardly ever turn over, and the energy forgets itself in two steps.
  const auto make = [&](const char* units) {
    folder.write("m.toml", fmt::format("initializer = {{ type = \"normal\", mean = 1.0, std = 0.0 }}\n"
                                       "[model]\ntype = \"layered\"\nlayers = [{{ name = \"s\", size = 16, {} }}]\n"
                                       "terms = [{{ type = \"lattice\", layer = \"s\", shape = [4, 4], uniform = true "
                                       "}}]\n",
                                       units));
    const Outcome outcome = run(folder, {"import", "m.toml", "--output", "m.h5"});
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  };
  const std::string words =
      "The model is the same when all spins flip, and what fails is odd under that: it may wait for the sign alone. "
      "'harmonium observe' judges averages that do not need it.";
  make("units = \"spin\", bias = false");
  const auto symmetric = diagnosed(folder, {"--seed", "1", "--beta", "0.6"});
  CAPTURE(symmetric.dump());
  CHECK(symmetric["mixed"] == false);  // the verdict stands
  CHECK(symmetric["remark"] == words);
  CHECK(like(run(folder, {"diagnose", "m.h5", "--seed", "1", "--beta", "0.6"}).out,
             "*\nnot *:\n  *\n" + words + "\nTake more steps *"));
  // Fifty steps are too few of the energy too, which is the same of s and -s; and of chains that mix there is nothing to say.
  CHECK(diagnosed(folder, {"--seed", "1", "--beta", "0.6", "--steps", "100"})["remark"].is_null());
  CHECK(diagnosed(folder, {"--seed", "1", "--beta", "0.1"})["remark"].is_null());
  make("units = { type = \"categorical\", num_states = 3 }, bias = false");
  CHECK(like(diagnosed(folder, {"--seed", "1", "--beta", "2"})["remark"].get<std::string>(),
             "The model is the same when the states of all sites are permuted alike, *"));
  // A free spin beside a torus: without a field of its own the whole flips, with it the same series fail, and no flip leaves it as it is.
  write_torus(folder, 4);
  std::string edges = content_of(folder / "ising.txt"), fields;
  edges.replace(0, edges.find(' '), "17");
  folder.write("edges.txt", edges);
  for (int i = 0; i < 16; ++i) fields += "0\n";
  for (const char* field : {"0", "0.5"}) {
    CAPTURE(field);
    folder.write("fields.txt", fields + field + "\n");
    REQUIRE(run(folder, {"import", "edges.txt", "--fields", "fields.txt", "--output", "m.h5"}).status == 0);
    const auto found = diagnosed(folder, {"--seed", "1", "--beta", "0.6"});
    CAPTURE(found.dump());
    CHECK(found["mixed"] == false);
    for (const auto& why : found["why"]) CHECK_FALSE(why.get<std::string>().starts_with("energy"));
    CHECK(found["remark"].is_null() == (std::string(field) != "0"));
  }
}

}  // namespace diagnose_test
