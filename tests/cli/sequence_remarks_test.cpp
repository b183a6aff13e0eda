// Letters of an alphabet that no sequence has: bases that are read as amino acids, and gaps.
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "files.hpp"

namespace sequence_remarks_test {

using namespace harmonium::testing;

namespace {

constexpr const char *as_protein =
                         "data.alphabet has 21 letters, of which the sequences have ACGT alone. If they are DNA, set "
                         "data.alphabet = \"dna\", or leave it out.",
                     *no_gap = "no sequence has a gap, which is a state of each site all the same: data.alphabet = ";

/// 200 sequences of two sites over some letters, in all pairs, but more often alike.
std::string sequences_of(const std::string& letters) {
  std::string text;
  for (std::size_t r = 0; r < 200; ++r) {
    const std::size_t own = r % letters.size(), other = r % 3 == 0 ? own : r / letters.size() % letters.size();
    text += fmt::format(">s{}\n{}{}\n", r, letters[own], letters[other]);
  }
  return text;
}

struct Sequences : ScratchFolder {
  explicit Sequences(const std::string& letters) { write("d.fasta", sequences_of(letters)); }
  std::string remarks(const std::string& alphabet) const {
    write("c.toml",
          fmt::format("data = {{ type = \"fasta\", path = \"d.fasta\"{} }}\nmodel = {{ type = \"fully_visible\" }}\n"
                      "estimator = \"exact\"\ntraining = {{ num_updates = 20 }}\n",
                      alphabet.empty() ? "" : fmt::format(", alphabet = \"{}\"", alphabet)));
    const Outcome trained = run(*this, {"train", "c.toml", "--output", "run", "--overwrite"});
    INFO(trained.err);
    REQUIRE(trained.status == 0);
    const Outcome explained = run(*this, {"explain", "c.toml"});  // whose lines are broken
    for (const char* words : {"data.alphabet has 21 letters", "no sequence has a gap"})
      CHECK((explained.out.find(words) == std::string::npos) == (trained.err.find(words) == std::string::npos));
    return trained.err;
  }
  bool has(const std::string& alphabet, const std::string& words) const {
    return remarks(alphabet).find(words) != std::string::npos;
  }
};

}  // namespace

TEST_CASE("bases that are read as amino acids are told, and gaps that no sequence has") {
  const Sequences bases("ACGT");
  CHECK(bases.has("protein", as_protein));
  CHECK(bases.has("", "data.alphabet is not set: \"ACGT\" (letters of DNA, without gaps) by what the sequences have."));
  CHECK_FALSE(bases.has("", as_protein));
  CHECK_FALSE(bases.has("", no_gap));
  CHECK(content_of(bases / "run/config.toml").find("\nalphabet = \"ACGT\"\n") != std::string::npos);
  CHECK(bases.has("dna", std::string(no_gap) + "\"ACGT\" is without it."));
  CHECK_FALSE(bases.has("dna", as_protein));
  CHECK_FALSE(bases.has("ACGT", no_gap));
  const Sequences gapped("-ACGT");
  CHECK(gapped.has("", "data.alphabet is not set: \"dna\" (letters of DNA, and the gap) by what the sequences have."));
  CHECK(gapped.has("protein", "of which the sequences have -ACGT alone."));
  CHECK_FALSE(gapped.has("dna", no_gap));
  const Sequences acids("ACDK");
  CHECK_FALSE(acids.has("protein", as_protein));
  CHECK_FALSE(acids.has("", no_gap));
  CHECK(acids.has("protein", std::string(no_gap) + "\"ACDEFGHIKLMNPQRSTVWY\" is without it."));
}

TEST_CASE("errors of parameters are refused for gaps that no sequence has, with the alphabet that is without") {
  const Sequences bases("ACGT");
  bases.remarks("dna");
  const Words asked{"export", "run", "--errors", "--gauge", "zero_sum", "--output", "p"};
  check_refusal(
      run(bases, asked), 1,
      "--errors: 'visible[0]=0' is in no row, 'visible[1]=0' is in no row: the rows do not tell such a parameter, "
      "whose optimum is not finite. No sequence has a gap: train with data.alphabet = \"ACGT\", which is "
      "without it.");
  bases.remarks("ACGT");
  const Outcome told = run(bases, asked);
  INFO(told.err);
  CHECK(told.status == 0);
}

}  // namespace sequence_remarks_test
