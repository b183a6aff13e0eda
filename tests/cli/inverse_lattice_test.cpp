// Couplings from states of more spins than can be enumerated: what a training by chains says at its end.
#include <doctest/doctest.h>

#include "files.hpp"

namespace inverse_lattice_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE(
    "a lattice of too many spins to enumerate, trained by chains that lag behind, is told, and that they are too "
    "small") {
  const ScratchFolder folder;
  folder.write("torus.toml",
               "initializer = { type = 'normal', mean = 0.4167, std = 0.0 }\n[model]\ntype = 'layered'\n"
               "layers = [{ name = 'spins', size = 64, units = 'spin', bias = false }]\n"
               "terms = [{ type = 'lattice', layer = 'spins', shape = [8, 8], uniform = true }]\n");
  REQUIRE(run(folder, {"import", "torus.toml", "--output", "torus.h5"}).status == 0);
  REQUIRE(run(folder, {"sample", "torus.h5", "--sampler", "swendsen_wang", "--num-samples", "5000", "--steps", "50",
                       "--output", "states.csv"})
              .status == 0);
  folder.write("c.toml",
               "seed = 1\nmodel = { type = 'fully_visible', num_visible = 64, visible_units = 'spin' }\n"
               "data = { type = 'csv', path = 'states.csv' }\nestimator = { type = 'pcd' }\n"
               "optimizer = { type = 'adam', learning_rate = 0.02, schedule = { type = 'linear', final = 0 } }\n"
               "training = { batch_size = 1000, num_epochs = 60 }\n");
  const auto said = [&](const Words& more) {
    Words words{"train", "c.toml", "--output", "run", "--overwrite"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
    return outcome.err;
  };
  const auto told = [&](const std::string& err, const std::string& pattern) {
    CHECK_MESSAGE(like(err, "*parameters are not at the optimum of the likelihood. The pseudo likelihood*: " + pattern),
                  err);
  };
  told(said({}), "its gradient is * times what the chance of 5000 rows makes*. Train longer (--epochs)*");
  told(said({"--set", "estimator.gibbs_steps=5"}),
       "it rises as all couplings and biases grow together, * standard errors from level*");
  CHECK(said({"--set", "estimator={type='pseudo_likelihood'}"}).find("optimum") == std::string::npos);
}

}  // namespace inverse_lattice_test
