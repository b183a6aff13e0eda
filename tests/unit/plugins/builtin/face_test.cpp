// One call each: to save, load, sample and judge a model, and to make estimators.
#include <cmath>
#include <limits>
#include <map>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/harmonium.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace face_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr Real open = std::numeric_limits<Real>::quiet_NaN();

std::vector<double> energies(const EnergyModel& model, const Chains& rows) {
  std::vector<double> e(rows.size());
  model.energy(rows, e);
  return e;
}

/// A graph that no preset has, of several kinds of units, one layer without biases, one coupling with a mask.
std::unique_ptr<LayeredModel> forked() {
  const auto classes = std::make_shared<CategoricalUnit>(CategoricalUnit::Options{3});
  const std::vector<Layer> layers{observed("visible", 4), latent("left", 3, std::make_shared<SpinUnit>()),
                                  latent("right", 2, std::make_shared<GaussianUnit>()), observed("label", 1, classes)};
  EnergyTerms terms;
  for (const auto& [a, b] : {std::pair{"visible", "left"}, {"right", "visible"}, {"label", "left"}})
    terms.push_back(make<EnergyTerm>(std::string("type = 'coupling'\nlayers = ['") + a + "', '" + b + "']"));
  terms.push_back(make<EnergyTerm>("type = 'lateral'\nlayer = 'visible'"));
  auto model = std::make_unique<LayeredModel>(
      layers, with_unit_terms(layers, std::move(terms), {.without_bias = {1}, .learned_precisions = {2}}));
  randomize(*model, 11, 0.5);
  keep_only(*model, "weight.visible.visible", {{0, 1}, {1, 2}, {2, 3}, {3, 0}});
  return model;
}

}  // namespace

TEST_CASE("a model that was saved is loaded as it was: layers, terms, masks, parameters") {
  const ScratchFolder folder;
  const auto model = forked();
  save(*model, folder / "model.h5");
  const auto again = load(folder / "model.h5");
  CHECK(again->formula() == model->formula());
  CHECK(again->configuration() == model->configuration());
  CHECK(std::ranges::equal(again->parameters(), model->parameters()));
  for (Index b = 0; b < model->parameter_layout().blocks().size(); ++b) {
    const ParameterBlock &was = model->parameter_layout()[b], &is = again->parameter_layout()[b];
    CHECK(is.name == was.name);
    CHECK(is.learned == was.learned);
    CHECK((is.mask != nullptr) == (was.mask != nullptr));
    if (is.mask && was.mask) CHECK(*is.mask == *was.mask);
  }
  const Chains rows = random_rows(model->layout(), 20, 1);
  CHECK(energies(*again, rows) == energies(*model, rows));
}

TEST_CASE("a model without a configuration cannot be saved, and what is no model is not loaded") {
  class Mute final : public EnergyModel {
   public:
    const Layout& layout() const override { return layout_; }
    const ParameterLayout& parameter_layout() const override { return parameters_; }
    std::span<const Real> parameters() const override { return {}; }
    void update_parameters(FunctionRef<void(std::span<Real>)>) override {}
    void energy(ConstChainView, std::span<double>) const override {}
    void add_gradient(ConstChainView, std::span<const double>, std::span<Real>, const Executor&) const override {}

   private:
    Layout layout_{{observed("visible", 1)}};
    ParameterLayout parameters_;
  };
  const ScratchFolder folder;
  CHECK_THROWS_AS(save(Mute(), folder / "mute.h5"), CapabilityError);
  CHECK_FALSE(std::filesystem::exists(folder / "mute.h5"));
  CHECK_THROWS_AS(load(folder / "none.h5"), ConfigError);
}

