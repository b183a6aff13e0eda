// The pairwise maximum-entropy model of 40,000 words of 15 retinal cells: few enough states that every one is counted.

#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/files/table.hpp>
#include <harmonium/tests/support/data.hpp>
#include <harmonium/tests/support/runs.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace retina_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr Index cells = 15, num_states = Index{1} << cells;

/// Probabilities of all words, by the energy as it is written.
std::vector<double> law_of(const std::map<std::string, std::vector<double>>& tensors) {
  const std::vector<double>&b = tensors.at("bias.visible"), &w = tensors.at("weight.visible.visible");
  std::vector<double> p(num_states);
  double sum = 0.0;
  for (Index s = 0; s < num_states; ++s) {
    double score = 0.0;
    for (Index i = 0; i < cells; ++i) {
      if (!(s >> i & 1)) continue;
      score += b[i];
      for (Index j = 0; j < i; ++j)
        if (s >> j & 1) score += w[i * cells + j];
    }
    sum += p[s] = std::exp(score);
  }
  for (double& v : p) v /= sum;
  return p;
}

/// The largest difference of a moment x_i x_j (i = j: a mean) under two laws, in standard errors of `rows` words of the
/// second.
double worst_moment(const std::vector<double>& model, const std::vector<double>& data, double rows) {
  double worst = 0.0;
  for (Index i = 0; i < cells; ++i) {
    for (Index j = 0; j <= i; ++j) {
      double of_model = 0.0, of_data = 0.0;
      for (Index s = 0; s < num_states; ++s) {
        if (!(s >> i & s >> j & 1)) continue;
        of_model += model[s];
        of_data += data[s];
      }
      // What was never seen may still have been missed once.
      const double error = std::sqrt(std::max(of_data, 1.0 / rows) * (1.0 - of_data) / rows);
      worst = std::max(worst, std::abs(of_model - of_data) / error);
    }
  }
  return worst;
}

double log_likelihood(const std::vector<double>& model, const std::vector<double>& data) {
  double sum = 0.0;
  for (Index s = 0; s < num_states; ++s)
    if (data[s] > 0.0) sum += data[s] * std::log(model[s]);
  return sum;
}

}  // namespace

TEST_CASE("exact and sampled gradients fit 15 retinal cells alike, moments within the data's own error") {
  const auto path = data_file("neuro/spikes15-idx2-ubyte.gz");
  if (!path) return;
  const Table table = read_table(*path);
  REQUIRE(table.cols == cells);
  std::vector<double> data(num_states);
  const auto rows = static_cast<double>(table.rows);
  for (Index r = 0; r < table.rows; ++r) {
    Index state = 0;
    for (Index c = 0; c < cells; ++c) state |= static_cast<Index>(table.at(r, c)) << c;
    data[state] += 1.0 / rows;
  }

  const auto fitted = [&](const std::string& estimator, int updates) {
    const ScratchFolder scratch;
    Setup setup{"retina",
                "type = \"idx\"\npath = \"" + path->string() + "\"\n",
                "type = \"fully_visible\"\nnum_visible = 15\n",
                estimator,
                "type = \"adam\"\nlearning_rate = 0.02\nschedule = { type = \"linear\", final = 0.001 }\n",
                static_cast<int>(table.rows)};
    train_in(scratch / "run", config_of(setup, updates, 0), {.threads = 2});
    return law_of(tensors_of(scratch / "run" / "model.h5"));
  };
  const std::vector<double> exact = fitted("type = \"exact\"\n", 800);
  // Cells that were never seen to fire together want a coupling of minus infinity, which takes its time.
  CHECK(worst_moment(exact, data, rows) < 0.5);
  const std::vector<double> sampled = fitted("type = \"pcd\"\nnum_chains = 4000\ngibbs_steps = 2\n", 1500);
  CHECK(worst_moment(sampled, data, rows) < 1.0);

  // Fitting the noise of the data gains 120 parameters half a nat each, 1.5e-3 a word: a tenth of that is allowed.
  const double best = log_likelihood(exact, data);
  CHECK(log_likelihood(sampled, data) > best - 1.5e-4);
  CHECK(log_likelihood(sampled, data) < best + 1e-5);
  // A law of independent cells is far from all that.
  std::vector<double> independent(num_states, 1.0);
  for (Index i = 0; i < cells; ++i) {
    double mean = 0.0;
    for (Index s = 0; s < num_states; ++s)
      if (s >> i & 1) mean += data[s];
    for (Index s = 0; s < num_states; ++s) independent[s] *= s >> i & 1 ? mean : 1.0 - mean;
  }
  CHECK(worst_moment(independent, data, rows) > 10.0);
  CHECK(log_likelihood(independent, data) < best - 0.01);
}

}  // namespace retina_test
