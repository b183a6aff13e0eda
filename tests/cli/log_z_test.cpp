// evaluate --log-z: exactly where that can be had, else an interval or a reason.
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include "files.hpp"
#include "judged.hpp"

namespace log_z_test {

using namespace harmonium::testing;

namespace {

/// A ring of `spins` spins, one coupling of the other sign.
void write_ring(const ScratchFolder& folder, int spins) {
  std::string edges = fmt::format("{} {}\n", spins, spins);
  for (int i = 1; i <= spins; ++i) edges += fmt::format("{} {} {}\n", i, i % spins + 1, i == spins ? -1 : 1);
  folder.write("ring.txt", edges);
  REQUIRE(run(folder, {"import", "ring.txt", "--output", "m.h5"}).status == 0);
}

}  // namespace

TEST_CASE("a sparse model too large to enumerate has its log Z and ground state by elimination, without being asked") {
  const ScratchFolder folder;
  write_ring(folder, 100);
  for (const double beta : {0.3, 1.0}) {
    const double c = std::log(2 * std::cosh(beta)), t = std::pow(std::tanh(beta), 100);
    const auto ring = judged(folder, {"--beta", fmt::format("{}", beta)});
    CHECK(ring["log_z"].get<double>() == doctest::Approx(100 * c + std::log1p(-t)).epsilon(1e-12));
    CHECK(ring["log_z_interval"] == nlohmann::json{ring["log_z"], ring["log_z"]});
    CHECK(ring["ground_state_energy"].get<double>() == doctest::Approx(-98.0).epsilon(1e-13));
    CHECK(ring["agree"] == true);
    CHECK(judged(folder, {"--beta", fmt::format("{}", beta), "--log-z", "auto"}) == ring);
    CHECK(ring["log_z_method"] == "exact, by elimination with tables of up to 2^2 entries");
  }
  // The same where states could be enumerated, but only in seconds.
  write_ring(folder, 29);
  const auto small = judged(folder, {});
  CHECK(small["log_z_method"] == "exact, by elimination with tables of up to 2^2 entries");
  CHECK(small["log_z"].get<double>() ==
        doctest::Approx(29 * std::log(2 * std::cosh(1.0)) + std::log1p(-std::pow(std::tanh(1.0), 29))).epsilon(1e-12));
  write_ring(folder, 16);
  CHECK(judged(folder, {})["log_z_method"] == "exact, by enumeration");
  check_refusal(
      run(folder, {"evaluate", "m.h5", "--log-z", "variable_elimination", "--set", "log_z.max_bits=1"}), 2,
      "*log_partition 'variable_elimination': summing units out one by one would take a table of at least 2^2 "
      "entries, *");
  check_refusal(run(folder, {"evaluate", "m.h5", "--set", "log_z.num_ladders=12"}), 2,
                "*unknown option 'num_ladders'*If they are of another way, name it: --log-z ais.");
}

TEST_CASE("--no-moments leaves out the mean energy and what follows from it, and nothing else") {
  const ScratchFolder folder;
  write_ring(folder, 100);
  const auto all = judged(folder, {}), alone = judged(folder, {"--no-moments"});
  for (const char* name : {"mean_energy", "heat_capacity", "entropy"}) {
    CHECK(all[name].is_number());
    CHECK(alone[name].is_null());
  }
  CHECK(alone["log_z"] == all["log_z"]);
  CHECK(alone["ground_state_energy"] == all["ground_state_energy"]);
  CHECK(like(run(folder, {"evaluate", "m.h5", "--no-moments"}).out,
             "*\nNo mean_energy, heat_capacity, entropy: --no-moments leaves it out.\n*"));
  // Of so few states log Z comes by a sum that meets none by itself.
  write_ring(folder, 16);
  check_refusal(
      run(folder, {"evaluate", "m.h5", "--log-z", "exact", "--no-moments", "--ground-state", "gs.npy"}), 2,
      "*--ground-state gs.npy: the state is found with <E>, which --no-moments leaves out. --log-z "
      "variable_elimination has it where units are coupled with few others, exact where all units have 2^24 joint "
      "states at most, and population_annealing the lowest that it meets.");
}

TEST_CASE("evaluate without data gives log Z at several temperatures, each as by itself") {
  const ScratchFolder folder;
  write_ring(folder, 12);
  const Outcome told = run(folder, {"evaluate", "m.h5", "--betas", "0.9,0.3"});
  CHECK(told.err == "");
  CHECK(told.status == 0);
  const auto exact = [](double beta) {
    return 12 * std::log(2 * std::cosh(beta)) + std::log1p(-std::pow(std::tanh(beta), 12));
  };
  // ⟨E⟩ and the heat capacity are derivatives of it: of a ring of n spins with one coupling of the other sign.
  const auto energy = [](double beta) {
    const double t = std::tanh(beta), s = std::pow(t, 12);
    return -12 * t + 12 * std::pow(t, 11) * (1 - t * t) / (1 - s);
  };
  const auto heat = [&](double beta) { return beta * beta * (energy(beta - 1e-5) - energy(beta + 1e-5)) / 2e-5; };
  const auto line = [&](const char* beta, double b) {
    return fmt::format("         {}  {:>18.6f}  {:>18.6f}  {:>18.6f}  {:>18.6f}\n", beta, exact(b), energy(b), heat(b),
                       exact(b) + b * energy(b));
  };
  CHECK(told.out == "        beta               log_z         mean_energy       heat_capacity             entropy\n" +
                        line("0.3", 0.3) + line("0.9", 0.9) + "\nground_state_energy -10.000000  of all states\n");
  const auto along = nlohmann::json::parse(run(folder, {"evaluate", "m.h5", "--betas", "0.3:0.9:2", "--json"}).out);
  REQUIRE(along.size() == 2);
  for (const auto& at : along) {
    auto alone = judged(folder, {"--beta", fmt::format("{}", at["beta"].get<double>())});
    CHECK(at["log_z"] == alone["log_z"]);
    CHECK(at["ground_state_energy"] == alone["ground_state_energy"]);
  }
  folder.write("rows.csv", "1,1,1,1,1,1,1,1,1,1,1,1\n-1,1,-1,1,-1,1,-1,1,-1,1,-1,1\n");
  const Outcome rows = run(folder, {"evaluate", "m.h5", "--betas", "0.5,1", "--data", "rows.csv", "--json"});
  CHECK(nlohmann::json::parse(rows.out)[1]["log_likelihood"] ==
        judged(folder, {"--beta", "1", "--data", "rows.csv"})["log_likelihood"]);
  // A range's temperatures are the shortest decimals, where thirds of sums end in 0.6000000000000001.
  const auto range = nlohmann::json::parse(run(folder, {"evaluate", "m.h5", "--betas", "0.2:2:10", "--json"}).out);
  const std::vector<double> decimals{0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0};
  REQUIRE(range.size() == decimals.size());
  for (std::size_t k = 0; k < decimals.size(); ++k) CHECK(range[k]["beta"].get<double>() == decimals[k]);
  check_refusal(run(folder, {"evaluate", "m.h5", "--betas", "1,x"}), 2, "--betas 1,x: 'x' is no number.*");
  check_refusal(run(folder, {"evaluate", "m.h5", "--betas", "1", "--data", "rows.csv", "--rows", "r.csv"}), 2,
                "--rows r.csv: it has the figures at one temperature*");
  check_refusal(run(folder, {"evaluate", "m.h5", "--betas", "1,2", "--beta", "3"}), 2,
                "--beta: --betas names the inverse temperatures already. Leave one of the two out.");
}

TEST_CASE("small and sparse models have their ground state, mean energy and heat capacity exactly, others the reason") {
  const ScratchFolder folder;
  write_ring(folder, 4);  // log Z = log[(2 cosh β)⁴ − (2 sinh β)⁴] = log(16 cosh 2β)
  const auto text = run(folder, {"evaluate", "m.h5", "--beta", "0.5"}).out;
  const double mean = -2 * std::tanh(1.0), heat = 0.25 * 4 / std::pow(std::cosh(1.0), 2);
  const double entropy = std::log(16.0 * std::cosh(1.0)) + 0.5 * mean;
  CHECK(text.find(fmt::format("ground_state_energy     {:>18.6f}  of all states\n"
                              "mean_energy             {:>18.6f}  <E> of all units, exact\n"
                              "heat_capacity           {:>18.6f}  beta^2 (<E^2> - <E>^2) of all units, exact\n"
                              "entropy                 {:>18.6f}  nats, of all units: log Z + beta <E>; ",
                              -2.0, mean, heat, entropy)) != std::string::npos);
  const auto found = judged(folder, {"--beta", "0.5"});
  CHECK(found["mean_energy"].get<double>() == doctest::Approx(mean).epsilon(1e-12));
  CHECK(found["heat_capacity"].get<double>() == doctest::Approx(heat).epsilon(1e-12));
  CHECK(found["entropy"].get<double>() == doctest::Approx(entropy).epsilon(1e-12));

  std::string edges = "40 780\n";  // all pairs: neither few states nor sparse
  for (int i = 1; i <= 40; ++i)
    for (int j = i + 1; j <= 40; ++j) edges += fmt::format("{} {} 0.001\n", i, j);
  folder.write("dense.txt", edges);
  REQUIRE(run(folder, {"import", "dense.txt", "--output", "m.h5"}).status == 0);
  const auto dense = run(folder, {"evaluate", "m.h5", "--betas", "0.5,1"}).out;
  CHECK(dense.find(
            "No ground_state_energy, mean_energy, heat_capacity, entropy: it is given where log Z is found exactly.") !=
        std::string::npos);
  CHECK(dense.find("No ground_state_energy") == dense.rfind("No ground_state_energy"));
}

TEST_CASE("what several temperatures have to say alike is told once") {
  const ScratchFolder folder;
  write_ring(folder, 4);
  REQUIRE(
      run(folder, {"sample", "m.h5", "--num-samples", "4", "--steps", "2", "--energies", "--output", "s.csv"}).status ==
      0);
  const std::string told = run(folder, {"evaluate", "m.h5", "--data", "s.csv", "--betas", "0.5:1:3"}).err;
  CHECK(told.find("'energy'") != std::string::npos);
  CHECK(told.find("'energy'") == told.rfind("'energy'"));
}

TEST_CASE("annealing gives log Z and the likelihood an interval, and a progress bar is its own affair") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  const auto exact = judged(folder, {"--data", "d.npy"});
  const auto found = judged(folder, {"--data", "d.npy", "--log-z", "ais", "--seed", "3"});
  REQUIRE(found["agree"] == true);
  const double low = found["log_z_interval"][0], high = found["log_z_interval"][1], z = found["log_z"];
  CHECK(low < z);
  CHECK(z < high);
  CHECK(high - low < 0.3);
  // Half of the interval is 1.97 errors: five times that is never missed.
  CHECK(std::abs(z - exact["log_z"].get<double>()) < 2.5 * (high - low));
  CHECK(found["log_likelihood_interval"][0].get<double>() ==
        doctest::Approx(found["log_likelihood"].get<double>() - (high - z)).epsilon(1e-9));
  CHECK(found["log_likelihood_interval"][1].get<double>() ==
        doctest::Approx(found["log_likelihood"].get<double>() + (z - low)).epsilon(1e-9));
  CHECK(found["ground_state_energy"].is_null());
  const std::string text = run(folder, {"evaluate", "m.h5", "--log-z", "ais", "--seed", "3"}).out;
  CHECK(like(text, "*log_z *nats, between * and * (95 %)\n*"));
  // The same words, the same number; on any number of threads.
  CHECK(judged(folder, {"--data", "d.npy", "--log-z", "ais", "--seed", "3", "--threads", "1"}) == found);
}

