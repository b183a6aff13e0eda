// harmonium observe --series
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "files.hpp"

namespace observe_series_test {

using namespace harmonium::testing;
using Json = nlohmann::json;

namespace {

/// A row of the table: beta, temperature, chain, step, energy and order.
using Row = std::vector<double>;

std::vector<Row> rows_of(const std::vector<Words>& table) {
  std::vector<Row> rows;
  for (std::size_t r = 1; r < table.size(); ++r) {
    Row& row = rows.emplace_back();
    for (const std::string& word : table[r]) row.push_back(std::stod(word));
  }
  return rows;
}

/// The mean of a column at one temperature.
double mean_at(const std::vector<Row>& rows, double beta, std::size_t column) {
  double sum = 0.0, count = 0.0;
  for (const Row& row : rows)
    if (row[0] == beta) {
      sum += row[column];
      count += 1.0;
    }
  return sum / count;
}

}  // namespace

TEST_CASE("observe --series writes each chain at each temperature, of which the averages are the means") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  for (const bool ladder : {true, false}) {
    CAPTURE(ladder);
    Words words{"observe", "ising.h5", "--betas", "0.2,0.5", "--chains", "4", "--steps", "320", "--warm-up", "50"};
    if (!ladder) words.insert(words.end(), {"--sampler", "gibbs"});
    Words plain = words, one = words, three = words;
    plain.insert(plain.end(), {"--json"});
    one.insert(one.end(), {"--json", "--series", "one.csv", "--threads", "1"});
    three.insert(three.end(), {"--series", "three.csv", "--threads", "3"});
    const Outcome told = run(folder, one);
    REQUIRE(told.status == 0);
    CHECK(run(folder, plain).out == told.out);  // what is written changes no number
    CHECK(run(folder, three)
              .out.find(
                  "\nthree.csv: energy and magnetization of each chain, after 50 steps of warm-up, 1 step apart\n") !=
          std::string::npos);
    CHECK(content_of(folder / "one.csv") == content_of(folder / "three.csv"));

    const auto table = csv_fields(folder / "one.csv");
    CHECK(table[0] == Words{"beta", "temperature", "chain", "step", "energy", "magnetization"});
    const std::vector<Row> rows = rows_of(table);
    REQUIRE(rows.size() == 2 * 4 * 320);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      CHECK(rows[r][0] == (r < 1280 ? 0.2 : 0.5));
      CHECK(rows[r][1] == (r < 1280 ? 5.0 : 2.0));
      CHECK(rows[r][2] == static_cast<double>(r / 320 % 4));
      CHECK(rows[r][3] == static_cast<double>(r % 320 + 1));
    }
    const Json observed = Json::parse(told.out);
    for (const Json& t : observed.at("temperatures")) {
      const double beta = t.at("beta");
      const auto value = [&](const char* name) { return t.at("averages").at(name).at("value").get<double>(); };
      CHECK(mean_at(rows, beta, 4) == doctest::Approx(value("energy")).epsilon(1e-11));
      CHECK(std::abs(mean_at(rows, beta, 5) - value("magnetization")) < 1e-11);
    }
    // A row is one state: of ordered ones the energy is the lowest.
    for (const Row& row : rows)
      if (std::abs(row[5]) == 1.0) CHECK(row[4] == -32.0);
  }
}

TEST_CASE("series in .npy are a structured array of the same numbers, and of sites their order") {
  const ScratchFolder folder;
  std::ofstream(folder / "potts.toml")
      << "[model]\ntype = \"layered\"\nlayers = [{ name = \"s\", size = 4, bias = false, units = { type = "
         "\"categorical\", num_states = 3 } }]\nterms = [{ type = \"lattice\", layer = \"s\", shape = [4], uniform = "
         "true }]\n"
         "[initializer]\ntype = \"normal\"\nmean = 0.75\nstd = 0.0\n";
  REQUIRE(run(folder, {"import", "potts.toml", "--output", "potts.h5"}).status == 0);
  const Words words{"observe", "potts.h5", "--beta", "1", "--chains", "2", "--steps", "320", "--json", "--series"};
  Words csv = words, npy = words;
  csv.emplace_back("series.csv");
  npy.emplace_back("series.npy");
  const Outcome outcome = run(folder, csv);
  REQUIRE(outcome.status == 0);
  REQUIRE(run(folder, npy).status == 0);
  const auto table = csv_fields(folder / "series.csv");
  CHECK(table[0].back() == "potts_order");
  const std::vector<Row> rows = rows_of(table);
  const Json averages = Json::parse(outcome.out).at("temperatures")[0].at("averages");
  CHECK(mean_at(rows, 1.0, 5) == doctest::Approx(averages.at("potts_order").at("value").get<double>()).epsilon(1e-11));

  const std::string bytes = content_of(folder / "series.npy");
  const std::size_t start = bytes.find('\n') + 1;
  CHECK(bytes.find("[('beta', '<f8'), ('temperature', '<f8'), ('chain', '<i8'), ('step', '<i8'), ('energy', '<f8'), "
                   "('potts_order', '<f8'), ]") != std::string::npos);
  REQUIRE(bytes.size() == start + rows.size() * 6 * sizeof(double));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    double energy = 0.0;
    std::int64_t step = 0;
    std::copy_n(bytes.data() + start + (r * 6 + 3) * 8, 8, reinterpret_cast<char*>(&step));
    std::copy_n(bytes.data() + start + (r * 6 + 4) * 8, 8, reinterpret_cast<char*>(&energy));
    CHECK(static_cast<double>(step) == rows[r][3]);
    CHECK(energy == rows[r][4]);
  }
}

