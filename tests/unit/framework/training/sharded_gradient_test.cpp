#include <cmath>
#include <functional>

#include <doctest/doctest.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/framework/training/sharded_gradient.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/thread_ranks.hpp>

namespace sharded_gradient_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

std::unique_ptr<GradientEstimator> estimator_of(const std::string& toml) {
  Value effective;
  return builtin_registries().make<GradientEstimator>(parse_toml(toml, "test"), effective);
}

std::unique_ptr<GradientEstimator> sharded(const std::string& toml, Index shards, Communicator& ranks) {
  ShardSum sum(shards, ranks);
  std::vector<std::unique_ptr<GradientEstimator>> estimators;
  for (Index s = sum.first(); s < sum.last(); ++s) estimators.push_back(estimator_of(toml));
  return std::make_unique<ShardedGradient>(std::move(estimators), std::move(sum));
}

/// A model and rows that it is given: bits, or numbers.
struct Subject {
  std::unique_ptr<LayeredModel> model;
  Dataset data;
};

Dataset some_rows(Index rows, Index cols, bool bits) {
  std::vector<double> values;
  for (Index i = 0; i < rows * cols; ++i) {
    const double wave = std::sin(static_cast<double>(i * i + 1));
    values.push_back(bits ? (wave > 0 ? 1.0 : 0.0) : wave);
  }
  return Dataset(Table{rows, cols, std::move(values), {rows, cols}}, "rows");
}

Subject of_bits() { return {random_rbm(6, 5, 3, 0.5), some_rows(64, 6, true)}; }
Subject of_numbers() {
  auto model = make_rbm({.num_visible = 6, .num_hidden = 5, .visible_units = std::make_unique<GaussianUnit>()});
  randomize(*model, 3, 0.3);
  return {std::move(model), some_rows(64, 6, false)};
}

/// What some updates at the same θ came to, on rank 0.
struct Course {
  std::vector<std::vector<Real>> gradients = {};
  std::vector<double> losses = {}, acceptances = {};
  StateArchive::Fields state = {};
  bool operator==(const Course&) const = default;
};

Course follow(const Subject& subject, std::unique_ptr<GradientEstimator> estimator, Index batch_size, int threads = 1) {
  const EnergyModel& model = *subject.model;
  const Executor executor(threads);
  const Execution execution{executor, {.seed = 5}};
  estimator->check(model);
  estimator->begin(model, outline_of(subject.data, model.layout()));
  estimator->start(model, execution.part("estimator"));
  Batches batches(subject.data, model.layout(), batch_size, execution.random.child("batches"));
  Course course;
  for (Index update = 0; update < 2 * batches.batches_per_epoch(); ++update) {
    const DataBatch batch = batches.batch(update / batches.batches_per_epoch(), update % batches.batches_per_epoch());
    std::vector<Real> gradient(gradient_layout(model, *estimator).size());
    const auto report = estimator->estimate(model, batch, gradient, execution.part("estimator"));
    course.gradients.push_back(gradient);
    course.losses.push_back(report.loss.value_or(0.0));
    course.acceptances.push_back(report.negative.sampler.acceptance);
  }
  auto* cut = dynamic_cast<ShardedGradient*>(estimator.get());
  if (!cut || cut->leads()) {
    StateArchive archive;
    estimator->state(archive);
    course.state = archive.fields();
  }
  if (cut) cut->finish();
  return course;
}

Course on_ranks(Index ranks, const Subject& subject, const std::string& toml, Index shards, Index batch_size) {
  Course led;
  std::vector<std::vector<std::vector<Real>>> gradients(ranks);
  ThreadRanks(ranks).run([&](Communicator& own) {
    Course course = follow(subject, sharded(toml, shards, own), batch_size);
    gradients[own.rank()] = course.gradients;
    if (own.leads()) led = std::move(course);
  });
  for (const auto& other : gradients) CHECK(other == gradients[0]);
  return led;
}

