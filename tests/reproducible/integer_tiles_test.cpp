// Whole trainings in which all fields and gradients are sums of integers.
#include <cmath>
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <harmonium/framework/kernels/integer_tiles.hpp>
#include <harmonium/tests/support/runs.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace integer_tiles_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr const char* tiny =
    "data = { type = \"bars_and_stripes\", side = 3 }\n"
    "model = { type = \"rbm\", num_visible = 9, num_hidden = 5 }\n"
    "estimator = { type = \"cd\" }\n"
    "optimizer = { type = \"sgd\", learning_rate = 0.2 }\n"
    "training = { num_epochs = 300, batch_size = 7 }\n"
    "observers = [{ type = \"log_likelihood\", every = 300 }]\n";

/// The exact log likelihood at the end of a run.
double likelihood_of(const std::filesystem::path& run) {
  std::ifstream lines(run / "metrics.jsonl");
  double last = std::nan("");
  for (std::string line; std::getline(lines, line);) {
    const auto record = nlohmann::json::parse(line);
    if (record.contains("log_likelihood")) last = record["log_likelihood"];
  }
  return last;
}

}  // namespace

// Fields below 2 are rounded by some 1e-7, means by a quarter of it: so of the 600 updates of 7 rows, which draw 110,000 states, one
// differs in a state with a probability of 0.3 %. Where none does, gradients of the two ways are apart by no more than 1e-7, parameters
// after 600 steps of 0.2 by 1.2e-5, and the log likelihood, of 59 parameters with derivatives below 1, by less than 1e-3.
// Another seed moves it by far more.
TEST_CASE(
    "CD-1 by sums of integers comes to the exact likelihood of BLAS, and by all instructions to the same parameters") {
  const ScratchFolder scratch;
  const auto config = scratch.write("tiny.toml", tiny).string();
  const auto trained = [&](const std::string& name, const std::vector<std::string>& environment,
                           const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"train", config, "--output", (scratch / name).string(), "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    REQUIRE(run_program(arguments, environment) == 0);
    return scratch / name;
  };
  const auto by_blas = trained("blas", {"HARMONIUM_PRODUCTS=gemm"});
  const double of_blas = likelihood_of(by_blas);
  CHECK(of_blas < -2.6);  // log 14 is the best
  CHECK(of_blas > -6.1);  // 9 log 2 = 6.24 is that of nothing learned
  const double of_other_words = likelihood_of(trained("other", {"HARMONIUM_PRODUCTS=gemm"}, {"--set", "seed=2"}));
  CHECK(std::abs(of_blas - of_other_words) > 1e-3);

  std::string reference;
  for (const IntegerTiles* tiles : available_integer_tiles()) {
    const std::string name(tiles->name);
    CAPTURE(name);
    const auto run = trained(name, {"HARMONIUM_PRODUCTS=integer_tiles", "HARMONIUM_ISA=" + name});
    CHECK(std::abs(likelihood_of(run) - of_blas) < 1e-3);
    CHECK(tensors_of(run / "model.h5") != tensors_of(by_blas / "model.h5"));
    if (reference.empty()) reference = name;
    CHECK(tensors_of(run / "model.h5") == tensors_of(scratch / reference / "model.h5"));
  }
  const auto of_16_bits = trained("short", {"HARMONIUM_PRODUCTS=integer_tiles_16"});
  CHECK(std::isfinite(likelihood_of(of_16_bits)));
}

TEST_CASE("instructions that multiply bytes are refused by name where the machine has none") {
  const ScratchFolder scratch;
  const auto config = scratch.write("tiny.toml", tiny).string();
  const std::vector<std::string> environment{"HARMONIUM_ISA=v4+nothing", "HARMONIUM_PRODUCTS=integer_tiles"};
  CHECK(run_program({"train", config, "--output", (scratch / "none").string(), "--quiet"}, environment) == 2);
  CHECK(!std::filesystem::exists(scratch / "none"));
  CHECK(run_program({"explain", config}, environment) == 2);
}

}  // namespace integer_tiles_test
