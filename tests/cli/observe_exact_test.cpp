// harmonium observe --exact
#include <bit>
#include <cmath>
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "files.hpp"

namespace observe_exact_test {

using namespace harmonium::testing;
using Json = nlohmann::json;

namespace {

/// Of the 4 × 4 torus, by its 65536 states and, of q² = Σ_ij s_i s_j s'_i s'_j / n², by ⟨s_i s_j⟩ of its pairs.
Json torus_by_loops(double beta) {
  double z = 0.0, e1 = 0.0, size = 0.0, m2 = 0.0, m4 = 0.0, pairs[16] = {};
  for (unsigned state = 0; state < 65536; ++state) {
    const auto spin = [&](int i) { return (state >> i & 1u) != 0 ? 1.0 : -1.0; };
    double energy = 0.0;
    for (int i = 0; i < 16; ++i) energy -= spin(i) * (spin(i / 4 * 4 + (i + 1) % 4) + spin((i + 4) % 16));
    const double weight = std::exp(-beta * energy), m = (2.0 * std::popcount(state) - 16.0) / 16.0;
    z += weight;
    e1 += weight * energy;
    size += weight * std::abs(m);
    m2 += weight * m * m;
    m4 += weight * m * m * m * m;
    for (int i = 0; i < 16; ++i) pairs[i] += weight * spin(0) * spin(i);  // all sites are alike
  }
  double q2 = 0.0;
  for (const double c : pairs) q2 += c / z * c / z / 16.0;
  m2 /= z;
  return {{"log_z", std::log(z)},
          {"energy", e1 / z},
          {"abs_magnetization", size / z},
          {"squared_magnetization", m2},
          {"abs_susceptibility", beta * 16.0 * (m2 - size / z * size / z)},
          {"binder_cumulant", 1.0 - m4 / z / (3.0 * m2 * m2)},
          {"squared_overlap", q2},
          {"spin_glass_susceptibility", 16.0 * q2},
          {"pair_correlation", -e1 / z / 32.0}};
}

}  // namespace

TEST_CASE(
    "observe --exact has the averages of the sum over all states, those that the documentation quotes among them") {
  const ScratchFolder folder;
  for (const char* precision : {"float64", "float32"}) {  // the couplings are whole numbers: energies are exact in both
    CAPTURE(precision);
    write_torus(folder, 4, precision);
    const Outcome outcome =
        run(folder, {"observe", "ising.h5", "--betas", "0.2,0.44068679350977", "--exact", "--json"});
    REQUIRE(outcome.status == 0);
    CHECK(outcome.err == "");
    const Json found = Json::parse(outcome.out);
    CHECK(found.at("num_states") == 65536);
    CHECK(found.at("num_chains").is_null());
    const Json& cold = found.at("temperatures")[1];
    for (const char* name : {"log_z_from_hottest", "log_z_from_hotter"}) {
      CHECK(found.at("temperatures")[0].at(name).is_null());
      CHECK(cold.at(name).at("value").get<double>() ==
            doctest::Approx(torus_by_loops(0.44068679350977).at("log_z").get<double>() -
                            torus_by_loops(0.2).at("log_z").get<double>())
                .epsilon(1e-11));
      CHECK(cold.at(name).at("error") == 0.0);
      CHECK(cold.at(name).at("low") == cold.at(name).at("high"));
    }
    for (const Json& t : found.at("temperatures")) {
      const Json exact = torus_by_loops(t.at("beta").get<double>());
      for (const auto& item : exact.items()) {
        const std::string& name = item.key();
        if (name == "log_z") continue;
        const Json& value = item.value();
        CAPTURE(name);
        const Json& average = t.at("averages").at(name);
        CHECK(average.at("value").get<double>() == doctest::Approx(value.get<double>()).epsilon(1e-11));
        CHECK(average.at("error") == 0.0);
        for (const char* time : {"autocorrelation_time", "autocorrelation_time_error", "autocorrelation_time_batches"})
          CHECK(average.at(time).is_null());
      }
      CHECK(t.at("averages").at("magnetization").at("value") == 0.0);
      CHECK(t.at("magnetizations").size() == 17);
      CHECK(t.at("overlaps").size() == 17);
    }
    const Json& critical = found.at("temperatures")[1].at("averages");
    CHECK(std::abs(critical.at("abs_magnetization").at("value").get<double>() - 0.84386) < 5e-6);
    CHECK(std::abs(critical.at("squared_magnetization").at("value").get<double>() - 0.76136) < 5e-6);
  }
}

TEST_CASE("observe --exact writes tables without times, the same for any number of threads") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  for (const char* threads : {"1", "3"}) {
    const Outcome outcome = run(folder, {"observe", "ising.h5", "--betas", "0.2,0.5", "--exact", "--correlations",
                                         "4x4", "--output", threads, "--threads", threads});
    CHECK(outcome.status == 0);
    CHECK(like(outcome.out,
               "sum over all 65536 states: every number is exact, but for rounding\n*<|m|>*along axis 1 of 2*"
               "\nlog Z, entropy and ground state: 'harmonium evaluate', with --betas\npairs: the 32 that couple\n*"));
    CHECK(outcome.out.find('?') == std::string::npos);
  }
  for (const char* file : {"observables.csv", "overlaps.csv", "magnetizations.csv", "correlations.csv"})
    CHECK(content_of(folder / "1" / file) == content_of(folder / "3" / file));
  const auto table = csv_fields(folder / "1/observables.csv");
  REQUIRE(table.size() == 3);
  CHECK(Words(table[1].begin() + 3, table[1].begin() + 5) == Words{"0", ""});  // the energy's error and time
  const auto shares = csv_fields(folder / "1/magnetizations.csv");
  CHECK(shares[0] == Words{"beta", "temperature", "m", "share"});
  REQUIRE(shares.size() == 1 + 2 * 17);
  double sum = 0.0;
  for (std::size_t k = 1; k <= 17; ++k) sum += std::stod(shares[k][3]);
  CHECK(sum == doctest::Approx(1.0));
  // Chains leave no law of m behind that is not theirs.
  CHECK(run(folder, {"observe", "ising.h5", "--betas", "0.2,0.5", "--steps", "100", "--output", "1"}).status == 0);
  CHECK_FALSE(std::filesystem::exists(folder / "1/magnetizations.csv"));
}

