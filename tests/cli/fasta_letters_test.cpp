// Letters of aligned sequences where states are named: --clamp, --start, units.csv of observe, and beside exported tables.
#include <cmath>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "files.hpp"

namespace fasta_letters_test {

using namespace harmonium::testing;

namespace {

/// A model of three sites in the folder `run`, of sequences of these letters in the order of their states.
void train_on_sequences(const ScratchFolder& folder, const std::string& letters, const std::string& alphabet) {
  std::string text;
  const std::size_t q = letters.size();
  for (std::size_t r = 0; r < 40; ++r)
    text += fmt::format(">s{}\n{}{}{}\n", r, letters[r % q], letters[r / 2 % q], letters[r * r % q]);
  folder.write("d.fasta", text);
  folder.write("c.toml",
               fmt::format("data = {{ type = \"fasta\", path = \"d.fasta\", alphabet = \"{}\" }}\n"
                           "estimator = {{ type = \"cd\" }}\ntraining = {{ num_epochs = 2 }}\n[model]\ntype = \"rbm\"\n"
                           "num_visible = 3\nnum_hidden = 2\nvisible_units = {{ type = \"categorical\", num_states = "
                           "{} }}\n",
                           alphabet, q));
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run", "--quiet"}).status == 0);
}

Outcome sampled(const ScratchFolder& folder, const Words& more, const char* steps = "4") {
  Words words{"sample", "run", "--num-samples", "20", "--steps", steps, "--output", "s.fasta"};
  words.insert(words.end(), more.begin(), more.end());
  return run(folder, words);
}

std::vector<std::string> sequences(const ScratchFolder& folder, const Words& more, const char* steps = "4") {
  const Outcome outcome = sampled(folder, more, steps);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  std::istringstream lines(content_of(folder / "s.fasta"));
  std::vector<std::string> found;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with('>')) found.push_back(line);
  REQUIRE(found.size() == 20);
  return found;
}

}  // namespace

TEST_CASE("sites of sequences are held and started in their letters") {
  const ScratchFolder folder;
  train_on_sequences(folder, "-ACGT", "dna");
  const auto held = sequences(folder, {"--clamp", "visible[1]=C"});
  for (const std::string& sequence : held) CHECK(sequence[1] == 'C');
  CHECK(sequences(folder, {"--clamp", "visible[1]=2"}) == held);
  CHECK(sequences(folder, {"--clamp", "visible[1]=c"}) == held);
  CHECK(sequences(folder, {"--clamp", "visible[1]=G"}) != held);
  for (const std::string& sequence : sequences(folder, {"--clamp", "visible[0]=g,visible[2]=."})) {
    CHECK(sequence[0] == 'G');
    CHECK(sequence[2] == '-');
  }
  for (const std::string& sequence : sequences(folder, {"--start", "visible[0:2]=T", "--start", "visible[2]=-"}, "0"))
    CHECK(sequence == "TT-");

  const auto log_p = [&](const char* clamp) {
    const Outcome outcome = run(folder, {"evaluate", "run/model.h5", "--json", "--quiet", "--clamp", clamp});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out)["held"]["log_p"].get<double>();
  };
  CHECK(log_p("visible[1]=C") == log_p("visible[1]=2"));
  CHECK(log_p("visible[1]=C") != log_p("visible[1]=A"));
}

TEST_CASE("a word that is no letter is refused with those that there are") {
  const ScratchFolder folder;
  train_on_sequences(folder, "-ACGT", "dna");
  const std::string none =
      "' is none of the letters -ACGT of the sequences. Give one of them, or the number of a state, 0 to 4.";
  for (const std::string option : {"--clamp", "--start"})
    for (const std::string word : {"J", "AC"})
      check_refusal(sampled(folder, {option, "visible[1]=" + word}), 2,
                    option + " visible[1]=" + word + ": '" + word + none);
  check_refusal(sampled(folder, {"--clamp", "visible[1]=7"}), 2,
                "--clamp visible[1]=7: a categorical unit of layer 'visible' has the states 0 to 4.");
  check_refusal(sampled(folder, {"--clamp", "visible[3]=C"}), 2,
                "--clamp visible[3]=C: layer 'visible' has the units 0 to 2.");
  check_refusal(sampled(folder, {"--clamp", "visible[1]=C,visible=A"}), 2,
                "--clamp visible=A: unit visible[1] is given by visible[1]=C already. Give each unit once.");
  check_refusal(sampled(folder, {"--clamp", "hidden[0]=C"}), 2, "--clamp hidden[0]=C: 'C' is no number.");
}

TEST_CASE("digits that are letters go before the numbers of states") {
  const ScratchFolder folder;
  train_on_sequences(folder, "-10", "-10");
  for (const std::string& sequence : sequences(folder, {"--clamp", "visible[0]=0,visible[1]=1,visible[2]=2"}))
    CHECK(sequence == "010");
}

TEST_CASE("tables of a model of sequences tell which letter a state is, and import reads the folder") {
  const ScratchFolder folder;
  train_on_sequences(folder, "-ACGT", "dna");
  REQUIRE(run(folder, {"observe", "run", "--exact", "--betas", "1", "--local", "all", "--clamp", "visible[2]=A",
                       "--output", "o"})
              .status == 0);
  const auto units = csv_fields(folder / "o/units.csv");
  CHECK(units[0] == Words{"beta", "temperature", "unit", "state", "letter", "share", "error", "too_short"});
  REQUIRE(units.size() == 1 + 3 * 5);
  for (std::size_t r = 1; r < units.size(); ++r) {
    REQUIRE(units[r].size() == 8);
    CHECK(units[r][4] == std::string(1, "-ACGT"[std::stoul(units[r][3])]));
    if (units[r][2] == "2") CHECK(std::abs(std::stod(units[r][5]) - (units[r][4] == "A" ? 1.0 : 0.0)) < 1e-12);
  }

  const std::string letters = "layer,state,letter\nvisible,0,-\nvisible,1,A\nvisible,2,C\nvisible,3,G\nvisible,4,T\n";
  for (const Words& more : {Words{}, Words{"--numbered"}}) {
    Words words{"export", "run", "--output", "out", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    REQUIRE(run(folder, words).status == 0);
    CHECK(content_of(folder / "out/letters.csv") == letters);
  }
  REQUIRE(run(folder, {"import", "out", "--output", "back.h5"}).status == 0);
  const std::string biases = content_of(folder / "out/bias.visible.csv");
  // What is read back knows of no sequences, and its tables take the place of those.
  REQUIRE(run(folder, {"export", "back.h5", "--output", "out", "--quiet"}).status == 0);
  CHECK(content_of(folder / "out/bias.visible.csv") == biases);
  CHECK_FALSE(std::filesystem::exists(folder / "out/letters.csv"));
}

}  // namespace fasta_letters_test
