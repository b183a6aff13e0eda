#include <harmonium/framework/files/fasta_alphabet.hpp>

#include <array>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace fasta_alphabet_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

std::string of(const std::string& letters) {
  const ScratchFolder folder;
  folder.write("f.fasta", ">a WWWW\n" + letters + "\n");
  return fasta_alphabet(std::array{folder / "f.fasta"});
}

std::string refusal_of(const std::string& letters) {
  try {
    return of(letters);
  } catch (const DataError& error) {
    const std::string text = error.what();
    return text.substr(text.find(": ") + 2);
  }
}

}  // namespace

TEST_CASE("letters are those of DNA or RNA where nine in ten are bases, else of proteins") {
  CHECK(of("ACGT-..-acgt") == "dna");
  CHECK(of("acgu-") == "rna");
  CHECK(of("AAGG-") == "dna");
  CHECK(of("ACGTACGTAN.") == "dna");      // 9 of 10
  CHECK(of("ACGTACGTNN.") == "protein");  // 8 of 10
  CHECK(of("MKV-LA") == "protein");
  CHECK(of("A C\nG\tT\n>b\nT-") == "dna");
}

TEST_CASE("letters of sequences without gaps are named themselves, of several files together") {
  CHECK(of("AAGG") == "ACGT");
  CHECK(of("acgu") == "ACGU");
  CHECK(of("A C\nG\tT\n>b-c\nT") == "ACGT");  // a name is no sequence
  CHECK(of("MKVLA") == "ACDEFGHIKLMNPQRSTVWY");
  const ScratchFolder folder;
  const std::array files{folder.write("a", ">a\nACGT\n"), folder.write("b", ">b\nAC-T\n")};
  CHECK(fasta_alphabet(std::span(files).first(1)) == "ACGT");
  CHECK(fasta_alphabet(std::span(files).first(1), GapState::always) == "dna");
  CHECK(fasta_alphabet(files) == "dna");
  CHECK(fasta_alphabet_words("ACGT") == "letters of DNA, without gaps");
  CHECK(fasta_alphabet_words("protein") == "letters of amino acids, and the gap");
  CHECK(fasta_alphabet_words("-01") == "letters -01");
}

TEST_CASE("letters of which nothing can be told are refused") {
  CHECK(refusal_of("--..") == "its sequences have no letters");
  CHECK(refusal_of("ACGTU") ==
        "its sequences have the letters T and U, so that they are neither DNA nor RNA. Set data.alphabet, such as "
        "\"-ACGTU\".");
}

}  // namespace fasta_alphabet_test
