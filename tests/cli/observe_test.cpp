#include <algorithm>
#include <bit>
#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <harmonium/tests/support/data.hpp>
#include <harmonium/tests/support/spins.hpp>

#include "files.hpp"

namespace observe_test {

using namespace harmonium;
using namespace harmonium::testing;
using Json = nlohmann::json;

namespace {

constexpr double critical_beta = 0.44068679350977;

struct Averages {
  double log_z = 0.0, energy = 0.0, heat = 0.0, size = 0.0, m2 = 0.0, chi = 0.0, abs_chi = 0.0, binder = 0.0;
};

/// ⟨s s'⟩ of sites of the 4 × 4 torus two steps along an axis.
double torus_correlation(double beta) {
  double z = 0.0, sum = 0.0;
  for (unsigned state = 0; state < 65536; ++state) {
    double energy = 0.0;
    const auto spin = [&](int y, int x) { return state >> (y % 4 * 4 + x % 4) & 1 ? 1.0 : -1.0; };
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 4; ++x) energy -= spin(y, x) * (spin(y, x + 1) + spin(y + 1, x));
    z += std::exp(-beta * energy);
    sum += std::exp(-beta * energy) * spin(0, 0) * spin(0, 2);
  }
  return sum / z;
}

/// Of the 4 × 4 torus, by its 65536 states.
Averages torus_averages(double beta) {
  double z = 0.0, e1 = 0.0, e2 = 0.0, size = 0.0, m2 = 0.0, m4 = 0.0;
  for (unsigned state = 0; state < 65536; ++state) {
    double energy = 0.0;
    const auto spin = [&](int y, int x) { return state >> (y % 4 * 4 + x % 4) & 1 ? 1.0 : -1.0; };
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 4; ++x) energy -= spin(y, x) * (spin(y, x + 1) + spin(y + 1, x));
    const double weight = std::exp(-beta * energy), m = (2.0 * std::popcount(state) - 16.0) / 16.0;
    z += weight;
    e1 += weight * energy;
    e2 += weight * energy * energy;
    size += weight * std::abs(m);
    m2 += weight * m * m;
    m4 += weight * std::pow(m, 4);
  }
  for (double* sum : {&e1, &e2, &size, &m2, &m4}) *sum /= z;
  return {std::log(z),
          e1,
          beta * beta * (e2 - e1 * e1) / 16.0,
          size,
          m2,
          beta * 16.0 * m2,
          beta * 16.0 * (m2 - size * size),
          1.0 - m4 / (3.0 * m2 * m2)};
}

Json observed(const ScratchFolder& folder, const Words& more) {
  Words words{"observe", "ising.h5", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = run(folder, words);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err == "");
  return Json::parse(outcome.out);
}

double deviation(const Json& temperature, const char* name, double exact) {
  const Json& average = temperature.at("averages").at(name);
  return std::abs(average.at("value").get<double>() - exact) / average.at("error").get<double>();
}

/// Of a temperature of the 4 × 4 torus. Errors are 0.01 or less; that an interval holds as often as it says is tested elsewhere.
void check_log_z(const Json& found, const Json& t) {
  const double hottest = found.at("temperatures")[0].at("beta");
  if (t.at("beta") == hottest) {
    CHECK(t.at("log_z_from_hottest").is_null());
    CHECK(t.at("log_z_from_hotter").is_null());
    return;
  }
  double hotter = hottest;
  for (const Json& other : found.at("temperatures"))
    if (other.at("beta") < t.at("beta")) hotter = other.at("beta");
  const double log_z = torus_averages(t.at("beta")).log_z;
  for (const auto& [name, from] : {std::pair{"log_z_from_hottest", hottest}, {"log_z_from_hotter", hotter}}) {
    const Json& ratio = t.at(name);
    CHECK(std::abs(ratio.at("value").get<double>() - log_z + torus_averages(from).log_z) < 0.1);
    CHECK(ratio.at("error") > 0.0);
    CHECK(ratio.at("low") < ratio.at("value"));
    CHECK(ratio.at("high").get<double>() - ratio.at("low").get<double>() < 0.2);
    CHECK(ratio.at("long_enough") == true);
  }
}

double log_z_of(const ScratchFolder& folder, const std::string& model, double beta) {
  const Outcome outcome = run(folder, {"evaluate", model, "--beta", std::to_string(beta), "--json"});
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.out).at("log_z").get<double>();
}

}  // namespace

