#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/train.hpp>
#include <harmonium/framework/training/sgd.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace trainer_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Writes what it is told for each update; counted from 1.
class Scripted final : public GradientEstimator {
 public:
  std::function<void(std::uint64_t update, std::span<Real> gradient)> script = [](std::uint64_t, std::span<Real> g) {
    std::ranges::fill(g, Real{0});
  };
  std::uint64_t calls = 0;
  void check(const EnergyModel&) const override {}
  Report estimate(const EnergyModel&, const DataBatch&, std::span<Real> gradient, const Execution&) override {
    script(++calls, gradient);
    return {};
  }
  double products(const EnergyModel&, Index) const override { return 0.0; }
};

class Watching final : public Observer {
 public:
  std::function<Verdict(const Iteration&)> on_iteration = [](const Iteration&) { return Verdict::go_on; };
  std::function<Verdict(const EpochEnd&, MetricRecord&)> on_epoch = [](const EpochEnd&, MetricRecord&) {
    return Verdict::go_on;
  };
  Verdict iterated(const Iteration& it) override { return on_iteration(it); }
  Verdict epoch_ended(const EpochEnd& end, MetricRecord& record) override { return on_epoch(end, record); }
};

class Listening final : public TrainingHost {
 public:
  std::vector<std::pair<std::uint64_t, bool>> updates;
  std::vector<std::uint64_t> epochs;
  std::vector<MetricRecord> records;
  std::uint64_t stop_at = 0;
  Verdict between_updates(const TrainingPosition& position, bool epoch_over) override {
    updates.emplace_back(position.update, epoch_over);
    return position.update == stop_at ? Verdict::stop : Verdict::go_on;
  }
  void recorded(std::uint64_t epoch, std::uint64_t, const MetricRecord& record, double) override {
    epochs.push_back(epoch);
    records.push_back(record);
  }
};

/// A run of plain descent at rate 1 on 4 rows in batches of 2: 2 updates an epoch.
struct Run {
  explicit Run(const LayerGraph& graph = {{observed("v", 2), latent("h", 1)}, {{0, 1}}, {}})
      : model(graph), batches(data, model.layout(), 2, {}), optimizer([] {
          SgdOptions options;
          options.rate.learning_rate = 1.0;
          return options;
        }()) {}

  TrainingSummary train(const TrainingOptions& options) {
    const Execution execution{executor, {}};
    return harmonium::train({model, batches, estimator, optimizer, regularizers, observers}, options, {&data}, position,
                            host, execution);
  }
  Watching& watch(const std::string& name) {
    auto observer = std::make_unique<Watching>();
    Watching& watching = *observer;
    observers.emplace_back(name, std::move(observer));
    return watching;
  }
  std::vector<Real> theta() const { return {model.parameters().begin(), model.parameters().end()}; }
  /// The run must diverge; its message, with what was last good.
  std::string diverges(const TrainingOptions& options, std::uint64_t last_good) {
    try {
      train(options);
    } catch (const Error& caught) {  // as whoever catches all of Harmonium's does
      const Diverged& error = dynamic_cast<const Diverged&>(caught);
      CHECK(error.exit_status() == 1);
      CHECK(error.last_good_update == last_good);
      return error.what();
    }
    return {};
  }

  Executor executor{1};
  Dataset data{Table{4, 2, std::vector<std::uint8_t>{0, 0, 0, 1, 1, 0, 1, 1}, {4, 2}}, "data"};
  LayeredModel model;
  Batches batches;
  Scripted estimator;
  Sgd optimizer;
  std::vector<std::unique_ptr<Regularizer>> regularizers;
  std::vector<std::pair<std::string, std::unique_ptr<Observer>>> observers;
  TrainingPosition position;
  Listening host;
};

TrainingOptions updates(Index n) {
  TrainingOptions options;
  options.num_updates = n;
  return options;
}

// θ is bias.v (2), bias.h, weight.v.h (2).
const std::string shrink_advice =
    " Lower optimizer.learning_rate, set training.clip_norm, or training.inadmissible_step = \"shrink\".";
