#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "exclusive_or.hpp"

namespace fasta_samples_test {

using namespace harmonium::testing;

TEST_CASE("samples of a model of sequences are sequences, and read back as the same states") {
  const ScratchFolder folder;
  std::string text;
  for (int r = 0; r < 40; ++r)
    text += fmt::format(">s{}\n{}{}{}\n", r, "ACGT"[r % 4], "ACGT"[r / 4 % 4], "ACGT-"[r % 5]);
  folder.write("d.fasta", text);
  REQUIRE(run(folder,
              {"init", "d.fasta", "--output", "d.toml", "--set", "data.alphabet=dna", "--set", "training.num_epochs=1"})
              .status == 0);
  REQUIRE(run(folder, {"train", "d.toml", "--output", "run", "--quiet"}).status == 0);
  for (const char* name : {"s.fasta", "s.csv"})
    REQUIRE(
        run(folder, {"sample", "run", "--num-samples", "30", "--steps", "5", "--energies", "--output", name}).status ==
        0);
  const std::string sequences = content_of(folder / "s.fasta");
  CHECK(like(sequences, ">sample1 energy=*\n*\n>sample2 energy=*"));
  // Of the same states the same figures.
  const auto figures = [&](const char* data) {
    const Outcome outcome = run(folder, {"evaluate", "run", "--data", data, "--json"});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out)["log_likelihood"].get<double>();
  };
  REQUIRE(run(folder, {"sample", "run", "--num-samples", "30", "--steps", "5", "--output", "s.npy"}).status == 0);
  const double of_letters = figures("s.fasta");
  const Outcome of_states = run(folder, {"evaluate", "run", "--data", "s.npy", "--set", "data.type=npy", "--json"});
  INFO(of_states.err);
  CHECK(of_letters == nlohmann::json::parse(of_states.out)["log_likelihood"].get<double>());
  REQUIRE(trained(folder, "bits", {"training.num_epochs=1"}).status == 0);
  check_refusal(run(folder, {"sample", "bits", "--num-samples", "3", "--steps", "5", "--output", "b.fasta"}), 2,
                "--output b.fasta: the model was not trained on sequences*Write .csv.");
}

TEST_CASE("the ground state of a model of sequences is a sequence, whose letters are its states") {
  const ScratchFolder folder;
  std::string text;
  for (int r = 0; r < 40; ++r)
    text += fmt::format(">s{}\n{}{}{}\n", r, "ACGT"[r % 7 % 4], "ACGT"[r % 5 % 4], "ACGT-"[r % 3]);
  folder.write("d.fasta", text);
  REQUIRE(run(folder,
              {"init", "d.fasta", "--output", "d.toml", "--set", "data.alphabet=dna", "--set", "training.num_epochs=5"})
              .status == 0);
  REQUIRE(run(folder, {"train", "d.toml", "--output", "run", "--quiet"}).status == 0);
  const auto ground = [&](const Words& more) {
    Words words{"evaluate", "run/model.h5", "--log-z", "exact", "--json", "--ground-state"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out)["ground_state_energy"].get<double>();
  };
  const double energy = ground({"g.fasta"});
  REQUIRE(ground({"g.csv", "--states"}) == energy);
  REQUIRE(run(folder, {"export", "run", "--output", "tables"}).status == 0);
  std::vector<std::string> letters;  // of the states, by the table that export writes
  for (const Words& line : csv_fields(folder / "tables/letters.csv"))
    if (line[0] != "layer") letters.push_back(line[2]);
  REQUIRE(letters.size() == 5);
  std::string sequence;
  const Words states = csv_fields(folder / "g.csv").at(1);
  for (const std::string& state : Words(states.begin(), states.begin() + 3))  // sites: hidden units come behind
    sequence += letters.at(std::stoul(state));
  CHECK(content_of(folder / "g.fasta") == fmt::format(">ground_state energy={:.10g}\n{}\n", energy, sequence));
  check_refusal(
      run(folder, {"evaluate", "run/model.h5", "--ground-state", "g.fasta", "--states"}), 2,
      "--states: states are written as .npy or .csv, and --ground-state is g.fasta. Give a name that ends so.");
}

}  // namespace fasta_samples_test
