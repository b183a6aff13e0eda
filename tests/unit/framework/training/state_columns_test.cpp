// Rows of one column a unit, its state, that a model of one-hot columns observes.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/framework/training/state_columns.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace state_columns_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::shared_ptr<const UnitType> of_states(Index q) {
  return std::make_shared<CategoricalUnit>(CategoricalUnit::Options{q});
}
Layout potts(Index sites, Index q) { return Layout({observed("v", sites, of_states(q)), latent("h", 1)}); }

template <class T>
Dataset rows_of(std::vector<T> values, Index cols, const ValueOptions& options = {}) {
  const Index rows = values.size() / cols;
  return Dataset(Table{rows, cols, std::move(values), {rows, cols}}, "d.npy", options);
}

std::vector<double> all_of(const Dataset& data) {
  std::vector<double> values(data.rows() * data.cols());
  data.fetch<double>(0, 0, {values.data(), data.rows(), data.cols(), data.cols()});
  return values;
}

std::string refusal(const Dataset& data, const Layout& layout) {
  return message_of<ConfigError>([&] { fitted(data, layout); });
}

}  // namespace

TEST_CASE("a column for each site is read as its state, of bytes, floats and doubles alike") {
  const std::vector<double> one_hot{0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const Layout layout = potts(2, 3);
  const auto check = [&](const Dataset& data) {
    const Dataset read = fitted(data, layout);
    CHECK(all_of(read) == one_hot);
    CHECK(read.read_as_states());
    CHECK(states_remark(read, layout) == "d.npy: columns are read as states 0 to 2 of 2 sites.");
  };
  check(rows_of<std::uint8_t>({2, 0, 1, 2}, 2));
  check(rows_of<float>({2, 0, 1, 2}, 2));
  check(rows_of<double>({2, 0, 1, 2}, 2));
  check(rows_of<double>({4, 0, 2, 4}, 2, {.scale = 0.5}));
  // What is one-hot already stays.
  const Dataset whole = fitted(rows_of<double>(one_hot, 6), layout);
  CHECK(all_of(whole) == one_hot);
  CHECK_FALSE(whole.read_as_states());
  CHECK(states_remark(whole, layout).empty());
}

TEST_CASE("parts, weights, labels and rows of the file are what they were") {
  const Dataset all =
      rows_of<std::uint8_t>({2, 0, 1, 2, 0, 1, 1, 1}, 2).with_weights({1, 2, 3, 4}, "w").with_labels({0, 1, 0, 1}, "l");
  const Dataset part = fitted(all.part({1, 3}), potts(2, 3));
  CHECK(all_of(part) == std::vector<double>{0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0});
  CHECK(part.weights() == std::vector<double>{2, 4});
  CHECK(part.label(1) == 1);
  CHECK(part.source_row(1) == 3);
  CHECK(part.column_means() == std::vector<double>{0, 1, 0, 0, 2.0 / 3, 1.0 / 3});
  // Rows of other parts may hold anything.
  CHECK(fitted(rows_of<double>({7, -1, 1, 2}, 2).part({1}), potts(2, 3)).max().value == 1);
}

TEST_CASE("a state that is missing is missing in all columns of its site, as it would be one-hot") {
  const ValueOptions missing{.missing = Missing::nan_columns};
  const Dataset states = fitted(rows_of<double>({2, nan, 1, 0, 2, 0}, 2, missing), potts(2, 3));
  const Dataset one_hot = rows_of<double>({0, 0, 1, nan, nan, nan, 0, 1, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0}, 6, missing);
  std::vector<std::uint8_t> a(18), b(18);
  const Index which[] = {0, 1, 2};
  states.seen(which, {a.data(), 3, 6, 6});
  one_hot.seen(which, {b.data(), 3, 6, 6});
  CHECK(a == b);
  CHECK(all_of(states) == all_of(one_hot));
}

TEST_CASE("layers of one column a unit stand beside states, and classes may be a column of states or be absent") {
  const Layout mixed({observed("s", 1, of_states(3)), observed("b", 2), latent("h", 1)});
  CHECK(all_of(fitted(rows_of<float>({2, 1, 0}, 3), mixed)) == std::vector<double>{0, 0, 1, 1, 0});
  CHECK(states_remark(fitted(rows_of<float>({2, 1, 0}, 3), mixed), mixed) ==
        "d.npy: columns are read as states 0 to 2 of 1 site.");
  const Layout labeled({observed("v", 2, of_states(3)), observed("label", 1, of_states(2)), latent("h", 1)});
  const std::vector<double> whole{0, 0, 1, 1, 0, 0, 0, 1};
  CHECK(all_of(fitted(rows_of<float>({2, 0, 1}, 3), labeled)) == whole);
  CHECK(all_of(fitted(rows_of<float>({2, 0}, 2).with_labels({1}, "l", 2), labeled)) == whole);
  // A column of classes alone is no state: a label too many is a mistake.
  const Layout bits({observed("v", 3), observed("label", 1, of_states(2)), latent("h", 1)});
  CHECK(refusal(rows_of<float>({0, 1, 0, 1}, 4), bits).find("4 columns, but the model has 3 observed ones") !=
        std::string::npos);
}

TEST_CASE("what is no state is refused with its place, and states from 1 with what to do") {
  CHECK(refusal(rows_of<std::uint8_t>({1, 2, 1, 3, 2, 1}, 3), potts(3, 3)) ==
        "[data] d.npy: row 1, column 0 (both counted from 0) is 3, but the model has as many units as the file has "
        "columns, and a column is read as the state of its unit, a whole number from 0 to 2: states count from 0. "
        "Subtract 1 where they count from 1, or give a unit of 3 states as 3 columns, of which one is 1.");
  CHECK(refusal(rows_of<double>({1, 0.5, 1}, 3), potts(3, 3)).find("row 0, column 1 (both counted from 0) is 0.5,") !=
        std::string::npos);
  CHECK(refusal(rows_of<double>({1, -1, 1}, 3), potts(3, 3)).find("is -1,") != std::string::npos);
  CHECK(refusal(rows_of<std::uint8_t>({1, 0, 1, 0, 1, 0, 0, 1}, 8), potts(9, 3)) ==
        "[data] d.npy has 8 columns, but the model has 27 observed ones (9 units of 3 states: 27 columns with these "
        "one-hot, or 9 with one column of states from 0 for each unit). Set the model's size to the data's, or take "
        "other data.");
}

TEST_CASE("one-hot columns that a model has a unit for each of are no states") {
  const std::vector<std::uint8_t> one_hot{0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  CHECK(
      refusal(rows_of(one_hot, 6), potts(6, 3)) ==
      "[data] d.npy has 6 columns, a single 1 in each 3: 2 units of 3 states, one-hot. The model has 6 units. Set its "
      "size to 2; where the columns are states indeed, give them one-hot, 18 columns a row.");
  // Of two states it may well be: sites that are each other's opposites.
  CHECK(all_of(fitted(rows_of<std::uint8_t>({0, 1, 1, 0}, 2), potts(2, 2))) ==
        std::vector<double>{1, 0, 0, 1, 0, 1, 1, 0});
}

}  // namespace state_columns_test
