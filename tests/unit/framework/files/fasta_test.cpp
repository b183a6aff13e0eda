#include <harmonium/framework/files/fasta.hpp>

#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/csv.hpp>
#include <harmonium/tests/support/data.hpp>
#include <harmonium/tests/support/scratch.hpp>
#include <harmonium/tests/support/tables.hpp>

namespace fasta_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

FastaOptions over(const std::string& alphabet) {
  FastaOptions options;
  options.alphabet = alphabet;
  return options;
}

std::vector<std::string> sequences(const Table& table, const std::string& letters) {
  std::vector<std::string> all(table.rows);
  for (Index r = 0; r < table.rows; ++r)
    for (Index c = 0; c < table.cols; ++c)
      if (table.at(r, c) == 1) all[r] += letters[c % letters.size()];
  return all;
}

std::string refusal(const std::string& content, const FastaOptions& options = {}) {
  const ScratchFolder folder;
  const std::string path = folder.write("a.fasta", content).string();
  const std::string message = message_of<DataError>([&] { read_fasta(path, options); });
  CHECK(message.starts_with(path + ":"));
  return message.substr(path.size() + 1);
}

}  // namespace

TEST_CASE("FASTA: a site is one-hot over the letters, gap first or last") {
  const ScratchFolder folder;
  const auto path = folder.write("a", ";a remark\n>one some words\nAC\r\nG-\n>two\n\nt.g a\n");
  const Table table = read_fasta(path, over("dna"));
  CHECK(table.rows == 2);
  CHECK(table.cols == 20);
  CHECK(table.shape == std::vector<Index>{2, 4, 5});
  CHECK(sequences(table, "-ACGT") == std::vector<std::string>{"ACG-", "T-GA"});
  double sum = 0;
  for (const std::uint8_t v : held<std::uint8_t>(table)) sum += v;
  CHECK(sum == 8);
  FastaOptions last = over("dna");
  last.gap = GapPlace::last;
  CHECK(read_fasta(path, last).at(0, 0) == 1);  // A is the first letter
  CHECK(read_fasta(path, over("TGCA-")).at(0, 3) == 1);
  CHECK(FastaOptions{}.letters() == "-ACDEFGHIKLMNPQRSTVWY");
  CHECK(over("rna").letters() == "-ACGU");
}

TEST_CASE("FASTA: what is no alignment of the alphabet's letters is refused with its line") {
  CHECK(refusal("") == " has no sequences (lines '>name' expected)");
  CHECK(refusal("ACD\n") == "1: not a FASTA file: a line '>name' must stand before the first sequence");
  CHECK(refusal(">a\nACD\n>b\n>c\nACD\n") == "3: sequence 'b' is empty");
  CHECK(refusal(">a\nACD\n>b x\nAC\nDE\n") ==
        "3: sequence 'b' has 4 sites, but the first has 3 (an alignment expected)");
  CHECK(refusal(">a\nACD\n>b\nAXD\n") ==
        "4: place 2: sequence 'b' has the letter 'X', which is not of the alphabet -ACDEFGHIKLMNPQRSTVWY. Set "
        "data.alphabet, or data.unknown to \"gap\".");
  FastaOptions lenient;
  lenient.unknown = UnknownLetter::gap;
  const ScratchFolder folder;
  CHECK(sequences(read_fasta(folder.write("a", ">a\nAXb\n"), lenient), lenient.letters())[0] == "A--");
  CHECK(refusal(">a\nA\x01\n", lenient).find("has the letter 0x01") != std::string::npos);
  CHECK(message_of<ConfigError>([] { over("AACG").validate(); }) ==
        "alphabet is 'AACG' (protein, dna, rna, or the letters themselves, each once: capital ones, such as -ACGT, or "
        "ACGT of sequences without gaps)");
  for (const char* wrong : {"", "A", "DNA", "RNA", "acgt", "AC GT"})
    CHECK_THROWS_AS(over(wrong).validate(), ConfigError);
  CHECK_NOTHROW(over("01-").validate());
  FastaOptions moved = over("01-");
  moved.gap = GapPlace::last;
  CHECK(message_of<ConfigError>([&] { moved.validate(); }) ==
        "gap is given beside letters of one's own, among which '-' has its place, if any. Leave gap out.");
}

TEST_CASE("FASTA: letters without a gap have no state for one, and refuse it") {
  const ScratchFolder folder;
  const Table table = read_fasta(folder.write("a", ">a\nACG\n>b\ntTA\n"), over("ACGT"));
  CHECK(table.shape == std::vector<Index>{2, 3, 4});
  CHECK(sequences(table, "ACGT") == std::vector<std::string>{"ACG", "TTA"});
  CHECK(refusal(">a\nACG\n>b\nA-A\n", over("ACGT")) ==
        "4: place 2: sequence 'b' has the letter '-', which is not of the alphabet ACGT. Set data.alphabet.");
  CHECK(refusal(">a\nAC.\n", over("ACGT")).starts_with("2: place 3: sequence 'a' has the letter '.'"));
  FastaOptions lenient = over("ACGT");
  lenient.unknown = UnknownLetter::gap;
  CHECK(message_of<ConfigError>([&] { lenient.validate(); }) ==
        "unknown is \"gap\", and alphabet 'ACGT' has none. Put '-' among its letters.");
}

TEST_CASE("FASTA: random alignments are read back, plain and gzipped") {
  std::mt19937_64 words(3);
  const std::string letters = FastaOptions{}.letters();
  const ScratchFolder folder;
  for (int round = 0; round < 10; ++round) {
    const Index rows = 1 + words() % 30, sites = 1 + words() % 100;
    std::vector<std::string> all(rows);
    std::string text;
    for (std::string& s : all) {
      while (s.size() < sites) s += letters[words() % letters.size()];
      text += ">s\n" + s.substr(0, sites / 2) + "\n" + s.substr(sites / 2) + "\n";
    }
    CHECK(sequences(read_fasta(folder.write("a", text)), letters) == all);
    CHECK(sequences(read_fasta(folder.write_gzipped("a.gz", text)), letters) == all);
  }
}

TEST_CASE("FASTA: an alignment of the literature, and its weights") {
  const auto path = data_file("protein/PF00014_mgap6.fasta.gz");
  const auto weights = data_file("protein/PF00014_weights.txt.gz");
  if (!path || !weights) return;
  const Table table = read_table(*path);
  CHECK(table.rows == 13600);
  CHECK(table.shape == std::vector<Index>{13600, 53, 21});
  const std::vector<double> wanted = read_vector(*weights, "weight", "weights"), made = similarity_weights(table, 0.2);
  REQUIRE(wanted.size() == made.size());
  Index unlike = 0;
  for (Index r = 0; r < made.size(); ++r) unlike += std::abs(made[r] - wanted[r]) > 1e-9 ? 1 : 0;
  CHECK(unlike == 0);
}

}  // namespace fasta_test
