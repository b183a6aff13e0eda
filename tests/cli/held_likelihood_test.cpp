// evaluate --clamp NAME=VALUE without rows: log Z given units that are held, and log p of these.
#include <cmath>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "files.hpp"
#include "judged.hpp"

namespace held_likelihood_test {

using namespace harmonium::testing;
using nlohmann::json;

namespace {

/// log Σ exp(−β E) of the foreign model over its states with the bits of `held` as in `v`.
double log_sum(unsigned v, unsigned held, double beta) {
  double sum = 0.0;
  for (unsigned other = 0; other < 8; ++other)
    for (unsigned h = 0; h < 4 && (other & held) == (v & held); ++h) sum += std::exp(-beta * foreign_energy(other, h));
  return std::log(sum);
}

json held(const ScratchFolder& folder, const std::string& model, const std::string& what, const Words& more) {
  Words words{"evaluate", model, "--json", "--quiet", "--clamp", what};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = run(folder, words);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return json::parse(outcome.out);
}

}  // namespace

TEST_CASE("log p of units that are held is a sum over the states that agree with them, less log Z") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  struct Case {
    const char* what;
    unsigned v, held;
  };
  for (const Case& one : {Case{"visible[0]=1", 1, 1}, Case{"visible[0]=1,visible[2]=0", 1, 5},
                          Case{"visible[1:3]=1", 6, 6}, Case{"visible=1", 7, 7}})
    for (const char* beta : {"1", "0.5"}) {
      CAPTURE(one.what);
      const json found = held(folder, "m.h5", one.what, {"--beta", beta});
      const double z = log_sum(one.v, one.held, std::stod(beta));
      const json& figures = found["held"];
      CHECK(figures["log_z"].get<double>() == doctest::Approx(z).epsilon(1e-10));
      CHECK(figures["log_p"].get<double>() == doctest::Approx(z - foreign_log_z(std::stod(beta))).epsilon(1e-10));
      CHECK(figures["log_z_interval"] == json::array({figures["log_z"], figures["log_z"]}));
      CHECK(figures["log_p_interval"] == json::array({figures["log_p"], figures["log_p"]}));
      CHECK(found["num_samples"].is_null());
    }
  // All states of a unit together are certain.
  double sum = 0.0;
  for (const char* what : {"visible[1]=0", "visible[1]=1"})
    sum += std::exp(held(folder, "m.h5", what, {})["held"]["log_p"].get<double>());
  CHECK(sum == doctest::Approx(1.0).epsilon(1e-10));
  CHECK(!judged(folder, {}).contains("held"));
  const Outcome text = run(folder, {"evaluate", "m.h5", "--clamp", "visible[0]=1", "--clamp", "visible[2]=0"});
  CHECK(text.status == 0);
  CHECK(like(text.out,
             "log_z * nats\nlog_z_held * nats, of the states that agree with what is held\nlog_p_held * nats, log p of "
             "what is held\n*"));
}

TEST_CASE("log p of units that are held is that at each of several temperatures") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const json all = held(folder, "m.h5", "visible[0]=1,visible[2]=0", {"--betas", "0,1,1.7"});
  REQUIRE(all.size() == 3);
  for (const json& found : all) {
    const double beta = found["beta"].get<double>(), z = log_sum(1, 5, beta);
    CAPTURE(beta);
    CHECK(found["log_z"].get<double>() == doctest::Approx(foreign_log_z(beta)).epsilon(1e-10));
    CHECK(found["held"]["log_z"].get<double>() == doctest::Approx(z).epsilon(1e-10));
    CHECK(found["held"]["log_p"].get<double>() == doctest::Approx(z - foreign_log_z(beta)).epsilon(1e-10));
    CHECK(found["held"]["log_p_interval"] == json::array({found["held"]["log_p"], found["held"]["log_p"]}));
  }
  // At infinite temperature each of two bits is what it is half of the time.
  CHECK(all[0]["held"]["log_p"].get<double>() == doctest::Approx(-2.0 * std::log(2.0)).epsilon(1e-10));
  const auto line = [](const char* place, double beta) {
    const double z = log_sum(1, 5, beta);
    return fmt::format("* {} * {:.6f} * {:.6f} * {:.6f}\n", place, foreign_log_z(beta), z, z - foreign_log_z(beta));
  };
  const Words table{"evaluate", "m.h5", "--clamp", "visible[0]=1,visible[2]=0"};
  Words several = table;
  several.insert(several.end(), {"--temperatures", "2,0.5"});
  CHECK(like(run(folder, several).out, "* T * log_z * log_z_held * log_p_held\n" + line("2", 0.5) + line("0.5", 2.0)));
  Words without = table;
  without.insert(without.end(), {"--betas", "0.5,1", "--log-z", "none"});
  CHECK(like(run(folder, without).out,
             "*No log_z: it was not asked for *No log_p_held: it takes log_z, which is absent too.\n*"));
}

