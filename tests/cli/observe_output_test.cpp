// What harmonium observe prints and writes.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <harmonium/tests/support/paths.hpp>
#include <harmonium/tests/support/skip.hpp>

#include "files.hpp"
#include "words_of_output.hpp"

namespace observe_output_test {

using namespace harmonium::testing;
using namespace harmonium::testing::words_of_output;

namespace {

using Index = std::size_t;

}  // namespace

TEST_CASE("observe prints tables, and writes files and a figure, the same for any number of threads") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  Outcome first;
  for (const char* threads : {"1", "3"}) {
    const Outcome outcome = run(folder, {"observe", "ising.h5", "--betas", "0.2:0.6:3", "--steps", "2000", "--output",
                                         threads, "--threads", threads});
    CHECK(outcome.status == 0);
    CHECK(outcome.err == "");
    const Words lines = lines_of(outcome.out);
    REQUIRE(lines.size() > 28);
    CHECK(lines[0] ==
          "parallel tempering with gibbs; 8 chains at each temperature, 2000 steps measured of each after 400");
    CHECK(lines[1] == "energy of all N = 16 units; the rest of layer 'visible', n = 16 spins; /N and /n: per unit");
    CHECK(words_of(lines[3]) == Words{"beta", "<E>", "<E>/N", "specific", "heat", "C/N", "exchanged"});
    CHECK(words_of(lines[8]) == Words{"beta", "<m>", "<|m|>", "<m^2>", "chi/n", "chi/n", "of", "|m|", "Binder"});
    CHECK(words_of(lines[13]) ==
          Words{"beta", "<q>", "<|q|>", "<q^2>", "chi_SG/n", "Binder", "of", "q", "<s_i", "s_j>", "of", "pairs"});
    for (const Index begin : {4, 9, 14})
      for (Index t = 0; t < 3; ++t) {
        const Words cells = words_of(lines[begin + t]);
        CHECK(cells[0] == Words{"0.2", "0.4", "0.6"}[t]);
        for (Index c = 1; c < cells.size(); ++c) CHECK((like(cells[c], "*.*(*)*") || like(cells[c], "0.*")));
      }
    CHECK(lines[18] ==
          "autocorrelation time ± error in steps, each an exchange of temperatures and a transition of gibbs (tau = 1 "
          "+ 2 "
          "sum rho):");
    CHECK(words_of(lines[19]) == Words{"beta", "<E>", "<m>", "<|m|>", "<q>", "<|q|>"});
    for (Index t = 0; t < 3; ++t) CHECK(like(lines[20 + t], "*0.* ± 0.*"));
    CHECK(like(lines[24], "longest autocorrelation time: * ± * steps of 2000 (* at beta = 0.*)"));
    CHECK(
        outcome.out.find(
            "\nof so few states --exact has all of this without errors; 'harmonium evaluate', with --betas, log Z and "
            "the ground state\n") != std::string::npos);
    CHECK(outcome.out.find("round trips from the coldest to the hottest: ") != std::string::npos);
    const auto title =
        std::ranges::find(lines, "log Z in nats beyond that at a hotter temperature, by the energies at all of them:");
    REQUIRE(lines.end() - title > 5);
    CHECK(words_of(title[1]) == Words{"beta", "from", "beta", "=", "0.2", "from", "the", "line", "before"});
    CHECK(like(title[2], " *0.4  *.*(*)* *.*(*)*"));
    CHECK(like(title[3], " *0.6  *.*(*)* *.*(*)*"));
    CHECK(title[4] == "errors from the scatter of 8 chains: 95 % is 2.36 of them (low, high of observables.csv)");
    CHECK(title[5].empty());
    CHECK(outcome.out.find(
              "pairs: the 32 that couple; --correlations has those of sites of a grid against their distance\n" +
              std::string(threads) + "/observables.csv\n" + threads + "/overlaps.csv\n") != std::string::npos);
  }
  for (const char* file : {"observables.csv", "overlaps.csv"})
    CHECK(content_of(folder / "1" / file) == content_of(folder / "3" / file));