TEST_CASE("observe --exact refuses what is of chains, and models of too many states, with what to do") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  const std::pair<const char*, const char*> of_chains[] = {{"--sampler", "gibbs"},     {"--steps", "500"},
                                                           {"--warm-up", "10"},        {"--chains", "4"},
                                                           {"--series", "series.csv"}, {"--set", "sampler.type=gibbs"}};
  for (const auto& [option, value] : of_chains)
    check_refusal(run(folder, {"observe", "ising.h5", "--exact", option, value}), 2,
                  std::string("--exact: it sums over states and runs no chains, which ") + option +
                      " is for. Leave one of them out.");
  write_torus(folder, 5);
  check_refusal(
      run(folder, {"observe", "ising.h5", "--exact"}), 2,
      "--exact: the model has 2^25 states of all units, and 2^24 are the most that are summed over. Leave it "
      "out, and chains are run; 'harmonium evaluate', with --betas, has <E> and the heat capacity exactly "
      "where units can be summed out one by one ('--log-z variable_elimination' says whether), as of a narrow "
      "lattice.");
  // Of 30 bits with 10 hidden ones those of one side are few enough to be drawn from their law, and to be summed over.
  folder.write("rbm.toml", "seed = 1\n[model]\ntype = \"rbm\"\nnum_visible = 30\nnum_hidden = 10\n");
  REQUIRE(run(folder, {"import", "rbm.toml", "--output", "rbm.h5", "--quiet"}).status == 0);
  check_refusal(
      run(folder, {"observe", "rbm.h5", "--exact"}), 2,
      "--exact: the model has 2^30 states of layer 'visible', and 2^24 are the most that are summed over; of --layer "
      "hidden there are 2^10. Leave it out, and chains are run, of which --sampler exact makes independent draws of "
      "the law itself; *");
  CHECK(run(folder, {"observe", "rbm.h5", "--sampler", "exact", "--betas", "1", "--steps", "1000"}).status == 0);
  const Outcome hidden = run(folder, {"observe", "rbm.h5", "--exact", "--layer", "hidden", "--beta", "1"});
  CHECK(hidden.status == 0);
  CHECK(like(hidden.out, "sum over all 1024 states of layer 'hidden', other units summed out: every number is exact*"));
}

