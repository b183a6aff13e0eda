#include <harmonium/framework/files/one_hot_columns.hpp>

#include <limits>

#include <doctest/doctest.h>

namespace one_hot_columns_test {

using namespace harmonium;

namespace {

Table table_of(Index cols, std::vector<double> values) {
  const Index rows = values.size() / cols;
  return {rows, cols, std::move(values), {rows, cols}};
}

}  // namespace

TEST_CASE("columns that are one-hot in every row name one of them a row") {
  const Table rows = table_of(5, {0.5, 7, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0});
  CHECK(one_hot_columns(rows, 2) == std::vector<Index>{0, 2, 1});
  CHECK(one_hot_columns(rows, 1).empty());  // the 7 before them
  CHECK(one_hot_columns(rows, 3).empty());  // the first row has its 1 before them
}

TEST_CASE("columns that are not one-hot in a single row name none, and one column never does") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::vector<double>& last :
       {std::vector<double>{0, 0, 0}, {1, 0, 1}, {0, 0.5, 0.5}, {0, 2, 0}, {2, -1, 0}, {0, nan, 1}, {1, 0, nan}}) {
    std::vector<double> values{0, 1, 0, 1, 0, 0};
    values.insert(values.end(), last.begin(), last.end());
    CHECK_MESSAGE(one_hot_columns(table_of(3, std::move(values)), 0).empty(), doctest::toString(last[0]));
  }
  CHECK(one_hot_columns(table_of(3, {0, 0, 1, 1, 1, 1}), 2).empty());
  CHECK(one_hot_columns(table_of(3, {0, 0, 1, 1, 1, 1}), 3).empty());
}

}  // namespace one_hot_columns_test
