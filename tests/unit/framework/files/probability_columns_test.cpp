#include <harmonium/framework/files/probability_columns.hpp>

#include <limits>

#include <doctest/doctest.h>

namespace probability_columns_test {

using namespace harmonium;

namespace {

Table table_of(Index cols, std::vector<double> values) {
  const Index rows = values.size() / cols;
  return {rows, cols, std::move(values), {rows, cols}};
}

}  // namespace

TEST_CASE("columns that are probabilities in every row name the likeliest of each") {
  const Table rows = table_of(4, {7, 0.2, 0.5, 0.3, 1, 0.25, 0.25, 0.5, 0, 1, 0, 0, 0, 0.4, 0.2, 0.4});
  CHECK(likeliest_columns(rows, 1) == std::vector<Index>{1, 2, 0, 0});
  CHECK(likeliest_columns(rows, 0).empty());
  CHECK(likeliest_columns(rows, 2).empty());
  CHECK(likeliest_columns(table_of(3, {1.0F / 3, 1.0F / 3, 1.0F / 3}), 0) == std::vector<Index>{0});
}

TEST_CASE("columns of which a single row holds no probabilities name none, and one column never does") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::vector<double>& last :
       {std::vector<double>{0, 0, 0}, {0.5, 0.5, 0.5}, {0.3, 0.3, 0.39}, {1.5, -0.5, 0}, {0.5, nan, 0.5}}) {
    std::vector<double> values{0.5, 0.25, 0.25};
    values.insert(values.end(), last.begin(), last.end());
    CHECK_MESSAGE(likeliest_columns(table_of(3, std::move(values)), 0).empty(), doctest::toString(last[0]));
  }
  CHECK(likeliest_columns(table_of(3, {0, 0, 1, 0, 0, 1}), 2).empty());
  CHECK(likeliest_columns(table_of(3, {0, 0, 1, 0, 0, 1}), 3).empty());
}

}  // namespace probability_columns_test