TEST_CASE("observe --exact integrates over Gaussian units, and says what it then cannot do") {
  const ScratchFolder folder;
  const auto write = [&](const char* name, const char* units) {
    std::ofstream(folder / (std::string(name) + ".toml"))
        << "precision = \"float64\"\ninitializer = { type = \"normal\", mean = 1.0, std = 0.0 }\n[model]\ntype = "
           "\"layered\"\nlayers = [{ name = \"s\", size = 2, units = \"spin\", bias = false }, { name = \"h\", size = "
           "1, "
           "units = \""
        << units
        << "\", role = \"latent\", bias = false }]\nterms = [{ type = \"coupling\", layers = [\"s\", \"h\"] }]\n";
    REQUIRE(run(folder, {"import", std::string(name) + ".toml", "--output", std::string(name) + ".h5"}).status == 0);
  };
  write("joined", "gaussian");  // E = -h (s1 + s2) + h^2/2, at its least -1 - s1 s2
  const Outcome outcome =
      run(folder, {"observe", "joined.h5", "--betas", "0.5,2", "--exact", "--local", "all", "--json"});
  REQUIRE(outcome.status == 0);
  const Json found = Json::parse(outcome.out);
  CHECK(found.at("num_states") == 4);
  for (const Json& t : found.at("temperatures")) {
    const double beta = t.at("beta"), th = std::tanh(beta);
    const auto value = [&](const char* name) { return t.at("averages").at(name).at("value").get<double>(); };
    CHECK(value("energy") == doctest::Approx(-1.0 - th + 0.5 / beta).epsilon(1e-12));
    CHECK(value("specific_heat") == doctest::Approx((beta * beta * (1.0 - th * th) + 0.5) / 3.0).epsilon(1e-12));
    CHECK(t.at("local_pairs")[0].at("value").get<double>() == doctest::Approx(th).epsilon(1e-12));
  }
  CHECK(found.at("temperatures")[1].at("log_z_from_hotter").at("value").get<double>() ==
        doctest::Approx(std::log((std::exp(4.0) + 1.0) / (std::exp(1.0) + 1.0)) - 0.5 * std::log(4.0)).epsilon(1e-12));
  CHECK(run(folder, {"observe", "joined.h5", "--exact"})
            .out.find("\nlog Z, entropy and ground state: 'harmonium evaluate', with --betas\n") != std::string::npos);
  // Which has the energy of the same sum.
  const Json judged = Json::parse(run(folder, {"evaluate", "joined.h5", "--beta", "0.5", "--json"}).out);
  CHECK(judged.at("mean_energy").get<double>() == doctest::Approx(-std::tanh(0.5)).epsilon(1e-12));
  CHECK(judged.at("heat_capacity").get<double>() ==
        doctest::Approx(0.25 * (1.0 - std::pow(std::tanh(0.5), 2)) + 0.5).epsilon(1e-12));
  CHECK(judged.at("ground_state_energy").get<double>() == doctest::Approx(-2.0).epsilon(1e-12));
  check_refusal(run(folder, {"observe", "joined.h5", "--exact", "--betas", "0,1"}), 2,
                "--betas: at beta = 0 the continuous units of layer 'h' have no law. Let them end above 0.");
  // Given the spins h has the mean s1 + s2 and the variance 1/beta.
  const Json of_h =
      Json::parse(run(folder, {"observe", "joined.h5", "--exact", "--layer", "h", "--beta", "0.5", "--json"})
                      .out)["temperatures"][0];
  const double square = of_h.at("averages").at("mean_square").at("value");
  CHECK(square == doctest::Approx(2.0 + 2.0 * std::tanh(0.5) + 2.0).epsilon(1e-12));
  CHECK(of_h.at("averages").at("mean").at("value") == 0.0);
  CHECK(of_h.at("averages").at("squared_overlap").at("value").get<double>() ==
        doctest::Approx(square * square).epsilon(1e-12));
  CHECK(like(run(folder, {"observe", "joined.h5", "--exact", "--layer", "h"}).out,
             "sum over all 4 states, Gaussian units integrated over: *\n    beta *<x^2>\n*<q^2>*"));
  const Json unit = Json::parse(
      run(folder, {"observe", "joined.h5", "--exact", "--layer", "h", "--local", "all", "--beta", "0.5", "--json"})
          .out)["temperatures"][0];
  CHECK(unit.at("local_units")[0].at("value") == 0.0);
  // Held, it is a field: two free spins in 0.25, with the energy of the unit besides.
  const Json held = Json::parse(
      run(folder, {"observe", "joined.h5", "--exact", "--clamp", "h=0.25", "--local", "all", "--beta", "2", "--json"})
          .out)["temperatures"][0];
  CHECK(held.at("local_units")[1].at("value").get<double>() == doctest::Approx(std::tanh(0.5)).epsilon(1e-12));
  CHECK(held.at("averages").at("energy").at("value").get<double>() ==
        doctest::Approx(0.03125 - 0.5 * std::tanh(0.5)).epsilon(1e-12));
  write("counts", "poisson");
  check_refusal(run(folder, {"observe", "counts.h5", "--exact"}), 2,
                "--exact: it is a sum over all states, and those of the units of layer 'h' cannot be counted. Leave it "
                "out, and chains are run.");
}

