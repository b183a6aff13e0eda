#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/transform.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/scratch.hpp>
#include <harmonium/tests/support/tables.hpp>

namespace labels_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

using Numbers = std::vector<double>;

/// Four rows of two bits; row r is of class 0, 2, 1, 2.
Dataset four() { return Dataset(Table{4, 2, std::vector<std::uint8_t>{0, 0, 1, 0, 0, 1, 1, 1}, {4, 2}}, "four"); }
Dataset labeled() { return four().with_labels({0, 2, 1, 2}, "l"); }

Numbers all(const Dataset& data) {
  Numbers values(data.rows() * data.cols());
  data.fetch(0, 0, MatrixView<double>{values.data(), data.rows(), data.cols(), data.cols()});
  return values;
}

/// visible, label and hidden, the label of `classes` binary units, as a model that classifies has them.
LayeredModel classifier(Index classes) {
  LayerGraph graph;
  graph.layers = {observed("visible", 2), observed("label", classes), latent("hidden", 3)};
  graph.couplings = {{0, 2}, {1, 2}};
  return LayeredModel(graph);
}

}  // namespace

TEST_CASE("labels go with their rows and are no columns until asked for") {
  const Dataset data = labeled();
  CHECK(data.num_classes() == 3);
  CHECK(data.cols() == 2);
  CHECK(held<std::uint8_t>(data.labels()) == std::vector<std::uint8_t>{1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1});
  const Dataset part = data.part({3, 2});
  CHECK(part.label(0) == 2);
  CHECK(part.label(1) == 1);
  CHECK(held<std::uint8_t>(part.labels()) == std::vector<std::uint8_t>{0, 0, 1, 0, 1, 0});
  CHECK(four().num_classes() == 0);
  CHECK_THROWS_AS(four().with_label_columns(0), std::logic_error);
  CHECK_THROWS_AS(data.with_label_columns(3), std::logic_error);
}

TEST_CASE("a class that was not seen is none, and its columns are missing, wherever they stand") {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const Dataset rows(Table{4, 2, std::vector<std::uint8_t>{0, 0, 1, 0, 0, 1, 1, 1}, {4, 2}}, "four",
                     {.missing = Missing::nan});
  const Dataset labels = rows.with_labels({none, 2, 1, 2}, "l");
  CHECK(labels.num_classes() == 3);
  CHECK(labels.label(0) == 3);
  CHECK(labels.label(1) == 2);
  CHECK_FALSE(labels.has_missing());
  CHECK(held<std::uint8_t>(labels.labels()) == std::vector<std::uint8_t>{0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1});
  CHECK_FALSE(rows.with_labels({0, 2, 1, 2}, "l").with_label_columns(0).has_missing());
  for (const Index at : {0, 1, 2}) {
    const Dataset data = labels.with_label_columns(at);
    CHECK(data.has_missing());
    CHECK(data.is_bytes());
    CHECK(data.is_binary());
    std::vector<std::uint8_t> seen(10), wanted(5, 1);
    std::fill_n(wanted.begin() + static_cast<std::ptrdiff_t>(at), 3, std::uint8_t{0});
    wanted.resize(10, 1);
    const std::vector<Index> which{0, 3};
    data.seen(which, {seen.data(), 2, 5, 5});
    CHECK(seen == wanted);
    const Numbers joined = all(data), means = data.column_means();
    for (Index k = 0; k < 3; ++k) {
      CHECK(joined[at + k] == 0);
      CHECK(joined[5 + at + k] == (k == 2 ? 1 : 0));
      CHECK(means[at + k] ==
            doctest::Approx(static_cast<double>(k) / 3.0).epsilon(1e-12));  // of the three that were seen
    }
    // Of the rows that were seen alone a label is 0 or 1.
    CHECK_FALSE(data.first_outside([](double v) { return v == 0 || v == 1; }).has_value());
    CHECK(data.first_outside([](double v) { return v == 0; }, at, at + 3)->row == 1);
    CHECK(data.part({0}).with_weights({1, 1, 1, 1}, "w").column_means()[at] == doctest::Approx(1 / 3.0));
  }
  // Where entries may not be missing it is refused, and where no row has one.
  CHECK_THROWS_AS(four().with_labels({none, 2, 1, 2}, "l"), DataError);
  CHECK_THROWS_AS(rows.with_labels({none, none, none, none}, "l"), DataError);
  CHECK(rows.with_labels({none, none, none, none}, "l", 3).label(2) == 3);
}

