// harmonium observe --local
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <harmonium/tests/support/zip.hpp>

#include "files.hpp"

namespace observe_local_test {

using namespace harmonium::testing;
using Json = nlohmann::json;

namespace {

constexpr int spins = 10;

/// couplings.txt of ten spins, a ring and two chords, all couplings unlike; and glass.h5 of it.
void write_glass(const ScratchFolder& folder) {
  std::ofstream out(folder / "couplings.txt");
  out << "10 12\n";
  for (int i = 0; i < spins; ++i) out << i + 1 << ' ' << (i + 1) % spins + 1 << ' ' << 0.25 * (i % 7) - 0.625 << '\n';
  out << "1 6 0.5\n3 9 -0.75\n";
  out.close();
  REQUIRE(run(folder, {"import", "couplings.txt", "--output", "glass.h5"}).status == 0);
}

double energy_of(unsigned state) {
  const auto s = [&](int i) { return (state >> i & 1u) != 0 ? 1.0 : -1.0; };
  double energy = -0.5 * s(0) * s(5) + 0.75 * s(2) * s(8);
  for (int i = 0; i < spins; ++i) energy -= (0.25 * (i % 7) - 0.625) * s(i) * s((i + 1) % spins);
  return energy;
}

/// ⟨s_i⟩ at (i, i) and ⟨s_i s_j⟩ at i < j, spin 0 being up where it is held.
using Means = std::map<std::pair<int, int>, double>;

Means by_loops(double beta, bool held) {
  Means sums;
  double z = 0.0;
  for (unsigned state = 0; state < 1u << spins; ++state) {
    if (held && (state & 1u) == 0) continue;
    const auto s = [&](int i) { return (state >> i & 1u) != 0 ? 1.0 : -1.0; };
    const double weight = std::exp(-beta * energy_of(state));
    z += weight;
    for (int i = 0; i < spins; ++i) {
      sums[{i, i}] += weight * s(i);
      for (int j = i + 1; j < spins; ++j) sums[{i, j}] += weight * s(i) * s(j);
    }
  }
  for (auto& [pair, mean] : sums) mean /= z;
  return sums;
}

Words observing(const Words& more) {
  Words words{"observe", "glass.h5", "--betas", "0.4,0.9"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("observe --local all --exact writes the means of loops over all states, held units among them") {
  const ScratchFolder folder;
  write_glass(folder);
  for (const bool held : {false, true}) {
    CAPTURE(held);
    Words words = observing({"--exact", "--local", "all", "--output", "out", "--correlations", "2x5"});
    if (held) words.insert(words.end(), {"--clamp", "visible[0]=1"});
    const Outcome outcome = run(folder, words);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK(like(outcome.out,
               "*sum <s_i>^2 / n*mean <s_i s_j>^2 of pairs*means of each of 10 units and 45 pairs: units.csv, "
               "pairs.csv\n*out/units.csv\nout/pairs.csv\n*"));
    const auto units = csv_fields(folder / "out/units.csv"), pairs = csv_fields(folder / "out/pairs.csv");
    CHECK(units[0] == Words{"beta", "temperature", "unit", "axis_0", "axis_1", "mean", "error", "too_short"});
    CHECK(pairs[0] == Words{"beta", "temperature", "i", "j", "pair_correlation", "error", "too_short", "connected",
                            "connected_error", "connected_too_short"});
    REQUIRE(units.size() == 1 + 2 * 10);
    REQUIRE(pairs.size() == 1 + 2 * 45);
    for (std::size_t r = 1; r < units.size(); ++r) {
      const Means exact = by_loops(std::stod(units[r][0]), held);
      const int i = std::stoi(units[r][2]);
      CHECK(i == static_cast<int>((r - 1) % 10));
      CHECK(Words(units[r].begin() + 3, units[r].begin() + 5) == Words{std::to_string(i / 5), std::to_string(i % 5)});
      CHECK(std::abs(std::stod(units[r][5]) - exact.at({i, i})) < 1e-11);
      CHECK(Words(units[r].begin() + 6, units[r].end()) == Words{"0", "0"});
    }
    for (std::size_t r = 1; r < pairs.size(); ++r) {
      const Means exact = by_loops(std::stod(pairs[r][0]), held);
      const int i = std::stoi(pairs[r][2]), j = std::stoi(pairs[r][3]);
      CHECK(std::abs(std::stod(pairs[r][4]) - exact.at({i, j})) < 1e-11);
      CHECK(std::abs(std::stod(pairs[r][7]) - exact.at({i, j}) + exact.at({i, i}) * exact.at({j, j})) < 1e-11);
    }
  }
}

TEST_CASE("observe --local of chains has the pairs that couple, the same for any number of threads, in JSON too") {
  const ScratchFolder folder;
  write_glass(folder);
  for (const char* threads : {"1", "3"}) {
    const Outcome outcome =
        run(folder, observing({"--local", "coupled", "--steps", "2000", "--output", threads, "--threads", threads}));
    REQUIRE(outcome.status == 0);
    CHECK(like(outcome.out, "*means of each of 10 units and 12 pairs that couple: units.csv, pairs.csv\n*"));
  }
  for (const char* file : {"observables.csv", "units.csv", "pairs.csv"})
    CHECK(content_of(folder / "1" / file) == content_of(folder / "3" / file));
  CHECK(content_of(folder / "1/observables.csv")
            .find(",link_overlap,link_overlap_error,link_overlap_tau,link_overlap_tau_error,") != std::string::npos);
  const Outcome outcome = run(folder, observing({"--local", "coupled", "--steps", "2000", "--json"}));
  REQUIRE(outcome.status == 0);
  const auto pairs = csv_fields(folder / "1/pairs.csv");
  std::size_t row = 0;
  const Json observed = Json::parse(outcome.out);
  for (const Json& t : observed.at("temperatures")) {
    const Means exact = by_loops(t.at("beta").get<double>(), false);
    CHECK(t.at("local_units").size() == 10);
    REQUIRE(t.at("local_pairs").size() == 12);
    double squares = 0.0;
    for (const Json& p : t.at("local_pairs")) {
      const double right = exact.at({p.at("i").get<int>(), p.at("j").get<int>()});
      squares += right * right / 12.0;
      // Seven standard errors of 64 blocks: one of 24 is further away once in 10^8 times. ⟨s_i⟩² would be 0.
      CHECK(std::abs(p.at("value").get<double>() - right) < 7.2 * p.at("error").get<double>());
      CHECK(p.at("value").get<double>() == std::stod(pairs.at(++row)[4]));
    }
    const Json& link = t.at("averages").at("link_overlap");
    CHECK(link.at("autocorrelation_time").is_null());
    // Of 56 degrees of freedom, seven blocks of each of eight chains and one for its mean.
    CHECK(std::abs(link.at("value").get<double>() - squares) < 7.2 * link.at("error").get<double>());
    CHECK(t.at("averages").contains("edwards_anderson"));
  }
}

TEST_CASE("tables of units and pairs do not outlive the observation that asked for them") {
  const ScratchFolder folder;
  write_glass(folder);
  REQUIRE(run(folder, observing({"--exact", "--local", "coupled", "--output", "out"})).status == 0);
  CHECK(std::filesystem::exists(folder / "out/units.csv"));
  CHECK(csv_fields(folder / "out/pairs.csv").size() == 1 + 2 * 12);
  REQUIRE(run(folder, observing({"--exact", "--output", "out"})).status == 0);
  CHECK_FALSE(std::filesystem::exists(folder / "out/units.csv"));
  CHECK_FALSE(std::filesystem::exists(folder / "out/pairs.csv"));
  const Outcome without = run(folder, observing({"--exact", "--local", "coupled"}));
  CHECK(like(without.out, "*means of each of 10 units and 12 pairs that couple: --output DIR writes them\n*"));
}

TEST_CASE("of sites there are the shares of each state, and of a layer without couplings no pairs but all of them") {
  const ScratchFolder folder;
  std::ofstream(folder / "potts.toml")
      << "[model]\ntype = \"layered\"\nlayers = [{ name = \"s\", size = 3, units = { type = "
         "\"categorical\", num_states = 4 } }]\nterms = [{ type = \"bias\", layer = \"s\" }]\n";
  REQUIRE(run(folder, {"import", "potts.toml", "--output", "potts.h5"}).status == 0);
  const Words observe{"observe", "potts.h5", "--betas", "1", "--exact", "--output", "out", "--local"};
  Words coupled = observe, all = observe;
  coupled.emplace_back("coupled");
  all.emplace_back("all");
  const Outcome outcome = run(folder, coupled);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(like(outcome.out, "*means of each of 3 units and 0 pairs that couple: units.csv\n*"));
  CHECK_FALSE(std::filesystem::exists(folder / "out/pairs.csv"));
  const auto units = csv_fields(folder / "out/units.csv");
  CHECK(units[0] == Words{"beta", "temperature", "unit", "state", "share", "error", "too_short"});
  REQUIRE(units.size() == 1 + 12);
  for (std::size_t u = 0; u < 3; ++u) {
    double sum = 0.0;
    for (std::size_t s = 0; s < 4; ++s) {
      CHECK(Words(units[1 + 4 * u + s].begin() + 2, units[1 + 4 * u + s].begin() + 4) ==
            Words{std::to_string(u), std::to_string(s)});
      sum += std::stod(units[1 + 4 * u + s][4]);
    }
    CHECK(sum == doctest::Approx(1.0).epsilon(1e-12));
  }
  REQUIRE(run(folder, all).status == 0);
  const auto pairs = csv_fields(folder / "out/pairs.csv");
  CHECK(pairs[0][4] == "pair_delta");
  REQUIRE(pairs.size() == 1 + 3);
  for (std::size_t p = 1; p < pairs.size(); ++p) CHECK(std::abs(std::stod(pairs[p][7])) < 1e-12);  // independent
}

TEST_CASE("observe --local refuses other words, and all pairs of a large layer, and leaves large answers out of JSON") {
  const ScratchFolder folder;
  write_glass(folder);
  check_refusal(
      run(folder, observing({"--local", "some"})), 2,
      "--local some: this is no choice of pairs. Give 'coupled', those that a coupling joins, or 'all' of the "
      "layer.");
  std::ofstream(folder / "large.toml")
      << "[model]\ntype = \"layered\"\nlayers = [{ name = \"s\", size = 2001, units = \"spin\" }]\n"
         "terms = [{ type = \"lattice\", layer = \"s\", shape = [2001] }]\n";
  REQUIRE(run(folder, {"import", "large.toml", "--output", "large.h5"}).status == 0);
  const Words large{"observe", "large.h5", "--betas", "0.1,0.2,0.3", "--steps", "100", "--local"};
  Words all = large, coupled = large;
  all.emplace_back("all");
  check_refusal(run(folder, all), 2,
                "--local all: layer 's' has 2001 units, and all pairs are measured of at most 2000. Give 'coupled'.");
  REQUIRE(run(folder, {"import", "large.toml", "--set", "model.layers[0].size=2000", "--set",
                       "model.terms[0].shape=[2000]", "--output", "most.h5"})
              .status == 0);
  // 64 sums of two million numbers at a thousand temperatures: 1 TB.
  check_refusal(run(folder, {"observe", "most.h5", "--betas", "0.1:1:1000", "--steps", "100", "--local", "all"}), 2,
                "observe needs about *the sums of units and pairs 1.02 TB, *Lower --local*");
  coupled.insert(coupled.end(), {"coupled", "--json"});
  const Outcome outcome = run(folder, coupled);  // 3 × (2001 + 2001) numbers
  REQUIRE(outcome.status == 0);
  const Json observed = Json::parse(outcome.out);
  for (const Json& t : observed.at("temperatures")) {
    CHECK(t.at("local_units").is_null());
    CHECK(t.at("local_pairs").is_null());
    CHECK(t.at("averages").contains("link_overlap"));
  }
}

TEST_CASE("heads of tables of sites are of their shares and deltas, and of no products of spins") {
  const ScratchFolder folder;
  std::ofstream(folder / "potts.toml")
      << "initializer = { type = \"normal\", mean = 1.0, std = 0.0 }\n[model]\ntype = \"layered\"\n"
         "layers = [{ name = \"s\", size = 4, units = { type = \"categorical\", num_states = 3 }, bias = false }]\n"
         "terms = [{ type = \"lattice\", layer = \"s\", shape = [4] }]\n";
  REQUIRE(run(folder, {"import", "potts.toml", "--output", "potts.h5"}).status == 0);
  const Outcome outcome =
      run(folder, {"observe", "potts.h5", "--beta", "1", "--exact", "--local", "coupled", "--correlations", "4"});
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.status == 0);
  // p_i(a) = 1/3 of each of three states: the sum over a of its square is 1/3.
  CHECK(like(outcome.out,
             "*<delta(s,s')> at 1*<delta(s,s')> at 2*sum p_i(a)^2 / n   mean <delta(s_i,s_j)>^2 of pairs\n"
             "*1 *0.33333333 *"));
  CHECK(outcome.out.find("<s") == std::string::npos);
}

namespace {

constexpr int sites = 4, states = 3;

/// potts.h5: four sites in a ring with a chord, couplings w δ(x_i, x_j) and fields that break the symmetry of the states.
constexpr struct {
  int i, j;
  double w;
} potts_bonds[] = {{0, 1, 0.75}, {1, 2, -1.0}, {2, 3, 0.5}, {0, 3, 1.25}, {1, 3, -0.5}};

std::size_t potts_column(int site, int state) {
  return static_cast<std::size_t>(site) * states + static_cast<std::size_t>(state);
}

double potts_field(int site, int state) { return 0.25 * ((site * states + state) * 5 % 7) - 0.75; }

void write_potts(const ScratchFolder& folder) {
  constexpr std::size_t n = sites * states;
  std::vector<double> j(n * n, 0.0), h;
  for (const auto& bond : potts_bonds)
    for (int s = 0; s < states; ++s) {
      const std::size_t a = potts_column(bond.i, s), b = potts_column(bond.j, s);
      j[a * n + b] = j[b * n + a] = bond.w;
    }
  for (int site = 0; site < sites; ++site)
    for (int s = 0; s < states; ++s) h.push_back(potts_field(site, s));
  folder.write("potts.toml",
               "precision = \"float64\"\nmodel = { type = \"fully_visible\", num_visible = 4, visible_units = { type = "
               "\"categorical\", num_states = 3 } }\n");
  folder.write("p.npz", zip_bytes({{"weight.visible.visible.npy", npy_bytes(n, n, j)},
                                   {"bias.visible.npy", npy_bytes(n, 1, h)}}));
  const Outcome made = run(folder, {"import", "potts.toml", "--parameters", "p.npz", "--output", "potts.h5"});
  REQUIRE_MESSAGE(made.status == 0, made.err);
}

/// f_ij(a, b) by a sum over the 81 states.
double frequency(double beta, int i, int j, int a, int b) {
  double z = 0.0, sum = 0.0;
  for (int state = 0; state < 81; ++state) {
    const int x[] = {state % 3, state / 3 % 3, state / 9 % 3, state / 27};
    double energy = 0.0;
    for (int site = 0; site < sites; ++site) energy -= potts_field(site, x[site]);
    for (const auto& bond : potts_bonds) energy -= x[bond.i] == x[bond.j] ? bond.w : 0.0;
    z += std::exp(-beta * energy);
    if (x[i] == a && x[j] == b) sum += std::exp(-beta * energy);
  }
  return sum / z;
}

}  // namespace

TEST_CASE("--frequencies writes how often a pair of sites is in two states, by a sum over all states and by chains") {
  const ScratchFolder folder;
  write_potts(folder);
  for (const bool exact : {true, false}) {
    CAPTURE(exact);
    Words words{"observe", "potts.h5", "--betas",         "0.5,1",        "--local",
                "all",     "--output", exact ? "e" : "c", "--frequencies"};
    if (exact) words.emplace_back("--exact");
    else words.insert(words.end(), {"--sampler", "gibbs", "--steps", "4000"});
    const Outcome outcome = run(folder, words);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK(like(outcome.out, "*means of each of 4 units and 6 pairs: units.csv, pairs.csv, frequencies.csv*"));
    const auto table = csv_fields(folder / (exact ? "e/frequencies.csv" : "c/frequencies.csv"));
    CHECK(table[0] == Words{"beta", "temperature", "i", "j", "state_a", "state_b", "f", "error", "too_short"});
    REQUIRE(table.size() == 1 + 2 * 6 * 9);
    double squares = 0.0;
    for (std::size_t r = 1; r < table.size(); ++r) {
      const int i = std::stoi(table[r][2]), j = std::stoi(table[r][3]), a = std::stoi(table[r][4]),
                b = std::stoi(table[r][5]);
      CHECK(i < j);
      const double wanted = frequency(std::stod(table[r][0]), i, j, a, b), found = std::stod(table[r][6]),
                   error = std::stod(table[r][7]);
      if (exact) CHECK(std::abs(found - wanted) <= 1e-12);
      else squares += std::pow((found - wanted) / error, 2);
      if (exact) CHECK(error == 0.0);
      // Control: a and b exchanged would be seen at most places.
      if (exact && i == 0 && j == 1 && a == 0 && b == 1)
        CHECK(std::abs(wanted - frequency(std::stod(table[r][0]), i, j, b, a)) > 1e-3);
    }
    // 108 squares of what is nearly normal and strongly correlated, a few tens of it free: their mean is above 3 once in some 10^5 seeds.
    if (!exact) CHECK(squares / 108.0 < 3.0);
    if (!exact) CHECK(squares / 108.0 > 0.2);
  }
  // The frequencies of the first of two sites are its shares.
  std::map<std::string, double> shares, sums;
  for (const Words& line : csv_fields(folder / "e/units.csv"))
    if (line[2] == "0") shares[line[0] + " " + line[3]] = std::stod(line[4]);
  for (const Words& line : csv_fields(folder / "e/frequencies.csv"))
    if (line[2] == "0" && line[3] == "2") sums[line[0] + " " + line[4]] += std::stod(line[6]);
  REQUIRE(sums.size() == 6);
  for (const auto& [key, sum] : sums) CHECK(sum == doctest::Approx(shares.at(key)).epsilon(1e-12));
  // So a join of the tables goes by the same columns: ⟨δ(s_i, s_j)⟩ of a pair is what its frequencies of like states add up to.
  std::map<std::string, double> like_states;
  for (const Words& line : csv_fields(folder / "e/frequencies.csv"))
    if (line[4] == line[5]) like_states[line[0] + " " + line[2] + " " + line[3]] += std::stod(line[6]);
  const auto pairs = csv_fields(folder / "e/pairs.csv");
  CHECK(Words{pairs[0][2], pairs[0][3]} == Words{"i", "j"});
  REQUIRE(pairs.size() == 1 + 2 * 6);
  for (std::size_t r = 1; r < pairs.size(); ++r)
    CHECK(std::stod(pairs[r][4]) ==
          doctest::Approx(like_states.at(pairs[r][0] + " " + pairs[r][2] + " " + pairs[r][3])).epsilon(1e-12));
  // Of pairs that couple there are five; another observation without them leaves no table of before.
  REQUIRE(run(folder,
              {"observe", "potts.h5", "--exact", "--beta", "1", "--local", "coupled", "--frequencies", "--output", "e"})
              .status == 0);
  CHECK(csv_fields(folder / "e/frequencies.csv").size() == 1 + 5 * 9);
  REQUIRE(
      run(folder, {"observe", "potts.h5", "--exact", "--beta", "1", "--local", "coupled", "--output", "e"}).status ==
      0);
  CHECK_FALSE(std::filesystem::exists(folder / "e/frequencies.csv"));
}

TEST_CASE("a held site is in its state to the last digit, and in no other with any state of another site") {
  const ScratchFolder folder;
  write_potts(folder);
  REQUIRE(run(folder, {"observe", "potts.h5", "--exact", "--betas", "0.3:2:5", "--local", "all", "--frequencies",
                       "--clamp", "visible[0]=2", "--output", "e"})
              .status == 0);
  std::size_t held = 0;
  for (const Words& line : csv_fields(folder / "e/units.csv"))
    if (line[2] == "0") held += line[4] == (line[3] == "2" ? "1" : "0") ? 1 : 0;
  CHECK(held == 15);
  for (const Words& line : csv_fields(folder / "e/frequencies.csv"))
    if (line[2] == "0" && line[4] != "2") CHECK(line[6] == "0");
}

TEST_CASE("frequencies are refused of units without several states, of too many lines, and where nothing takes them") {
  const ScratchFolder folder;
  write_glass(folder);
  write_potts(folder);
  const auto refused = [&](const Words& more, const char* why) {
    Words words{"observe"};
    words.insert(words.end(), more.begin(), more.end());
    check_refusal(run(folder, words), 2, why);
  };
  refused({"potts.h5", "--frequencies", "--output", "o"},
          "--frequencies: they are of the pairs that --local names. Add --local coupled or --local all.");
  refused({"potts.h5", "--frequencies", "--local", "all"},
          "--frequencies: they are a table in the folder of --output. Name one.");
  refused(
      {"glass.h5", "--frequencies", "--local", "all", "--output", "o"},
      "--frequencies: they are of the states of categorical units, and those of layer 'visible' are spins or bits, of "
      "which units.csv and pairs.csv have the means. Leave it out.");
  folder.write("large.toml",
               "model = { type = \"fully_visible\", num_visible = 60, visible_units = { type = \"categorical\", "
               "num_states = 21 } }\n");
  REQUIRE(run(folder, {"import", "large.toml", "--output", "large.h5"}).status == 0);
  refused({"large.h5", "--frequencies", "--local", "all", "--betas", "0.5:1:6", "--output", "o"},
          "--frequencies: 1770 pairs of 21 x 21 states at 6 temperatures are 4683420 lines, and 4000000 are the most. "
          "Name fewer --betas.");
}

}  // namespace observe_local_test
