// Low states where some units are held.
#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/files/npy.hpp>

#include "files.hpp"

namespace clamped_descent_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE("a descent leaves what is held alone, and comes to the ground state under that, by enumeration") {
  constexpr unsigned n = 8;
  const auto coupling = [](unsigned i, unsigned j) {  // i < j; halves, which add up without rounding
    return (static_cast<double>((5 * i * i + 3 * i * j + 7 * j) % 7) - 3.0) / 2.0;
  };
  const auto spin = [](unsigned state, unsigned i) { return state >> i & 1 ? 1.0 : -1.0; };
  const auto energy = [&](unsigned state) {
    double e = 0.0;
    for (unsigned i = 0; i < n; ++i)
      for (unsigned j = i + 1; j < n; ++j) e -= coupling(i, j) * spin(state, i) * spin(state, j);
    return e;
  };
  const auto ground_energy = [&](unsigned held, unsigned value) {
    double lowest = INFINITY;
    for (unsigned state = 0; state < 1u << n; ++state)
      if ((state & held) == value) lowest = std::min(lowest, energy(state));
    return lowest;
  };
  const ScratchFolder folder;
  std::ostringstream edges;
  edges << n << " " << n * (n - 1) / 2 << "\n";
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = i + 1; j < n; ++j) edges << i + 1 << " " << j + 1 << " " << coupling(i, j) << "\n";
  folder.write("glass.txt", edges.str());
  REQUIRE(run(folder, {"import", "glass.txt", "--output", "glass.h5"}).status == 0);
  // Row r holds the spins of masks[r % 2] in the state values[r % 2].
  const auto check = [&](const Words& more, std::vector<unsigned> masks, std::vector<unsigned> values) {
    Words words{"sample", "glass.h5", "--num-samples", "200", "--steps", "20", "--descend", "--output", "s.npy"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK(like(outcome.out, "*energies after the descent: lowest *, mean *\n"));
    const Table rows = read_npy(folder / "s.npy");
    REQUIRE(rows.rows == 200);
    std::vector<double> lowest(2, INFINITY);
    for (Index r = 0; r < rows.rows; ++r) {
      const unsigned held = masks[r % 2];
      unsigned state = 0;
      for (unsigned i = 0; i < n; ++i) state |= rows.at(r, i) == 1.0 ? 1u << i : 0u;
      CHECK((state & held) == values[r % 2]);
      for (unsigned i = 0; i < n; ++i)
        if (!(held >> i & 1)) CHECK(energy(state ^ 1u << i) >= energy(state));
      lowest[r % 2] = std::min(lowest[r % 2], energy(state));
    }
    for (const unsigned k : {0u, 1u}) CHECK(lowest[k] == ground_energy(masks[k], values[k]));
  };
  const Words three{"--clamp", "visible[0]=1", "--clamp", "visible[3]=-1", "--clamp", "visible[6]=1"};
  check(three, {0b0100'1001, 0b0100'1001}, {0b0100'0001, 0b0100'0001});
  Words tempered = three;
  tempered.insert(tempered.end(), {"--sampler", "parallel_tempering", "--set", "sampler.adapt_steps=10"});
  check(tempered, {0b0100'1001, 0b0100'1001}, {0b0100'0001, 0b0100'0001});
  folder.write("held.csv", "1,nan,nan,-1,nan,nan,1,nan\nnan,1,-1,nan,1,1,nan,-1\n");
  check({"--clamp", "held.csv"}, {0b0100'1001, 0b1011'0110}, {0b0100'0001, 0b0011'0010});
}

}  // namespace clamped_descent_test
