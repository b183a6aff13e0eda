// For how many sequences those of a family count that are weighed by their relatives.
#include <string>

#include <doctest/doctest.h>

#include "files.hpp"

namespace relatives_test {

using namespace harmonium::testing;

namespace {

/// a and b differ at 1 of 10 sites, b and c at 1, a and c at 2, and d from all of them at all.
void write_family(const ScratchFolder& folder) {
  folder.write("f.fasta", ">a\nAAAAAAAAAA\n>b\nAAAAAAAAAC\n>c\nAAAAAAAACC\n>d\nGGGGGGGGGG\n");
  folder.write("c.toml",
               "data = { type = \"fasta\", path = \"f.fasta\", alphabet = \"dna\" }\nestimator = { type = \"cd\" }\n"
               "training = { num_epochs = 1, batch_size = 4 }\nobservers = []\n[model]\ntype = \"rbm\"\n"
               "num_visible = 10\nnum_hidden = 2\nvisible_units = { type = \"categorical\", num_states = 5 }\n");
}

bool holds(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

std::string count_at(const std::string& reweight, const std::string& total) {
  return "reweight = " + reweight + ": 4 training sequences count as " + total + " (M_eff, the sum of their weights).";
}

const std::string identity = "data.reweight is the share of sites that differ: ";

}  // namespace

TEST_CASE("train, explain and inspect say for how many sequences those of a family count") {
  const ScratchFolder folder;
  write_family(folder);
  const auto check = [&](const std::string& reweight, const std::string& total, bool odd) {
    CAPTURE(reweight);
    const Words set{"--set", "data.reweight=" + reweight};
    const Outcome trained = run(folder, {"train", "c.toml", "--output", "run", "--overwrite", set[0], set[1]});
    CHECK_MESSAGE(trained.status == 0, trained.err);
    for (const std::string& text : {trained.err, run(folder, {"explain", "c.toml", "--no-timing", set[0], set[1]}).out,
                                    run(folder, {"inspect", "f.fasta:reweight=" + reweight}).out}) {
      CHECK_MESSAGE(holds(text, count_at(reweight, total)), text);
      CHECK(holds(text, identity) == odd);
    }
  };
  check("0.1", "4", false);     // fewer than one site: none is alike
  check("0.2", "2.33", false);  // fewer than two: 1/2 + 1/3 + 1/2 + 1, and not 4, to which weights could be normalized
  check("0.3", "2", false);     // fewer than three: 3 · 1/3 + 1
  check("0.8", "2", true);      // meant for 80 % identity
  check("1", "2", true);
  const std::string plain = run(folder, {"explain", "c.toml", "--no-timing"}).out;
  CHECK(holds(plain, "rows: 4 for training"));
  CHECK(!holds(plain, "M_eff"));
  CHECK(holds(run(folder, {"inspect", "f.fasta:reweight=0.8"}).out,
              "at 0.8, sequences that are alike at more than 20 % of the sites count as relatives. 80 % identity is "
              "reweight = 0.2."));
}

TEST_CASE("a family of which next to nothing is left is remarked on at the usual distance too") {
  const ScratchFolder folder;
  const auto inspected = [&](int copies) {
    std::string text;
    for (int i = 0; i < copies; ++i) text += ">a\nACGTACGTAC\n>b\nCATGCATGCA\n";
    folder.write("f.fasta", text);
    return run(folder, {"inspect", "f.fasta:reweight=0.2,alphabet=dna"}).out;
  };
  CHECK(holds(inspected(30), "reweight = 0.2: 60 training sequences count as 2 (M_eff"));
  CHECK(holds(inspected(30), identity + "at 0.2, "));
  CHECK(holds(inspected(10), "reweight = 0.2: 20 training sequences count as 2 (M_eff"));
  CHECK(!holds(inspected(10), identity));
}

}  // namespace relatives_test