  const auto table = csv_fields(folder / "1/observables.csv");
  REQUIRE(table.size() == 4);
  REQUIRE(table[0].size() >= 41);
  CHECK(table[0][0] == "beta");
  CHECK(table[0][6] == "energy_per_unit");
  CHECK(table[0][7] == "energy_per_unit_error");
  CHECK(table[0][8] == "energy_per_unit_tau");
  CHECK(table[0][9] == "energy_per_unit_tau_error");
  for (Index t = 1; t < 4; ++t) CHECK(std::stod(table[t][9]) < 0.3 * std::stod(table[t][8]));
  const Index width = table[0].size();
  CHECK(table[0][width - 2] == "exchange_rate");
  CHECK(Words(table[0].end() - 10, table[0].end() - 2) ==
        Words{"log_z_from_hottest", "log_z_from_hottest_error", "log_z_from_hottest_low", "log_z_from_hottest_high",
              "log_z_from_hotter", "log_z_from_hotter_error", "log_z_from_hotter_low", "log_z_from_hotter_high"});
  for (Index c = width - 10; c < width - 2; ++c) CHECK(table[1][c].empty());
  CHECK(table[2][width - 10] == table[2][width - 6]);
  CHECK(std::stod(table[3][width - 10]) ==
        doctest::Approx(std::stod(table[2][width - 6]) + std::stod(table[3][width - 6])));
  CHECK(std::stod(table[3][width - 8]) < std::stod(table[3][width - 10]));
  CHECK(std::stod(table[3][width - 7]) > std::stod(table[3][width - 10]));
  CHECK(table[1][0] == "0.2");
  // The shares of each temperature add up to one, and their mean square is that of the table.
  const auto overlaps = csv_fields(folder / "1/overlaps.csv");
  CHECK(overlaps[0] == Words{"beta", "temperature", "q_low", "q_high", "share", "error", "density", "too_short"});
  REQUIRE(overlaps.size() == 1 + 3 * 17);
  const auto column = std::ranges::find(table[0], "squared_overlap") - table[0].begin();
  for (Index t = 0; t < 3; ++t) {
    double sum = 0.0, squares = 0.0;
    for (Index k = 0; k < 17; ++k) {
      const Words& row = overlaps[1 + 17 * t + k];
      CHECK(row[0] == table[1 + t][0]);
      sum += std::stod(row[4]);
      CHECK(std::stod(row[6]) == doctest::Approx(std::stod(row[4]) / (2.0 / 16.0)));
      squares += std::stod(row[4]) * std::stod(row[2]) * std::stod(row[3]);
    }
    CHECK(sum == doctest::Approx(1.0));
    CHECK(squares == doctest::Approx(std::stod(table[1 + t][static_cast<Index>(column)])));
  }
  if (std::system("command -v gnuplot > /dev/null 2>&1") != 0) {
    skip_test("gnuplot is not installed, so that the figure was not tested");
    return;
  }
  CHECK(files_below(folder / "1") ==
        Words{"observables.csv", "observables.gp", "observables.png", "observables.svg", "overlaps.csv"});
  CHECK(content_of(folder / "1/observables.svg").find("Binder cumulant") != std::string::npos);
}

TEST_CASE("a bin of the overlap that chains never were in has no error, and one of a sum over all states has") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  const Words command{"observe", "ising.h5", "--betas", "0.1,0.2", "--steps", "300", "--output", "out", "--json"};
  const Outcome chains = run(folder, command);
  REQUIRE(chains.status == 0);
  const auto json = nlohmann::json::parse(chains.out);
  const auto table = csv_fields(folder / "out/overlaps.csv");
  REQUIRE(table.size() == 1 + 2 * 17);
  Index never = 0, met = 0, rare = 0;
  for (Index k = 0; k < 34; ++k) {
    Words row = table[1 + k];
    row.resize(6);  // an empty field at the end of a line is none to a stream
    const auto& bin = json["temperatures"][k / 17]["overlaps"][k % 17];
    const bool none = std::stod(row[4]) == 0.0;
    CHECK(row[5].empty() == none);
    CHECK(bin["error"].is_null() == none);
    CHECK(bin["share"].get<double>() == std::stod(row[4]));
    if (!none) CHECK(std::stod(row[5]) > 0.0);
    // Of a share below 25 in 1200 fewer than 25 independent draws met it, and independent steps have a time of 1.
    const std::string mark = table[1 + k].back();
    CHECK(bin["long_enough"].get<bool>() == (mark == "0"));
    if (none) CHECK(mark == "0");
    else if (std::stod(row[4]) < 25.0 / 1200.0) CHECK(mark == "1");
    rare += mark == "1" ? 1 : 0;
    (none ? never : met) += 1;
  }
  // At beta = 0.1 all 16 spins of two replicas are alike about once in 2^16 / e^2 draws, of 1200 here.
  CHECK(never > 0);
  CHECK(rare > 0);
  CHECK(rare < met);
  CHECK(met > 0);
  Words exact = command;
  exact.erase(exact.begin() + 4, exact.begin() + 6);
  exact.push_back("--exact");
  REQUIRE(run(folder, exact).status == 0);
  const auto sums = csv_fields(folder / "out/overlaps.csv");
  REQUIRE(sums.size() == 1 + 2 * 17);
  for (Index k = 1; k < sums.size(); ++k) CHECK(sums[k][5] == "0");
}

