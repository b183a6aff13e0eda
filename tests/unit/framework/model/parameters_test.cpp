#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/model/parameters.hpp>

namespace parameters_test {

using namespace harmonium;

namespace {

ParameterLayout example() {
  ParameterLayout layout;
  layout.add({.name = "bias.v", .rows = 3, .role = ParameterRole::bias, .layers = {LayerId{0}}});
  layout.add({.name = "weight.v.h",
              .rows = 3,
              .cols = 2,
              .role = ParameterRole::coupling,
              .layers = {LayerId{0}, LayerId{1}}});
  layout.add({.name = "weight.v.v",
              .rows = 3,
              .cols = 3,
              .symmetry = Symmetry::symmetric_zero_diagonal,
              .role = ParameterRole::coupling,
              .layers = {LayerId{0}, LayerId{0}}});
  return layout;
}

}  // namespace

TEST_CASE("tensors lie one after another in one flat vector") {
  const ParameterLayout layout = example();
  CHECK(layout.size() == 3 + 6 + 9);
  CHECK(layout[0].offset == 0);
  CHECK(layout[1].offset == 3);
  CHECK(layout[2].offset == 9);
  CHECK(layout.find("weight.v.v") == 2);
  CHECK(layout.find("weight") == layout.blocks().size());
  CHECK(layout[0].rank() == 1);
  CHECK(layout[1].rank() == 2);

  std::vector<double> theta(layout.size());
  for (Index i = 0; i < theta.size(); ++i) theta[i] = static_cast<double>(i);
  const MatrixView<double> w = layout.view(1, theta.data());
  CHECK(w.rows == 3);
  CHECK(w.cols == 2);
  CHECK(w(2, 1) == 8.0);
  w(0, 0) = -1.0;
  CHECK(theta[3] == -1.0);
}

TEST_CASE("sums over parameters count each symmetric pair once and no diagonal") {
  const ParameterLayout layout = example();
  std::vector<float> theta(layout.size(), 1.0f);
  Index visited = 0;
  CHECK(sum_over_parameters(layout, theta.data(), [&](Index, double v) {
          ++visited;
          return v;
        }) == 3 + 6 + 3);
  CHECK(visited == 12);
  std::vector<Index> of_symmetric;
  sum_over_parameters(layout, theta.data(), [&](Index i, double) {
    if (i >= 9) of_symmetric.push_back(i);
    return 0.0;
  });
  CHECK(of_symmetric == std::vector<Index>{10, 11, 14});
}

TEST_CASE("roles have the names that options use") {
  CHECK(name_of(ParameterRole::bias) == "bias");
  CHECK(name_of(ParameterRole::coupling) == "coupling");
  CHECK(name_of(ParameterRole::log_precision) == "log_precision");
  CHECK(name_of(ParameterRole::crystal_field) == "crystal_field");
  CHECK(name_of(ParameterRole::other) == "other");
}

}  // namespace parameters_test