double farthest(const Course& a, const Course& b) {
  double most = 0.0;
  for (Index u = 0; u < a.gradients.size(); ++u) {
    for (Index i = 0; i < a.gradients[u].size(); ++i)
      most = std::max(most, std::abs(static_cast<double>(a.gradients[u][i] - b.gradients[u][i])));
    most = std::max(most, std::abs(a.losses[u] - b.losses[u]));
  }
  return most;
}

const char* const of_binary_rows[] = {
    "type = \"cd\"\ngibbs_steps = 2",
    "type = \"cd\"\ncentering = true",
    "type = \"cd\"\nsampled_statistics = true",
    "type = \"pcd\"\nnum_chains = 13\ncentering = true",
    "type = \"pcd\"",
    "type = \"pcd\"\nnum_chains = 9\nsampler = \"metropolis\"",
    "type = \"naive_mcmc\"\ngibbs_steps = 3",
    "type = \"naive_mcmc\"\ngibbs_steps = 3\nstart = \"marginals\"\nnum_chains = 10",
    "type = \"tempered_pcd\"\nnum_chains = 7\nbetas = [1.0, 0.6, 0.2]",
    "type = \"fast_weights_pcd\"\nnum_chains = 11\ncentering = true",
    "type = \"doubled\"\nnegative = { type = \"chains\", num_chains = 11 }\ncentering = true",
    "type = \"doubled\"\nunits = \"latent\"\nnegative = { type = \"chains\", start = \"data\" }",
    "type = \"exact\"\ncentering = true",
    "type = \"contrastive\"\npositive = { type = \"chains\", start = \"marginals\" }",
    "type = \"pseudo_likelihood\"\ncentering = true",
    "type = \"ratio_matching\"",
    "type = \"minimum_probability_flow\"",
    "type = \"reconstruction_error\"",
    "type = \"reconstruction_error\"\nlatent = \"draws\"",
    "type = \"reconstruction_error\"\nlatent = \"all\"",
    "type = \"truncated_expansion\"\nterms = 3",
    "type = \"noise_contrastive\"\nnoise_rows = 3",
};

/// Of both sides, relative to gradients of size 1: sums of at most 64 rows and their weights, a few times over.
constexpr double tolerance = in_double ? 1e-12 : 1e-4;

}  // namespace

TEST_CASE("the gradient of shards is that of the whole batch, but for rounding") {
  const Subject bits = of_bits();
  for (const char* toml : of_binary_rows) {
    CAPTURE(toml);
    const Course whole = follow(bits, estimator_of(toml), 27);  // batches of 27, 27 and 10 rows
    for (const Index shards : {2, 5}) {
      CAPTURE(shards);
      CHECK(farthest(follow(bits, sharded(toml, shards, single_process()), 27), whole) < tolerance);
    }
  }
  const Subject numbers = of_numbers();
  for (const char* toml : {"type = \"score_matching\"", "type = \"denoising_score_matching\""}) {
    CAPTURE(toml);
    const Course whole = follow(numbers, estimator_of(toml), 27);
    CHECK(farthest(follow(numbers, sharded(toml, 3, single_process()), 27), whole) < tolerance);
  }
}

TEST_CASE("shards whose chains all begin at number 0 would be told") {
  const Subject bits = of_bits();
  const EnergyModel& model = *bits.model;
  const Layout& layout = model.layout();
  const Course whole = follow(bits, estimator_of("type = \"cd\""), 64);
  const Executor executor(1);
  const Execution execution{executor, {.seed = 5}};
  Batches batches(bits.data, layout, 64, execution.random.child("batches"));
  const DataBatch batch = batches.batch(0, 0);
  std::vector<Real> sum(model.parameters().size()), part(sum.size());
  for (const Index begin : {0, 32}) {
    Chains rows(layout, 32);
    rows.copy_rows(layout.observed(), {batch.rows, begin, begin + 32});
    Posterior posterior;
    const auto estimator = estimator_of("type = \"cd\"");
    estimator->begin(model, outline_of(bits.data, layout));
    estimator->estimate(model, {rows, batch.weights.subspan(begin, 32), posterior, nullptr, batch.marginals}, part,
                        execution.part("estimator"));
    std::ranges::transform(sum, part, sum.begin(), std::plus());
  }
  double most = 0.0;
  for (Index i = 0; i < sum.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(sum[i] - whole.gradients[0][i])));
  CHECK(most > 100 * tolerance);
}