TEST_CASE("where the sides do not agree there is no log Z but the reason") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  const auto found = judged(folder, {"--data", "d.npy", "--log-z", "ais", "--set", "log_z.sides=forward"});
  CHECK(found["agree"] == false);
  CHECK(found["log_z"].is_null());
  CHECK(found["log_likelihood"].is_null());
  CHECK(found["log_z_interval"][0].is_number());
  CHECK(found["log_z_interval"][1].is_null());  // no bound
  CHECK(found["why"] == "forward annealing alone says no more than a lower bound. Take 'ais' with sides = \"both\"");
  CHECK(found["reasons"]["log_z"].get<std::string>().starts_with("forward annealing alone"));
}

TEST_CASE("annealing ends at the first signal") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  Running running({"evaluate", "m.h5", "--log-z", "ais", "--set", "log_z.num_temperatures=10000000"},
                  {.folder = folder.path()});
  REQUIRE(running.catches(SIGINT));
  running.signal(SIGINT);
  check_refusal(running.wait(), 1, "stopped by a signal.");
}

TEST_CASE("an effort that is no number above 0 is refused") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  check_refusal(run(folder, {"evaluate", "m.h5", "--log-z", "ais", "--effort", "0"}), 2, "*--effort*");
  check_refusal(run(folder, {"evaluate", "m.h5", "--log-z", "ais", "--effort", "much"}), 2, "*--effort*");
  check_refusal(run(folder, {"evaluate", "m.h5", "--log-z", "ais", "--effort", "1e7"}), 2,
                "--effort: '1e7' is not allowed: it must be a finite number above 0, at most 1000000. See *");
  for (const char* way : {"ais", "thermodynamic_integration", "population_annealing", "multistate"})
    check_refusal(run(folder, {"evaluate", "m.h5", "--log-z", way, "--set", "log_z.effort=0x7fffffffffffffff"}), 2,
                  "*option 'effort' = * is not allowed: it must be more than 0, at most 1000000.");
  check_refusal(
      run(folder, {"evaluate", "m.h5", "--effort", "2"}), 2,
      "*--effort is for annealing and ladders, and log Z is found otherwise. Leave it out, or add --log-z ais.");
}

}  // namespace log_z_test
