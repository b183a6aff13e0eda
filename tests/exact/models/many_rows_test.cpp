// Gradients over so many rows that a sum in single precision, one row after another, would be biased: each term is small
// beside the sum, and all lose the same part of themselves.
#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace many_rows_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr Index rows = 1'000'001;  // no multiple of four
constexpr double unit_roundoff = 0.5 * static_cast<double>(std::numeric_limits<Real>::epsilon());

/// Values that repeat in no pattern of a block's size, all of one sign.
double value(Index row, Index column) { return column == 0 ? 1.0 : 0.25 + 0.5 * static_cast<double>(row % 7) / 7.0; }

/// What is added up for one entry of the gradient, exactly, and as it must not be: in Real, one after another.
struct Sum {
  long double exact = 0.0L;
  Real careless = 0;
  void add(double weight, Real x) {
    exact += static_cast<long double>(weight) * static_cast<long double>(x);
    careless += static_cast<Real>(weight) * x;
  }
  /// Two roundings of a product, two of the sum of four of them, one of what is added to the gradient and one to spare,
  /// whatever the number of rows; and those of a sum in double.
  bool right(double got, double factor = 1.0) const {
    const double expected = factor * static_cast<double>(exact);
    return std::abs(got - expected) <= (6.0 * unit_roundoff + static_cast<double>(rows) * 0x1p-53) * std::abs(expected);
  }
};

}  // namespace

TEST_CASE("gradients of biases, precisions and sparse couplings over a million rows are rounded, and not biased") {
  const auto gaussian = std::make_shared<GaussianUnit>();
  auto model = random_model({{observed("v", 3), latent("g", 2, gaussian)}, {{0, 0}, {0, 1}}, {1}}, 5);
  keep_only(*model, "weight.v.v", {{0, 1}, {1, 2}});
  const ParameterLayout& layout = model->parameter_layout();
  std::vector<Real> v(rows * 3), g(rows * 2), second(rows * 2);
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < 3; ++c) v[r * 3 + c] = static_cast<Real>(value(r, c));
    for (Index c = 0; c < 2; ++c) g[r * 2 + c] = static_cast<Real>(value(r, c));
    for (Index c = 0; c < 2; ++c) second[r * 2 + c] = g[r * 2 + c] * g[r * 2 + c];
  }
  const Moments q{{{v.data(), rows, 3, 3}, {g.data(), rows, 2, 2}}, {{}, {second.data(), rows, 2, 2}}};
  const Executor one(1), three(3);

  for (const bool equal : {true, false}) {
    CAPTURE(equal);
    std::vector<double> weights(rows, 1.0 / static_cast<double>(rows));
    if (!equal)
      for (Index r = 0; r < rows; ++r) weights[r] *= 0.5 + static_cast<double>(r % 3) / 2.0;
    std::vector<Real> gradient(layout.size(), Real{0}), again(layout.size(), Real{0});
    model->factorized_expectation()->add_gradient(q, weights, gradient, one);
    model->factorized_expectation()->add_gradient(q, weights, again, three);
    CHECK(gradient == again);

    Index careless = 0;
    const auto check = [&](const char* name, Index entry, double factor, const auto& term) {
      CAPTURE(name);
      CAPTURE(entry);
      Sum sum;
      for (Index r = 0; r < rows; ++r) sum.add(weights[r], term(r));
      CHECK(sum.right(static_cast<double>(gradient[layout[layout.find(name)].offset + entry]), factor));
      if (!sum.right(static_cast<double>(sum.careless))) ++careless;
    };
    for (Index c = 0; c < 3; ++c) check("bias.v", c, -1.0, [&](Index r) { return v[r * 3 + c]; });
    for (Index c = 0; c < 2; ++c) {
      check("bias.g", c, -1.0, [&](Index r) { return g[r * 2 + c]; });
      const auto log_gamma =
          static_cast<double>(model->parameters()[layout[layout.find("log_precision.g")].offset + c]);
      const auto gamma = static_cast<double>(static_cast<Real>(std::exp(static_cast<Real>(log_gamma))));
      check("log_precision.g", c, 0.5 * gamma, [&](Index r) { return second[r * 2 + c]; });
    }
    check("weight.v.v", 1, -1.0, [&](Index r) { return v[r * 3] * v[r * 3 + 1]; });
    check("weight.v.v", 5, -1.0, [&](Index r) { return v[r * 3 + 1] * v[r * 3 + 2]; });
    // The control: in single precision each of these sums is found out where it is taken carelessly.
    CHECK(careless == (in_double ? 0 : 9));
  }
}

}  // namespace many_rows_test
