#include <fstream>
#include <sstream>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <harmonium/tests/support/runs.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace contact_ranking_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE("pairs of sites are written in the order of their scores, the pair that goes together first") {
  if constexpr (std::is_same_v<Real, float>) return;  // the program chooses the precision itself
  const ScratchFolder scratch;
  // Six sites of DNA: the last letter is the first one's, all others run through the alphabet on their own.
  std::string family;
  for (unsigned s = 0; s < 256; ++s) {
    const auto letter = [&](unsigned digit) { return "ACGT"[s >> 2 * digit & 3]; };
    family += fmt::format(">{}\n{}{}{}{}A{}\n", s, letter(0), letter(1), letter(2), letter(3), letter(0));
  }
  const auto data = scratch.write("family.fasta", family);
  const auto ranking = scratch / "contacts.csv";
  const std::string config =
      "seed = 1\nprecision = \"float64\"\nplugins = [\"potts\"]\n"
      "model = { type = \"fully_visible\", num_visible = 6, visible_units = { type = \"categorical\", "
      "num_states = 5 } }\nestimator = { type = \"pseudo_likelihood\" }\n"
      "optimizer = { type = \"adam\", learning_rate = 0.01 }\ntraining = { batch_size = 64, num_epochs = 5 }\n"
      "data = { type = \"fasta\", alphabet = \"dna\", path = \"" +
      data.string() + "\" }\nobservers = [{ type = \"contacts\", separation = 0, ranking = \"" + ranking.string() +
      "\" }]\n";
  const auto file = scratch.write("c.toml", config);
  REQUIRE(run_program({"train", file.string(), "--output", (scratch / "run").string(), "--quiet"}) == 0);
  std::ifstream in(ranking);
  std::string line;
  std::getline(in, line);
  CHECK(line == "site_i,site_j,score");
  double last = 0.0;
  int pairs = 0;
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    int i = 0, j = 0;
    char comma = 0;
    double score = 0.0;
    fields >> i >> comma >> j >> comma >> score;
    if (pairs == 0) CHECK((i == 1 && j == 6));
    else CHECK(score <= last);
    last = score;
    ++pairs;
  }
  CHECK(pairs == 15);
  const auto neither =
      scratch.write("n.toml", config.substr(0, config.find("observers")) + "observers = [{ type = \"contacts\" }]\n");
  CHECK(run_program({"train", neither.string(), "--output", (scratch / "other").string(), "--quiet"}) == 2);
}

}  // namespace contact_ranking_test
