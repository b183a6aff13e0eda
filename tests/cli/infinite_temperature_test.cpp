// Samples and their verdict at beta = 0, where couplings and fields count for nothing.
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <harmonium/framework/files/npy.hpp>

#include "files.hpp"

namespace infinite_temperature_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE("at beta = 0 samples of discrete units are uniform, by any sampler") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  for (const char* sampler : {"gibbs", "exact", "metropolis", "parallel_tempering"}) {
    CAPTURE(sampler);
    const Outcome outcome = run(folder, {"sample", "m.h5", "--beta", "0", "--sampler", sampler, "--num-samples", "4000",
                                         "--steps", "100", "--output", "s.npy", "--quiet"});
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
    const Table rows = read_npy(folder / "s.npy");
    std::vector<double> share(8, 0.0);
    for (Index r = 0; r < rows.rows; ++r)
      share[static_cast<std::size_t>(rows.at(r, 0) + 2 * rows.at(r, 1) + 4 * rows.at(r, 2))] += 1.0 / 4000;
    // 5 deviations of a share of 4000 draws.
    for (const double s : share) CHECK(std::abs(s - 0.125) < 5 * std::sqrt(0.125 * 0.875 / 4000));
  }
}

TEST_CASE("at beta = 0 units with a base measure are drawn from it") {
  const ScratchFolder folder;
  folder.write("m.toml",
               "seed = 2\n[model]\ntype = \"rbm\"\nnum_visible = 2\nnum_hidden = 2\nvisible_units = \"poisson\"\n"
               "[initializer]\ntype = \"normal\"\nstd = 0.5\n");
  REQUIRE(run(folder, {"import", "m.toml", "--output", "m.h5"}).status == 0);
  const Outcome outcome =
      run(folder, {"sample", "m.h5", "--beta", "0", "--num-samples", "4000", "--steps", "5", "--output", "s.npy"});
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  const Table rows = read_npy(folder / "s.npy");
  // 1/x!, of mean and variance 1; the fourth central moment is 4, so that the variance errs by root 3 / n.
  for (Index c = 0; c < 2; ++c) {
    double mean = 0.0, variance = 0.0;
    for (Index r = 0; r < rows.rows; ++r) mean += rows.at(r, c) / 4000;
    for (Index r = 0; r < rows.rows; ++r) variance += std::pow(rows.at(r, c) - mean, 2) / 4000;
    CHECK(std::abs(mean - 1.0) < 5 * std::sqrt(1.0 / 4000));
    CHECK(std::abs(variance - 1.0) < 5 * std::sqrt(3.0 / 4000));
  }
}

TEST_CASE("at beta = 0 chains mix at once, and the energy is the mean over all states") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const Outcome outcome = run(folder, {"diagnose", "m.h5", "--beta", "0", "--steps", "2000", "--json"});
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  const nlohmann::json found = nlohmann::json::parse(outcome.out);
  CHECK(found["mixed"] == true);
  double mean = 0.0;
  for (unsigned v = 0; v < 8; ++v)
    for (unsigned h = 0; h < 4; ++h) mean += foreign_energy(v, h) / 32;
  const auto& energy = found["numbers"]["energy"];
  CHECK(std::abs(energy["mean"].get<double>() - mean) < 5 * energy["error"].get<double>());
}

TEST_CASE("continuous units have no samples at beta = 0, and the refusal is that of other commands") {
  const ScratchFolder folder;
  folder.write("m.toml", "[model]\ntype = \"rbm\"\nnum_visible = 3\nnum_hidden = 2\nhidden_units = \"gaussian\"\n");
  REQUIRE(run(folder, {"import", "m.toml", "--output", "m.h5"}).status == 0);
  const std::string why =
      "--beta: at beta = 0 the continuous units of layer 'hidden' have no law. Take a beta above 0.";
  check_refusal(run(folder, {"evaluate", "m.h5", "--beta", "0"}), 2, why);
  check_refusal(run(folder, {"diagnose", "m.h5", "--beta", "0"}), 2, why);
  check_refusal(
      run(folder, {"sample", "m.h5", "--beta", "0", "--num-samples", "3", "--steps", "1", "--output", "s.npy"}), 2,
      why);
  for (const Words& words : {Words{"diagnose", "m.h5", "--beta", "-1"}, Words{"evaluate", "m.h5", "--beta", "-1"}})
    check_refusal(run(folder, words), 2, "--beta: '-1' is not allowed: it must be a finite number, 0 or more. See *");
}

}  // namespace infinite_temperature_test
