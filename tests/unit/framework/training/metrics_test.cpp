#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/estimators/log_partition/exact.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/state_archive.hpp>
#include <harmonium/framework/inference/always_exact.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/pseudo_likelihood.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/framework/training/metrics.hpp>
#include <harmonium/framework/training/metrics_of_updates.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace metrics_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
const Execution execution{executor, RandomSource{1, 2}};

Dataset rows(std::vector<std::uint8_t> values) {
  const Index n = values.size() / 3;
  return Dataset(Table{n, 3, std::move(values), {n, 3}}, "data");
}

struct Setting {
  Dataset train = rows({0, 0, 1, 1, 0, 1, 1, 1, 1}), validation = rows({0, 1, 0, 0, 0, 0}), test = rows({1, 1, 0});
  std::unique_ptr<LayeredModel> model = random_rbm(3, 2, 6);
  Oracle oracle{*model};
  RunData data{&train, &validation, &test};

  std::vector<double> free_energies(const Dataset& part) const {
    std::vector<double> energies;
    for (Index r = 0; r < part.rows(); ++r) {
      Oracle::State x(5, 0.0);
      part.fetch<double>(r, 0, {x.data(), 1, 3, 3});
      energies.push_back(oracle.free_energy(model->layout().observed(), x));
    }
    return energies;
  }
  double mean_free_energy(const Dataset& part) const {
    double sum = 0.0;
    for (const double energy : free_energies(part)) sum += energy / static_cast<double>(part.rows());
    return sum;
  }
  MetricRecord record(Observer& observer, std::uint64_t epoch = 1) const {
    MetricRecord record;
    observer.epoch_ended({epoch, 10 * epoch, *model, data, execution}, record);
    return record;
  }
};

constexpr double tolerance = 1e-13;

/// The standard error of their mean, in two passes.
double error_of(const std::vector<double>& figures) {
  const auto n = static_cast<double>(figures.size());
  double mean = 0.0, squares = 0.0;
  for (const double f : figures) mean += f / n;
  for (const double f : figures) squares += (f - mean) * (f - mean);
  return std::sqrt(squares / (n - 1.0) / n);
}

LogLikelihoodMetric log_likelihood(Index every) {
  LogLikelihoodMetric::Options options;
  options.metric.every = every;
  options.log_z = std::make_unique<ExactLogPartition>();
  return LogLikelihoodMetric(std::move(options));
}

}  // namespace

TEST_CASE("the log likelihood of each part is minus its free energy minus log Z") {
  const Setting s;
  LogLikelihoodMetric metric = log_likelihood(1);
  metric.begin({*s.model, s.data, 1.0});
  const MetricRecord record = s.record(metric);
  REQUIRE(record.size() == 6);  // a single row has no error
  const double log_z = s.oracle.log_z();
  std::size_t k = 0;
  for (const auto& [name, part] : {std::pair{"log_likelihood", &s.train},
                                   {"validation_log_likelihood", &s.validation},
                                   {"test_log_likelihood", &s.test}}) {
    CHECK(record[k].first == name);
    CHECK(std::abs(record[k++].second + s.mean_free_energy(*part) + log_z) <= tolerance);
    if (part->rows() == 1) continue;
    CHECK(record[k].first == name + std::string("_error"));
    CHECK(std::abs(record[k++].second - error_of(s.free_energies(*part))) <= tolerance);
  }
  CHECK(record[5].first == "log_z");
  CHECK(std::abs(record[5].second - log_z) <= tolerance);
}

