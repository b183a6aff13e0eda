#include <harmonium/framework/config/value.hpp>

#include <limits>

#include <doctest/doctest.h>

namespace value_test {

using namespace harmonium;

namespace {

Value list_of(Value::List items) {
  Value list;
  list.data = std::move(items);
  return list;
}

}  // namespace

TEST_CASE("a value names its type for messages") {
  CHECK(Value{}.type_name() == "nothing");
  CHECK(make_value(true).type_name() == "true or false");
  CHECK(make_value(std::int64_t{1}).type_name() == "an integer");
  CHECK(make_value(1.0).type_name() == "a number");
  CHECK(make_value("x").type_name() == "a string");
  CHECK(list_of({}).type_name() == "a list");
  CHECK(make_table().type_name() == "a table");
}

TEST_CASE("a table finds, replaces, appends and erases its entries") {
  Value table;
  CHECK(table.find("a") == nullptr);
  table.set("b", make_value("first")).where = "here";
  CHECK(table.is_table());
  table.set("a", make_value(true));
  table.set("b", make_value("second"));
  REQUIRE(std::get<Value::Table>(table.data).size() == 2);
  CHECK(std::get<Value::Table>(table.data)[0].first == "b");
  CHECK(*table.find("b") == make_value("second"));
  CHECK(table.find("b")->where.empty());
  table.erase("b");
  table.erase("absent");
  CHECK(table == make_table({{"a", make_value(true)}}));

  Value text = make_value("x");
  CHECK(text.find("x") == nullptr);
  text.erase("x");
  CHECK(text.is_string());
}

TEST_CASE("equality compares data") {
  const Value one = make_value(std::int64_t{1});
  CHECK_FALSE(one == make_value(1.0));
  CHECK_FALSE(one == make_value(true));
  CHECK_FALSE(make_value("1") == make_value("2"));
  CHECK_FALSE(make_value(true) == make_value(false));
  CHECK(Value{} == Value{});

  Value elsewhere = one;
  elsewhere.where = "run.toml:1:1";
  CHECK(one == elsewhere);

  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(make_value(nan) == make_value(nan));
  CHECK_FALSE(make_value(nan) == make_value(1.0));

  CHECK(make_table({{"a", one}, {"b", Value{}}}) == make_table({{"b", Value{}}, {"a", one}}));
  CHECK_FALSE(make_table({{"a", one}}) == make_table({{"b", one}}));
  CHECK_FALSE(make_table({{"a", one}}) == make_table());
  CHECK_FALSE(list_of({one, Value{}}) == list_of({Value{}, one}));
  CHECK_FALSE(list_of({one}) == list_of({}));
}

}  // namespace value_test
