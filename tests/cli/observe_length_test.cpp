// What harmonium observe says of series that are too short.
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

namespace observe_length_test {

using namespace harmonium::testing;
using namespace harmonium::testing::words_of_output;

TEST_CASE("series that are too short are marked, and why is told") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  const Outcome outcome =
      run(folder, {"observe", "ising.h5", "--betas", "0.9", "--sampler", "gibbs", "--steps", "500", "--output", "out"});
  CHECK(outcome.status == 0);
  CHECK(
      like(outcome.out,
           "each temperature by itself with gibbs; *)?*"
           "? : * of the averages have errors that are not to be believed: series of less than 80 times the longest\n"
           "    autocorrelation time at their temperature, chains that differ (R-hat above 1.05), or chains that stood "
           "still.\n"
           "    They need the sign of the order, which a flip of all spins changes while E stays: nothing else waits "
           "for it.\n"
           "    Give --steps * or more, or hotter temperatures,\n"
           "    which chains then exchange: smaller --betas without --sampler, or --sampler parallel_tempering, which "
           "has its own.\n"
           "    So short a series does not show the time itself, and a longer one may ask for more.\n*"));
  const auto table = csv_fields(folder / "out/observables.csv");
  CHECK(table[1].back() == "magnetization susceptibility overlap");
}

TEST_CASE("the times of all averages are told beside the longest one, by the heads of the tables") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  const Words command{"observe", "ising.h5", "--betas", "0.2,0.4407", "--sampler", "gibbs", "--steps", "8000"};
  Words with_json = command;
  with_json.emplace_back("--json");
  // Of the colder temperature: the hotter one has shorter times.
  const auto averages = nlohmann::json::parse(run(folder, with_json).out)["temperatures"][1]["averages"];
  const auto time = [&](const char* name) {
    const auto& average = averages[name];
    const double error = average["autocorrelation_time_error"].get<double>();
    const int digits = error < 0.1 ? 3 : error < 1.0 ? 2 : error < 10.0 ? 1 : 0;
    return fmt::format("{:.{}f} ± {:.{}f}", average["autocorrelation_time"].get<double>(), digits, error, digits);
  };
  const std::string text = run(folder, command).out;
  const auto begin = text.find("longest autocorrelation time: ");
  REQUIRE(begin != std::string::npos);
  const auto next = text.find('\n', begin);
  CHECK(text.substr(begin, next - begin) ==
        fmt::format("longest autocorrelation time: {} steps of 8000 (<m> at beta = 0.4407)", time("magnetization")));
  const std::string told =
      text.substr(next, std::min(text.find("\n?", next), text.find("\nevery series", next)) - next);
  for (const std::string& line : lines_of(told)) CHECK(line.size() <= 110);
  std::string list;  // without what wraps it
  for (const std::string& word : words_of(told)) list += (list.empty() ? "" : " ") + word;
  CHECK(list.starts_with(fmt::format("there also: <E> {}, specific heat C/N {}, <|m|> {}, <m^2> {}, ", time("energy"),
                                     time("specific_heat"), time("abs_magnetization"), time("squared_magnetization"))));
  CHECK(list.ends_with(fmt::format(", <s_i s_j> of pairs {}", time("pair_correlation"))));
  CHECK(list.find("<m> ") == std::string::npos);
}

TEST_CASE("of a cold Potts model without fields only what needs the state of the order is marked") {
  const ScratchFolder folder;
  folder.write("potts.toml",
               "initializer = { type = \"normal\", mean = 1.0, std = 0.0 }\n[model]\ntype = \"layered\"\n"
               "layers = [{ name = \"s\", size = 9, units = { type = \"categorical\", num_states = 3 }, bias = false "
               "}]\nterms = [{ type = \"lattice\", layer = \"s\", shape = [3, 3], uniform = true }]\n");
  REQUIRE(run(folder, {"import", "potts.toml", "--output", "potts.h5"}).status == 0);
  const Outcome outcome =
      run(folder, {"observe", "potts.h5", "--beta", "2", "--sampler", "gibbs", "--steps", "4000", "--output", "out"});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(like(
      outcome.out,
      "*    They need which state the order is in, which a permutation of all states changes while E stays: nothing "
      "else waits for it.\n*"));
  const auto table = csv_fields(folder / "out/observables.csv");
  CHECK(table[1].back() == "share_0 share_1 share_2 overlap abs_overlap squared_overlap");
}

