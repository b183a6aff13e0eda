// The weights of modes that block Gibbs sampling does not cross, against exact draws: machines of few hidden units that were
// trained on clusters.
#include <algorithm>
#include <fstream>
#include <random>
#include <type_traits>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/plugins/builtin/inference.hpp>
#include <harmonium/samplers/exact.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/samplers/trajectory_tempering.hpp>
#include <harmonium/tests/support/in_single.hpp>
#include <harmonium/tests/support/runs.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace mode_weights_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// Words of random bits, each of which is seen with one bit of twenty turned over.
struct Clusters {
  std::vector<std::vector<int>> words;
  std::vector<double> weights;

  Clusters(std::size_t bits, std::vector<double> w, std::uint64_t seed) : weights(std::move(w)) {
    std::mt19937_64 random(seed);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      words.emplace_back(bits);
      for (int& bit : words.back()) bit = static_cast<int>(random() >> 63);
    }
  }
  void write(const std::filesystem::path& path, int rows, std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    std::discrete_distribution<std::size_t> cluster(weights.begin(), weights.end());
    std::ofstream file(path);
    for (int r = 0; r < rows; ++r) {
      const std::vector<int>& word = words[cluster(random)];
      for (std::size_t i = 0; i < word.size(); ++i)
        file << (i ? "," : "") << (random() % 20 == 0 ? 1 - word[i] : word[i]);
      file << '\n';
    }
  }
  /// The share of rows that lie nearest to each word.
  std::vector<double> shares(ConstMatrixRef rows) const {
    std::vector<double> found(words.size(), 0.0);
    for (Index r = 0; r < rows.rows; ++r) {
      std::vector<int> distance(words.size(), 0);
      for (std::size_t k = 0; k < words.size(); ++k)
        for (Index i = 0; i < rows.cols; ++i) distance[k] += rows(r, i) != static_cast<Real>(words[k][i]) ? 1 : 0;
      found[static_cast<std::size_t>(std::ranges::min_element(distance) - distance.begin())] +=
          1.0 / static_cast<double>(rows.rows);
    }
    return found;
  }
};

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] - b[k]));
  return most;
}

/// Trained by the exact gradient, so that no mode is lost, with machines kept on the way.
std::string cluster_config(const std::filesystem::path& rows, std::size_t bits, int hidden) {
  return fmt::format(
      "seed = 1\nprecision = \"{}\"\n[data]\ntype = \"csv\"\npath = \"{}\"\n[model]\ntype = \"rbm\"\n"
      "num_visible = {}\nnum_hidden = {}\n[estimator]\ntype = \"exact\"\n[optimizer]\nlearning_rate = 0.05\n"
      "[training]\nnum_epochs = 100\ncheckpoint_every = 1\ncheckpoint_keep = \"log_spaced\"\n",
      std::is_same_v<Real, float> ? "float32" : "float64", rows.string(), bits, hidden);
}

}  // namespace

TEST_CASE(
    "along its trajectory a machine of clusters is sampled with the weights of its modes, which Gibbs chains miss" *
    doctest::test_suite("slow")) {
  struct Case {
    std::size_t bits;
    int hidden;
    std::vector<double> weights;
  };
  const Executor executor(2);
  const Execution execution{executor, {4, 5}};
  for (const Case& c : {Case{60, 8, {0.6, 0.3, 0.1}}}) {
    const ScratchFolder scratch;
    const Clusters clusters(c.bits, c.weights, 7);
    clusters.write(scratch / "rows.csv", 2000, 8);
    train_in(scratch / "run", cluster_config(scratch / "rows.csv", c.bits, c.hidden));
    const auto path = scratch / "run/model.h5";
    const auto model = load_model(path, read_model_header(path), builtin());
    const auto shares_of = [&](Index num, Index steps, std::unique_ptr<Sampler> sampler) {
      SampleOptions options;
      options.num_samples = num;
      options.steps = steps;
      options.sampler = std::move(sampler);
      return clusters.shares(sample(*model, std::move(options), execution).read(LayerId{0}));
    };
    const std::vector<double> exact = shares_of(20'000, 1, std::make_unique<Exact>());
    CHECK(*std::ranges::min_element(exact) > 0.002);  // no mode was lost in training
    // Three quarters of the rows are independent ladders: a share is known to 0.018 at most of 1000, to 0.026 of 500.
    const Index rows = in_single ? 500 : 1000;
    const double limit = in_single ? 0.1 : 0.07;  // 3.8 standard errors
    const std::vector<double> tempered = shares_of(
        rows, 700,
        std::make_unique<TrajectoryTempering>(TrajectoryTemperingOptions{.run = (scratch / "run").string(),
                                                                         .num_rungs = 8,
                                                                         .adapt_steps = 300,
                                                                         .sampler = std::make_unique<Gibbs>()}));
    CHECK(largest_difference(tempered, exact) < limit);
    // The control: as many transitions as all rungs made, but of plain chains.
    const std::vector<double> plain = shares_of(250, 9600, std::make_unique<Gibbs>());
    CHECK(largest_difference(plain, exact) > 0.15);
    MESSAGE(fmt::format("exact {:.3f}, trajectory {:.3f}, Gibbs {:.3f}", fmt::join(exact, " "),
                        fmt::join(tempered, " "), fmt::join(plain, " ")));
  }
}

}  // namespace mode_weights_test