TEST_CASE("samples have the law of the model, given what is held") {
  const Executor threads(2);
  const Execution execution{threads, {.seed = 3}};
  const auto model = random_rbm(4, 3, 5);
  // Held: x_0 = 1. Expected: E[x_k | x_0 = 1] by enumeration.
  double weight = 0.0, sums[4] = {};
  Chains row(model->layout(), 1);
  for (unsigned bits = 0; bits < 128; ++bits) {
    if ((bits & 1u) == 0) continue;
    for (Index i = 0; i < 7; ++i)
      (i < 4 ? row.write(LayerId{0})(0, i) : row.write(LayerId{1})(0, i - 4)) = static_cast<Real>((bits >> i) & 1u);
    const double p = std::exp(-energies(*model, row)[0]);
    weight += p;
    for (Index i = 0; i < 4; ++i) sums[i] += p * static_cast<double>((bits >> i) & 1u);
  }
  const std::vector<Real> held{Real{1}, open, open, open};
  constexpr Index num = 20000;
  for (const char* sampler : {"type = 'gibbs'", "type = 'parallel_tempering'\nbetas = [1.0, 0.5]\nbase = 'biases'"}) {
    CAPTURE(sampler);
    const Chains x = sample(
        *model, {.num_samples = num, .steps = 100, .sampler = make<Sampler>(sampler), .held = {held.data(), 1, 4, 4}},
        execution);
    REQUIRE(x.size() == num);
    for (Index i = 0; i < 4; ++i) {
      double mean = 0.0;
      for (Index r = 0; r < num; ++r) mean += static_cast<double>(x.read(LayerId{0})(r, i)) / num;
      const double p = sums[i] / weight;
      // Five standard errors; what was not held would be off by more than that, as the next check says.
      CHECK(std::abs(mean - p) <= 5.0 * std::sqrt(p * (1.0 - p) / num) + 1e-12);
    }
  }
  const Chains all = sample(*model, {.num_samples = num, .steps = 100}, execution);
  double mean = 0.0;
  for (Index r = 0; r < num; ++r) mean += static_cast<double>(all.read(LayerId{0})(r, 0)) / num;
  CHECK(mean < 1.0 - 0.02);
}

TEST_CASE("each sample may hold what is its own, and what does not fit is refused") {
  const Executor threads(1);
  const Execution execution{threads, {.seed = 3}};
  const auto model = make_rbm({.num_visible = 2, .num_hidden = 2, .num_labels = 3});
  const std::vector<Real> held{1, 0, open, open, open, open, open, 0, 1, 0};
  const Chains x = sample(*model, {.num_samples = 2, .steps = 20, .held = {held.data(), 2, 5, 5}}, execution);
  CHECK(x.read(LayerId{0})(0, 0) == Real{1});
  CHECK(x.read(LayerId{0})(0, 1) == Real{0});
  CHECK(x.read(LayerId{1})(1, 1) == Real{1});

  const auto refused = [&](Index rows, Index cols, std::vector<Real> values) {
    SampleOptions options{.num_samples = 2, .steps = 1};
    options.held = {values.data(), rows, cols, cols};
    CHECK_THROWS_AS(sample(*model, std::move(options), execution), ConfigError);
  };
  refused(1, 2, {1, 0});
  refused(3, 5, std::vector<Real>(15, open));
  refused(1, 5, {open, open, 1, open, open});  // a third of a label
  SampleOptions short_run{.steps = 10, .sampler = make<Sampler>("type = 'parallel_tempering'\nnum_rungs = 4")};
  CHECK_THROWS_AS(sample(*model, std::move(short_run), execution), ConfigError);
  SampleOptions langevin{.sampler = make<Sampler>("type = 'langevin'")};
  CHECK_THROWS_AS(sample(*model, std::move(langevin), execution), CapabilityError);
}

TEST_CASE("the log likelihood is exact, or refused") {
  const Executor threads(1);
  const Execution execution{threads, {.seed = 1}};
  const Dataset data(bars_and_stripes(2), "bars");
  const auto model = random_rbm(4, 3, 7);
  std::vector<double> p(16, 0.0);
  double z = 0.0;
  Chains row(model->layout(), 1);
  for (unsigned bits = 0; bits < 128; ++bits) {
    for (Index i = 0; i < 7; ++i)
      (i < 4 ? row.write(LayerId{0})(0, i) : row.write(LayerId{1})(0, i - 4)) = static_cast<Real>((bits >> i) & 1u);
    const double w = std::exp(-energies(*model, row)[0]);
    p[bits & 15u] += w;
    z += w;
  }
  const Chains rows = spread_rows(data, model->layout(), 0, 0);
  double expected = 0.0;
  for (Index r = 0; r < rows.size(); ++r) {
    unsigned word = 0;
    for (Index i = 0; i < 4; ++i) word |= rows.read(LayerId{0})(r, i) > 0 ? 1u << i : 0u;
    expected += std::log(p[word] / z) / static_cast<double>(rows.size());
  }
  CHECK(log_likelihood(*model, data, execution) == doctest::Approx(expected).epsilon(1e-10));
  CHECK_THROWS_AS(
      log_likelihood(*make_rbm({.num_visible = 4, .num_hidden = 3}), Dataset(bars_and_stripes(3), "bars"), execution),
      ConfigError);
  const Dataset large(bars_and_stripes(7), "bars");
  CHECK_THROWS_AS(log_likelihood(*make_rbm({.num_visible = 49, .num_hidden = 60}), large, execution), CapabilityError);
}