TEST_CASE("series that are too short are advised by what would lengthen them") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  const auto outcome_at = [&](const char* betas) {
    return run(folder, {"observe", "ising.h5", "--betas", betas, "--steps", "500"});
  };
  const auto told = [&](const char* betas) { return outcome_at(betas).out; };
  // One cold temperature has none beside it to exchange with.
  CHECK(like(
      told("0.9"),
      "*Give --steps * or more, or hotter temperatures,\n    which chains then exchange: smaller --betas, or --sampler "
      "parallel_tempering, which has its own.\n*"));
  // The hottest of a ladder is too cold to forget.
  CHECK(
      like(told("0.9,1"), "*Give --steps * or more, or add hotter temperatures\n    (smaller betas, in --betas).\n*"));
  // The hottest forgets at once, and hardly ever exchanges: what to do about the gap is told with it, and not once more.
  const Outcome apart = outcome_at("0,1.2");
  CHECK(like(apart.err, "harmonium: note: only * of the exchanges *. Add betas between: --betas 0,*,1.2\n"));
  CHECK(like(apart.out, "*Add betas between those that hardly exchange chains, before more steps help.\n*"));
  CHECK(apart.out.find("Give --steps") == std::string::npos);
}

TEST_CASE("how many steps are wanted is told, to two digits, and with as many every series is long enough") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  const Words command{"observe", "ising.h5", "--betas", "0.4,0.9", "--steps", "500"};
  Words with_json = command;
  with_json.emplace_back("--json");
  const auto found = nlohmann::json::parse(run(folder, with_json).out);
  double longest = 0.0;
  for (const auto& t : found["temperatures"])
    for (const auto& [name, number] : t["averages"].items())
      if (number["long_enough"] == false)
        longest = std::max(longest, number["autocorrelation_time_batches"].get<double>());
  REQUIRE(longest * 20 > 500.0);  // not resolved: all of the bias of 20 times is taken off
  const double exact = 1.5 * 80 * longest * 2.0 / (1.0 + std::sqrt(1.0 - 16.0 / 20.0));
  const std::string text = run(folder, command).out, before = "Give --steps ";
  REQUIRE(text.find(before) != std::string::npos);
  const std::string told = text.substr(text.find(before) + before.size());
  const double steps = std::stod(told);
  CHECK(steps >= exact);
  CHECK(steps < 1.1 * exact);  // two digits are a tenth at the coarsest
  CHECK(told.substr(2, told.find(' ') - 2).find_first_not_of('0') == std::string::npos);
  const std::string repeated =
      run(folder, {"observe", "ising.h5", "--betas", "0.4,0.9", "--steps", told.substr(0, told.find(' '))}).out;
  CHECK(repeated.find("every series is long enough") != std::string::npos);
}

TEST_CASE("where all averages are marked, those that need the sign of the order have a number of steps of their own") {
  // Of the 8 x 8 torus at its critical temperature: 80 times the 9 to 16 steps of the size of the order are more than 600, and
  // chains turn over in some hundreds.
  const ScratchFolder folder;
  write_torus(folder, 8);
  const Words command{"observe", "ising.h5", "--beta", "0.44", "--sampler", "gibbs", "--steps", "600"};
  Words with_json = command;
  with_json.emplace_back("--json");
  const auto found = nlohmann::json::parse(run(folder, with_json).out);
  double longest = 0.0, longest_odd = 0.0;
  for (const auto& [name, number] : found["temperatures"][0]["averages"].items()) {
    CHECK(number["long_enough"] == false);
    double& of = name == "magnetization" || name == "susceptibility" || name == "overlap" ? longest_odd : longest;
    of = std::max(of, number["autocorrelation_time_batches"].get<double>());
  }
  const auto steps = [](double time) {
    return 1.5 * 80 * time * 2.0 / (1.0 + std::sqrt(1.0 - 16.0 * std::min(time / 600.0, 1.0 / 20.0)));
  };
  REQUIRE(longest_odd > 600.0 / 20.0);  // not resolved
  REQUIRE(longest < 600.0 / 20.0);
  const std::string text = run(folder, command).out, before = "    Give --steps ", between = "(<m>, chi/n, <q>),\n    ";
  CAPTURE(text);
  REQUIRE(
      like(text,
           "*    Give --steps * or more for all but those of the sign (<m>, chi/n, <q>),\n    * for these too, or "
           "hotter temperatures,\n    which chains then exchange: *\n    So short a series does not show the longer "
           "time itself, and a longer one may ask for more.\n*"));
  const double even = std::stod(text.substr(text.find(before) + before.size())),
               all = std::stod(text.substr(text.find(between) + between.size()));
  // Two digits are a tenth at the coarsest.
  CHECK(even >= steps(longest));
  CHECK(even < 1.1 * steps(longest));
  CHECK(all >= steps(longest_odd));
  CHECK(all < 1.1 * steps(longest_odd));
  Words with_grid = command;
  with_grid.insert(with_grid.end(), {"--correlations", "8x8"});
  CHECK(like(run(folder, with_grid).out,
             "*or more for all but those of the sign (<m>, chi/n, <m_s>, chi_s/n, <q>),\n    * for these too, or *"));
}

}  // namespace observe_length_test
