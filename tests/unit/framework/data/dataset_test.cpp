#include <harmonium/framework/data/dataset.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/tests/support/data.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace dataset_test {

using namespace harmonium;
using harmonium::testing::message_of;

namespace {

constexpr RandomSource source{7, 11};

template <class T>
Table table_of(Index cols, std::vector<T> values) {
  const Index rows = values.size() / cols;
  return {rows, cols, std::move(values), {rows, cols}};
}

Table bytes(Index cols, std::vector<std::uint8_t> values) { return table_of(cols, std::move(values)); }
Table numbers(Index cols, std::vector<double> values) { return table_of(cols, std::move(values)); }

template <class T = double>
std::vector<T> all(const Dataset& data, std::uint64_t epoch = 0) {
  std::vector<T> values(data.rows() * data.cols());
  data.fetch(0, epoch, MatrixView<T>{values.data(), data.rows(), data.cols(), data.cols()});
  return values;
}

ValueOptions with(Binarize binarize, double scale = 1, std::vector<double> range = {}) {
  ValueOptions options;
  options.binarize = binarize;
  options.scale = scale;
  options.range = std::move(range);
  return options;
}

using Numbers = std::vector<double>;

}  // namespace

TEST_CASE("a data set hands out rows, scaled, in any order and precision") {
  ValueOptions half;
  half.scale = 0.5;
  const Dataset data(bytes(2, {1, 2, 3, 4, 5, 255}), "f", half);
  CHECK(data.rows() == 3);
  CHECK(data.cols() == 2);
  CHECK(all(data) == Numbers{0.5, 1, 1.5, 2, 2.5, 127.5});
  std::vector<float> out(8, -1);
  const std::vector<Index> rows = {2, 0, 2};
  data.fetch(rows, 0, MatrixView<float>{out.data(), 3, 2, 3});  // rows apart in memory
  CHECK(out == std::vector<float>{2.5f, 127.5f, -1, 0.5f, 1, -1, 2.5f, 127.5f});
  CHECK_FALSE(data.is_bytes());
  CHECK_THROWS_AS(all<std::uint8_t>(data), std::logic_error);
  const Dataset raw(bytes(2, {1, 2, 3, 4, 5, 255}), "f");
  CHECK(raw.is_bytes());
  CHECK(all<std::uint8_t>(raw) == std::vector<std::uint8_t>{1, 2, 3, 4, 5, 255});
  const std::vector<Index> beyond = {3};
  CHECK_THROWS_AS(data.fetch(beyond, 0, MatrixView<float>{out.data(), 1, 2, 2}), std::out_of_range);
  CHECK_THROWS_AS(data.fetch(rows, 0, MatrixView<float>{out.data(), 3, 1, 1}), std::logic_error);
  const Dataset floats(table_of<float>(2, {0.5f, -1}), "f", half);
  CHECK(all(floats) == Numbers{0.25, -0.5});
  CHECK(all<float>(floats) == std::vector<float>{0.25f, -0.5f});
}

TEST_CASE("values that are no finite numbers are refused with their place") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  CHECK(message_of<DataError>([&] {
          Dataset(numbers(2, {1, 2, 3, nan}), "x.npy");
        }) ==
        "x.npy: row 1, column 1 (both counted from 0) is nan. If that means that nothing was seen, set data.missing = "
        "\"nan\".");
  CHECK(message_of<DataError>([&] {
          Dataset(numbers(2, {1, 2, -inf, nan}), "x.npy");
        }) == "x.npy: row 1, column 0 (both counted from 0) is -inf");
  CHECK(message_of<DataError>([&] {
          Dataset(table_of<float>(1, {1, INFINITY}), "x.npy");
        }) == "x.npy: row 1, column 0 (both counted from 0) is inf");
  ValueOptions scaled;
  scaled.scale = 1e10;
  CHECK(message_of<DataError>([&] {
          Dataset(numbers(1, {1, 1e300}), "x.npy", scaled);
        }) == "x.npy: row 1, column 0 (both counted from 0) is 1e+300 times data.scale, more than a number holds");
}