TEST_CASE("of an estimated log Z there is an interval, and no figure where its ways do not agree") {
  class Estimated final : public LogPartition {
   public:
    explicit Estimated(LogPartitionEstimate told) : told_(std::move(told)) {}
    void check(const EnergyModel&) const override {}
    LogPartitionEstimate estimate(const EnergyModel&, double, const Execution&) const override { return told_; }
    double operations(const EnergyModel&) const override { return 1.0; }

   private:
    LogPartitionEstimate told_;
  };
  const Setting s;
  const auto recorded = [&](LogPartitionEstimate told) {
    LogLikelihoodMetric::Options options;
    options.metric.every = 1;
    options.log_z = std::make_unique<Estimated>(std::move(told));
    LogLikelihoodMetric metric(std::move(options));
    metric.begin({*s.model, s.data, 1.0});
    CHECK_FALSE(metric.at_end(1e15));  // no figure of an end is an estimate
    return s.record(metric);
  };
  LogPartitionEstimate told = LogPartitionEstimate::of_normal(4.0, 0.5, "test");
  const MetricRecord agreed = recorded(told);
  REQUIRE(agreed.size() == 15);
  const double mean = -s.mean_free_energy(s.train);
  CHECK(agreed[0].first == "log_likelihood");
  CHECK(agreed[1].first == "log_likelihood_error");  // over rows, which log Z does not change
  CHECK(agreed[2].first == "log_likelihood_low");
  CHECK(agreed[3].first == "log_likelihood_high");
  CHECK(std::abs(agreed[0].second - (mean - 4.0)) <= tolerance);
  CHECK(std::abs(agreed[1].second - error_of(s.free_energies(s.train))) <= tolerance);
  CHECK(std::abs(agreed[2].second - (mean - 4.0 - 1.96 * 0.5)) <= tolerance);
  CHECK(std::abs(agreed[3].second - (mean - 4.0 + 1.96 * 0.5)) <= tolerance);
  CHECK(agreed[10].first == "test_log_likelihood_high");
  CHECK(agreed[11] == std::pair<std::string, double>{"log_z", 4.0});
  CHECK(agreed[12] == std::pair<std::string, double>{"log_z_error", 0.5});
  CHECK(agreed[13] == std::pair<std::string, double>{"log_z_low", 4.0 - 1.96 * 0.5});
  CHECK(agreed[14] == std::pair<std::string, double>{"log_z_high", 4.0 + 1.96 * 0.5});
  told.agree = false;
  told.high = std::numeric_limits<double>::infinity();
  const MetricRecord alone = recorded(told);
  REQUIRE(alone.size() == 4);
  for (Index k = 0; k < 3; ++k) CHECK(alone[k].first.ends_with("log_likelihood_high"));
  CHECK(alone[3].first == "log_z_low");
}

TEST_CASE(
    "the log likelihood is taken so seldom that log Z costs 2 % of the training, or 200,000 operations an epoch") {
  const Setting s;
  LogLikelihoodMetric metric = log_likelihood(0);
  // Of so few states each time, however little the training takes.
  metric.begin({*s.model, s.data, 1.0});
  CHECK(metric.every() == 1);
  const auto wide = random_rbm(3, 40000, 6);
  const double cost = ExactLogPartition().operations(*wide);
  REQUIRE(cost * 0.02 / 0.055 > 2e5);
  metric.begin({*wide, s.data, cost / 0.02});
  CHECK(metric.every() == 1);
  metric.begin({*wide, s.data, 1.0});
  CHECK(metric.every() == static_cast<Index>(std::ceil(cost / 2e5)));
  metric.begin({*wide, s.data, cost / 0.055});
  CHECK(metric.every() == 3);
  CHECK(metric.pace() == "log Z takes so long that it is due once in 3 epochs");
  CHECK(s.record(metric, 1).empty());
  CHECK(s.record(metric, 2).empty());
  CHECK(s.record(metric, 3).size() == 6);
  LogLikelihoodMetric fixed = log_likelihood(5);
  fixed.begin({*wide, s.data, cost / 0.055});
  CHECK(fixed.every() == 5);
  CHECK(fixed.pace() == "its 'every' says that it is due once in 5 epochs");
}

TEST_CASE("at the end of a run an exact log likelihood is measured whatever its period, unless it takes long") {
  const Setting s;
  LogLikelihoodMetric metric = log_likelihood(5);
  metric.begin({*s.model, s.data, 1.0});
  CHECK(metric.exact());
  CHECK(metric.at_end(0.0));
  CHECK(s.record(metric, 1).empty());
  MetricRecord last, due;
  metric.measure({1, 10, *s.model, s.data, execution}, last);
  metric.epoch_ended({5, 50, *s.model, s.data, execution}, due);
  CHECK(last == due);
  class Costly final : public LogPartition, public AlwaysExact {
   public:
    explicit Costly(double operations) : operations_(operations) {}
    void check(const EnergyModel&) const override {}
    LogPartitionEstimate estimate(const EnergyModel&, double, const Execution&) const override { return {}; }
    double operations(const EnergyModel&) const override { return operations_; }

   private:
    double operations_;
  };
  const auto at_end = [&](double operations, Index every, double training) {
    LogLikelihoodMetric::Options options;
    options.metric.every = every;
    options.log_z = std::make_unique<Costly>(operations);
    LogLikelihoodMetric costly(std::move(options));
    costly.begin({*s.model, s.data, 1.0});
    CHECK(costly.operations() == operations);
    return costly.at_end(training);
  };
  for (const Index every : {0, 5}) {
    CHECK(at_end(6e10, every, 0.0));
    CHECK_FALSE(at_end(6.1e10, every, 6e9));
    // Up to ten times the training, and twelve seconds.
    CHECK(at_end(6.1e10, every, 6.2e9));
    CHECK(at_end(1.2e11, every, 1.2e10));
    CHECK_FALSE(at_end(1.3e11, every, 1e15));
  }
}