TEST_CASE("a sum of states is exact, however it is cut") {
  const Subject bits = of_bits();
  const char* const toml = "type = \"cd\"\nsampled_statistics = true";  // 32 rows of weight 1/32: no entry is rounded
  const Course whole = follow(bits, estimator_of(toml), 32);
  for (const Index shards : {1, 2, 3, 8})
    CHECK(follow(bits, sharded(toml, shards, single_process()), 32).gradients == whole.gradients);
}

TEST_CASE("neither ranks nor threads are seen in gradients, reports and states") {
  const Subject bits = of_bits();
  for (const char* toml : of_binary_rows) {
    CAPTURE(toml);
    const Course alone = follow(bits, sharded(toml, 5, single_process()), 27);
    CHECK(alone == follow(bits, sharded(toml, 5, single_process()), 27, 3));
    for (const Index ranks : {2, 3, 5}) {
      CAPTURE(ranks);
      CHECK(alone == on_ranks(ranks, bits, toml, 5, 27));
    }
  }
}

TEST_CASE("coupled chains have the law of the whole batch on shards, and draw other words on each") {
  // Unbiased: the mean over many updates of the difference from the exact gradient is 0 within its error.
  const Subject bits = of_bits();
  const Course exact = follow(bits, estimator_of("type = \"exact\""), 64);
  const char* const toml = "type = \"unbiased_cd\"\ngibbs_steps = 3";
  CHECK(on_ranks(2, bits, toml, 4, 27) == follow(bits, sharded(toml, 4, single_process()), 27));
  const EnergyModel& model = *bits.model;
  auto estimator = sharded(toml, 4, single_process());
  const Executor executor(1);
  const Execution execution{executor, {.seed = 8}};
  estimator->check(model);
  estimator->begin(model, outline_of(bits.data, model.layout()));
  Batches batches(bits.data, model.layout(), 64, execution.random.child("batches"));
  constexpr double updates = 400;
  std::vector<double> sum(model.parameters().size()), squares(sum.size());
  for (int u = 0; u < static_cast<int>(updates); ++u) {
    std::vector<Real> gradient(sum.size());
    estimator->estimate(model, batches.batch(0, 0), gradient, execution.part("estimator"));
    for (Index i = 0; i < sum.size(); ++i) {
      const auto off = static_cast<double>(gradient[i] - exact.gradients[0][i]);
      sum[i] += off;
      squares[i] += off * off;
    }
  }
  for (Index i = 0; i < sum.size(); ++i) {
    const double mean = sum[i] / updates, variance = squares[i] / updates - mean * mean;
    CHECK(std::abs(mean) < 5.0 * std::sqrt(variance / updates) + 1e-12);  // 41 figures: 1 in 40,000 seeds
  }
}

TEST_CASE("what cannot be cut is refused with a reason") {
  const Subject bits = of_bits();
  const auto refusal = [&](const std::string& toml, Index shards) -> std::string {
    try {
      auto estimator = sharded(toml, shards, single_process());
      estimator->check(*bits.model);
      estimator->begin(*bits.model, outline_of(bits.data, bits.model->layout()));
    } catch (const CapabilityError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refusal("type = \"minimum_probability_flow\"\nexclude_batch = true", 2).find("exclude_batch") < 100);
  CHECK(refusal("type = \"tempered_pcd\"\nnum_chains = 8", 2).find("give 'betas'") < 300);
  CHECK(refusal("type = \"pcd\"\nnum_chains = 3", 4).find("3 chains cannot be cut into 4 shards") < 100);
  CHECK(refusal("type = \"contrastive\"\npositive = \"chains\"", 2).find("belong to rows of the data") < 100);
  CHECK(refusal("type = \"contrastive\"\npositive = { type = \"mean_field\", start = \"persistent\" }", 2)
            .find("start = \"fresh\"") < 300);
  CHECK(refusal("type = \"pcd\"\nnum_chains = 4", 4).empty());
}

}  // namespace sharded_gradient_test