TEST_CASE("the range is found from the data, in units after scale") {
  const auto range = [](Table table, const ValueOptions& options = {}) {
    const ValueRange r = Dataset(std::move(table), "f", options).range();
    return std::pair(r.low, r.high);
  };
  CHECK(range(bytes(1, {0, 1, 1})) == std::pair(0.0, 1.0));
  CHECK(range(bytes(1, {0, 0})) == std::pair(0.0, 1.0));
  CHECK(range(bytes(1, {0, 2})) == std::pair(0.0, 255.0));
  CHECK(range(bytes(1, {0, 200}), with(Binarize::none, 0.5)) == std::pair(0.0, 127.5));
  CHECK(range(bytes(1, {0, 255}), with(Binarize::none, 1.0 / 255)) == std::pair(0.0, 1.0));
  CHECK(range(bytes(1, {0, 16}), with(Binarize::none, 1.0 / 16)) == std::pair(0.0, 1.0));
  CHECK(range(bytes(1, {0, 16}), with(Binarize::none, -1)) == std::pair(-255.0, 0.0));
  CHECK(range(numbers(1, {0.2, 0.9})) == std::pair(0.0, 1.0));
  CHECK(range(numbers(1, {-1, 3})) == std::pair(-1.0, 3.0));
  CHECK(range(numbers(1, {1, 4}), with(Binarize::none, -2)) == std::pair(-8.0, -2.0));
  CHECK(range(numbers(1, {1, 4}), with(Binarize::none, 1, {0, 8})) == std::pair(0.0, 8.0));
}

TEST_CASE("options of values that cannot be meant are refused") {
  const auto refusal = [](const ValueOptions& options) { return message_of<ConfigError>([&] { options.validate(); }); };
  CHECK(refusal(with(Binarize::none, 0)) == "scale is 0 (a finite number but 0 expected)");
  CHECK(refusal(with(Binarize::none, 1, {1})) == "range holds 1 numbers (low and high expected)");
  CHECK(refusal(with(Binarize::none, 1, {1, 1})) == "range is [1, 1] (the first must be below the second)");
  CHECK(refusal(with(Binarize::none, 1, {0, NAN})) != "");
  CHECK(refusal(with(Binarize::each_epoch, -2, {-1, 1})) == "");
}

TEST_CASE("threshold: 1 above the middle of the range, kept as bytes") {
  const Dataset gray(bytes(4, {0, 127, 128, 255}), "f", with(Binarize::threshold));
  CHECK(all(gray) == Numbers{0, 0, 1, 1});
  CHECK(all<std::uint8_t>(gray) == std::vector<std::uint8_t>{0, 0, 1, 1});
  CHECK(gray.is_binary());
  const Dataset scaled(bytes(4, {0, 127, 128, 255}), "f", with(Binarize::threshold, 1.0 / 255));
  CHECK(all(scaled) == Numbers{0, 0, 1, 1});
  const Dataset real(numbers(4, {0, 0.5, 0.5000001, 1}), "f", with(Binarize::threshold));
  CHECK(all(real) == Numbers{0, 0, 1, 1});
  CHECK(real.is_bytes());
  CHECK(all(Dataset(numbers(3, {-3, 0, 5}), "f", with(Binarize::threshold))) == Numbers{0, 0, 1});
  CHECK(message_of<ConfigError>([] {
          Dataset(numbers(2, {7, 7}), "f", with(Binarize::threshold));
        }) == "f: every value is 7, so that no range is known to make bits by: set data.range.");
}

TEST_CASE("bits are drawn only where values are probabilities") {
  CHECK(message_of<ConfigError>([] {
          Dataset(bytes(2, {0, 3, 0, 9}), "f", with(Binarize::stochastic, 1, {0, 8}));
        }) ==
        "f: row 1, column 1 (both counted from 0) is 9, outside the range 0 to 8 in which values are probabilities: "
        "set data.scale, data.range or data.binarize.");
  CHECK_THROWS_AS(Dataset(numbers(2, {0, -0.1}), "f", with(Binarize::each_epoch, 1, {0, 1})), ConfigError);
  CHECK_NOTHROW(Dataset(numbers(2, {0.5, -0.1}), "f", with(Binarize::threshold, 1, {0.2, 1})));
}

