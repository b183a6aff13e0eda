// log Z of spin glasses that is known exactly, at four inverse temperatures.

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/elimination.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/tests/support/data.hpp>
#include <harmonium/tests/support/spins.hpp>
#include <harmonium/tests/support/tables.hpp>

namespace glass_log_z_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr std::array betas{0.2, 0.5, 1.0, 2.0};

struct Glass {
  std::string name;
  double ground_state = 0.0;
  std::array<double, 4> log_z{};
};

/// exact.csv: instance, n, m, ground state, log Z at each of `betas`.
std::vector<Glass> glasses() {
  std::vector<Glass> all;
  const auto table = data_file("spinglass/exact.csv");
  if (!table) return all;
  for (const auto& words : words_below_header(*table)) {
    Glass glass{words.at(0), std::stod(words.at(3)), {}};
    for (std::size_t k = 0; k < betas.size(); ++k) glass.log_z[k] = std::stod(words.at(4 + k));
    all.push_back(glass);
  }
  return all;
}

bool has(const Glass& glass, const char* part) { return glass.name.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("elimination finds log Z and the ground state of tori of 64 and 100 spins and of a cylinder of 1000" *
          doctest::test_suite("slow")) {
  Index found = 0;
  for (const Glass& glass : glasses()) {
    // All of 64 spins, one of 100, and the cylinder: tables of 2^20 entries take ten seconds, those of 144 spins minutes.
    if (!has(glass, "L8") && !has(glass, "pmJ_L10_s0") && !has(glass, "cylinder")) continue;
    const auto path = data_file("spinglass/ea2d/" + glass.name + ".gz");
    if (!path) return;
    CAPTURE(glass.name);
    const auto model = sparse_spins_on(read_edge_list(*path));
    const Executor executor(2);
    const Elimination elimination(*model, 24);
    for (std::size_t k = 0; k < betas.size(); ++k) {
      CAPTURE(betas[k]);
      CHECK(std::abs(elimination.log_sum(betas[k], executor) - glass.log_z[k]) < 1e-9 * glass.log_z[k]);
    }
    CHECK(std::abs(elimination.ground_state(executor).energy - glass.ground_state) < 1e-8);
    ++found;
  }
  if (!glasses().empty()) CHECK(found == 8);
}

TEST_CASE("intervals of annealing hold log Z of tori from hot to cold") {
  Index agreed = 0;
  for (const Glass& glass : glasses()) {
    if (!has(glass, "L8_s0")) continue;
    const auto path = data_file("spinglass/ea2d/" + glass.name + ".gz");
    if (!path) return;
    const auto model = sparse_spins_on(read_edge_list(*path));
    const Executor executor(2);
    const auto ais = make<LogPartition>("type = 'ais'");
    for (std::size_t k = 0; k < betas.size(); ++k) {
      CAPTURE(glass.name);
      CAPTURE(betas[k]);
      const LogPartitionEstimate z = ais->estimate(*model, betas[k], {executor, {5, 6}});
      if (!z.agree) continue;
      ++agreed;
      CHECK(z.high - z.low < 1.0);
      // Eight normal errors at once, each within six: fewer than one run in 10^7 fails.
      CHECK(std::abs(z.log_z - glass.log_z[k]) < 6.0 * z.error);
    }
  }
  if (!glasses().empty()) CHECK(agreed >= 6);
}

TEST_CASE("population annealing finds log Z and the ground states of tori of 100 spins") {
  Index found = 0;
  for (const Glass& glass : glasses()) {
    if (!has(glass, "L10_s0")) continue;
    const auto path = data_file("spinglass/ea2d/" + glass.name + ".gz");
    if (!path) return;
    CAPTURE(glass.name);
    const auto model = sparse_spins_on(read_edge_list(*path));
    const Executor executor(2);
    const auto way = make<LogPartition>("type = 'population_annealing'\npopulation = 400");
    const LogPartitionEstimate warm =
        make<LogPartition>("type = 'population_annealing'")->estimate(*model, 1.0, {executor, {5, 6}});
    CHECK(warm.agree);
    CHECK(warm.high - warm.low < 0.3);
    // Two normal errors, each told from ten populations and within ten of them: by Student's law one run in 10^5 fails.
    CHECK(std::abs(warm.log_z - glass.log_z[2]) < 10.0 * warm.error);
    const LogPartitionEstimate cold = way->estimate(*model, 4.0, {executor, {5, 6}});
    REQUIRE(cold.ground_state_energy.has_value());
    CHECK(std::abs(*cold.ground_state_energy - glass.ground_state) < 1e-8);
    ++found;
  }
  if (!glasses().empty()) CHECK(found == 2);
}

TEST_CASE("population annealing finds the ground state of a cylinder of 1000 spins, by regions of several rows" *
          doctest::test_suite("slow")) {
  Index found = 0;
  for (const Glass& glass : glasses()) {
    if (!has(glass, "cylinder")) continue;
    const auto path = data_file("spinglass/ea2d/" + glass.name + ".gz");
    if (!path) return;
    const auto model = sparse_spins_on(read_edge_list(*path));
    const Executor executor(2);
    const LogPartitionEstimate cold = make<LogPartition>("type = 'population_annealing'\npopulation = 400\nsweeps = 5")
                                          ->estimate(*model, 4.0, {executor, {5, 6}});
    REQUIRE(cold.ground_state_energy.has_value());
    CHECK(std::abs(*cold.ground_state_energy - glass.ground_state) < 1e-6);
    // No row of any population was there, nor came there by going down.
    CHECK(cold.method.find("that of several rows, each in its region") != std::string::npos);
    ++found;
  }
  if (!glasses().empty()) CHECK(found == 1);
}

}  // namespace glass_log_z_test
