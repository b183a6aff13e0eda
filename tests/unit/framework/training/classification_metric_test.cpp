// Classes along a run, of rows of which entries are missing.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/training/metrics.hpp>
#include <harmonium/framework/training/sums_over_holes.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace classification_metric_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr double hole = std::numeric_limits<double>::quiet_NaN();
const Executor executor(2);

/// Rows of `units` bits and a class of three, one-hot.
Dataset rows_of_bits(Index units, std::vector<double> values) {
  const Index columns = units + 3, n = values.size() / columns;
  return Dataset(Table{n, columns, std::move(values), {n, columns}}, "data", {.missing = Missing::nan_columns});
}

MetricRecord measured(ClassificationMetric& metric, const EnergyModel& model, const RunData& data) {
  metric.begin({model, data, 1.0});
  MetricRecord record;
  metric.epoch_ended({1, 1, model, data, {executor, {1, 2}}}, record);
  return record;
}

}  // namespace

TEST_CASE("the accuracy of rows with holes is by sums over what they lack, of those whose class is known") {
  const auto model = make_rbm({.num_visible = 3, .num_hidden = 4, .num_labels = 3});
  randomize(*model, 5, 1.5);
  const Oracle oracle(*model);
  const LayerId label = model->layout().find("label"), visible = model->layout().find("visible");
  // The second lacks a unit, the third two of them, the last its class.
  const std::vector<std::vector<double>> rows{
      {1, 0, 1, 0, 1, 0}, {hole, 1, 0, 1, 0, 0}, {0, hole, hole, 0, 0, 1}, {1, 1, 1, hole, hole, hole}};
  double right = 0.0, log_likelihood = 0.0, squares = 0.0;
  for (std::size_t r = 0; r < 3; ++r) {
    std::vector<double> sums(3, 0.0);
    for (Index k = 0; k < 3; ++k)
      for (const Oracle::State& x : oracle.states(model->layout().all())) {
        bool agrees = x[oracle.first(label) + k] == 1.0;
        for (Index i = 0; i < 3; ++i)
          agrees = agrees && (std::isnan(rows[r][i]) || x[oracle.first(visible) + i] == rows[r][i]);
        if (agrees) sums[k] += std::exp(-oracle.energy(x));
      }
    const Index own = rows[r][3] == 1.0 ? 0 : rows[r][4] == 1.0 ? 1 : 2;
    const double log_p = std::log(sums[own] / (sums[0] + sums[1] + sums[2]));
    log_likelihood += log_p / 3.0;
    squares += log_p * log_p / 3.0;
    right += std::ranges::max(sums) == sums[own] ? 1.0 / 3.0 : 0.0;
  }
  std::vector<double> values;
  for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
  const Dataset train = rows_of_bits(3, values), unknown = rows_of_bits(3, rows[3]);
  ClassificationMetric metric({});
  const MetricRecord record = measured(metric, *model, {&train, &unknown, nullptr});
  REQUIRE(record.size() == 4);  // of rows without classes there is no figure
  CHECK(record[0].first == "accuracy");
  CHECK(std::abs(record[0].second - right) < 1e-12);
  CHECK(record[1].first == "accuracy_error");  // of three draws of a coin
  CHECK(std::abs(record[1].second - std::sqrt(right * (1.0 - right) / 3.0)) < 1e-12);
  CHECK(record[2].first == "label_log_likelihood");
  CHECK(std::abs(record[2].second - log_likelihood) <= rounding<double>(100, oracle.scale()));
  CHECK(record[3].first == "label_log_likelihood_error");
  CHECK(record[3].second ==
        doctest::Approx(std::sqrt((squares - log_likelihood * log_likelihood) / 2.0)).epsilon(1e-5));
  // One row has no scatter.
  const Dataset one = rows_of_bits(3, rows[0]);
  ClassificationMetric of_one({});
  CHECK(measured(of_one, *model, {&one, nullptr, nullptr}).size() == 2);
}

TEST_CASE(
    "classes of rows that lack too much are refused for their holes, and those of others are no matter of these") {
  const auto model = make_rbm({.num_visible = 18, .num_hidden = 17, .num_labels = 3});
  std::vector<double> bits(21, 0.0);
  bits[20] = 1.0;
  const Dataset complete = rows_of_bits(18, bits);
  std::fill_n(bits.begin(), 17, hole);
  const Dataset lacking = rows_of_bits(18, bits);
  ClassificationMetric metric({});
  metric.begin({*model, {&complete, nullptr, nullptr}, 1.0});
  CHECK(
      message_of<HolesRefused>([&] {
        metric.begin({*model, {&complete, &lacking, nullptr}, 1.0});
      })
          .starts_with("observer 'classification': what a row lacks is a real number, or can be filled in in more than "
                       "65536 ways, and the 17 units of layer 'hidden' have more states than that."));
  // 2^15 ways of each of three classes take longer than such a training, and not than a longer one.
  std::fill_n(bits.begin(), 2, 1.0);
  const Dataset some = rows_of_bits(18, bits);
  CHECK(message_of<HolesRefused>([&] {
          metric.begin({*model, {&some, nullptr, nullptr}, 1.0});
        }) ==
        "observer 'classification': entries of the data are missing, and to sum over what they may be for each class "
        "costs more than the training. Set its every to take it less often, or its rows to take it of fewer.");
  metric.begin({*model, {&some, nullptr, nullptr}, 1e12});
  const auto unlabeled = make_rbm({.num_visible = 3, .num_hidden = 2});
  CHECK_THROWS_AS(metric.begin({*unlabeled, {&complete, nullptr, nullptr}, 1.0}), CapabilityError);
}

}  // namespace classification_metric_test