TEST_CASE("a threshold is taken of no value below 0 where the range begins there, nor of one above white") {
  const auto refusal = [](Table table, const ValueOptions& options) {
    return message_of<ConfigError>([&] { Dataset(std::move(table), "f", options); });
  };
  // Standardized values for a model of bytes: all bits would be 0.
  CHECK(refusal(numbers(2, {0, 40, -1.5, 3}), with(Binarize::threshold, 1, {0, 255})) ==
        "f: its values go from -1.5 to 40, and bits are made by the range 0 to 255: row 1, column 0 (both counted from "
        "0) is -1.5, below all values of such a scale. Give values as those of the training were before bits were made "
        "of them, or set data.range = [-1.5, 40], whose middle then decides.");
  CHECK(refusal(numbers(2, {0, 40, 300, 3}), with(Binarize::threshold, 1, {0, 255}))
            .find("row 1, column 0 (both counted from 0) is 300, above all values of such a scale.") !=
        std::string::npos);
  CHECK(refusal(numbers(2, {0, 0.4, 1.5, 0.3}), with(Binarize::threshold, 1, {0, 1})).find("is 1.5, above") !=
        std::string::npos);
  CHECK(refusal(numbers(2, {0, -0.5}), with(Binarize::threshold, 1, {0, 16})).find("is -0.5, below") !=
        std::string::npos);
  CHECK(refusal(numbers(2, {-2, 0.5}), with(Binarize::threshold, 1, {-4, 0})).find("is 0.5, above") !=
        std::string::npos);
  CHECK(refusal(numbers(2, {-0.5, 300}), with(Binarize::threshold, 2, {0, 510})).find("is -1, below") !=
        std::string::npos);
  // The ends themselves, whatever the scale's rounding.
  CHECK(all(Dataset(numbers(3, {0, 255, 100}), "f", with(Binarize::threshold, 1.0 / 255, {0, 1}))) == Numbers{0, 1, 0});
  CHECK(all(Dataset(numbers(2, {100, 255}), "f", with(Binarize::threshold, 1.0 / 255, {0, 1 - 1e-12}))) ==
        Numbers{0, 1});
  // Values that are themselves from -1 to 1 have their own range, with 0 in the middle.
  CHECK(all(Dataset(numbers(3, {-1, 0, 0.25, -0.25, 0.5, 1}), "f", with(Binarize::threshold))) ==
        Numbers{0, 0, 1, 0, 1, 1});
  // Other ends are those of the rows trained on, which others may exceed.
  CHECK(all(Dataset(numbers(2, {-1.5, 0.25, -0.25, 1.2}), "f", with(Binarize::threshold, 1, {-1, 1}))) ==
        Numbers{0, 1, 0, 1});
  CHECK(all(Dataset(numbers(2, {17, 3}), "f", with(Binarize::threshold, 1, {0, 16}))) == Numbers{1, 0});
  // Spins are two states, as bits are.
  CHECK(all(Dataset(numbers(2, {-1, 1, 1, -1}), "f", with(Binarize::threshold, 1, {0, 255}))) == Numbers{0, 1, 1, 0});
  CHECK(all(Dataset(numbers(2, {-1, -1}), "f", with(Binarize::threshold, 1, {0, 1}))) == Numbers{0, 0});
}

TEST_CASE("bits are not made of values on another scale than the range") {
  const auto refusal = [](Table table, const ValueOptions& options) {
    return message_of<ConfigError>([&] { Dataset(std::move(table), "f", options); });
  };
  // Bytes that were divided by 255, for a model of bytes; and the reverse.
  for (const Binarize way : {Binarize::threshold, Binarize::stochastic, Binarize::each_epoch}) {
    CHECK(refusal(numbers(2, {0, 0.25, 0.5, 1}), with(way, 1, {0, 255})) ==
          "f: its values go from 0 to 1, and bits are made by the range 0 to 255: fractions between 0 and 1 are on "
          "another scale, and nearly all bits would be 0. Gray values, such as means, are taken as they are by --set "
          "data.binarize=none. For bits multiply them (data.scale = 255), or set data.range = [0, 1].");
    CHECK(refusal(numbers(2, {0, 0.25, 0.5, 1}), with(way, 1.0 / 255, {0, 1}))
              .find("--set data.scale=1. For bits set data.scale = 1, and") != std::string::npos);
    CHECK(refusal(bytes(2, {0, 100, 200, 255}), with(way, 1, {0, 1})) ==
          "f: its values go from 0 to 255, and bits are made by the range 0 to 1: they are on another scale. Set "
          "data.scale or data.range to those of these values.");
  }
  // Rows that are a little beyond those of the training, darker ones, and bits are what they were.
  CHECK(all(Dataset(numbers(2, {1, 2.75, 2.5, 4}), "f", with(Binarize::threshold, 1, {2, 3}))) == Numbers{0, 1, 0, 1});
  CHECK(all(Dataset(bytes(2, {0, 3, 1, 100}), "f", with(Binarize::threshold, 1, {0, 255}))) == Numbers{0, 0, 0, 0});
  CHECK(all(Dataset(numbers(2, {0, 1, 1, 0}), "f", with(Binarize::threshold, 1, {0, 255}))) == Numbers{0, 1, 1, 0});
  CHECK(all(Dataset(numbers(2, {0, 0.75, 1, 0}), "f", with(Binarize::threshold, 1, {0, 1.5}))) == Numbers{0, 0, 1, 0});
  // Gray levels up to 16 are no dim picture of 255.
  CHECK(refusal(bytes(2, {0, 8, 16, 3}), with(Binarize::stochastic)) ==
        "f: its values go from 0 to 16, and bits are made by the range 0 to 255: nearly all bits would be 0. Set "
        "data.range = [0, 16], or to what black and white are.");
  CHECK_NOTHROW(Dataset(bytes(2, {0, 8, 16, 3}), "f", with(Binarize::stochastic, 1, {0, 255})));
  CHECK_NOTHROW(Dataset(bytes(2, {0, 8, 40, 3}), "f", with(Binarize::stochastic)));
}

