// evaluate --rows of aligned sequences: a line tells which sequence it is of.
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "files.hpp"

namespace fasta_names_test {

using namespace harmonium::testing;

TEST_CASE("figures of sequences stand beside their names, those of a part too") {
  const ScratchFolder folder;
  std::string text;
  for (std::size_t r = 0; r < 24; ++r)
    text += fmt::format(">s{} of many\n{}{}\n", r, "-ACGT"[r % 5], "-ACGT"[r / 5 % 5]);
  folder.write("d.fasta", text);
  folder.write(
      "c.toml",
      "data = { type = \"fasta\", path = \"d.fasta\", alphabet = \"dna\", validation = 8 }\n"
      "estimator = { type = \"cd\" }\ntraining = { num_epochs = 1 }\n[model]\ntype = \"rbm\"\nnum_visible = 2\n"
      "num_hidden = 2\nvisible_units = { type = \"categorical\", num_states = 5 }\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run", "--quiet"}).status == 0);
  const auto rows = [&](const Words& more, const char* file = "r.csv") {
    Words words{"evaluate", "run", "--rows", file, "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
  };
  rows({"--split", "validation"});
  auto lines = csv_fields(folder / "r.csv");
  REQUIRE(lines.size() == 1 + 8);
  CHECK(Words(lines[0].begin(), lines[0].begin() + 3) == Words{"row", "name", "log_likelihood"});
  bool moved = false;  // the part's rows are others than the first of the file
  for (std::size_t r = 1; r < lines.size(); ++r) {
    CHECK(lines[r][1] == "s" + lines[r][0]);
    moved |= lines[r][0] != std::to_string(r - 1);
  }
  CHECK(moved);

  folder.write("other.fasta", ">one two\nAC\n>a,\"b\"\nGT\n>\nTT\n");
  rows({"--data", "other.fasta"});
  lines = csv_fields(folder / "r.csv");
  REQUIRE(lines.size() == 1 + 3);
  CHECK(Words(lines[1].begin(), lines[1].begin() + 2) == Words{"0", "one"});
  CHECK(content_of(folder / "r.csv").find("\n1,\"a,\"\"b\"\"\",") != std::string::npos);
  CHECK(content_of(folder / "r.csv").find("\n2,\"\",") != std::string::npos);
  rows({"--data", "other.fasta"}, "r.npy");
  CHECK(content_of(folder / "r.npy").find("('row', '<i8'), ('name', '<U5'), ('log_likelihood', '<f8')") !=
        std::string::npos);

  // Other data have no names.
  folder.write("other.csv", "0,2\n1,3\n");
  rows({"--data", "other.csv"});
  CHECK(content_of(folder / "r.csv").starts_with("row,log_likelihood,"));
}

}  // namespace fasta_names_test