TEST_CASE("estimators made in code are those of the registry, to the bit") {
  const Executor threads(1);
  const Dataset data(bars_and_stripes(3), "bars");
  const auto trained = [&](GradientEstimator& estimator) {
    auto model = random_rbm(9, 4, 2);
    Sgd sgd({.rate = {.learning_rate = 0.1}});
    TrainingExtras extras;
    extras.regularizers.push_back(make<Regularizer>("type = 'l2'\nstrength = 0.01"));
    train(*model, data, estimator, sgd, {.num_updates = 5}, {threads, {.seed = 4}}, std::move(extras));
    return std::vector<Real>(model->parameters().begin(), model->parameters().end());
  };
  const auto same = [&](const std::unique_ptr<GradientEstimator>& in_code, const char* toml) {
    CHECK(trained(*in_code) == trained(*make<GradientEstimator>(toml)));
  };
  same(make_cd({.gibbs_steps = 3}), "type = 'cd'\ngibbs_steps = 3");
  same(make_pcd({.gibbs_steps = 2, .num_chains = 7, .centering = true}),
       "type = 'pcd'\ngibbs_steps = 2\nnum_chains = 7\ncentering = true");
  same(make_exact(), "type = 'exact'");
  CHECK(trained(*make_cd({.gibbs_steps = 1})) != trained(*make_cd({.gibbs_steps = 2})));
  CHECK_THROWS_AS(make_cd({.num_chains = 5}), ConfigError);
}

TEST_CASE("a host stops a run, and regularizers count") {
  struct After final : TrainingHost {
    Verdict between_updates(const TrainingPosition& position, bool) override {
      return position.update >= 3 ? Verdict::stop : Verdict::go_on;
    }
    void recorded(std::uint64_t, std::uint64_t, const MetricRecord&, double) override {}
  };
  const Executor threads(1);
  const Dataset data(bars_and_stripes(3), "bars");
  const auto run = [&](bool stopped, bool regularized) {
    auto model = random_rbm(9, 4, 2);
    const auto pcd = make_pcd();
    Sgd sgd({.rate = {.learning_rate = 0.1}});
    After host;
    TrainingExtras extras{.host = stopped ? &host : nullptr};
    if (regularized) extras.regularizers.push_back(make<Regularizer>("type = 'l2'\nstrength = 1.0"));
    const TrainingSummary summary =
        train(*model, data, *pcd, sgd, {.num_updates = 10}, {threads, {.seed = 4}}, std::move(extras));
    double size = 0.0;
    for (const Real t : model->parameters()) size += static_cast<double>(t * t);
    return std::pair(summary.updates, size);
  };
  CHECK(run(false, false).first == 10);
  CHECK(run(true, false).first == 3);
  CHECK(run(false, true).second < run(false, false).second);
}

namespace {

/// Keeps what was recorded, and stops a run after an update.
struct Recorder final : TrainingHost {
  Verdict between_updates(const TrainingPosition& position, bool) override {
    return position.update >= last ? Verdict::stop : Verdict::go_on;
  }
  void recorded(std::uint64_t epoch, std::uint64_t, const MetricRecord& record, double) override {
    records[epoch] = record;
  }
  std::uint64_t last = ~std::uint64_t{0};
  std::map<std::uint64_t, MetricRecord> records;
};

struct KeptRun {
  std::string estimator = "type = 'pcd'\nnum_chains = 7", optimizer = "type = 'adam'";
  std::uint64_t seed = 4;
  bool another = false;  ///< data, by one bit
};

/// The parameters after so many epochs, from the checkpoint where there is one; those of the estimator's own behind them.
std::vector<Real> kept_run(const KeptRun& run, Index epochs, const std::filesystem::path& checkpoint, Recorder& host) {
  const Executor threads(2);
  auto model = random_rbm(9, 4, 2);
  TrainingExtras extras{.host = &host, .checkpoint = checkpoint};
  for (const char* name : {"gradient_norm", "weight_norms"})
    extras.observers.emplace_back(name, make<Observer>(std::string("type = '") + name + "'"));
  const auto learner = make<GradientEstimator>(run.estimator);
  const auto steps = make<Optimizer>(run.optimizer);
  const Table bars = bars_and_stripes(3);
  std::vector<std::uint8_t> bits;
  for (Index i = 0; i < bars.rows * bars.cols; ++i)
    bits.push_back((bars.at(i / bars.cols, i % bars.cols) > 0.5) != (run.another && i == 0) ? 1 : 0);
  train(*model, Dataset(Table{bars.rows, bars.cols, std::move(bits), {bars.rows, bars.cols}}, "bars"), *learner, *steps,
        {.num_epochs = epochs, .batch_size = 5, .checkpoint_every = 2}, {threads, {.seed = run.seed}},
        std::move(extras));
  std::vector<Real> all(model->parameters().begin(), model->parameters().end());
  for (const Real own : learner->own_values()) all.push_back(own);
  return all;
}
std::vector<Real> kept_run(const KeptRun& run, Index epochs, const std::filesystem::path& checkpoint) {
  Recorder host;
  return kept_run(run, epochs, checkpoint, host);
}

}  // namespace