TEST_CASE("drawn bits are a function of seed, row, column and, with each_epoch, the epoch") {
  std::vector<double> gray(50 * 20);
  for (Index i = 0; i < gray.size(); ++i) gray[i] = static_cast<double>(i % 21) / 20;
  const Dataset once(numbers(20, gray), "f", with(Binarize::stochastic), source);
  CHECK(all(once, 0) == all(once, 5));
  CHECK(all(once) == all(Dataset(numbers(20, gray), "f", with(Binarize::stochastic), source)));
  CHECK(all(once) != all(Dataset(numbers(20, gray), "f", with(Binarize::stochastic), {8, 11})));
  const Dataset anew(numbers(20, gray), "f", with(Binarize::each_epoch), source);
  CHECK(all(anew, 3) == all(anew, 3));
  CHECK(all(anew, 3) != all(anew, 4));
  CHECK(all(anew, 0) == all(once));
  CHECK(all<std::uint8_t>(anew, 3).size() == 1000);
  // A row has its bits in whatever part, batch or precision it is fetched.
  const Dataset part = anew.part({40, 7});
  const std::vector<double> whole = all(anew, 3);
  std::vector<float> one(20);
  const std::vector<Index> row = {1};
  part.fetch(row, 3, MatrixView<float>{one.data(), 1, 20, 20});
  CHECK(std::equal(one.begin(), one.end(), whole.begin() + 7 * 20));
  // Certain values are certain.
  for (Index i = 0; i < gray.size(); ++i) {
    if (gray[i] == 0 || gray[i] == 1) CHECK(whole[i] == gray[i]);
  }
}

TEST_CASE("drawn bits have the probabilities they should, and are independent from epoch to epoch") {
  const double p = 0.3;
  constexpr Index n = 40000, epochs = 5;
  const auto counts = [&](const Dataset& data) {
    double ones = 0, pairs = 0;
    std::vector<double> before;
    for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
      const std::vector<double> now = all(data, epoch);
      for (const double v : now) ones += v;
      for (Index i = 0; i < before.size(); ++i) pairs += before[i] * now[i];
      before = now;
    }
    return std::pair(ones, pairs);
  };
  // Standard scores of binomial counts; |z| > 5 has a probability below 10^-6 for a right one.
  const auto score = [](double count, double total, double q) {
    return (count - total * q) / std::sqrt(total * q * (1 - q));
  };
  const auto [ones, pairs] = counts(Dataset(numbers(200, Numbers(n, p)), "f", with(Binarize::each_epoch), source));
  CHECK(std::abs(score(ones, n * epochs, p)) < 5);
  // Successive products share bits: their sum varies at most 3 times as much as one of independent ones.
  CHECK(std::abs(score(pairs, n * (epochs - 1), p * p)) < 5 * std::sqrt(3.0));
  // Negative controls: a probability off by 0.01, and bits that stay what they were drawn as.
  CHECK(std::abs(score(ones, n * epochs, p + 0.01)) > 5);
  const auto [same_ones, same_pairs] =
      counts(Dataset(numbers(200, Numbers(n, p)), "f", with(Binarize::stochastic), source));
  CHECK(std::abs(score(same_ones / epochs, n, p)) < 5);
  CHECK(std::abs(score(same_pairs, n * (epochs - 1), p * p)) > 5 * std::sqrt(3.0));
}

