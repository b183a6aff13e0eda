// How many rows `sample` draws where --clamp names a file of rows and --num-samples is left out.
#include <doctest/doctest.h>

#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/npy.hpp>

#include "files.hpp"

namespace draws_of_rows_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

Outcome sampled(const ScratchFolder& folder, const char* output, const Words& more) {
  Words words{"sample", "m.h5", "--steps", "5", "--output", output};
  words.insert(words.end(), more.begin(), more.end());
  return run(folder, words);
}

}  // namespace

TEST_CASE("rows of a file are drawn once each where no number is given") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("rows.csv", "1,,0\n,0,\n0,1,\n");
  const Outcome outcome = sampled(folder, "s.npy", {"--clamp", "rows.csv", "--energies"});
  CHECK(outcome.err == "");
  REQUIRE(outcome.status == 0);
  const Table rows = read_npy(folder / "s.npy");
  REQUIRE(rows.rows == 3);
  CHECK(rows.at(0, 0) == 1.0);
  CHECK(rows.at(0, 2) == 0.0);
  CHECK(rows.at(1, 1) == 0.0);
  CHECK(rows.at(2, 0) == 0.0);
  CHECK(rows.at(2, 1) == 1.0);
  CHECK(read_npy(folder / "s.energies.npy").rows == 3);
  // The same as by that number, in every form of output, with options behind the file and units beside it.
  REQUIRE(sampled(folder, "n.npy", {"--clamp", "rows.csv", "--num-samples", "3"}).status == 0);
  CHECK(content_of(folder / "n.npy") == content_of(folder / "s.npy"));
  REQUIRE(sampled(folder, "s.csv", {"--clamp", "rows.csv:rows=0:2", "--clamp", "hidden[0]=1"}).status == 0);
  CHECK(csv_fields(folder / "s.csv").size() == 3);  // with the line of names
  REQUIRE(sampled(folder, "s.h5", {"--clamp", "rows.csv", "--descend"}).status == 0);
  CHECK(Hdf5File::open(folder / "s.h5").read<double>("samples").values.size() == 9);
}

TEST_CASE("without a file of rows the number of draws is asked for") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("rows.csv", "1,,0\n,0,\n");
  check_refusal(sampled(folder, "s.npy", {}), 2, "sample: --num-samples is missing. *");
  const std::string of_units =
      "--num-samples is missing: it goes by the rows of a file alone, and --clamp names none. Say how many rows to "
      "draw.";
  check_refusal(sampled(folder, "s.npy", {"--clamp", "visible[0]=1"}), 2, of_units);
  check_refusal(sampled(folder, "s.npy", {"--clamp", "visible[0]=each", "--start", "rows.csv"}), 2, of_units);
  check_refusal(sampled(folder, "s.npy", {"--clamp", "rows.csv", "--thin", "2"}), 2, "--thin: a file by --clamp *");
  CHECK_FALSE(std::filesystem::exists(folder / "s.npy"));
}

}  // namespace draws_of_rows_test
