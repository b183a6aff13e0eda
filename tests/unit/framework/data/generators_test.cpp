#include <harmonium/framework/data/generators.hpp>

#include <set>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>

namespace generators_test {

using namespace harmonium;

namespace {

std::vector<std::string> rows_of(const Table& table) {
  std::vector<std::string> rows;
  for (Index r = 0; r < table.rows; ++r) {
    rows.emplace_back();
    for (Index c = 0; c < table.cols; ++c) rows.back() += table.at(r, c) == 1 ? '1' : '0';
  }
  return rows;
}

std::set<std::string> check_unique(const Table& table, Index rows, Index cols) {
  CHECK(table.rows == rows);
  CHECK(table.cols == cols);
  CHECK(std::get<NumberArray<std::uint8_t>>(table.values).size() == rows * cols);
  for (const std::uint8_t v : std::get<NumberArray<std::uint8_t>>(table.values)) REQUIRE(v <= 1);
  const auto list = rows_of(table);
  std::set<std::string> unique(list.begin(), list.end());
  CHECK(unique.size() == rows);
  return unique;
}

}  // namespace

TEST_CASE("bars and stripes: 6, 14 and 30 different images") {
  CHECK(check_unique(bars_and_stripes(2), 6, 4) ==
        std::set<std::string>{"0000", "0101", "1010", "0011", "1100", "1111"});
  const auto three = check_unique(bars_and_stripes(3), 14, 9);
  CHECK(three.count("010010010") == 1);
  CHECK(three.count("111000111") == 1);
  CHECK(three.count("110000000") == 0);
  check_unique(bars_and_stripes(4), 30, 16);
  CHECK(bars_and_stripes(3).shape == std::vector<Index>{14, 3, 3});
  CHECK(bars_and_stripes(1).rows == 2);
  CHECK_THROWS_WITH_AS(bars_and_stripes(0), "side is 0 (from 1 to 12 expected)", ConfigError);
  CHECK_THROWS_AS(bars_and_stripes(13), ConfigError);
}

TEST_CASE("diagonal: d + 1 rows") {
  CHECK(rows_of(diagonal(3)) == std::vector<std::string>{"000", "100", "110", "111"});
  for (Index d = 6; d <= 10; ++d) check_unique(diagonal(d), d + 1, d);
  CHECK_THROWS_AS(diagonal(0), ConfigError);
}

TEST_CASE("1DBall: 24, 42, 48, 72 and 80 different rows for d = 6 to 10") {
  const Index sizes[] = {24, 42, 48, 72, 80};
  for (Index d = 6; d <= 10; ++d) {
    const auto rows = check_unique(one_d_ball(d), sizes[d - 6], d);
    for (std::string row : rows) {
      for (char& c : row) c = c == '1' ? '0' : '1';
      CHECK(rows.count(row) == 1);
    }
  }
  CHECK(check_unique(one_d_ball(3), 6, 3) == std::set<std::string>{"100", "010", "001", "011", "101", "110"});
  CHECK(rows_of(one_d_ball(6))[11] == "100001");  // start 5, width 2: round the ring
  CHECK_THROWS_AS(one_d_ball(2), ConfigError);
}

TEST_CASE("labeled shifter: 48 rows of 11 bits for 4 bits, 768 of 19 for 8") {
  check_unique(labeled_shifter(8), 768, 19);
  const auto rows = check_unique(labeled_shifter(4), 48, 11);
  CHECK(rows.count("1000"
                   "0001"
                   "100") == 1);
  CHECK(rows.count("1000"
                   "1000"
                   "010") == 1);
  CHECK(rows.count("1000"
                   "0100"
                   "001") == 1);
  CHECK(rows.count("1101"
                   "1011"
                   "100") == 1);
  CHECK(rows.count("1000"
                   "0010"
                   "001") == 0);
  CHECK_THROWS_AS(labeled_shifter(1), ConfigError);
}

}  // namespace generators_test
