// Means of latent layers that transform writes of rows with holes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <harmonium/framework/files/npy.hpp>
#include <harmonium/tests/support/tables.hpp>

#include "files.hpp"

namespace latent_of_holes_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr double hole = std::numeric_limits<double>::quiet_NaN();

Outcome transformed(const ScratchFolder& folder, const Words& more) {
  Words words{"transform"};
  words.insert(words.end(), more.begin(), more.end());
  return run(folder, words);
}

/// E[h_j | seen] of the foreign model over its states, of a row of which the units of `seen` are those of `v`.
double mean_given(unsigned seen, unsigned v, unsigned j) {
  double on = 0.0, all = 0.0;
  for (unsigned x = 0; x < 8; ++x)
    for (unsigned h = 0; h < 4; ++h) {
      if ((x & seen) != (v & seen)) continue;
      const double p = std::exp(-foreign_energy(x, h));
      all += p;
      if (h >> j & 1) on += p;
    }
  return on / all;
}

/// Rows of nine bits for a machine that a run trained.
void train_small(const ScratchFolder& folder) {
  std::string rows;
  for (int r = 0; r < 40; ++r)
    for (int c = 0; c < 9; ++c) rows += fmt::format("{}{}", (r * r + c * (r % 3)) % 5 % 2, c < 8 ? "," : "\n");
  folder.write("d.csv", rows);
  folder.write("c.toml",
               "seed = 4\ndata = { type = \"csv\", path = \"d.csv\" }\nmodel = { type = \"rbm\", num_visible = 9, "
               "num_hidden = 5 }\nestimator = { type = \"pcd\", num_chains = 20 }\n"
               "training = { num_epochs = 30, batch_size = 20 }\n");
  const Outcome outcome = run(folder, {"train", "c.toml", "--output", "run", "--quiet"});
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
}

}  // namespace

TEST_CASE("transform sums out what a row lacks, and leaves rows without holes as they are") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("d.npy", npy_bytes(4, 3, {1, 0, 1, hole, 1, 0, 0, 1, 1, hole, 1, hole}));
  const Words asked{"m.h5",  "d.npy",    "--set", "data.missing=nan", "--output",
                    "h.npy", "--errors", "e.npy", "--layer",          "hidden"};
  const Outcome outcome = transformed(folder, asked);
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  CHECK(outcome.out ==
        "h.npy: means of layer 'hidden' given each row, 4 x 2, in closed form (posterior_mean, exact); 2 rows with "
        "holes, by sums over what is missing (exact)\n");
  const Table means = read_npy(folder / "h.npy"), errors = read_npy(folder / "e.npy");
  REQUIRE(means.rows == 4);
  REQUIRE(means.cols == 2);
  const unsigned seen[] = {7, 6, 7, 2}, rows[] = {5, 2, 6, 2};  // unit i is bit i
  for (unsigned r = 0; r < 4; ++r)
    for (unsigned j = 0; j < 2; ++j) {
      CHECK(means.at(r, j) == doctest::Approx(mean_given(seen[r], rows[r], j)).epsilon(1e-12));
      CHECK(errors.at(r, j) == 0.0);
    }
  // --clamp takes out what rows have.
  folder.write("full.npy", npy_bytes(2, 3, {0, 1, 0, 0, 1, 1}));
  const Outcome clamped = transformed(
      folder, {"m.h5", "full.npy", "--clamp", "visible[0]=free", "--clamp", "visible[2]=free", "--output", "c.npy"});
  REQUIRE_MESSAGE(clamped.status == 0, clamped.err);
  CHECK(clamped.out ==
        "c.npy: means of layer 'hidden' given each row, 2 x 2, 2 rows with holes, by sums over what is missing "
        "(exact)\n");
  const Table of_one = read_npy(folder / "c.npy");
  for (unsigned r = 0; r < 2; ++r)
    for (unsigned j = 0; j < 2; ++j) CHECK(of_one.at(r, j) == doctest::Approx(mean_given(2, 2, j)).epsilon(1e-12));
}