TEST_CASE("the gap of free energies is that of validation rows over training rows, and wants some") {
  Setting s;
  FreeEnergyGapMetric metric({});
  metric.begin({*s.model, s.data, 1.0});
  const MetricRecord record = s.record(metric);
  REQUIRE(record.size() == 2);
  CHECK(record[0].first == "free_energy_gap");
  CHECK(record[1].first == "free_energy_gap_error");
  const Index all = 0;
  const auto error = [&](const Dataset& part) {
    return error_of(free_energies(*s.model, spread_rows(part, s.model->layout(), all, 0), 1.0, executor));
  };
  CHECK(std::abs(record[1].second - std::hypot(error(s.train), error(s.validation))) <= tolerance);
  CHECK(std::abs(record[0].second - (s.mean_free_energy(s.validation) - s.mean_free_energy(s.train))) <= tolerance);
  s.data.validation = nullptr;
  CHECK(message_of<CapabilityError>([&] {
          metric.begin({*s.model, s.data, 1.0});
        }) == "observer 'free_energy_gap': there are no validation rows. Set data.validation.");
}

TEST_CASE("the gap of free energies is left out where sums over latent states would take longer than the training") {
  Setting s;
  s.model = random_model({{observed("v", 3), latent("h", 14), latent("g", 14)}, {{0, 1}, {1, 2}}, {}}, 4);
  FreeEnergyGapMetric metric({});
  CHECK(message_of<CapabilityError>([&] {
          metric.begin({*s.model, s.data, 1.0});
        }) ==
        "observer 'free_energy_gap': to sum over the latent states of each row costs more than the training. Set its "
        "every to take it less often, or its rows to take it of fewer.");
  metric.begin({*s.model, s.data, 1e12});
  const auto few = random_model({{observed("v", 3), latent("h", 4), latent("g", 4)}, {{0, 1}, {1, 2}}, {}}, 4);
  metric.begin({*few, s.data, 1.0});
  // A closed sum is a product or two, whatever the training takes.
  const auto wide = random_rbm(3, 400000, 6, 0.1);
  metric.begin({*wide, s.data, 1.0});
}

TEST_CASE("the gradient's norm is its root mean square over the epoch, and starts again with the next") {
  const Setting s;
  GradientNormMetric metric({});
  const GradientEstimator::Report report;
  const auto iterate = [&](double norm) { metric.iterated({1, *s.model, {}, report, 0.1, norm}); };
  iterate(3.0);
  iterate(4.0);
  StateArchive saved;
  metric.state(saved);
  CHECK(s.record(metric) == MetricRecord{{"gradient_norm", std::sqrt(12.5)}});
  CHECK(s.record(metric) == MetricRecord{{"gradient_norm", 0.0}});
  StateArchive loading(saved.fields(), {});
  metric.state(loading);
  iterate(5.0);
  CHECK(s.record(metric) == MetricRecord{{"gradient_norm", std::sqrt(50.0 / 3.0)}});
}

TEST_CASE("norms of tensors count a symmetric pair once") {
  Setting s;
  s.model = std::make_unique<LayeredModel>(LayerGraph{{observed("v", 3), latent("h", 2)}, {{0, 0}}, {}});
  s.model->update_parameters([](std::span<Real> theta) {
    theta[0] = 3;
    theta[1] = -4;
    theta[5 + 1] = theta[5 + 3] = 2;
  });
  WeightNormsMetric metric({});
  CHECK(s.record(metric) == MetricRecord{{"norm.bias.v", 5.0}, {"norm.bias.h", 0.0}, {"norm.weight.v.v", 2.0}});
}

TEST_CASE("metrics come every so many epochs, and 0 means never") {
  const Setting s;
  PseudoLikelihoodMetric::Options options;
  options.metric.every = 2;
  options.units = 0;
  PseudoLikelihoodMetric metric(options);
  CHECK(s.record(metric, 1).empty());
  const MetricRecord record = s.record(metric, 2);
  REQUIRE(record.size() == 5);  // of a single test row there is no error
  CHECK(record[1].first == "pseudo_log_likelihood_error");
  CHECK(record[2].first == "validation_pseudo_log_likelihood");
  CHECK(record[4].first == "test_pseudo_log_likelihood");
  ReconstructionErrorMetric::Options never;
  never.metric.every = 0;
  ReconstructionErrorMetric reconstruction(never);
  CHECK(s.record(reconstruction, 1).empty());
}