TEST_CASE("labels as columns stand wherever they are wanted, in every way of reading") {
  for (const Index at : {0, 1, 2}) {
    const Dataset data = labeled().with_label_columns(at);
    CHECK(data.cols() == 5);
    CHECK(data.is_bytes());
    CHECK(data.is_binary());
    const Numbers plain = all(four()), joined = all(data);
    for (Index r = 0; r < 4; ++r) {
      for (Index c = 0; c < 2; ++c) CHECK(joined[5 * r + c + (c >= at ? 3 : 0)] == plain[2 * r + c]);
      for (Index k = 0; k < 3; ++k) CHECK(joined[5 * r + at + k] == (labeled().label(r) == k ? 1 : 0));
    }
    Numbers means = data.column_means();
    CHECK(Numbers(means.begin() + static_cast<std::ptrdiff_t>(at),
                  means.begin() + static_cast<std::ptrdiff_t>(at + 3)) == Numbers{0.25, 0.25, 0.5});
    CHECK(data.min().value == 0);
    CHECK(data.max().value == 1);
    std::vector<std::uint8_t> out(10);
    const std::vector<Index> rows = {3, 0};
    data.fetch(rows, 0, MatrixView<std::uint8_t>{out.data(), 2, 5, 5});
    CHECK(out[at + 2] == 1);
    CHECK(out[5 + at] == 1);
  }
  const Dataset bright(Table{1, 1, Numbers{0.5}, {1, 1}}, "b");
  CHECK(bright.with_labels({1}, "l").with_label_columns(1).max().value == 1);
  CHECK(bright.with_labels({1}, "l").with_label_columns(0).min().value == 0);
  CHECK(bright.with_labels({1}, "l").with_label_columns(0).min().col == 0);
  CHECK(bright.with_labels({1}, "l").with_label_columns(0).first_outside(Numbers{0, 1})->col == 2);
  CHECK(bright.with_labels({1}, "l").with_label_columns(1).first_outside(Numbers{0.5, 1})->col == 1);
  CHECK_FALSE(bright.with_labels({1}, "l").with_label_columns(1).first_outside(Numbers{0, 1}, 1, 3));
  CHECK_FALSE(bright.with_labels({1}, "l").with_label_columns(1).first_outside(Numbers{0.5}, 0, 1));
}

TEST_CASE("a model with an observed layer for labels is fed with them") {
  const LayeredModel model = classifier(3);
  const Dataset data = fitted(labeled(), model.layout());
  Batches batches(data, model.layout(), 4, RandomSource{1, 1});
  const DataBatch batch = batches.batch(0, 0);
  for (Index r = 0; r < 4; ++r) {
    const ConstMatrixRef x = batch.rows.read(LayerId{0}), y = batch.rows.read(LayerId{1});
    const Index row = static_cast<Index>(x(r, 0) + 2 * x(r, 1));
    for (Index k = 0; k < 3; ++k) CHECK(y(r, k) == (labeled().label(row) == k ? 1 : 0));
  }
  const std::vector<double> marginals(batches.marginals().begin(), batches.marginals().end());
  CHECK(marginals == Numbers{0.5, 0.5, 0.25, 0.25, 0.5});
  CHECK(has_probability(data, model.layout()));
  // Rows that hold the classes already are whole.
  CHECK(fitted(Dataset(Table{1, 5, std::vector<std::uint8_t>{0, 1, 1, 0, 0}, {1, 5}}, "own"), model.layout()).cols() ==
        5);
}

TEST_CASE("a model without such a layer carries labels unseen") {
  const auto model = random_rbm(2, 3, 1);
  CHECK(fitted(labeled(), model->layout()).cols() == 2);
}

TEST_CASE("labels that are wanted and absent, or of other classes, are refused") {
  const auto refusal = [](const Dataset& data, const LayeredModel& model) {
    return message_of<ConfigError>([&] { fitted(data, model.layout()); });
  };
  CHECK(refusal(four(), classifier(3)) ==
        "[data] four has no labels, but the model has an observed layer 'label'. Set data.labels to a file of them "
        "(data.test_labels for data.test_path), or take data that has them.");
  CHECK(refusal(labeled(), classifier(4)) ==
        "[data] four has 3 classes, but the model's layer 'label' has 4 columns. Set data.num_classes, or the layer's "
        "size, to the other.");
  const Dataset narrow = Dataset(Table{1, 1, Numbers{0}, {1, 1}}, "narrow").with_labels({2}, "l");
  CHECK(refusal(narrow, classifier(3)) ==
        "[data] narrow has 1 columns beside its labels, but the model has 2 observed ones beside those of its layer "
        "'label'. Set the model's size to the data's, or take other data.");
}

TEST_CASE("binary units refuse standardized data and say why") {
  const auto model = random_rbm(2, 3, 1);
  const Dataset raw(Table{3, 2, std::vector<std::uint8_t>{0, 9, 4, 9, 8, 3}, {3, 2}}, "gray");
  const auto transform = Transform::standardizing({4, 9}, {2, 3});
  CHECK(message_of<ConfigError>([&] { fitted(raw.with_transform(transform), model->layout()); }) ==
        "[data] gray: row 0, column 0 (both counted from 0) is -2 in units of standardized data, but binary units of "
        "layer "
        "'visible' take values from 0 to 1. Such data wants units that take any number: leave data.standardize and "
        "data.whiten out.");
}

}  // namespace labels_test