TEST_CASE("a run in one call goes on from its checkpoint as if it had not been broken off") {
  for (const KeptRun& run : {KeptRun{.optimizer = "type = 'sgd'\nmomentum = 0.9"},
                             KeptRun{.estimator = "type = 'noise_contrastive'\nnoise_rows = 3"},
                             KeptRun{.estimator = "type = 'fast_weights_pcd'\nnum_chains = 5"}}) {
    CAPTURE(run.estimator);
    const ScratchFolder scratch;
    Recorder unbroken;
    const std::vector<Real> whole = kept_run(run, 6, {}, unbroken);
    CHECK(kept_run(run, 6, scratch / "whole.h5") == whole);
    CHECK(kept_run(run, 6, scratch / "whole.h5") == whole);  // it is over
    for (const std::uint64_t last : {1, 5, 7}) {             // batches an epoch: 3
      CAPTURE(last);
      Recorder stopped, rest;
      stopped.last = last;
      const auto file = scratch / (std::to_string(last) + ".h5");
      CHECK(kept_run(run, 6, file, stopped) != whole);
      CHECK(kept_run(run, 6, file, rest) == whole);
      for (const auto& [epoch, record] : rest.records) CHECK(record == unbroken.records[epoch]);
      CHECK(stopped.records.size() + rest.records.size() == unbroken.records.size());
    }
    kept_run(run, 3, scratch / "short.h5");
    CHECK(kept_run(run, 6, scratch / "short.h5") == whole);
  }
}

TEST_CASE("the checkpoint of another run, or a damaged one, is refused") {
  const ScratchFolder scratch;
  const auto file = scratch / "run.h5";
  kept_run({}, 2, file);
  const std::string kept = content_of(file);
  const auto refused = [&](const KeptRun& run, Index epochs, const char* why) {
    CHECK_THROWS_WITH_AS(kept_run(run, epochs, file), doctest::Contains(why), ConfigError);
    CHECK(content_of(file) == kept);
  };
  refused({.seed = 5}, 4, "of another run, whose seed is 4, here 5");
  refused({.another = true}, 4, "of other data");
  refused({.estimator = "type = 'exact'"}, 4, "of a run of other parts: nobody here has 'estimator/");
  refused({.optimizer = "type = 'sgd'"}, 4, "of a run of other parts: nobody here has 'optimizer/");
  refused({}, 1, "of a longer run: it has made 6 updates, and 3 are asked for");
  CHECK_THROWS_WITH_AS(kept_run({.estimator = "type = 'pcd'\nnum_chains = 8"}, 4, file), doctest::Contains("chains"),
                       DataError);
  CHECK_THROWS_AS(kept_run({.optimizer = "type = 'sgd'\nmomentum = 0.9"}, 4, file), DataError);
  std::filesystem::resize_file(file, 1000);
  CHECK_THROWS_AS(kept_run({}, 4, file), DataError);
}

TEST_CASE("two observers of one name are refused") {
  const Executor threads(1);
  auto model = random_rbm(9, 4, 2);
  TrainingExtras extras;
  for (const char* type : {"gradient_norm", "weight_norms"})
    extras.observers.emplace_back("mine", make<Observer>(std::string("type = '") + type + "'"));
  Sgd sgd({});
  CHECK_THROWS_WITH_AS(train(*model, Dataset(bars_and_stripes(3), "bars"), *make_cd(), sgd, {}, {threads, {.seed = 1}},
                             std::move(extras)),
                       doctest::Contains("two observers are called 'mine'"), ConfigError);
}

}  // namespace face_test