TEST_CASE("two spins of a torus are held unit by unit, and alike as often as the mean energy has it") {
  const ScratchFolder folder;
  write_torus(folder, 6);
  const Words cold{"--beta", "0.4"};
  const json alone = json::parse(run(folder, {"evaluate", "ising.h5", "--json", "--quiet", "--beta", "0.4"}).out);
  // <s s'> of neighbors is −<E> over the 2 · 36 pairs, and p(1, 1) = (1 + <s s'>)/4, up and down being alike.
  const double pair = -alone["mean_energy"].get<double>() / 72.0, exact = std::log((1.0 + pair) / 4.0);
  const json up = held(folder, "ising.h5", "visible[0]=1,visible[1]=1", cold);
  CHECK(up["log_z"].get<double>() == doctest::Approx(alone["log_z"].get<double>()).epsilon(1e-12));
  CHECK(up["held"]["log_p"].get<double>() == doctest::Approx(exact).epsilon(1e-10));
  CHECK(held(folder, "ising.h5", "visible[0]=1", cold)["held"]["log_p"].get<double>() ==
        doctest::Approx(std::log(0.5)).epsilon(1e-10));
  CHECK(held(folder, "ising.h5", "visible[0]=1,visible[1]=-1", cold)["held"]["log_p"].get<double>() ==
        doctest::Approx(std::log((1.0 - pair) / 4.0)).epsilon(1e-10));
  // Annealed it has an interval, of both sums in full.
  const json annealed =
      held(folder, "ising.h5", "visible[0]=1,visible[1]=1", {"--beta", "0.4", "--log-z", "ais", "--seed", "1"});
  const json& figures = annealed["held"];
  const auto end = [](const json& interval, int k) { return interval[k].get<double>(); };
  CHECK(end(figures["log_p_interval"], 0) ==
        doctest::Approx(end(figures["log_z_interval"], 0) - end(annealed["log_z_interval"], 1)).epsilon(1e-10));
  CHECK(end(figures["log_p_interval"], 1) ==
        doctest::Approx(end(figures["log_z_interval"], 1) - end(annealed["log_z_interval"], 0)).epsilon(1e-10));
  const double width = end(figures["log_p_interval"], 1) - end(figures["log_p_interval"], 0);
  CHECK(width > 0.0);
  // Twice the half-width of both is more than five standard errors of either.
  CHECK(std::abs(0.5 * (end(figures["log_p_interval"], 0) + end(figures["log_p_interval"], 1)) - exact) < width);
}

TEST_CASE("without log Z there is that of what is held alone, and the reason") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const json found = held(folder, "m.h5", "visible[0]=1", {"--log-z", "none"});
  CHECK(found["held"]["log_z"].get<double>() == doctest::Approx(log_sum(1, 1, 1.0)).epsilon(1e-10));
  CHECK(found["held"]["log_p"].is_null());
  CHECK(found["held"]["log_p_interval"].is_null());
  CHECK(found["reasons"]["log_p_held"] == "it takes log_z, which is absent too.");
}

TEST_CASE("evaluate --clamp without rows takes observed units in one state") {
  const CliFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  const auto refused = [&](const std::string& model, const std::string& what, const std::string& pattern) {
    check_refusal(run(folder, {"evaluate", model, "--clamp", what}), 2, pattern);
  };
  refused("m.h5", "hidden[0]=1",
          "--clamp hidden: latent units are summed over, and log p is of observed ones. Hold these, or see 'harmonium "
          "observe --clamp'.");
  refused(
      "m.h5", "visible=each",
      "--clamp visible=each: log p is of units that are held in one state. Write LAYER=VALUE or LAYER[UNIT]=VALUE.");
  refused("m.h5", "d.npy",
          "--clamp d.npy: without --data it holds units, and names no rows. Of rows of a file whose entries are nan "
          "where they are free, log_likelihood is log p of the others: --data FILE:missing=nan.");
  refused("m.h5", "visible[0]=2", "--clamp visible[0]=2: *is one of 0, 1.");
  // A run has rows of its own, of which what is held is no question.
  REQUIRE(run(folder, {"train", "small.toml", "--output", "run", "--quiet"}).status == 0);
  const auto of_run = held(folder, "run", "visible[0]=1", {});
  CHECK(of_run == held(folder, "run/model.h5", "visible[0]=1", {}));
  CHECK(of_run["held"]["log_p"].get<double>() < 0.0);
  check_refusal(run(folder, {"evaluate", "run", "--clamp", "visible[0]=1", "--split", "training"}), 2,
                "--clamp visible[0]=1: each row holds what it has. *");
  check_refusal(run(folder, {"evaluate", "run", "--clamp", "visible[0]=1,visible[1]=free"}), 2,
                "--clamp visible[0]=1: each row holds what it has. *");
}

}  // namespace held_likelihood_test