TEST_CASE("observe finds the Ising model of Onsager and Kaufman, in both precisions") {
  // Published (Kaufman 1949) and by enumeration.
  const Averages critical = torus_averages(critical_beta);
  CHECK(critical.log_z == doctest::Approx(15.521915459).epsilon(1e-10));
  CHECK(critical.size == doctest::Approx(0.843860444813).epsilon(1e-11));
  CHECK(critical.m2 == doctest::Approx(0.761358908569).epsilon(1e-11));
  CHECK(critical.energy / 16 == doctest::Approx(-1.56562379).epsilon(1e-8));
  CHECK(torus_averages(0.2).energy / 16 == doctest::Approx(-0.456135369543).epsilon(1e-11));
  CHECK(torus_averages(0.7).energy / 16 == doctest::Approx(-1.963491005004).epsilon(1e-11));

  const ScratchFolder folder;
  for (const char* precision : {"float64", "float32"}) {
    CAPTURE(precision);
    write_torus(folder, 4, precision);
    const Json found = observed(folder, {"--betas", "0.2,0.44068679350977,0.7,0.3,0.55", "--steps", "30000", "--seed",
                                         "3", "--correlations", "4x4"});
    CHECK(found.at("method") == "parallel tempering with gibbs");
    CHECK(found.at("units") == "spins");
    CHECK(found.at("num_pairs") == 32);
    CHECK(found.at("round_trips").get<int>() > 100);
    REQUIRE(found.at("temperatures").size() == 5);
    double before = 0.0;
    for (const Json& t : found.at("temperatures")) {
      const double beta = t.at("beta").get<double>();
      CAPTURE(beta);
      CHECK(beta > before);
      before = beta;
      CHECK(t.at("exchange_rate").is_null() == (beta > 0.69));
      check_log_z(found, t);
      const Averages exact = torus_averages(beta);
      REQUIRE(t.at("correlations").size() == 4);
      for (const Json& c : t.at("correlations")) {
        const double wanted = c.at("distance") == 1 ? -exact.energy / 32 : torus_correlation(beta);
        CHECK(std::abs(c.at("value").get<double>() - wanted) / c.at("error").get<double>() < student_limit);
        CHECK(c.at("long_enough") == true);
      }
      const std::pair<const char*, double> wanted[] = {{"energy", exact.energy},
                                                       {"energy_per_unit", exact.energy / 16},
                                                       {"specific_heat", exact.heat},
                                                       {"magnetization", 0.0},
                                                       {"abs_magnetization", exact.size},
                                                       {"squared_magnetization", exact.m2},
                                                       {"susceptibility", exact.chi},
                                                       {"abs_susceptibility", exact.abs_chi},
                                                       {"binder_cumulant", exact.binder},
                                                       {"overlap", 0.0},
                                                       {"pair_correlation", -exact.energy / 32}};
      for (const auto& entry : wanted) {
        const char* const name = entry.first;
        CAPTURE(name);
        CHECK(deviation(t, name, entry.second) < student_limit);
        CHECK(t.at("averages").at(name).at("long_enough") == true);
      }
    }
    // A temperature that is off by three percent, the control, is seen.
    CHECK(deviation(found.at("temperatures")[2], "energy", torus_averages(1.03 * critical_beta).energy) >
          student_limit);
    CHECK(deviation(found.at("temperatures")[2], "squared_magnetization", torus_averages(1.03 * critical_beta).m2) >
          student_limit);
  }
}

TEST_CASE("each temperature by itself, with the sampler that is named, gives the same averages") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  for (const char* sampler : {"gibbs", "metropolis", "parallel_tempering"}) {
    CAPTURE(sampler);
    const Json found = observed(folder, {"--betas", "0.2:0.4:2", "--sampler", sampler, "--steps", "20000"});
    CHECK(found.at("method") == std::string("each temperature by itself with ") + sampler);
    CHECK(found.at("round_trips").is_null());
    for (const Json& t : found.at("temperatures")) {
      const Averages exact = torus_averages(t.at("beta").get<double>());
      CHECK(deviation(t, "energy", exact.energy) < student_limit);
      CHECK(deviation(t, "squared_magnetization", exact.m2) < student_limit);
      check_log_z(found, t);
      CHECK(like(t.at("moves").get<std::string>(), std::string(sampler) == "gibbs"        ? ""
                                                   : std::string(sampler) == "metropolis" ? "acceptance 0.*"
                                                                                          : "10 temperatures, *"));
    }
  }
  // What moves the rows of a ladder can be another sampler too.
  CHECK(
      observed(folder, {"--betas", "0.2,0.4", "--steps", "200", "--set", "sampler.type=flip_the_state"}).at("method") ==
      "parallel tempering with flip_the_state");
}

TEST_CASE("the energy and the specific heat of a spin glass are the slopes of its log Z") {
  const auto path = data_file("spinglass/ea2d/ea2d_torus_gauss_L8_s0.txt.gz");
  if (!path) return;
  const ScratchFolder folder;
  REQUIRE(run(folder, {"import", path->string(), "--output", "ising.h5"}).status == 0);
  const Json found = observed(folder, {"--betas", "0.3:1.5:9", "--steps", "20000"});
  for (const Index k : {0, 2, 5}) {
    const Json& t = found.at("temperatures")[k];
    const double beta = t.at("beta").get<double>(), h = 0.005;
    const double below = log_z_of(folder, "ising.h5", beta - h), here = log_z_of(folder, "ising.h5", beta),
                 above = log_z_of(folder, "ising.h5", beta + h);
    CHECK(deviation(t, "energy", -(above - below) / (2 * h)) < student_limit);
    CHECK(deviation(t, "specific_heat", beta * beta * (above - 2 * here + below) / (h * h) / 64) < student_limit);
    CHECK(t.at("averages").at("energy").at("long_enough") == true);
  }
}