TEST_CASE("series of a few steps from a quench have no errors, and the energy of chains that start alike") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  constexpr std::size_t chains = 400;
  for (const char* steps : {"2", "3", "50", "99"}) {
    CAPTURE(steps);
    const Words words{"observe",   "ising.h5", "--beta",         "0.2", "--sampler", "gibbs",
                      "--warm-up", "0",        "--steps",        steps, "--chains",  "2",
                      "--local",   "all",      "--correlations", "4x4", "--series",  "few.csv"};
    Words json = words, text = words;
    json.emplace_back("--json");
    text.insert(text.end(), {"--output", "few"});
    const Outcome told = run(folder, json), shown = run(folder, text);
    REQUIRE_MESSAGE(told.status == 0, told.err);
    REQUIRE_MESSAGE(shown.status == 0, shown.err);
    const Json found = Json::parse(told.out).at("temperatures")[0];
    for (const auto& item : found.at("averages").items()) {
      CAPTURE(item.key());
      const Json& average = item.value();
      if (!average.at("value").is_null()) CHECK_FALSE(average.at("long_enough").get<bool>());
      CHECK(average.at("autocorrelation_time").is_null());
    }
    CHECK(shown.out.find("series of fewer than 100 steps,\n    which are a record of what chains did, tell none.\n") !=
          std::string::npos);
    CHECK(shown.out.find("longest autocorrelation time: not known from ") != std::string::npos);
    for (const auto& row : csv_fields(folder / "few/units.csv"))
      CHECK((row.back() == "1" || row.back() == "too_short"));
  }
  // The first half of the chains begins in uniform draws, and the others, by turns, with all spins down and up: from there nothing
  // is flipped soon at beta = 1, where a flip costs 8 and is made with probability 1/(1 + exp(8)) each.
  Words quench{"observe", "ising.h5", "--beta", "1",        "--sampler",  "gibbs",    "--warm-up",
               "0",       "--steps",  "20",     "--series", "quench.csv", "--chains", std::to_string(chains)};
  REQUIRE(run(folder, quench).status == 0);
  const std::vector<Row> rows = rows_of(csv_fields(folder / "quench.csv"));
  REQUIRE(rows.size() == chains * 20);
  double up = 0.0, down = 0.0, uniform = 0.0, later = 0.0;
  for (const Row& row : rows) {
    const auto chain = static_cast<std::size_t>(row[2]);
    const double share = 2.0 / static_cast<double>(chains);
    if (chain >= chains / 2 && row[3] == 1.0) (chain % 2 == 0 ? down : up) += 2.0 * share * row[5];
    if (chain < chains / 2 && row[3] == 1.0) uniform += share * row[4];
    if (chain < chains / 2 && row[3] == 20.0) later += share * row[4];
  }
  CHECK(down < -0.95);  // 16 spins of 3.4e-4 each
  CHECK(up > 0.95);
  CHECK(uniform > -30.0);
  CHECK(later < uniform - 2.0);  // a sweep from E = 0 leaves walls, most of which twenty sweeps take away
}

TEST_CASE("what cannot be written as a series is refused before chains run") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  check_refusal(
      run(folder, {"observe", "ising.h5", "--steps", "99"}), 2,
      "--steps 99: averages of fewer than 100 steps have no errors. Give 100 or more, or --series FILE, which "
      "keeps each step.");
  check_refusal(run(folder, {"observe", "ising.h5", "--steps", "1", "--series", "series.csv"}), 2, "*of at least 2*");
  check_refusal(run(folder, {"observe", "ising.h5", "--series", "series.txt"}), 2,
                "--series series.txt: series are written as .csv or .npy. Give a name that ends so.");
  check_refusal(run(folder, {"observe", "ising.h5", "--series", "none/series.csv"}), 1,
                "--series none/series.csv: there is no folder none. Create it first.");
  check_refusal(run(folder, {"observe", "ising.h5", "--steps", "1000000000000", "--series", "series.csv"}), 2,
                "observe needs about *");
}

}  // namespace observe_series_test
