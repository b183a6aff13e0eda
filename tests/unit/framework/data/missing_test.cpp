#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/sources.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace missing_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr double lost = std::numeric_limits<double>::quiet_NaN();

Table table(Index rows, Index cols, std::vector<double> values) {
  return {rows, cols, std::move(values), {rows, cols}};
}
Dataset holed(std::vector<double> values, Index cols, ValueOptions options = {}) {
  options.missing = Missing::nan;
  const Index rows = values.size() / cols;
  return Dataset(table(rows, cols, std::move(values)), "d.npy", options);
}
std::vector<int> seen(const Dataset& data, std::vector<Index> rows) {
  std::vector<std::uint8_t> bytes(rows.size() * data.cols());
  data.seen(rows, {bytes.data(), rows.size(), data.cols(), data.cols()});
  return {bytes.begin(), bytes.end()};
}
std::vector<double> row(const Dataset& data, Index r) {
  std::vector<double> values(data.cols());
  data.fetch(r, 0, MatrixView<double>{values.data(), 1, data.cols(), data.cols()});
  return values;
}

}  // namespace

TEST_CASE("NaN is an error, unless it means that nothing was seen") {
  CHECK(message_of<DataError>([] {
          Dataset(table(2, 2, {1, 2, lost, 4}), "d.npy");
        }) ==
        "d.npy: row 1, column 0 (both counted from 0) is nan. If that means that nothing was seen, set data.missing = "
        "\"nan\".");
  const Dataset data = holed({1, lost, lost, 4, 3, 8}, 2);
  CHECK(data.has_missing());
  CHECK(seen(data, {2, 0, 1}) == std::vector<int>{1, 1, 1, 0, 0, 1});
  CHECK(row(data, 0) == std::vector<double>{1, 6});
  CHECK(row(data, 1) == std::vector<double>{2, 4});
  CHECK(data.column_means() == std::vector<double>{2, 6});
  CHECK(data.min().value == 1);
  CHECK(data.max().value == 8);
  CHECK(data.bytes() == 6.0 * 9.0);
  CHECK_FALSE(holed({1, 2}, 2).has_missing());
  CHECK(
      message_of<DataError>([] {
        holed({1, lost, 2, lost}, 2);
      }) ==
      "d.npy: column 1 (counted from 0) is missing in every row. Leave it out, or take such columns by data.missing = "
      "\"nan_columns\".");
  CHECK(message_of<DataError>([] {
          holed({1, lost, INFINITY, 1}, 2);
        }) == "d.npy: row 1, column 0 (both counted from 0) is inf");
}

TEST_CASE("what was not seen takes no part in means, ranges, bits and classes") {
  const Dataset weighed = holed({0, lost, 1, 1, 1, 0}, 2).with_weights({3, 1, 1}, "w");
  CHECK(weighed.column_means() == std::vector<double>{0.4, 0.5});
  CHECK(weighed.is_binary());
  const Dataset bits = holed({0, lost, 200, 100, 100, 0}, 2, {.binarize = Binarize::threshold});
  CHECK(row(bits, 1) == std::vector<double>{1, 0});
  CHECK(seen(bits, {0, 1}) == std::vector<int>{1, 0, 1, 1});
  CHECK(bits.is_binary());
  const Dataset labeled = holed({0, lost, 1, 1}, 2).with_labels({1, 0}, "l").with_label_columns(1);
  CHECK(seen(labeled, {0, 1}) == std::vector<int>{1, 1, 1, 0, 1, 1, 1, 1});
  const Dataset part = holed({0, lost, 1, 1, lost, 3}, 2).part({2, 1});
  CHECK(seen(part, {0, 1}) == std::vector<int>{0, 1, 1, 1});
  CHECK(part.column_means() == std::vector<double>{1, 2});
}

TEST_CASE("missing entries are standardized around, and not whitened") {
  const Dataset data = holed({1, 5, lost, 7, 3, lost, 5, 9}, 2);
  const auto transform = Transform::fit(Transform::Kind::standardize, data, 0.0);
  CHECK(transform->mean()[0] == doctest::Approx(3.0));
  CHECK(transform->mean()[1] == doctest::Approx(7.0));
  CHECK(transform->scale()[0] == doctest::Approx(std::sqrt(8.0 / 3.0)));
  CHECK(transform->scale()[1] == doctest::Approx(std::sqrt(8.0 / 3.0)));
  const Dataset made = data.with_transform(transform);
  CHECK(made.has_missing());
  for (const double m : made.column_means()) CHECK(m == doctest::Approx(0.0));
  const std::string refusal =
      "[data] d.npy: whitening mixes the columns of a row, and entries are missing. Set data.standardize in its place.";
  CHECK(message_of<ConfigError>([&] { Transform::fit(Transform::Kind::zca, data, 0.1); }) == refusal);
  CHECK(message_of<ConfigError>([&] { data.with_transform(Transform::whitening({0, 0}, {1, 0, 0, 1})); }) == refusal);
}

TEST_CASE("fields of a CSV file that are empty or nan are missing where that is allowed") {
  const ScratchFolder folder;
  const auto path = folder.write("d.csv", "0,1\n,1\n1,nan\n1,0\n");
  CsvSource::Options options;
  options.path = path.string();
  CHECK_THROWS_AS(CsvSource(options).load({}), DataError);
  options.values.missing = Missing::nan;
  const Dataset data = CsvSource(options).load({}).train;
  CHECK(data.rows() == 4);
  CHECK(seen(data, {0, 1, 2, 3}) == std::vector<int>{1, 1, 0, 1, 1, 0, 1, 1});
}

TEST_CASE("a batch says which rows it holds, and which units of them were seen") {
  const auto model = random_model({{observed("v", 2), observed("y", 1), latent("h", 2)}, {{0, 2}, {1, 2}}, {}}, 1);
  const Dataset data = holed({0, lost, 1, 1, 1, 0, lost, 0, 0, 1, 1, 0}, 3);
  Batches batches(data, model->layout(), 2, RandomSource{1, 2});
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    std::vector<int> met(4, 0);
    for (Index i = 0; i < 2; ++i) {
      const DataBatch batch = batches.batch(epoch, i);
      REQUIRE(batch.indices.size() == 2);
      REQUIRE(batch.observed);
      for (Index r = 0; r < 2; ++r) {
        ++met[batch.indices[r]];
        const std::vector<int> row_seen = seen(data, {batch.indices[r]});
        for (const char* name : {"v", "y"}) {
          const LayerId l = model->layout().find(name);
          const Index first = l == model->layout().find("v") ? 0 : 2;
          for (Index u = 0; u < model->layout()[l].size; ++u) {
            const bool held = batch.observed->holds(l) || batch.observed->units(l, 0, 2)(r, u) != 0;
            CHECK(held == (row_seen[first + u] != 0));
          }
        }
        CHECK_FALSE(batch.observed->holds(model->layout().find("h")));
      }
    }
    CHECK(met == std::vector<int>(4, 1));
  }
  const Dataset complete = holed({0, 1, 1, 1}, 2);
  const auto visible = random_model({{observed("v", 2)}, {{0, 0}}, {}}, 1);
  Batches whole(complete, visible->layout(), 2, RandomSource{1, 2});
  CHECK(whole.batch(0, 0).observed == nullptr);
  CHECK(whole.batch(0, 0).indices.size() == 2);
}

}  // namespace missing_test
