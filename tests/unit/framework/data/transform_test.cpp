#include <harmonium/framework/data/transform.hpp>

#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/tests/support/data.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace transform_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

using Numbers = std::vector<double>;

template <class T = double>
Dataset data_of(Index cols, std::vector<T> values) {
  const Index rows = values.size() / cols;
  return Dataset(Table{rows, cols, std::move(values), {rows, cols}}, "f");
}

/// Rows of three columns that follow from two: x, y, x − 2 y + noise.
Dataset correlated(double noise) {
  std::mt19937_64 words(4);
  std::normal_distribution<double> normal;
  Numbers values;
  for (int r = 0; r < 700; ++r) {
    const double x = 3 + 2 * normal(words), y = 0.5 * normal(words);
    values.insert(values.end(), {x, y, x - 2 * y + noise * normal(words)});
  }
  return data_of(3, values);
}

Numbers all(const Dataset& data) {
  Numbers values(data.rows() * data.cols());
  data.fetch(0, 0, MatrixView<double>{values.data(), data.rows(), data.cols(), data.cols()});
  return values;
}

double covariance(const Dataset& data, Index a, Index b) {
  const Numbers means = data.column_means(), values = all(data);
  double sum = 0;
  for (Index r = 0; r < data.rows(); ++r)
    sum += (values[r * data.cols() + a] - means[a]) * (values[r * data.cols() + b] - means[b]);
  return sum / static_cast<double>(data.rows());
}

}  // namespace

TEST_CASE("standardized columns have mean 0 and variance 1, and constant ones are only shifted") {
  const Dataset raw = data_of<std::uint8_t>(3, {0, 7, 10, 2, 7, 10, 4, 7, 40});
  const auto transform = Transform::fit(Transform::Kind::standardize, raw, 0);
  CHECK(transform->mean() == raw.column_means());
  CHECK(transform->mean()[2] == doctest::Approx(20).epsilon(1e-15));
  CHECK(transform->scale()[0] == doctest::Approx(std::sqrt(8.0 / 3)).epsilon(1e-15));
  CHECK(transform->scale()[1] == 1);
  CHECK(transform->constant_columns() == std::vector<Index>{1});
  CHECK(transform->log_jacobian() ==
        doctest::Approx(-std::log(transform->scale()[0]) - std::log(transform->scale()[2])).epsilon(1e-15));
  const Dataset made = raw.with_transform(transform);
  CHECK_FALSE(made.is_bytes());
  CHECK_FALSE(made.is_binary());
  const Numbers values = all(made);
  for (Index r = 0; r < 3; ++r)
    for (Index c = 0; c < 3; ++c)
      CHECK(values[3 * r + c] == (all(raw)[3 * r + c] - transform->mean()[c]) / transform->scale()[c]);
  for (Index c = 0; c < 3; ++c) CHECK(std::abs(made.column_means()[c]) < 1e-15);
  CHECK(covariance(made, 0, 0) == doctest::Approx(1).epsilon(1e-14));
  CHECK(made.max().value == values[8]);
  CHECK(made.max().row == 2);
  CHECK(made.first_outside([](double v) { return v <= 1.3; })->row == 2);
  CHECK(made.part({2}).transform() == transform);
  CHECK_THROWS_AS(data_of(2, Numbers{1, 2}).with_transform(transform), ConfigError);
}

TEST_CASE("a column of one value that no double holds exactly is constant nevertheless") {
  const Dataset raw = data_of(1, Numbers(1000, 0.1));
  CHECK(Transform::fit(Transform::Kind::standardize, raw, 0)->scale() == Numbers{1});
}

TEST_CASE("moments are weighted where rows are") {
  const Dataset raw = data_of(1, Numbers{0, 4, 100}).with_weights({3, 1, 0}, "w");
  const auto transform = Transform::fit(Transform::Kind::standardize, raw, 0);
  CHECK(transform->mean()[0] == 1);
  CHECK(transform->scale()[0] == doctest::Approx(std::sqrt(3.0)).epsilon(1e-15));
}

TEST_CASE("whitened columns are uncorrelated, and the map is undone and its volume known") {
  const Dataset raw = correlated(0.3);
  const auto transform = Transform::fit(Transform::Kind::zca, raw, 0);
  const Dataset made = raw.with_transform(transform);
  for (Index a = 0; a < 3; ++a)
    for (Index b = 0; b < 3; ++b) CHECK(std::abs(covariance(made, a, b) - (a == b ? 1.0 : 0.0)) < 1e-12);
  const Numbers& m = transform->matrix();
  for (Index a = 0; a < 3; ++a)
    for (Index b = 0; b < 3; ++b) CHECK(m[3 * a + b] == m[3 * b + a]);
  const double determinant =
      m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
  CHECK(transform->log_jacobian() == doctest::Approx(std::log(determinant)).epsilon(1e-12));
  Numbers back = all(made);
  transform->undo({back.data(), made.rows(), 3, 3});
  for (Index i = 0; i < back.size(); ++i) CHECK(std::abs(back[i] - all(raw)[i]) < 1e-11);
  CHECK(made.part({5}).source_row(0) == 5);
}