TEST_CASE("observe --exact tells 0 of what is rounding alone, in its text") {
  const ScratchFolder folder;
  folder.write("ring.txt", "4 4\n1 2 1\n2 3 0.7\n3 4 -1.3\n4 1 0.9\n");
  REQUIRE(run(folder, {"import", "ring.txt", "--output", "ring.h5"}).status == 0);
  const std::vector<std::string> command{"observe", "ring.h5", "--betas", "0,0.5", "--exact"};
  const Outcome outcome = run(folder, command);
  REQUIRE(outcome.status == 0);
  // Energies of 0.1 and their sum over 16 states are not exact in binary numbers.
  const double hottest = Json::parse(run(folder, {"observe", "ring.h5", "--beta", "0", "--exact", "--json"}).out)
                             .at("temperatures")[0]
                             .at("averages")
                             .at("energy")
                             .at("value");
  CHECK(std::abs(hottest) < 1e-14);
  CHECK(outcome.out.find("\n    beta         <E>         <E>/N   specific heat C/N\n"
                         "       0           0             0                   0\n"
                         "     0.5  -1.5543522   -0.38858804          0.11424271\n") != std::string::npos);
  CHECK(outcome.out.find("e-1") == std::string::npos);
  CHECK(outcome.out.find("-0\n") == std::string::npos);
  // What is small and no rounding stays: of a weak coupling <E> = -J tanh(beta J).
  folder.write("weak.txt", "2 1\n1 2 1e-6\n");
  REQUIRE(run(folder, {"import", "weak.txt", "--output", "weak.h5"}).status == 0);
  CHECK(like(run(folder, {"observe", "weak.h5", "--beta", "1", "--exact"}).out, "*\n       1  -1e-12 *"));
}

TEST_CASE("observe --exact writes P(q) of spins of several levels") {
  const ScratchFolder folder;
  std::ofstream(folder / "one.toml") << "[model]\ntype = \"layered\"\nlayers = [{ name = \"s\", size = 2, units = "
                                        "\"levels\", bias = false }]\nterms = []\n";
  REQUIRE(run(folder, {"import", "one.toml", "--output", "one.h5"}).status == 0);
  const Outcome outcome = run(folder, {"observe", "one.h5", "--beta", "0", "--exact", "--output", "out"});
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out.find("no overlap") == std::string::npos);
  const auto table = csv_fields(folder / "out/overlaps.csv");
  // Of one unit x x' is 0 in 5 of 9 cases, and 1 and -1 in 2 each.
  const double exact[] = {4.0 / 81.0, 20.0 / 81.0, 33.0 / 81.0, 20.0 / 81.0, 4.0 / 81.0};
  REQUIRE(table.size() == 6);
  for (std::size_t k = 0; k < 5; ++k) {
    CHECK(std::stod(table[k + 1][2]) == doctest::Approx(0.5 * static_cast<double>(k) - 1.0));
    CHECK(std::stod(table[k + 1][4]) == doctest::Approx(exact[k]).epsilon(1e-12));
  }
}

TEST_CASE("files and --json of observe have the temperature beside beta, and none where it is infinite") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  const Words words{"observe", "ising.h5", "--exact", "--betas", "0,0.4", "--local", "all", "--correlations", "4x4"};
  Words with_files = words, with_json = words;
  with_files.insert(with_files.end(), {"--output", "out"});
  with_json.emplace_back("--json");
  REQUIRE(run(folder, with_files).status == 0);
  for (const char* file :
       {"observables.csv", "overlaps.csv", "magnetizations.csv", "correlations.csv", "units.csv", "pairs.csv"}) {
    CAPTURE(file);
    const auto table = csv_fields(folder / "out" / file);
    CHECK(Words(table[0].begin(), table[0].begin() + 2) == Words{"beta", "temperature"});
    CHECK(Words(table[1].begin(), table[1].begin() + 2) == Words{"0", ""});
    CHECK(Words(table.back().begin(), table.back().begin() + 2) == Words{"0.4", "2.5"});
  }
  const Json found = Json::parse(run(folder, with_json).out).at("temperatures");
  CHECK(found[0].at("temperature").is_null());
  CHECK(found[1].at("temperature") == 2.5);
  // What was named is there to the last digit, and not 2.2699999999999996.
  REQUIRE(run(folder, {"observe", "ising.h5", "--exact", "--temperatures", "2.27,3.3", "--output", "out"}).status == 0);
  const auto named = csv_fields(folder / "out/observables.csv");
  CHECK(named[1][1] == "3.3");
  CHECK(named[2][1] == "2.27");
}

}  // namespace observe_exact_test