TEST_CASE("smallest, largest and what lies outside a domain are known with their places") {
  const Dataset data(numbers(3, {0, 5, -2, 7, 7, -2}), "f");
  CHECK(data.min().value == -2);
  CHECK(data.min().row == 0);
  CHECK(data.min().col == 2);
  CHECK(data.max().value == 7);
  CHECK(data.max().row == 1);
  CHECK(data.max().col == 0);
  const Numbers allowed = {0, 5, -2};
  const auto place = data.first_outside(allowed);
  REQUIRE(place);
  CHECK(text_of(*place) == "row 1, column 0 (both counted from 0)");
  CHECK(place->value == 7);
  CHECK_FALSE(data.first_outside([](double v) { return v < 8; }));
  CHECK(data.part({1}).min().row == 1);  // rows are the file's
  CHECK(data.part({1}).first_outside(allowed)->row == 1);
  CHECK_FALSE(data.is_binary());
  CHECK(Dataset(numbers(2, {0, 1}), "f").is_binary());
  const Dataset gray(bytes(2, {0, 9, 9, 255}), "f");
  CHECK(gray.first_outside(Numbers{0, 1})->col == 1);
  CHECK(gray.max().value == 255);
  const Dataset drawn(bytes(2, {0, 9, 0, 9}), "f", with(Binarize::each_epoch, 1, {0, 10}), source);
  CHECK(drawn.min().value == 0);
  CHECK(drawn.max().value == 1);
  CHECK_FALSE(drawn.first_outside(Numbers{0, 1}));
  CHECK(drawn.first_outside(Numbers{-1, 1})->col == 0);
}

TEST_CASE("column means, weighted and of probabilities") {
  CHECK(Dataset(bytes(2, {1, 2, 3, 6}), "f").column_means() == Numbers{2, 4});
  const Dataset weighted = Dataset(numbers(2, {1, 2, 3, 6}), "f").with_weights({3, 1}, "w.npy", {{"w.npy", "00"}});
  CHECK(weighted.column_means() == Numbers{1.5, 3});
  CHECK(weighted.weighted());
  CHECK(weighted.weights() == Numbers{3, 1});
  CHECK(weighted.weight(1) == 1);
  CHECK(weighted.files().size() == 1);
  CHECK(weighted.part({1}).column_means() == Numbers{3, 6});
  const Dataset drawn(bytes(1, {0, 4, 8, 0}), "f", with(Binarize::each_epoch, 0.5, {0, 4}), source);
  CHECK(drawn.column_means() == Numbers{0.375});
}

TEST_CASE("weights that weigh nothing are refused") {
  const Dataset data(numbers(1, {1, 2, 3}), "f");
  const auto refusal = [&](Numbers weights) {
    return message_of<DataError>([&] { data.with_weights(weights, "w.npy"); });
  };
  CHECK(refusal({1, 2}) == "w.npy: holds 2 weights (one for each of the 3 rows of f expected)");
  CHECK(refusal({1, -1, 0}) == "w.npy: row 1 (counted from 0) is -1 (a finite weight of at least 0 expected)");
  CHECK(refusal({1, 1, NAN}) == "w.npy: row 2 (counted from 0) is nan (a finite weight of at least 0 expected)");
  CHECK(refusal({0, 0, 0}) == "w.npy: every weight is 0 (one above 0 expected)");
  CHECK(refusal({1e308, 1e308, 1e308}) == "w.npy: the weights add up to more than a number holds");
  CHECK(message_of<DataError>([&] {
          data.with_weights({1, 0, 0}, "w.npy").part({1, 2});
        }) == "f, a part of 2 rows: every weight is 0 (one above 0 expected)");
}