TEST_CASE("a map goes around columns that it leaves as they are") {
  const Dataset raw = correlated(0.3);
  for (const auto kind : {Transform::Kind::standardize, Transform::Kind::zca}) {
    const auto transform = Transform::fit(kind, raw, 0);
    const Numbers rows = all(raw), made = all(raw.with_transform(transform));
    for (Index place = 0; place <= 3; ++place) {
      const auto wide = transform->around(place, 2);
      CHECK(wide->cols() == 5);
      CHECK(wide->log_jacobian() == transform->log_jacobian());
      Numbers x{rows.begin(), rows.begin() + 3}, z{made.begin(), made.begin() + 3};
      for (Numbers* row : {&x, &z}) row->insert(row->begin() + static_cast<std::ptrdiff_t>(place), {7.0, -1.0});
      Numbers there = x;
      wide->apply({there.data(), 1, 5, 5});
      for (Index c = 0; c < 5; ++c) CHECK(there[c] == doctest::Approx(z[c]).epsilon(1e-13));
      CHECK(there[place] == 7.0);
      wide->undo({there.data(), 1, 5, 5});
      for (Index c = 0; c < 5; ++c) CHECK(there[c] == doctest::Approx(x[c]).epsilon(1e-12));
    }
  }
}

TEST_CASE("what has no inverse is whitened with an epsilon only") {
  CHECK(message_of<ConfigError>([] { Transform::fit(Transform::Kind::zca, correlated(0), 0); }) ==
        "[data] f: its covariance has no inverse (some columns are constant, or follow from others), so that it is not "
        "whitened. Set data.whiten_epsilon to more than 0.");
  const Dataset made = correlated(0).with_transform(Transform::fit(Transform::Kind::zca, correlated(0), 1e-2));
  for (const double v : all(made)) REQUIRE(std::isfinite(v));
  CHECK(made.column_means()[0] < 1e-12);
}

TEST_CASE("a transform is kept in a file and read again, to the last bit") {
  const ScratchFolder folder;
  for (const auto kind : {Transform::Kind::standardize, Transform::Kind::zca}) {
    const auto transform = Transform::fit(kind, correlated(0.3), 1e-5);
    {
      Hdf5File file = Hdf5File::create(folder / "t.h5");
      write_transform(file, *transform);
      file.close();
    }
    const auto read = read_transform(Hdf5File::open(folder / "t.h5"));
    REQUIRE(read);
    CHECK(read->kind() == kind);
    CHECK(read->mean() == transform->mean());
    CHECK(read->scale() == transform->scale());
    CHECK(read->matrix() == transform->matrix());
    CHECK(read->log_jacobian() == transform->log_jacobian());
  }
  const auto refusal = [&](const char* kind, const Numbers& mean, const Numbers& scale) {
    {
      Hdf5File file = Hdf5File::create(folder / "t.h5");
      file.create_group("transform");
      file.write_attribute("kind", kind, "transform");
      if (!mean.empty()) file.write("transform/mean", mean);
      file.write("transform/scale", scale);
      file.close();
    }
    return message_of<DataError>([&] { read_transform(Hdf5File::open(folder / "t.h5")); });
  };
  const std::string place = (folder / "t.h5").string() + ": 'transform': ";
  CHECK(refusal("shear", {0}, {1}) == place + "its kind is 'shear' (standardize or zca expected)");
  CHECK(refusal("standardize", {}, {1}) == place + "the dataset 'mean' is missing");
  CHECK(refusal("standardize", {0, 1}, {1}) == place + "the dataset 'scale' has another shape than 'mean' asks for");
  CHECK(refusal("standardize", {0}, {0}) == place + "a scale that is not above 0");
  CHECK(refusal("standardize", {NAN}, {1}) == place + "the dataset 'mean' holds nan");
  CHECK(refusal("zca", {0}, {1}) == place + "the dataset 'matrix' is missing");
}

TEST_CASE("a matrix that is no inverse root is refused") {
  CHECK_THROWS_AS(Transform::whitening({0, 0}, {1, 0.5, 0.4, 1}), std::logic_error);
  CHECK_THROWS_AS(Transform::whitening({0, 0}, {1, 2, 2, 1}), std::logic_error);
  CHECK_THROWS_AS(Transform::whitening({0, 0}, {1}), std::logic_error);
  CHECK_NOTHROW(Transform::whitening({0, 0}, {1, 0.5, 0.5, 1}));
}

TEST_CASE("whitened image patches have variances of 1 where the camera's noise lets them") {
  const auto path = data_file("patches/kodak_grey_12x12-idx3-ubyte.gz");
  if (!path) return;
  const Dataset raw(read_table(*path), path->string());
  const Dataset made = raw.with_transform(Transform::fit(Transform::Kind::zca, raw, 0));
  for (const Index c : {0, 77, 143})
    CHECK(covariance(made, c, c) == doctest::Approx(1).epsilon(1e-4));  // kept as float
  CHECK(std::abs(covariance(made, 0, 1)) < 1e-4);
}

}  // namespace transform_test