TEST_CASE("the pseudo likelihood has its own error, and takes as many units as cost a fiftieth of the training") {
  const auto taken_of = [](Index columns, double shares, Index every, std::optional<Index> units) {
    std::vector<std::uint8_t> values(20 * columns);
    for (Index i = 0; i < values.size(); ++i) values[i] = i * i % 7 < 3 ? 1 : 0;
    Dataset many(Table{20, columns, std::move(values), {20, columns}}, "data");
    const auto model = random_rbm(columns, 4, 3);
    const Chains x = spread_rows(many, model->layout(), 0, 0);
    PseudoLikelihoodMetric::Options options;
    options.metric.every = every;
    options.units = units;
    PseudoLikelihoodMetric metric(options);
    metric.begin({*model, {&many}, shares * 20.0 * pseudo_likelihood_operations(*model)});
    MetricRecord record;
    metric.epoch_ended({every, 10, *model, {&many}, execution}, record);
    REQUIRE(record.size() == 2);
    for (const Index own : {columns, columns / 2, Index{10}, Index{7}}) {
      const WithError found = estimated_pseudo_log_likelihood(
          *model, x, 1.0, own, {execution.executor, RandomSource{}.child("pseudo_likelihood")});
      if (record[0].second != found.value) continue;
      CHECK(record[1].second == found.error.value());
      return own;
    }
    return Index{0};
  };
  const auto taken = [&](double shares, Index every, std::optional<Index> units) {
    return taken_of(80, shares, every, units);
  };
  CHECK(taken(50.0 * 1.001, 1, {}) == 80);
  CHECK(taken(49.5, 1, {}) != 80);
  CHECK(taken(25.0 * 1.001, 1, {}) == 40);
  CHECK(taken(12.5 * 1.001, 2, {}) == 40);
  CHECK(taken(0.0, 1, {}) == 10);
  CHECK(taken(0.0, 1, 0) == 80);
  CHECK(taken(0.0, 1, 7) == 7);
  // Of few units all are taken, whatever they cost beside the training, unless a number is asked for.
  CHECK(taken_of(64, 0.0, 1, {}) == 64);
  CHECK(taken_of(65, 0.0, 1, {}) == 10);
  CHECK(taken_of(64, 0.0, 1, 7) == 7);
}

TEST_CASE("sites of several states are few by the neighbors of a row, not by their number") {
  const auto units_of = [](Index sites) {
    std::vector<std::uint8_t> values(20 * sites);
    for (Index i = 0; i < values.size(); ++i) values[i] = i % 2;
    Dataset rows(Table{20, sites, std::move(values), {20, sites}}, "data");
    const auto model =
        make_rbm({.num_visible = sites,
                  .num_hidden = 2,
                  .visible_units = std::make_unique<CategoricalUnit>(CategoricalUnit::Options{.num_states = 4})});
    PseudoLikelihoodMetric metric({});
    metric.begin({*model, {&rows}, 1.0});
    return metric.units();
  };
  CHECK(units_of(21) == 0);  // 63 neighbors: all
  CHECK(units_of(22) == 10);
}

TEST_CASE("runs of any seed are judged by the same units of the same rows") {
  std::vector<std::uint8_t> values(20 * 80);
  for (Index i = 0; i < values.size(); ++i) values[i] = i * i % 7 < 3 ? 1 : 0;
  const Dataset data(Table{20, 80, std::move(values), {20, 80}}, "data");
  const auto model = random_rbm(80, 4, 3);
  const auto record_of = [&](std::uint64_t seed, Index units) {
    PseudoLikelihoodMetric::Options options;
    options.units = units;
    PseudoLikelihoodMetric metric(options);
    metric.begin({*model, {&data}, 1.0});
    MetricRecord record;
    metric.epoch_ended({1, 10, *model, {&data}, {executor, RandomSource{seed, 0}}}, record);
    return record;
  };
  CHECK(record_of(1, 7) == record_of(2, 7));
  CHECK(record_of(1, 7) != record_of(1, 0));  // or units would have no say
}