TEST_CASE("a split deals every row to exactly one part, by the seed alone") {
  Numbers values(1000);
  for (Index i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  const Dataset data(numbers(1, values), "f");
  const auto rows = [](const Dataset& part) {
    std::vector<Index> list;
    for (Index r = 0; r < part.rows(); ++r) list.push_back(part.source_row(r));
    return list;
  };
  const DataSplits splits = split(data, {0.1, 250}, source);
  REQUIRE(splits.validation);
  REQUIRE(splits.test);
  CHECK(splits.train.rows() == 650);
  CHECK(splits.validation->rows() == 100);
  CHECK(splits.test->rows() == 250);
  std::set<double> seen;
  for (const Dataset* part : {&splits.train, &*splits.validation, &*splits.test}) {
    const Numbers own = all(*part);
    CHECK(std::is_sorted(own.begin(), own.end()));
    seen.insert(own.begin(), own.end());
  }
  CHECK(seen.size() == 1000);  // 650 + 100 + 250: nothing twice, nothing left out
  CHECK(rows(*split(data, {0.1, 250}, source).test) == rows(*splits.test));
  CHECK(rows(*split(data, {100, 0}, source).validation) == rows(*splits.validation));
  CHECK(rows(*split(data, {0, 250}, source).test) == rows(*splits.test));
  CHECK(rows(*split(data, {0.1, 0}, {8, 11}).validation) != rows(*splits.validation));
  const DataSplits whole = split(data, {}, source);
  CHECK(whole.train.rows() == 1000);
  CHECK_FALSE(whole.validation);
  CHECK_FALSE(whole.test);
  CHECK(split(data, {0.0001, 0}, source).validation->rows() == 1);
}

TEST_CASE("fewer training rows are some of all, and leave the other parts as they are") {
  Numbers values(1000);
  for (Index i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  const Dataset data(numbers(1, values), "f");
  const DataSplits all_rows = split(data, {0.1, 250}, source), fewer = split(data, {0.1, 250, 300}, source),
                   fewest = split(data, {0.1, 250, 0.1}, source);
  CHECK(all(*fewer.validation) == all(*all_rows.validation));
  CHECK(all(*fewer.test) == all(*all_rows.test));
  const Numbers most = all(all_rows.train), some = all(fewer.train), few = all(fewest.train);
  CHECK(some.size() == 300);
  CHECK(few.size() == 65);  // a tenth of 650
  CHECK(std::ranges::includes(most, some));
  CHECK(std::ranges::includes(some, few));
  // Drawn, not the first: the mean of 300 of 0 ... 999 has standard deviation 14, so that 90 off has probability 1e-10.
  CHECK(std::abs(std::accumulate(some.begin(), some.end(), 0.0) / 300 - 499.5) < 90);
  CHECK(split(data, {0, 0, 1000}, source).train.rows() == 1000);
  CHECK_THROWS_AS(split(data, {0, 0, 0}, source), ConfigError);
  CHECK(message_of<ConfigError>([&] {
          split(data, {0.1, 0, 901}, source);
        }) == "f: 901 rows are asked for, but there are 900 beside those set aside. Lower data.rows.");
  CHECK(message_of<ConfigError>([&] {
          split(data, {0, 0, 1.5}, source);
        }) == "rows is 1.5 (0, a fraction below 1 or a whole number of rows expected)");
}

TEST_CASE("a split that leaves nothing to train on, or cannot be meant, is refused") {
  const Dataset data(numbers(1, {1, 2, 3, 4}), "f");
  CHECK(message_of<ConfigError>([&] {
          split(data, {2, 2}, source);
        }) ==
        "f: 2 rows for validation and 2 for the test leave none of 4 to train on. Lower data.validation or data.test.");
  CHECK_THROWS_AS(split(data, {0.9, 0}, source), ConfigError);
  CHECK_THROWS_AS(split(data, {0, 1e15}, source), ConfigError);
  CHECK(message_of<ConfigError>([&] {
          split(data, {1.5, 0}, source);
        }) == "validation is 1.5 (0, a fraction below 1 or a whole number of rows expected)");
  CHECK_THROWS_AS(split(data, {0, -1}, source), ConfigError);
  CHECK_THROWS_AS(split(data, {0, NAN}, source), ConfigError);
}

TEST_CASE("MNIST stays bytes and becomes bits as the literature does") {
  const auto path = harmonium::testing::data_file("mnist/t10k-images-idx3-ubyte.gz");
  if (!path) return;
  const Dataset gray(read_table(*path), path->string());
  CHECK(gray.rows() == 10000);
  CHECK(gray.is_bytes());
  CHECK(gray.range().high == 255);
  CHECK(gray.sample_shape().size() == 2);
  const Dataset bits(read_table(*path), path->string(), with(Binarize::threshold));
  const Dataset drawn(read_table(*path), path->string(), with(Binarize::stochastic, 1.0 / 255), source);
  CHECK(bits.is_binary());
  const auto mean = [](const Numbers& means) {
    double sum = 0;
    for (const double m : means) sum += m / static_cast<double>(means.size());
    return sum;
  };
  // Drawn bits keep the mean gray: 7.84 million of variance at most 1/4 have a standard error below 0.0002.
  CHECK(std::abs(mean(drawn.column_means()) - mean(gray.column_means()) / 255) < 5 * 0.0002);
}

}  // namespace dataset_test