TEST_CASE("rows without holes are the same to the byte as those of a file without holes") {
  const ScratchFolder folder;
  train_small(folder);
  const auto lines_of = [&](const char* data) {
    const Outcome outcome =
        transformed(folder, {"run", data, "--set", "data.missing=nan", "--output", "h.csv", "--quiet"});
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
    return csv_fields(folder / "h.csv");
  };
  auto rows = csv_fields(folder / "d.csv");
  for (std::size_t r = 1; r < rows.size(); r += 3) rows[r][r % 9] = "";
  std::string holed;
  for (const Words& row : rows)
    for (std::size_t c = 0; c < 9; ++c) holed += row[c] + (c < 8 ? "," : "\n");
  folder.write("holed.csv", holed);
  const auto whole = lines_of("d.csv"), some = lines_of("holed.csv");
  REQUIRE(some.size() == whole.size());
  for (std::size_t r = 0; r < rows.size(); ++r) CHECK((some[r + 1] == whole[r + 1]) == (r % 3 != 1));
}

TEST_CASE("latent means of rows that lack too much are estimated by chains, and --errors tells how well") {
  const ScratchFolder folder;
  // 20 latent bits and 17 missing ones: neither is summed over.
  folder.write(
      "wide.toml",
      "seed = 4\ndata = { type = \"bars_and_stripes\", side = 5 }\nmodel = { type = \"rbm\", num_visible = 25, "
      "num_hidden = 20 }\nestimator = { type = \"pcd\", num_chains = 20 }\n"
      "training = { num_epochs = 5, batch_size = 20 }\n");
  REQUIRE(run(folder, {"train", "wide.toml", "--output", "wide", "--quiet"}).status == 0);
  const Words asked{"wide",     "bars_and_stripes:side=5",
                    "--clamp",  "visible[8:25]=free",
                    "--steps",  "50",
                    "--chains", "4",
                    "--errors", "e.npy",
                    "--output", "h.npy"};
  const Outcome outcome = transformed(folder, asked);
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  CHECK_MESSAGE(
      outcome.out.find("62 rows with holes, estimated by 4 chains of 50 steps each, standard errors up to ") !=
          std::string::npos,
      outcome.out);
  const Table means = read_npy(folder / "h.npy"), errors = read_npy(folder / "e.npy");
  REQUIRE(means.rows == 62);
  REQUIRE(means.cols == 20);
  REQUIRE(errors.rows == 62);
  REQUIRE(errors.cols == 20);
  double largest = 0.0;
  for (Index r = 0; r < 62; ++r)
    for (Index j = 0; j < 20; ++j) {
      CHECK((means.at(r, j) >= 0.0 && means.at(r, j) <= 1.0));
      largest = std::max(largest, errors.at(r, j));
    }
  CHECK(largest > 0.0);
  const std::string first = content_of(folder / "h.npy");
  Words threads = asked;
  threads.insert(threads.end(), {"--threads", "1"});
  REQUIRE(transformed(folder, threads).status == 0);
  CHECK(content_of(folder / "h.npy") == first);
}

TEST_CASE("steps of chains that no row takes are told") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("whole.npy", npy_bytes(2, 3, {1, 0, 1, 0, 1, 1}));
  const Outcome outcome = transformed(folder, {"m.h5", "whole.npy", "--output", "h.npy", "--steps", "50"});
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "harmonium: note: --steps: no row takes chains, and none are run.\n");
}

TEST_CASE("draws, named phases and mean field are of complete rows, and say how to have these") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("d.npy", npy_bytes(2, 3, {1, 0, 1, hole, 1, 0}));
  const auto refused = [&](const Words& more, const char* option) {
    Words words{"m.h5", "d.npy", "--set", "data.missing=nan", "--output", "h.npy"};
    words.insert(words.end(), more.begin(), more.end());
    check_refusal(
        transformed(folder, words), 2,
        fmt::format("*d.npy: entries are missing, and {0} is of latent units given complete rows. 'harmonium sample "
                    "m.h5 --clamp d.npy --num-samples 2 --steps 1000 --output filled.csv' draws what is missing, and "
                    "'harmonium transform m.h5 filled.csv {0} --output h.npy' then takes these rows. Without {0} there "
                    "are means given what was seen of each row.",
                    option)
            .c_str());
  };
  refused({"--draws"}, "--draws");
  refused({"--phase", "posterior_mean"}, "--phase posterior_mean");
  refused({"--phase", "mean_field"}, "--phase mean_field");
}

}  // namespace latent_of_holes_test
