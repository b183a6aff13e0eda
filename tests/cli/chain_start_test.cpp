// sample --start: chains that begin in a given state.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/files/npy.hpp>

#include "files.hpp"

namespace chain_start_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

Table drawn(const ScratchFolder& folder, const std::string& model, const char* rows, const char* steps,
            const Words& more) {
  Words words{"sample", model, "--num-samples", rows, "--steps", steps, "--output", "s.npy", "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = run(folder, words);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return read_npy(folder / "s.npy");
}

/// The law of the foreign machine's visible units after hidden ones were drawn given `v`, and they given these.
std::array<double, 8> after_one_step(unsigned v) {
  std::array<double, 4> latent{};
  double sum = 0.0;
  for (unsigned h = 0; h < 4; ++h) sum += latent[h] = std::exp(-foreign_energy(v, h));
  std::array<double, 8> law{};
  for (unsigned h = 0; h < 4; ++h) {
    double all = 0.0;
    for (unsigned next = 0; next < 8; ++next) all += std::exp(-foreign_energy(next, h));
    for (unsigned next = 0; next < 8; ++next) law[next] += latent[h] / sum * std::exp(-foreign_energy(next, h)) / all;
  }
  return law;
}

}  // namespace

TEST_CASE("chains begin where they are asked to, and what is held stays so") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("one.csv", "1,0,1\n");
  folder.write("each.csv", "1,0,1\n0,0,1\n1,1,1\n0,1,0\n");
  const auto row = [](const Table& t, Index r) { return std::vector<double>{t.at(r, 0), t.at(r, 1), t.at(r, 2)}; };
  const Table one = drawn(folder, "m.h5", "4", "0", {"--start", "one.csv"});
  for (Index r = 0; r < 4; ++r) CHECK(row(one, r) == std::vector<double>{1, 0, 1});
  const Table each = drawn(folder, "m.h5", "4", "0", {"--start", "each.csv"});
  CHECK(row(each, 0) == std::vector<double>{1, 0, 1});
  CHECK(row(each, 1) == std::vector<double>{0, 0, 1});
  CHECK(row(each, 3) == std::vector<double>{0, 1, 0});
  const Table up = drawn(folder, "m.h5", "4", "0", {"--start", "visible[0]=1,visible[1]=0,visible[2]=1"});
  for (Index r = 0; r < 4; ++r) CHECK(row(up, r) == std::vector<double>{1, 0, 1});
  const Table held = drawn(folder, "m.h5", "4", "0", {"--start", "visible=1", "--clamp", "visible[0]=0"});
  for (Index r = 0; r < 4; ++r) CHECK(row(held, r) == std::vector<double>{0, 1, 1});
}

TEST_CASE("a transition from a start has the law of one, latent units being drawn given the start") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  constexpr double n = 20000.0;
  std::array<std::array<double, 8>, 2> shares{};
  for (const unsigned v : {0u, 7u}) {
    std::array<double, 8>& share = shares[v == 7u];
    const Table rows = drawn(folder, "m.h5", "20000", "1", {"--start", v == 7u ? "visible=1" : "visible=0"});
    for (Index r = 0; r < rows.rows; ++r) {
      unsigned next = 0;
      for (Index c = 0; c < 3; ++c) next |= rows.at(r, c) == 1.0 ? 1u << c : 0u;
      share[next] += 1.0 / n;
    }
    // 5 deviations of 8 shares are a false alarm in 5e-6.
    const std::array<double, 8> law = after_one_step(v);
    for (unsigned next = 0; next < 8; ++next) {
      CAPTURE(next);
      CHECK(std::abs(share[next] - law[next]) <= 5.0 * std::sqrt(law[next] * (1.0 - law[next]) / n));
    }
  }
  // Were the start forgotten, both would have one law.
  double apart = 0.0;
  for (unsigned next = 0; next < 8; ++next) apart += std::abs(shares[0][next] - shares[1][next]);
  CHECK(apart > 0.1);
}

TEST_CASE("spins far below the critical temperature stay on the side that they begin on") {
  const ScratchFolder folder;
  write_torus(folder, 6);
  for (const double side : {1.0, -1.0}) {
    const Table rows =
        drawn(folder, "ising.h5", "20", "5", {"--beta", "1", "--start", side > 0.0 ? "visible=1" : "visible=-1"});
    for (Index r = 0; r < rows.rows; ++r) {
      double sum = 0.0;
      for (Index c = 0; c < rows.cols; ++c) sum += rows.at(r, c);
      CHECK(side * sum > 0.0);  // by e^-8 a spin and step against its neighbors
    }
  }
}

TEST_CASE("sample --start refuses what is no state of the units, and files of other numbers of rows") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("three.csv", "1,0,1\n0,0,1\n1,1,1\n");
  const auto refused = [&](const Words& more, const char* pattern) {
    Words words{"sample", "m.h5", "--num-samples", "4", "--steps", "1", "--output", "s.npy"};
    words.insert(words.end(), more.begin(), more.end());
    check_refusal(run(folder, words), 2, pattern);
  };
  refused({"--start", "visible=2"}, "--start visible=2: a binary unit of layer 'visible' is one of 0, 1.");
  refused({"--start", "visibel=1"},
          "--start visibel=1: the model has no layer 'visibel' (did you mean 'visible'?). Its layers: visible, "
          "hidden.");
  refused({"--start", "three.csv"},
          "--start: the file has 3 rows, and there are 4 chains. Give one row for all, or one for each.");
  refused({"--start", "visible=1,visible[1]=0"},
          "--start visible[1]=0: unit visible[1] is given by visible=1 already. Give each unit once.");
  folder.write("one.csv", "1,nan,1\n");
  refused({"--start", "one.csv", "--start", "visible[1]=0", "--start", "visible[2]=0"},
          "--start visible[2]=0: unit visible[2] is given by row 0 (counted from 0) of one.csv already. Give each unit "
          "once: leave one of the two out, or add --start 'visible[2]=free', which leaves the file's out.");
  refused({"--start", "three.csv", "--thin", "2"},
          "--start: the file has 3 rows, and there is 1 chain. Give one row for all, or one for each.");
}

}  // namespace chain_start_test
