// Why figures are absent from a table along temperatures.
#include <limits>
#include <string>

#include <doctest/doctest.h>

#include "files.hpp"

namespace absent_along_test {

using namespace harmonium::testing;

TEST_CASE("a figure that rows with holes do not have is told below a table along temperatures too") {
  const ScratchFolder folder;
  constexpr double hole = std::numeric_limits<double>::quiet_NaN();
  write_foreign_model(folder / "m.h5");
  folder.write("d.npy", npy_bytes(2, 3, {1, 0, 1, hole, 1, 0}));
  folder.write("whole.npy", npy_bytes(2, 3, {1, 0, 1, 0, 1, 0}));
  const Words words{"evaluate", "m.h5", "--betas", "0.5,1", "--data"};
  Words holes = words, whole = words;
  holes.insert(holes.end(), {"d.npy", "--set", "data.missing=nan"});
  whole.emplace_back("whole.npy");
  const std::string why = "\nNo pseudo_log_likelihood: entries of the data are missing.\n";
  CHECK(run(folder, holes).out.find(why) != std::string::npos);
  CHECK(run(folder, whole).out.find("No pseudo_log_likelihood") == std::string::npos);
  // Of a sum that was not asked for, and of what takes it.
  holes.insert(holes.end(), {"--log-z", "none"});
  CHECK(run(folder, holes).out.find("\nNo log_likelihood: it takes log_z, which is absent too.\n" + why.substr(1)) !=
        std::string::npos);
}

TEST_CASE("the energy of the ground state is not said to be absent where a line above has it") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  // Of states alike there is no population, and the energy is that of the next temperature.
  const Words words{"evaluate", "ising.h5", "--betas", "0,0.2", "--log-z", "population_annealing", "--quiet"};
  const std::string text = run(folder, words).out;
  CHECK(like(text, "*\n\nground_state_energy -32.000000  the lowest that was met\n*"));
  CHECK(text.find("\nNo mean_energy, heat_capacity, entropy: it is given where ") != std::string::npos);
  CHECK(text.find("No ground_state_energy") == std::string::npos);
  // Where no temperature has it, it is said.
  Words without = words;
  without[5] = "ais";
  CHECK(run(folder, without).out.find("\nNo ground_state_energy, mean_energy, ") != std::string::npos);
}

}  // namespace absent_along_test
