#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/training/principal_directions.hpp>

namespace principal_directions_test {

using namespace harmonium;

namespace {

const Executor executor(2);

Dataset dataset(std::vector<double> values, Index columns) {
  const Index rows = values.size() / columns;
  return Dataset(Table{rows, columns, std::move(values), {rows, columns}}, "rows");
}

/// Rows ±2 along (3, 4) / 5 and ±1 across it, about (7, 1), in equal numbers.
std::vector<double> cross() {
  std::vector<double> values;
  for (const double s : {-1.0, 1.0}) {
    values.insert(values.end(), {7.0 + 1.2 * s, 1.0 + 1.6 * s});
    values.insert(values.end(), {7.0 - 0.8 * s, 1.0 + 0.6 * s});
  }
  return values;
}

std::string refusal(const Dataset& data, Index number) {
  try {
    principal_directions(data, number, executor);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("directions are those along which rows vary, about their mean, each with a sign that no library chooses") {
  const PrincipalDirections found = principal_directions(dataset(cross(), 2), 2, executor);
  CHECK(std::abs(found.directions(0, 0) - 0.6) < 1e-12);
  CHECK(std::abs(found.directions(1, 0) - 0.8) < 1e-12);
  CHECK(std::abs(found.directions(0, 1) - 0.8) < 1e-12);
  CHECK(std::abs(found.directions(1, 1) + 0.6) < 1e-12);
  CHECK(std::abs(found.deviation[0] - std::sqrt(2.0)) < 1e-12);
  CHECK(std::abs(found.deviation[1] - std::sqrt(0.5)) < 1e-12);
}

TEST_CASE("rows count by their weights, and all of many are looked at") {
  // Weights of 8 on the arm that was the short one make it the long one.
  const PrincipalDirections turned =
      principal_directions(dataset(cross(), 2).with_weights({1.0, 8.0, 1.0, 8.0}, "weights"), 1, executor);
  CHECK(std::abs(turned.directions(0, 0) - 0.8) < 1e-12);
  CHECK(std::abs(turned.deviation[0] - std::sqrt(16.0 / 18.0)) < 1e-12);

  // 30,000 rows: every third one weighs, and of these every second one lies along the other axis.
  std::vector<double> values, weights;
  for (Index r = 0; r < 30000; ++r) {
    const double s = r % 4 < 2 ? 1.0 : -1.0;
    const bool weighs = r % 3 == 1, second = r % 2 == 1;
    if (!weighs) values.insert(values.end(), {9.0 * s, 9.0 * s, 0.0});
    else values.insert(values.end(), {second ? 0.0 : 2.0 * s, second ? s : 0.0, 0.0});
    weights.push_back(weighs ? 1.0 : 0.0);
  }
  const PrincipalDirections half =
      principal_directions(dataset(values, 3).with_weights(weights, "weights"), 2, executor);
  CHECK(std::abs(half.deviation[0] - std::sqrt(2.0)) < 1e-9);
  CHECK(std::abs(half.deviation[1] - std::sqrt(0.5)) < 1e-9);
}

TEST_CASE("data that have no such directions are refused, and it is said how many they have") {
  std::vector<double> line;
  for (const double s : {-1.0, 0.0, 1.0}) line.insert(line.end(), {s, 2.0 * s, -s});
  CHECK(refusal(dataset(line, 3), 1).empty());
  CHECK(
      refusal(dataset(line, 3), 2) ==
      "the data vary along 1 direction alone, and rank is 2. Take a 'rank' of 1 at most, or the initializer 'normal'.");
  CHECK(refusal(dataset({1.0, 2.0, 1.0, 2.0}, 2), 1) ==
        "the data vary along 0 directions alone, and rank is 1. Take 'normal'.");
  CHECK(refusal(dataset(cross(), 2), 3).find("along 2 directions alone, and rank is 3") != std::string::npos);
  // A circle.
  CHECK(refusal(dataset({1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, -1.0}, 2), 1) ==
        "the data vary alike along directions 1 and 2, and with rank = 1 either could be meant. Take rank = 2, or the "
        "initializer 'normal'.");
  // 70 directions that vary alike: no rank that may be asked for leaves out only directions that vary less.
  std::vector<double> ball(140 * 70, 0.0);
  for (Index k = 0; k < 70; ++k) ball[(2 * k) * 70 + k] = 1.0, ball[(2 * k + 1) * 70 + k] = -1.0;
  CHECK(refusal(dataset(ball, 70), 3) ==
        "the data vary alike along directions 3 and 4, and with rank = 3 either could be meant. Take the initializer "
        "'normal'.");
  for (const Index at : {0, 70}) ball[at] *= 2.0;
  CHECK(refusal(dataset(ball, 70), 3).find("Take rank = 1, or the initializer") != std::string::npos);
  CHECK(refusal(dataset(std::vector<double>(2 * (most_principal_columns + 1), 0.5), most_principal_columns + 1), 1)
            .find("take too long") != std::string::npos);
}

}  // namespace principal_directions_test
