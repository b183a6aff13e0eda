#include <harmonium/framework/data/survey.hpp>

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

namespace survey_test {

using namespace harmonium;

namespace {

Dataset data_of(Index cols, std::vector<double> values, std::vector<Index> shape = {}) {
  const Index rows = values.size() / cols;
  if (shape.empty()) shape = {rows, cols};
  return Dataset(Table{rows, cols, std::move(values), shape}, "f");
}

}  // namespace

TEST_CASE("a threshold keeps what the difference of the two sides' means explains") {
  // Of N values spread evenly the means of the halves are N/2 apart, (N/4)² of a variance of (N² - 1)/12.
  for (const int n : {2, 4, 256}) {
    std::vector<double> even;
    even.reserve(n);
    for (int i = 0; i < n; ++i) even.push_back(i);
    CHECK(survey(data_of(1, even), 0, n - 1).kept_by_threshold ==
          doctest::Approx(0.75 * n * n / (n * n - 1.0)).epsilon(1e-14));
  }
  // Variance 9/4 - 9/16 = 27/16, of which 3/16 · 9 all is between {3} and {0, 0, 0}; a threshold above all keeps none.
  CHECK(survey(data_of(2, {0, 3, 0, 0}), 0, 3).kept_by_threshold == doctest::Approx(1).epsilon(1e-14));
  CHECK(survey(data_of(2, {0, 3, 0, 0}), 0, 8).kept_by_threshold == 0);
}

TEST_CASE("columns are told apart: rows counted, yes or no, classes") {
  std::vector<double> values;
  for (int r = 0; r < 40; ++r)
    for (const double v :
         {r + 3.0, r % 4 == 0 ? 1.0 : 0.0, r == 7 ? 1.0 : 0.0, r % 5 + 1.0, r < 30 ? 0.0 : r % 3, 0.5 * r})
      values.push_back(v);
  const DataSurvey all = survey(data_of(6, values), 0, 42);
  const auto& c = all.columns;
  CHECK(all.min == 0);
  CHECK(all.max == 42);
  CHECK_FALSE(all.whole);
  for (Index i = 0; i < 6; ++i) {
    CAPTURE(i);
    CHECK(c[i].counts_rows == (i == 0));
    CHECK(c[i].is_yes_or_no(40) == (i == 1));
    CHECK(c[i].looks_like_classes() == (i == 3));
    CHECK(c[i].whole == (i != 5));
  }
  CHECK(c[1].variety(40) == doctest::Approx(0.25));
  CHECK(c[2].variety(40) == doctest::Approx(0.025));
  CHECK(c[5].counts.empty());
  CHECK(c[5].variety(40) == doctest::Approx(1 - 1 / 40.0));
}

TEST_CASE("entries that are missing take no part in a survey") {
  const double none = std::numeric_limits<double>::quiet_NaN();
  ValueOptions options;
  options.missing = Missing::nan;
  const Dataset data(Table{3, 2, std::vector<double>{0, 5, none, 6, 1, none}, {3, 2}}, "f", options);
  const DataSurvey seen = survey(data, 0, 6);
  CHECK(seen.whole);  // the means that stand for what is missing are no part of it: 0.5, 5.5
  CHECK(seen.columns[0].counts == std::vector<std::uint32_t>{1, 1});
  CHECK(seen.columns[1].min == 5);
  CHECK(seen.columns[1].max == 6);
}

TEST_CASE("states are seen by the shape of a sample and a single 1 in each row of it") {
  const std::vector<double> one_hot = {1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0};
  CHECK(one_hot_states(data_of(6, one_hot, {2, 2, 3})) == 3);
  CHECK(one_hot_states(data_of(6, one_hot, {2, 3, 2})) == 0);
  CHECK(one_hot_states(data_of(6, one_hot)) == 0);
  for (const double other : {0.0, 0.5, 1.0}) {
    std::vector<double> wrong = one_hot;
    wrong[other == 1.0 ? 8 : 7] = other;
    CHECK(one_hot_states(data_of(6, wrong, {2, 2, 3})) == 0);
  }
}

}  // namespace survey_test