TEST_CASE("in the figure the label of the color bar is whole, and the numbers below q are few") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  if (std::system("command -v gnuplot > /dev/null 2>&1") != 0) {
    skip_test("gnuplot is not installed, so that the figure was not tested");
    return;
  }
  CHECK(run(folder, {"observe", "ising.h5", "--betas", "0.35:0.6:6", "--steps", "200", "--output", "out"}).status == 0);
  const std::string picture = content_of(folder / "out/observables.svg");
  // The only text that is turned. Its baseline is at x, and what hangs below it some 3 of the 12 points of a letter to the right.
  const std::size_t end = picture.find(") rotate(270)");
  REQUIRE(end != std::string::npos);
  const std::string place = "translate(";
  const std::size_t begin = picture.rfind(place, end) + place.size();
  CHECK(std::stod(picture.substr(begin)) < 1200.0 - 4.0 - 6.0);  // and half a letter to spare
  // gnuplot's own choice is every 0.2, eleven labels in a panel of five's width.
  CHECK(content_of(folder / "out/observables.gp").find("\nset xtics 0.5\n") != std::string::npos);
}

TEST_CASE("the temperatures of a range are written as the shortest decimals") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  CHECK(run(folder, {"observe", "ising.h5", "--betas", "0.2:2:10", "--steps", "100", "--output", "out"}).status == 0);
  const auto table = csv_fields(folder / "out/observables.csv");
  REQUIRE(table.size() == 11);
  const Words decimals{"0.2", "0.4", "0.6", "0.8", "1", "1.2", "1.4", "1.6", "1.8", "2"};
  for (Index k = 0; k < decimals.size(); ++k) CHECK(table[k + 1][0] == decimals[k]);
}

TEST_CASE("the temperatures of a range may be given by their step, with the last one where steps lead there") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  const auto betas_of = [&](const char* range) {
    REQUIRE(run(folder, {"observe", "ising.h5", "--betas", range, "--exact", "--output", "out"}).status == 0);
    Words betas;
    for (const Words& row : csv_fields(folder / "out/observables.csv")) betas.push_back(row[0]);
    betas.erase(betas.begin());
    return betas;
  };
  CHECK(betas_of("0.1:0.3:0.1") == Words{"0.1", "0.2", "0.3"});  // in doubles 0.2/0.1 of these is below 2
  CHECK(betas_of("0.1:0.7:0.2") == Words{"0.1", "0.3", "0.5", "0.7"});
  CHECK(betas_of("0.1:0.45:0.1") == Words{"0.1", "0.2", "0.3", "0.4"});  // 0.45 is no whole step away
  CHECK(betas_of("0.3:0.1:-0.1") == Words{"0.1", "0.2", "0.3"});
  CHECK(betas_of("0:4:2.0") == Words{"0", "2", "4"});
  CHECK(betas_of("0:4:2") == Words{"0", "4"});  // a whole number is a count
  CHECK(betas_of("0:1e-2:5e-3") == Words{"0", "0.005", "0.01"});
}

TEST_CASE("without gnuplot there are tables, and what is missing is said") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  const std::string command = "cd " + folder.path().string() + " && PATH=/nowhere " + program_path() +
                              " observe ising.h5 --betas 0.2,0.4 --steps 200 --output plain > out 2> err";
  CHECK(std::system(command.c_str()) == 0);
  CHECK(content_of(folder / "err") ==
        "harmonium: note: gnuplot is not installed: there are tables, but no figure. Install it (Debian: gnuplot-nox) "
        "and give the same command once more.\n");
  CHECK(files_below(folder / "plain") == Words{"observables.csv", "overlaps.csv"});
}