const std::string advice = " Lower optimizer.learning_rate, or set training.clip_norm.";

}  // namespace

TEST_CASE("a run's length is epochs or updates, ten epochs without either, and never both") {
  TrainingOptions options;
  CHECK(options.total_updates(7) == 70);
  options.num_epochs = 3;
  CHECK(options.total_updates(7) == 21);
  options.num_updates = 5;
  CHECK(message_of<ConfigError>([&] { options.validate(); }) ==
        "'num_epochs' and 'num_updates' are both given, and only one can be meant. Remove one.");
  options.num_epochs.reset();
  CHECK_NOTHROW(options.validate());
  CHECK(options.total_updates(7) == 5);
}

TEST_CASE("each update is estimated, regularized, clipped, stepped and observed, in this order") {
  Run run;
  run.estimator.script = [](std::uint64_t, std::span<Real> g) {
    std::ranges::fill(g, Real{0});
    g[0] = 3;
    g[3] = 0;
  };
  run.model.update_parameters([](std::span<Real> theta) { theta[3] = 8; });
  run.regularizers.push_back(std::make_unique<L2>(DecayOptions{.strength = 0.5}));  // adds 4 at entry 3
  std::vector<double> norms, rates, seen;
  Watching& watching = run.watch("w");
  watching.on_iteration = [&](const Iteration& it) {
    norms.push_back(it.gradient_norm);
    rates.push_back(it.rate);
    seen.assign(it.gradient.begin(), it.gradient.end());
    CHECK(it.update == 1);
    CHECK(it.model.parameters()[0] == -1.5);  // the step is made
    return Verdict::go_on;
  };
  TrainingOptions options = updates(1);
  options.clip_norm = 2.5;
  const TrainingSummary summary = run.train(options);
  CHECK(norms == std::vector<double>{5.0});
  CHECK(rates == std::vector<double>{1.0});
  CHECK(seen == std::vector<double>{1.5, 0, 0, 2, 0});
  CHECK(run.theta() == std::vector<Real>{-1.5, 0, 0, 6, 0});
  CHECK(summary.updates == 1);
  CHECK(summary.message == "all updates were made");
}

TEST_CASE("a gradient within the limit is not clipped, and 0 means no limit") {
  for (const double limit : {0.0, 5.0}) {
    Run run;
    run.estimator.script = [](std::uint64_t, std::span<Real> g) {
      std::ranges::fill(g, Real{0});
      g[0] = 3;
      g[1] = 4;
    };
    TrainingOptions options = updates(1);
    options.clip_norm = limit;
    run.train(options);
    CHECK(run.theta() == std::vector<Real>{-3, -4, 0, 0, 0});
  }
}

TEST_CASE("the norm counts a symmetric pair once") {
  Run run({{observed("v", 2), latent("h", 1)}, {{0, 0}}, {}});  // bias.v, bias.h, weight.v.v
  run.estimator.script = [](std::uint64_t, std::span<Real> g) {
    std::ranges::fill(g, Real{0});
    g[0] = 3;
    g[4] = g[5] = 4;
  };
  double norm = 0.0;
  run.watch("w").on_iteration = [&](const Iteration& it) {
    norm = it.gradient_norm;
    return Verdict::go_on;
  };
  run.train(updates(1));
  CHECK(norm == 5.0);
}

