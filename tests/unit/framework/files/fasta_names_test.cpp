#include <harmonium/framework/files/fasta_names.hpp>

#include <doctest/doctest.h>

#include <harmonium/framework/files/fasta.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace fasta_names_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE("a sequence is called by the first word of its line") {
  CHECK(fasta_name(">a") == "a");
  CHECK(fasta_name(">sp|P1|A_B rest of it") == "sp|P1|A_B");
  CHECK(fasta_name(">a\tb c") == "a");
  CHECK(fasta_name("> a") == "");
  CHECK(fasta_name(">") == "");
}

TEST_CASE("there is a name for each row, in their order") {
  const ScratchFolder folder;
  folder.write("f.fasta", "; a remark\n>first one\nAC\nGT\n\n>\nACGT\r\n>a,\"b\" c\r\nTTTT\n>first\nAAAA");
  const std::vector<std::string> names = fasta_names(folder / "f.fasta");
  CHECK(names == std::vector<std::string>{"first", "", "a,\"b\"", "first"});
  CHECK(names.size() == read_fasta(folder / "f.fasta", {.alphabet = "dna"}).rows);
}

}  // namespace fasta_names_test
