// Likelihoods of rows of which entries are missing, and of machines whose latent units are coupled.
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "files.hpp"
#include "judged.hpp"

namespace rows_with_holes_test {

using namespace harmonium::testing;

namespace {

constexpr double hole = std::numeric_limits<double>::quiet_NaN();

double log_likelihood(const ScratchFolder& folder, const std::vector<double>& row) {
  folder.write("row.npy", npy_bytes(1, row.size(), row));
  return judged(folder, {"--data", "row.npy"})["log_likelihood"];
}

double log_sum(double a, double b) { return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b))); }

}  // namespace

TEST_CASE("the likelihood of rows with holes is that of what was seen, with an interval") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  // One row is complete, one lacks its first entry, one all but the last.
  folder.write("d.npy", npy_bytes(3, 3, {1, 0, 1, hole, 1, 0, hole, hole, 1}));
  double last = -std::numeric_limits<double>::infinity();
  for (const double a : {0.0, 1.0})
    for (const double b : {0.0, 1.0}) last = log_sum(last, log_likelihood(folder, {a, b, 1}));
  const double exact = (log_likelihood(folder, {1, 0, 1}) +
                        log_sum(log_likelihood(folder, {0, 1, 0}), log_likelihood(folder, {1, 1, 0})) + last) /
                       3.0;
  const Words asked{"--data", "d.npy", "--set", "data.missing=nan", "--log-z", "ais", "--seed", "2"};
  const auto found = judged(folder, asked);
  CAPTURE(found.dump());
  REQUIRE(found["agree"] == true);
  CHECK(found["num_samples"] == 3);
  const double low = found["log_likelihood_interval"][0], high = found["log_likelihood_interval"][1];
  CHECK(high - low < 0.3);
  // Two intervals of 95 % added up: missed once in thousands; that seed is none.
  CHECK(low <= exact);
  CHECK(exact <= high);
  CHECK(low <= found["log_likelihood"].get<double>());
  CHECK(found["free_energy_interval"][0] <= found["free_energy"]);
  CHECK(found["free_energy"] <= found["free_energy_interval"][1]);
  CHECK(found["pseudo_log_likelihood"].is_null());
  CHECK(found["reasons"]["pseudo_log_likelihood"] == "entries of the data are missing.");
  CHECK(found["reasons"]["reconstruction_error"] == "entries of the data are missing.");

  // Without annealing there is a reason, and log Z all the same.
  const auto bare = judged(folder, {"--data", "d.npy", "--set", "data.missing=nan", "--log-z", "exact"});
  CHECK(bare["log_z"].is_number());
  CHECK(bare["free_energy"].is_null());
  CHECK(bare["reasons"]["free_energy"] ==
        "entries are missing in 2 rows: this way to log Z has none of rows of which units are held. Take 'ais'.");
  // Left to itself, log Z is exact and the rows are annealed.
  const auto both = judged(folder, {"--data", "d.npy", "--set", "data.missing=nan", "--seed", "2"});
  CHECK(both["log_z"] == bare["log_z"]);
  CHECK(both["free_energy"] == found["free_energy"]);
  CHECK(both["agree"] == true);
  CHECK(bare["reasons"]["log_likelihood"] == "it takes the free energy, which is absent too.");
}

TEST_CASE("coupled latent units too many to enumerate have a free energy with an interval") {
  const ScratchFolder folder;
  folder.write("c.toml",
               "seed = 2\nprecision = \"float64\"\n[data]\ntype = \"bars_and_stripes\"\nside = 2\n[model]\ntype = "
               "\"boltzmann_machine\"\nnum_visible = 4\nnum_hidden = 18\n[estimator]\ntype = \"pcd\"\n[training]\n"
               "num_epochs = 3\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run"}).status == 0);
  std::filesystem::copy_file(folder / "run/model.h5", folder / "m.h5");
  const auto bare = judged(folder, {"--set", "data.side=2", "--log-z", "exact"}, "*");
  CHECK(bare["free_energy"].is_null());
  CHECK(
      bare["reasons"]["free_energy"] ==
      "the model's latent units are coupled given the observed ones, and more than 16 bits of them to enumerate: this "
      "way to log Z has none of rows of which units are held. Take 'ais'.");
  const auto found = judged(folder, {"--set", "data.side=2", "--log-z", "ais", "--seed", "2"}, "*");
  CAPTURE(found.dump());
  CHECK(found["agree"] == true);
  const double low = found["log_likelihood_interval"][0], high = found["log_likelihood_interval"][1];
  CHECK(low < found["log_likelihood"].get<double>());
  CHECK(found["log_likelihood"].get<double>() < high);
  CHECK(high - low < 0.5);

  // Mean field says less, but for what the interval of the rest leaves open.
  CHECK(found["variational_bound"].get<double>() < high);
  CHECK(found["variational_bound"].get<double>() > low - 1.0);

  // The same bound without annealing the rows; of a model that needs none it is refused.
  const auto alone = judged(folder, {"--set", "data.side=2", "--log-z", "ais", "--seed", "2", "--bound"}, "*");
  CHECK(alone["log_z"] == found["log_z"]);
  CHECK(alone["variational_bound"] == found["variational_bound"]);
  CHECK(alone["free_energy"].is_null());
  CHECK(alone["reasons"]["free_energy"] == "the bound alone was asked for (--bound).");
  folder.write(
      "r.toml",
      "data = { type = \"bars_and_stripes\", side = 2 }\nmodel = { type = \"rbm\", num_visible = 4, num_hidden = 2 "
      "}\nestimator = \"pcd\"\ntraining = { num_epochs = 1 }\n");
  REQUIRE(run(folder, {"train", "r.toml", "--output", "rbm"}).status == 0);
  check_refusal(run(folder, {"evaluate", "rbm", "--bound"}), 2,
                "*--bound: the model's latent units can be summed out, and no bound is needed. Leave --bound out.*");

  const auto bound = judged(folder, {"--set", "data.side=2", "--log-z", "ais", "--set", "log_z.sides=forward"}, "*");
  CHECK(bound["free_energy"].is_null());
  CHECK(bound["free_energy_interval"][0].is_null());
  CHECK(bound["free_energy_interval"][1].is_number());
  CHECK(bound["log_likelihood"].is_null());
}

}  // namespace rows_with_holes_test