TEST_CASE("the norm of a large gradient is that of all its entries") {
  Run run({{observed("v", 2), latent("h", 70'000)}, {{0, 1}}, {}});
  run.estimator.script = [](std::uint64_t, std::span<Real> g) {
    for (Index i = 0; i < g.size(); ++i) g[i] = static_cast<Real>(static_cast<double>(i % 5) - 2.0);
  };
  double norm = 0.0;
  run.watch("w").on_iteration = [&](const Iteration& it) {
    norm = it.gradient_norm;
    return Verdict::stop;
  };
  run.train(updates(1));
  // Squares 4, 1, 0, 1, 4: whole numbers, summed without rounding.
  CHECK(run.theta().size() == 210'002);
  CHECK(norm == std::sqrt(2.0 * 210'000 + 4 + 1));
}

TEST_CASE("hosts hear of every update and every epoch, and records keep the observers' order") {
  Run run;
  run.watch("a").on_epoch = [](const EpochEnd& end, MetricRecord& record) {
    record.emplace_back("x", static_cast<double>(end.epoch));
    return Verdict::go_on;
  };
  run.watch("b").on_epoch = [](const EpochEnd& end, MetricRecord& record) {
    record.emplace_back("y", static_cast<double>(end.update));
    return Verdict::go_on;
  };
  run.train(updates(5));
  using Updates = std::vector<std::pair<std::uint64_t, bool>>;
  CHECK(run.host.updates == Updates{{1, false}, {2, true}, {3, false}, {4, true}, {5, true}});
  CHECK(run.host.epochs == std::vector<std::uint64_t>{1, 2, 3});
  CHECK(run.host.records[1] == MetricRecord{{"x", 2.0}, {"y", 4.0}});
  CHECK(run.host.records[2] == MetricRecord{{"x", 3.0}, {"y", 5.0}});
}

TEST_CASE("a run goes on from its position") {
  Run run;
  run.position.update = 3;
  run.train(updates(5));
  CHECK(run.position.update == 5);
  CHECK(run.estimator.calls == 2);
  CHECK(run.host.epochs == std::vector<std::uint64_t>{2, 3});
  StateArchive saved;
  run.position.state(saved);
  CHECK(std::get<std::vector<std::uint64_t>>(saved.fields().at("update")) == std::vector<std::uint64_t>{5});
  CHECK(run.train(updates(5)).message == "all updates were made");
  CHECK(run.estimator.calls == 2);
}

TEST_CASE("observers and hosts end a run, and the summary says who did") {
  SUBCASE("an observer at an update") {
    Run run;
    run.watch("patience").on_iteration = [](const Iteration& it) {
      return it.update == 3 ? Verdict::stop : Verdict::go_on;
    };
    const TrainingSummary summary = run.train(updates(9));
    CHECK(summary.updates == 3);
    CHECK(summary.message == "observer 'patience' ended the run");
  }
  SUBCASE("an observer at the end of an epoch") {
    Run run;
    run.watch("patience").on_epoch = [](const EpochEnd&, MetricRecord&) { return Verdict::stop; };
    const TrainingSummary summary = run.train(updates(9));
    CHECK(summary.updates == 2);
    CHECK(summary.message == "observer 'patience' ended the run");
  }
  SUBCASE("the host") {
    Run run;
    run.host.stop_at = 1;
    const TrainingSummary summary = run.train(updates(9));
    CHECK(summary.updates == 1);
    CHECK(summary.message == "it was asked to stop");
  }
}

TEST_CASE("a gradient that is not finite ends the run with its place, and leaves the model of the last epoch") {
  for (const double bad : {std::nan(""), infinity, -infinity}) {
    Run run;
    run.estimator.script = [&](std::uint64_t update, std::span<Real> g) {
      std::ranges::fill(g, Real{-1});
      if (update == 4) g[4] = static_cast<Real>(bad);
    };
    CHECK(run.diverges(updates(9), 2) ==
          "the run diverged at update 4: the gradient of weight.v.h[1] is not finite." + advice);
    CHECK(run.theta() == std::vector<Real>(5, Real{2}));  // after update 2, the end of epoch 1
  }
}

TEST_CASE("before the first epoch ends, what is left is the model that the run began with") {
  Run run;
  run.model.update_parameters([](std::span<Real> theta) { theta[1] = 0.5; });
  run.estimator.script = [](std::uint64_t update, std::span<Real> g) {
    std::ranges::fill(g, Real{-1});
    if (update == 2) g[2] = static_cast<Real>(std::nan(""));
  };
  CHECK(run.diverges(updates(9), 0) ==
        "the run diverged at update 2: the gradient of bias.h[0] is not finite." + advice);
  CHECK(run.theta() == std::vector<Real>{0, 0.5, 0, 0, 0});
}

TEST_CASE("a parameter beyond the limit ends the run with its place and value") {
  Run run;
  run.estimator.script = [](std::uint64_t, std::span<Real> g) {
    std::ranges::fill(g, Real{0});
    g[3] = 4;
  };
  TrainingOptions options = updates(9);
  options.max_parameter = 10.0;
  CHECK(run.diverges(options, 2) ==
        "the run diverged at update 3: weight.v.h[0] is -12 (training.max_parameter = 10)." + advice);
  CHECK(run.theta()[3] == -8);
}

TEST_CASE("parameters that define no density end the run") {
  Run run({{observed("v", 2), latent("h", 1)}, {{0, 0}}, {}});
  run.estimator.script = [](std::uint64_t, std::span<Real> g) {
    std::ranges::fill(g, Real{0});
    g[4] = 1;  // one half of a symmetric pair
  };
  CHECK(run.diverges(updates(9), 0) ==
        "the run diverged at update 1: weight.v.v: entries (0, 1) and (1, 0) are -1 and 0, but a lateral coupling is "
        "symmetric with zero diagonal; one of its triangles is 0: give J + J^T." +
            shrink_advice);
  CHECK(run.theta() == std::vector<Real>(7, Real{0}));
}

TEST_CASE("a step to parameters that define no density is halved until they define one, where that is asked for") {
  Run run({{observed("v", 2, std::make_shared<GaussianUnit>())}, {{0, 0}}, {}});
  run.estimator.script = [](std::uint64_t, std::span<Real> g) {
    std::ranges::fill(g, Real{0});
    g[3] = g[4] = Real{-1.5};  // the coupling, which must stay below the precision of 1
  };
  CHECK(run.diverges(updates(1), 0).find("is not positive definite") != std::string::npos);
  TrainingOptions options = updates(1);
  options.inadmissible_step = InadmissibleStep::shrink;
  CHECK(run.train(options).shrunk_steps == 1);
  CHECK(run.theta()[3] == Real{0.75});
  options.num_updates = 3;
  CHECK(run.train(options).shrunk_steps == 2);
  CHECK(run.theta()[3] == Real{0.984375});  // 0.75 + 1.5/8, and 1.5/32 more
  CHECK(run.theta()[3] == run.theta()[4]);
}

TEST_CASE("a metric that is not finite ends the run") {
  Run run;
  run.estimator.script = [](std::uint64_t, std::span<Real> g) { std::ranges::fill(g, Real{-1}); };
  run.watch("m").on_epoch = [](const EpochEnd& end, MetricRecord& record) {
    record.emplace_back("score", end.epoch == 2 ? -infinity : 1.0);
    return Verdict::go_on;
  };
  CHECK(run.diverges(updates(9), 2) == "the run diverged by update 4: score is -inf." + advice);
  CHECK(run.theta() == std::vector<Real>(5, Real{2}));
  CHECK(run.host.epochs == std::vector<std::uint64_t>{1});
}

TEST_CASE("observers see words of their own, so that adding one changes no other's") {
  Run run;
  std::vector<std::uint64_t> purposes;
  for (const char* name : {"a", "b"})
    run.watch(name).on_epoch = [&](const EpochEnd& end, MetricRecord&) {
      purposes.push_back(end.execution.random.purpose);
      return Verdict::go_on;
    };
  run.train(updates(2));
  CHECK(purposes == std::vector<std::uint64_t>{purpose_of("observers/a"), purpose_of("observers/b")});
}

TEST_CASE("a run in one call is the run of its parts") {
  const LayerGraph graph{{observed("v", 2), latent("h", 1)}, {{0, 1}}, {}};
  const auto script = [](std::uint64_t update, std::span<Real> g) {
    for (Index i = 0; i < g.size(); ++i) g[i] = static_cast<Real>(update * (i + 1)) / 64;
  };
  Run by_parts(graph);
  by_parts.estimator.script = script;
  TrainingOptions options;
  options.num_epochs = 3;
  by_parts.train(options);

  Run once(graph);
  once.estimator.script = script;
  options.batch_size = 2;
  const Execution execution{once.executor, {}};
  std::vector<std::pair<std::string, std::unique_ptr<Observer>>> observers;
  auto observer = std::make_unique<Watching>();
  Index epochs = 0;
  observer->on_epoch = [&](const EpochEnd& end, MetricRecord&) {
    CHECK(end.data.train == &once.data);
    return ++epochs == 3 ? Verdict::stop : Verdict::go_on;
  };
  observers.emplace_back("watch", std::move(observer));
  const TrainingSummary summary = train(once.model, once.data, once.estimator, once.optimizer, options, execution,
                                        {.observers = std::move(observers)});
  CHECK(once.theta() == by_parts.theta());
  CHECK(summary.updates == 6);
  CHECK(summary.message == "observer 'watch' ended the run");
}

namespace {

/// Measures a list of values, one an epoch.
class Listed final : public Observer, public FigureSource {
 public:
  explicit Listed(std::vector<double> values, Index every = 1) : values_(std::move(values)), every_(every) {}
  Verdict epoch_ended(const EpochEnd& end, MetricRecord& record) override {
    if (end.epoch % every_ == 0) record.emplace_back("listed", values_.at(end.epoch - 1));
    return Verdict::go_on;
  }
  std::vector<MeasuredFigure> figures(const RunOutline&) const override {
    return {{.name = "listed", .goal = Goal::less, .every = every_}};
  }

 private:
  std::vector<double> values_;
  Index every_;
};

}  // namespace

TEST_CASE("a run in one call stops early, gives its best model, and does both again from its checkpoint") {
  const ScratchFolder scratch;
  const std::vector<double> values{5, 4, 4.5, 3, 3.5, 3, 4, 0};  // ends after the 7th at patience 3; best is the 4th
  const auto go = [&](Index epochs, const std::filesystem::path& checkpoint, Run& run) {
    run.estimator.script = [](std::uint64_t, std::span<Real> g) { std::ranges::fill(g, Real{0.125}); };
    TrainingOptions options{.num_epochs = epochs, .batch_size = 2};
    options.stop_early = {{"listed"}, 3};
    options.keep_best.follow.metric = "listed";
    std::vector<std::pair<std::string, std::unique_ptr<Observer>>> observers;
    observers.emplace_back("list", std::make_unique<Listed>(values));
    return train(run.model, run.data, run.estimator, run.optimizer, options, {run.executor, {}},
                 {.observers = std::move(observers), .checkpoint = checkpoint});
  };
  Run whole;
  const TrainingSummary summary = go(8, scratch / "whole.h5", whole);
  CHECK(summary.updates == 14);
  CHECK(summary.message == "listed has not become better than 3 of epoch 4 in 3 values");
  REQUIRE(summary.best);
  CHECK(summary.best->epoch() == 4);
  CHECK(summary.best->update() == 8);
  CHECK(summary.best->value() == 3);
  Run four;
  go(4, {}, four);
  CHECK(summary.best->parameters() == four.theta());
  for (const Index first : {2, 5, 7}) {
    CAPTURE(first);
    Run part, rest;
    go(first, scratch / "part.h5", part);
    const TrainingSummary other = go(8, scratch / "part.h5", rest);
    CHECK(other.updates == 14);
    CHECK(other.message == summary.message);
    REQUIRE(other.best);
    CHECK(other.best->parameters() == summary.best->parameters());
    CHECK(rest.theta() == whole.theta());
    CHECK(content_of(scratch / "part.h5") == content_of(scratch / "whole.h5"));
    std::filesystem::remove(scratch / "part.h5");
  }
}

TEST_CASE("the last model is judged where its figure is not due, which leaves no trace in a checkpoint") {
  const ScratchFolder scratch;
  // Due after epochs 3, 6 and 9; that of epoch 9 is measured at the end of shorter runs.
  const auto go = [&](Index epochs, double last, const std::filesystem::path& checkpoint, Run& run,
                      const char* figure = "listed") {
    run.estimator.script = [](std::uint64_t, std::span<Real> g) { std::ranges::fill(g, Real{0.125}); };
    TrainingOptions options{.num_epochs = epochs, .batch_size = 2};
    options.keep_best.follow.metric = figure;
    std::vector<std::pair<std::string, std::unique_ptr<Observer>>> observers;
    observers.emplace_back("list", std::make_unique<Listed>(std::vector<double>{9, 9, 2, 9, 9, 3, 9, 9, last}, 3));
    observers.emplace_back("other", std::make_unique<Listed>(std::vector<double>{9, 9, 8, 9, 9, 7, 9, 9, last}, 3));
    return train(run.model, run.data, run.estimator, run.optimizer, options, {run.executor, {}},
                 {.observers = std::move(observers), .checkpoint = checkpoint});
  };
  Run better, worse, second, due;
  const TrainingSummary summary = go(7, 1.0, scratch / "seven.h5", better);
  REQUIRE(summary.best);
  CHECK(summary.best->epoch() == 7);
  CHECK(summary.best->update() == 14);
  CHECK(summary.best->value() == 1.0);
  CHECK(summary.best->parameters() == better.theta());
  CHECK(go(7, 2.5, {}, worse).best->epoch() == 3);
  CHECK(worse.theta() == better.theta());
  CHECK(go(7, 6.5, {}, second, "other.listed").best->value() == 6.5);
  CHECK(go(6, 1.0, {}, due).best->epoch() == 3);  // it was due
  for (const double last : {1.0, 2.5}) {
    CAPTURE(last);
    Run whole, part, rest;
    const TrainingSummary straight = go(9, last, scratch / "whole.h5", whole);
    go(7, last, scratch / "part.h5", part);
    const TrainingSummary longer = go(9, last, scratch / "part.h5", rest);
    CHECK(longer.best->epoch() == straight.best->epoch());
    CHECK(longer.best->parameters() == straight.best->parameters());
    CHECK(content_of(scratch / "part.h5") == content_of(scratch / "whole.h5"));
    for (const char* file : {"part.h5", "whole.h5"}) std::filesystem::remove(scratch / file);
  }
}

TEST_CASE("a run in one call follows only what its observers say that they measure") {
  Run run;
  TrainingOptions options;
  options.keep_best.follow.metric = "listed";
  std::vector<std::pair<std::string, std::unique_ptr<Observer>>> observers;
  observers.emplace_back("watch", std::make_unique<Watching>());
  CHECK(message_of<ConfigError>([&] {
          train(run.model, run.data, run.estimator, run.optimizer, options, {run.executor, {}},
                {.observers = std::move(observers)});
        }).starts_with("'keep_best' is 'listed', which this run does not measure. Measured: nothing. "));
  CHECK(run.estimator.calls == 0);
}

TEST_CASE("a run in one call checks that its parts fit") {
  Run run;
  const Execution execution{run.executor, {}};
  const Dataset narrow{Table{2, 1, std::vector<std::uint8_t>{0, 1}, {2, 1}}, "narrow"};
  CHECK(message_of<ConfigError>([&] {
          train(run.model, narrow, run.estimator, run.optimizer, {}, execution);
        }).starts_with("[data] narrow has 1 columns, but the model has 2 observed ones."));
  CHECK_THROWS_AS(train(run.model, run.data, run.estimator, run.optimizer, {.batch_size = 5}, execution), ConfigError);
  CHECK_THROWS_AS(
      train(run.model, run.data, run.estimator, run.optimizer, {.num_epochs = 1, .num_updates = 1}, execution),
      ConfigError);
  CHECK(run.estimator.calls == 0);
}

}  // namespace trainer_test