TEST_CASE("a ladder that does not connect its temperatures is warned of") {
  const ScratchFolder folder;
  write_torus(folder, 8);
  const Outcome outcome = run(folder, {"observe", "ising.h5", "--betas", "0,2", "--steps", "200"});
  CHECK(outcome.status == 0);
  CHECK(like(outcome.err,
             "harmonium: note: only * of the exchanges between beta = 2 and 0 were accepted, so that the ladder does "
             "not connect them. Add betas between: --betas 0,*,2\n"));
  // Some 2 of 100.
  const Outcome hardly = run(folder, {"observe", "ising.h5", "--betas", "0.1,0.35", "--steps", "2000"});
  CHECK(like(hardly.err,
             "harmonium: note: only 0.0* of the exchanges between beta = 0.35 and 0.1 were accepted, so that "
             "the ladder hardly connects them. Add betas between: --betas 0.1,*,0.35\n"));
  // Of several gaps, and of ladders of several temperatures, what to do is told once.
  const auto count = [](const std::string& text, const std::string& words) {
    Index found = 0;
    for (Index at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++found;
    return found;
  };
  write_torus(folder, 12);
  const std::string gaps = run(folder, {"observe", "ising.h5", "--betas", "0,0.4,2", "--steps", "200"}).err;
  CHECK(count(gaps, "of the exchanges between") == 2);
  CHECK(count(gaps, "Add betas between") == 1);
  const std::string each = run(folder, {"observe", "ising.h5", "--betas", "2,3", "--steps", "200", "--sampler",
                                        "parallel_tempering", "--set", "sampler.betas=[1, 0]"})
                               .err;
  CHECK(count(each, "of the exchanges between") == 1);
  CHECK(count(each, "Add rungs between") == 1);
  CHECK(count(each, "the ladders of 2 of the 2 temperatures have such gaps.") == 1);
  write_torus(folder, 8);
  // With temperatures of its own it is not in doubt.
  const Outcome own =
      run(folder, {"observe", "ising.h5", "--betas", "0.5", "--steps", "4000", "--sampler", "parallel_tempering"});
  CHECK(own.err == "");
  CHECK(own.out.find("R-hat") == std::string::npos);
}

TEST_CASE("a run is observed by its folder, by layer, and what it cannot give is said") {
  const CliFolder folder;
  folder.trained();
  const Outcome visible = run(folder, {"observe", "run", "--betas", "0.5,1", "--steps", "300"});
  CHECK(visible.status == 0);
  CHECK(like(visible.out,
             "*energy of all N = 14 units; the rest of layer 'visible', n = 9 spins s = 2x - 1 of binary units x; /N "
             "and /n: per unit\n*<m>*"
             "no correlation of pairs: no two units of layer 'visible' couple\n"));
  const Outcome hidden = run(folder, {"observe", "run", "--betas", "0.5,1", "--steps", "300", "--layer", "hidden"});
  CHECK(like(hidden.out, "*the rest of layer 'hidden', n = 5 spins s = 2x - 1 of binary units x; **"));
}

TEST_CASE("observe --correlations writes a row for each axis and distance, and takes the lattice of the model") {
  const ScratchFolder folder;
  std::ofstream(folder / "torus.toml")
      << "[model]\ntype = \"layered\"\nlayers = [{ name = \"s\", size = 24, units = \"spin\" }]\n"
         "terms = [{ type = \"lattice\", layer = \"s\", shape = [4, 6], open_axes = [0] }]\n";
  CHECK(run(folder, {"import", "torus.toml", "--output", "torus.h5"}).status == 0);
  const Words command{"observe", "torus.h5", "--betas", "0.2,0.4", "--steps", "200", "--output", "out"};
  Words with = command;
  with.insert(with.end(), {"--correlations", "lattice"});
  const Outcome outcome = run(folder, with);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out.find("along axis 0 of 2, at a distance in sites:\n") != std::string::npos);
  CHECK(outcome.out.find("pairs: the 42 that couple\n") != std::string::npos);  // 3 * 6 and 4 * 6
  const auto rows = csv_fields(folder / "out/correlations.csv");
  CHECK(rows[0] ==
        Words{"beta", "temperature", "axis", "distance", "correlation", "error", "tau", "tau_error", "too_short"});
  REQUIRE(rows.size() == 1 + 2 * (3 + 3));
  CHECK(Words(rows[6].begin() + 2, rows[6].begin() + 4) == Words{"1", "3"});
  CHECK(content_of(folder / "out/correlations.svg").find("along axis 1") != std::string::npos);
  // Sites that go round where those of the model end would be another correlation.
  Words other = command;
  other.insert(other.end(), {"--correlations", "4x6"});
  check_refusal(run(folder, other), 2,
                "--correlations 4x6: layer 's' has a term 'lattice' of other sites, 4x6 with open_axes = [0]. Say "
                "'lattice'.");
  // Another observation in the folder leaves none that are not its own.
  CHECK(run(folder, command).status == 0);
  CHECK(files_below(folder / "out") ==
        Words{"observables.csv", "observables.gp", "observables.png", "observables.svg", "overlaps.csv"});
}

}  // namespace observe_output_test