TEST_CASE("an energy that never changed has no error that could be believed") {
  const ScratchFolder folder;
  folder.write("ring.txt", "1 2 1\n2 3 1\n3 4 1\n4 5 1\n5 6 1\n6 1 1\n");
  REQUIRE(run(folder, {"import", "ring.txt", "--output", "ring.h5"}).status == 0);
  const Outcome outcome =
      run(folder, {"observe", "ring.h5", "--betas", "0.5,1,6", "--steps", "5000", "--json", "--seed", "1"});
  REQUIRE(outcome.status == 0);
  const auto found = nlohmann::json::parse(outcome.out);
  CAPTURE(found.dump());
  for (const auto& temperature : found["temperatures"]) {
    const bool frozen = temperature["beta"] == 6.0;
    CHECK((temperature["averages"]["energy"]["error"] == 0.0) == frozen);
    CHECK(temperature["averages"]["energy"]["long_enough"] == !frozen);
  }
}

TEST_CASE("a ground state of many states is met: its energy and its pairs are constant, and not doubted") {
  // Of the triangular antiferromagnet, a third of the bonds in it is broken: -36 of 108.
  const ScratchFolder folder;
  folder.write("triangles.toml", R"(seed = 1
initializer = { type = "normal", mean = -1.0, std = 0.0 }
[model]
type = "layered"
layers = [{ name = "spins", size = 36, units = "spin", bias = false }]
terms = [{ type = "lattice", layer = "spins", shape = [6, 6], offsets = ["0 1", "1 0", "1 -1"], uniform = true }]
)");
  REQUIRE(run(folder, {"import", "triangles.toml", "--output", "ising.h5"}).status == 0);
  const Json coldest = observed(folder, {"--betas", "0.5,2,5", "--steps", "2000"}).at("temperatures")[2];
  for (const char* name : {"energy", "pair_correlation"}) {
    CAPTURE(name);
    const Json& average = coldest.at("averages").at(name);
    CHECK(average.at("error") == 0.0);
    CHECK(average.at("autocorrelation_time").is_null());  // a constant has none
    CHECK(average.at("autocorrelation_time_error").is_null());
    CHECK(average.at("autocorrelation_time_batches") == 1.0);
    CHECK(average.at("long_enough") == true);
  }
  CHECK(coldest.at("averages").at("energy").at("value") == -36.0);
}

TEST_CASE("a Potts model's energy is that of the neighbors in the same state, on a lattice and on a graph") {
  const ScratchFolder folder;
  const std::string units = "{ type = \"categorical\", num_states = 3 }";
  folder.write("lattice.toml", R"(seed = 1
precision = "float64"
initializer = { type = "normal", mean = 0.75, std = 0.0 }
[model]
type = "layered"
layers = [{ name = "sites", size = 12, bias = false, units = )" +
                                   units + R"( }]
terms = [{ type = "lattice", layer = "sites", shape = [3, 4], uniform = true }]
)");
  folder.write("path.txt", "1 2 0.75\n2 3 0.75\n3 4 0.75\n");
  folder.write("graph.toml", R"(seed = 1
precision = "float64"
initializer = { type = "edge_list", path = "path.txt" }
[model]
type = "fully_visible"
num_visible = 4
visible_units = )" + units + "\n");
  const std::pair<std::string, int> models[] = {{"lattice", 24}, {"graph", 3}};
  for (const auto& entry : models) {
    const std::string& name = entry.first;
    CAPTURE(name);
    REQUIRE(run(folder, {"import", name + ".toml", "--output", name + ".h5"}).status == 0);
    const Words words{"observe", name + ".h5", "--betas", "0.5,1", "--steps", "500"};
    Words as_json = words;
    as_json.emplace_back("--json");
    const Outcome outcome = run(folder, as_json);
    REQUIRE(outcome.status == 0);
    const Json found = Json::parse(outcome.out);
    CHECK(found.at("num_pairs") == entry.second);
    for (const Json& t : found.at("temperatures")) {
      const double energy = t.at("averages").at("energy").at("value").get<double>();
      const double alike = t.at("averages").at("pair_delta").at("value").get<double>();
      CHECK(energy == doctest::Approx(-0.75 * entry.second * alike).epsilon(1e-10));
    }
    const std::string text = run(folder, words).out;
    CHECK(text.find("<delta(s_i,s_j)> of pairs") != std::string::npos);
    CHECK(text.find("pairs: the " + std::to_string(entry.second) + " that couple") != std::string::npos);
  }
}

}  // namespace observe_test