TEST_CASE("metrics refuse models that they cannot be had for") {
  const auto lateral = random_model({{observed("v", 3), latent("h", 17)}, {{0, 1}, {1, 1}}, {}}, 1);
  const RunOutline run{*lateral, {}, 1.0};
  CHECK(message_of<CapabilityError>([&] { log_likelihood(1).begin(run); }) ==
        "observer 'log_likelihood': the model offers no free energy, nor few enough latent states.");
  CHECK(message_of<CapabilityError>([&] { FreeEnergyGapMetric({}).begin(run); }) ==
        "observer 'free_energy_gap': the model offers no free energy, nor few enough latent states.");
  CHECK(message_of<CapabilityError>([&] { PseudoLikelihoodMetric({}).begin(run); }) ==
        "observer 'pseudo_likelihood': it takes discrete observed units and a free energy in closed form.");
  CHECK(message_of<CapabilityError>([&] { ReconstructionErrorMetric({}).begin(run); }) ==
        "observer 'reconstruction_error': it takes latent units that are independent given the observed ones, and the "
        "reverse.");
}

TEST_CASE("rates of exchange are those of the pairs whose turn it was") {
  const Setting s;
  TemperingMetric tempering({});
  GradientEstimator::Report report;
  report.negative.sampler.ladder = LadderReport{{1.0, 0.6, 0.3, 0.0}, {10, 0, 5}, {9, 0, 4}};
  tempering.iterated({1, *s.model, {}, report, 0.1, 1.0});
  const MetricRecord record = s.record(tempering);
  REQUIRE(record.size() == 3);
  CHECK(record[0] == std::pair<std::string, double>{"swap_rate.min", 0.8});
  CHECK(record[1].second == doctest::Approx(0.85));
  // Where no pair's turn came there is no rate.
  report.negative.sampler.ladder = LadderReport{{1.0, 0.0}, {0}, {0}};
  tempering.iterated({1, *s.model, {}, report, 0.1, 1.0});
  CHECK(s.record(tempering).empty());
  CHECK(report.negative.sampler.ladder->summary() == "2 temperatures, and no exchange was due");
}

TEST_CASE("losses and meeting times are taken over the epoch, through a restart, and missed where there are none") {
  const Setting s;
  LossMetric loss({});
  MeetingTimesMetric meetings({});
  GradientEstimator::Report report;
  const auto iteration = [&] { return Iteration{1, *s.model, {}, report, 0.1, 1.0}; };
  const RunOutline nothing_told{*s.model, s.data, 1.0};
  CHECK(message_of<CapabilityError>([&] { loss.begin(nothing_told); }) ==
        "observer 'loss': the estimator follows the likelihood, and reports no loss. Take the observer "
        "'log_likelihood', or leave this one out.");
  CHECK(message_of<CapabilityError>([&] { meetings.begin(nothing_told); }) ==
        "observer 'meeting_times': the negative phase has no chains that meet. Take the estimator 'unbiased_cd', or "
        "leave the observer out.");
  CHECK(message_of<CapabilityError>([&] { PosteriorBoundMetric({}).begin(nothing_told); }) ==
        "observer 'posterior_bound': the positive phase reports no bound. Take 'mean_field' as the estimator's "
        "positive phase, or leave the observer out.");
  const RunOutline all_told{*s.model, s.data, 1.0, {.loss = true, .bound = true, .meetings = true}};
  loss.begin(all_told);
  meetings.begin(all_told);
  PosteriorBoundMetric({}).begin(all_told);
  // An estimator that does not keep its word.
  CHECK(message_of<Error>([&] { loss.iterated(iteration()); }) ==
        "observer 'loss': the estimator's figures() announces what its report does not tell.");
  const auto update = [&](double value, const std::vector<std::uint64_t>& times) {
    report.loss = value;
    report.negative.meetings.emplace();
    for (const std::uint64_t t : times) report.negative.meetings->add(t);
    loss.iterated(iteration());
    meetings.iterated(iteration());
  };
  update(1.0, {2, 3});
  StateArchive saved;
  saved.group("loss", loss);
  saved.group("meetings", meetings);
  StateArchive loaded(saved.fields(), {});
  loss = LossMetric({});
  meetings = MeetingTimesMetric({});
  loaded.group("loss", loss);
  loaded.group("meetings", meetings);
  update(2.0, {7, 2, 2, 2});
  CHECK(s.record(loss) == MetricRecord{{"loss", 1.5}});
  CHECK(s.record(meetings) == MetricRecord{{"meeting_time.mean", 3.0}, {"meeting_time.most", 7.0}});
  CHECK(s.record(loss) == MetricRecord{{"loss", 0.0}});  // the next epoch begins anew
}

}  // namespace metrics_test
