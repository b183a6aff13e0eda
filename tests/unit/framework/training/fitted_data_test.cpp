#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace fitted_data_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

Dataset zeros_of(Index rows, Index cols) {
  return Dataset(Table{rows, cols, std::vector<std::uint8_t>(rows * cols), {rows, cols}}, "zeros");
}

Layout one_of_bits(Index size) { return Layout({observed("v", size), latent("h", 1)}); }

std::string data_error(const Dataset& data, const Layout& layout) {
  return message_of<ConfigError>([&] { check_data(data, layout); });
}

}  // namespace

TEST_CASE("data that does not fit the model is refused with the place") {
  CHECK(data_error(zeros_of(5, 3), one_of_bits(4)) ==
        "[data] zeros has 3 columns, but the model has 4 observed ones. Set the model's size to the data's, or take "
        "other "
        "data.");
  const Dataset image(Table{2, 2, std::vector<double>{0, 255, 17, 3}, {2, 2}}, "image");
  CHECK(data_error(image, one_of_bits(2)) ==
        "[data] image: row 0, column 1 (both counted from 0) is 255, but binary units of layer 'v' take values from 0 "
        "to 1. Bytes of an "
        "image: set data.binarize = \"threshold\", or data.scale = 0.00392157 (1/255) for grays.");
  const Dataset large(Table{2, 2, std::vector<double>{0, 1, 0.5, 2.5}, {2, 2}}, "large");
  CHECK(data_error(large, one_of_bits(2)) ==
        "[data] large: row 1, column 1 (both counted from 0) is 2.5, but binary units of layer 'v' take values from 0 "
        "to 1. "
        "Set data.scale or data.binarize.");
  const Dataset small(Table{2, 2, std::vector<double>{0, 1, -0.5, 0.5}, {2, 2}}, "small");
  CHECK(data_error(small, one_of_bits(2)) ==
        "[data] small: row 1, column 0 (both counted from 0) is -0.5, but binary units of layer 'v' take values from 0 "
        "to 1. "
        "Set data.scale or data.binarize.");
  CHECK(data_error(zeros_of(4, 2), one_of_bits(2)).empty());
}

TEST_CASE("rows in one dimension, or that are columns, are told to be reshaped or transposed") {
  const auto flat = [](Index numbers) {
    return Dataset(Table{numbers, 1, std::vector<std::uint8_t>(numbers), {numbers}}, "flat");
  };
  CHECK(data_error(flat(4), one_of_bits(4)) ==
        "[data] flat has 1 columns, but the model has 4 observed ones. It is an array of shape (4,), one number a row: "
        "reshape it to (1, 4), one sample a row.");
  CHECK(data_error(flat(12), one_of_bits(4)).ends_with("reshape it to (3, 4), one sample a row."));
  CHECK(data_error(flat(13), one_of_bits(4)).ends_with("or take other data."));
  CHECK(data_error(zeros_of(4, 3), one_of_bits(4)) ==
        "[data] zeros has 3 columns, but the model has 4 observed ones. It is of shape (4, 3), and a row is a sample: "
        "transpose it to (3, 4).");
  // Pictures of three columns, four of them, are no rows of four.
  const Dataset pictures(Table{4, 6, std::vector<std::uint8_t>(24), {4, 2, 3}}, "pictures");
  CHECK(data_error(pictures, one_of_bits(4)).ends_with("or take other data."));
}

TEST_CASE("spins are not given bits, nor bits spins") {
  const auto error_of = [](std::vector<double> values) {
    const Dataset data(Table{2, 2, std::move(values), {2, 2}}, "d");
    return data_error(data, Layout({{"v", 2, std::make_shared<SpinUnit>(), Role::observed}}));
  };
  const std::string refusal =
      "[data] d: its values are 0 and 1 or lie between, but spin units of layer 'v' take -1 and 1, and 0 is no state "
      "of "
      "theirs. Set data.binarize = \"threshold\", which makes -1 and 1 of them for spins, or the layer's units to "
      "\"binary\".";
  CHECK(error_of({0, 1, 1, 0}) == refusal);
  CHECK(error_of({0, 0.25, 1, 0.5}) == refusal);
  CHECK(error_of({1, -1, -1, 1}).empty());
  CHECK(error_of({1, 1, 1, 1}).empty());
  CHECK(error_of({0, -0.5, 0.25, 1}).empty());  // means
  const Dataset spins(Table{2, 2, std::vector<double>{1, -1, -1, 1}, {2, 2}}, "spins");
  CHECK(data_error(spins, one_of_bits(2)) ==
        "[data] spins: row 0, column 1 (both counted from 0) is -1, but binary units of layer 'v' take values from 0 "
        "to 1. "
        "Every value is -1 or 1: set the layer's units to \"spin\".");
}

TEST_CASE("rows have a probability where every value is a state of its unit") {
  const Dataset gray(Table{2, 2, std::vector<double>{0, 1, 0.5, 1}, {2, 2}}, "gray");
  CHECK(has_probability(zeros_of(4, 2), one_of_bits(2)));
  CHECK_FALSE(has_probability(gray, one_of_bits(2)));
}

}  // namespace fitted_data_test
