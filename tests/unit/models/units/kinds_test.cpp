// What every kind of unit must satisfy: sums over its states, or integrals over the line, by brute force.
#include <cmath>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/models/units/binary.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/levels.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/tests/support/chi_square.hpp>

namespace kinds_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr Index rows = 3, units = 4;

std::vector<std::unique_ptr<UnitType>> kinds() {
  std::vector<std::unique_ptr<UnitType>> all;
  all.push_back(std::make_unique<BinaryUnit>());
  all.push_back(std::make_unique<SpinUnit>());
  all.push_back(std::make_unique<CategoricalUnit>(CategoricalUnit::Options{.num_states = 2}));
  all.push_back(std::make_unique<CategoricalUnit>(CategoricalUnit::Options{.num_states = 5}));
  all.push_back(std::make_unique<LevelsUnit>(LevelsUnit::Options{}));
  all.push_back(std::make_unique<LevelsUnit>(LevelsUnit::Options{.num_states = 4}));
  all.push_back(std::make_unique<GaussianUnit>());
  return all;
}

/// Fields of all sizes, with bias and scale, as Real and as double.
struct UnitExample {
  explicit UnitExample(const UnitType& unit) : cols(units * unit.width()) {
    for (Index i = 0; i < rows * cols; ++i) {
      linear.push_back(static_cast<Real>(3.0 * std::sin(1.7 * static_cast<double>(i) + 0.3)));
      curvature.push_back(static_cast<Real>(1.5 + std::cos(static_cast<double>(i))));
    }
    for (Index c = 0; c < cols; ++c) bias.push_back(static_cast<Real>(0.2 * static_cast<double>(c) - 0.5));
    scale = {1, Real(0.5), Real(2)};
    fields = {{linear.data(), rows, cols, cols}};
    if (unit.has_curvature()) fields.curvature = {curvature.data(), rows, cols, cols};
    fields.bias = bias.data();
    fields.scale = scale.data();
    wide_linear.assign(linear.begin(), linear.end());
    wide_curvature.assign(curvature.begin(), curvature.end());
    wide_bias.assign(bias.begin(), bias.end());
    wide_scale.assign(scale.begin(), scale.end());
    wide = {{wide_linear.data(), rows, cols, cols}};
    if (unit.has_curvature()) wide.curvature = {wide_curvature.data(), rows, cols, cols};
    wide.bias = wide_bias.data();
    wide.scale = wide_scale.data();
  }
  /// The exponent of a unit's value x (width numbers).
  double exponent(Index r, Index first, std::span<const double> x) const {
    double e = 0.0;
    for (Index k = 0; k < x.size(); ++k) {
      e += (wide_linear[r * cols + first + k] + wide_bias[first + k]) * x[k];
      if (!wide.curvature.empty()) e -= 0.5 * wide_curvature[r * cols + first + k] * x[k] * x[k];
    }
    return wide_scale[r] * e;
  }

  Index cols;
  std::vector<Real> linear, curvature, bias, scale;
  std::vector<double> wide_linear, wide_curvature, wide_bias, wide_scale;
  Fields fields;
  BasicFields<const double> wide;
};

/// The domain with a weight for each point: its states, or a fine grid of the line (whose trapezoidal sum is exact to
/// rounding for a Gaussian).
struct Point {
  std::vector<double> value;
  double weight;
};
std::vector<Point> domain(const UnitType& unit) {
  std::vector<Point> points;
  if (unit.num_states() == 0) {
    constexpr double step = 1.0 / 64;
    for (double x = -40.0; x <= 40.0; x += step) points.push_back({{x}, step});
    return points;
  }
  std::vector<Real> states(unit.num_states() * unit.width());
  unit.states({states.data(), unit.num_states(), unit.width(), unit.width()});
  for (Index s = 0; s < unit.num_states(); ++s) {
    const auto first = states.begin() + static_cast<std::ptrdiff_t>(s * unit.width());
    points.push_back({{first, first + static_cast<std::ptrdiff_t>(unit.width())}, 1.0});
  }
  return points;
}

}  // namespace

TEST_CASE("log partition and moments of each kind of unit are sums over its domain") {
  for (const auto& unit : kinds()) {
    CAPTURE(unit->name());
    const UnitExample e(*unit);
    const Index width = unit->width();
    std::vector<double> sums(rows, 7.0);
    unit->add_log_partition(e.wide, sums);
    std::vector<Real> mean(rows * e.cols), second(rows * e.cols);
    unit->moments(e.fields, {mean.data(), rows, e.cols, e.cols}, {second.data(), rows, e.cols, e.cols});
    for (Index r = 0; r < rows; ++r) {
      double log_partition = 7.0;
      for (Index u = 0; u < units; ++u) {
        double z = 0.0;
        std::vector<double> first(width), square(width);
        for (const Point& point : domain(*unit)) {
          const double p = point.weight * std::exp(e.exponent(r, u * width, point.value));
          z += p;
          for (Index k = 0; k < width; ++k) {
            first[k] += p * point.value[k];
            square[k] += p * point.value[k] * point.value[k];
          }
        }
        log_partition += std::log(z);
        for (Index k = 0; k < width; ++k) {
          CHECK(std::abs(static_cast<double>(mean[r * e.cols + u * width + k]) - first[k] / z) < 1e-13);
          if (unit->has_curvature())
            CHECK(std::abs(static_cast<double>(second[r * e.cols + u * width + k]) - square[k] / z) < 1e-12);
        }
      }
      CHECK(std::abs(sums[r] - log_partition) < 1e-12);
    }
    // In the place of the fields.
    UnitExample again(*unit);
    unit->moments(again.fields, again.fields.linear, {});
    CHECK(again.linear == mean);
  }
}

TEST_CASE("draws of each kind of unit follow its law, by the words of their own addresses") {
  constexpr Index repeats = 20000;
  for (const auto& unit : kinds()) {
    CAPTURE(unit->name());
    const Index width = unit->width();
    const UnitExample e(*unit);
    const std::vector<Point> points = domain(*unit);
    // Cells: the states, or eight intervals of the line between quantiles of the unit's own law.
    constexpr Index cells = 8;
    const Index num_cells = unit->num_states() ? unit->num_states() : cells;
    std::vector<std::vector<std::uint64_t>> counts(rows * units, std::vector<std::uint64_t>(num_cells));
    std::vector<std::vector<double>> laws(rows * units, std::vector<double>(num_cells));
    std::vector<std::vector<double>> edges(rows * units);
    for (Index r = 0; r < rows; ++r) {
      for (Index u = 0; u < units; ++u) {
        std::vector<double>& law = laws[r * units + u];
        double z = 0.0;
        for (const Point& point : points) z += point.weight * std::exp(e.exponent(r, u * width, point.value));
        double below = 0.0;
        for (Index s = 0; s < points.size(); ++s) {
          const double p = points[s].weight * std::exp(e.exponent(r, u * width, points[s].value)) / z;
          if (unit->num_states()) {
            law[s] = p;
            continue;
          }
          // The grid's cell around a point; an interval ends half a step after it.
          const Index cell = std::min(edges[r * units + u].size(), cells - 1);
          law[cell] += p;
          below += p;
          if (cell + 1 < cells && below >= static_cast<double>(cell + 1) / cells)
            edges[r * units + u].push_back(points[s].value[0] + 0.5 / 64);
        }
      }
    }
    std::vector<Real> out(rows * e.cols), mean(rows * e.cols), expected(rows * e.cols);
    unit->moments(e.fields, {expected.data(), rows, e.cols, e.cols}, {});
    for (Index k = 0; k < repeats; ++k) {
      const DrawBlock addresses = DrawBlock::of({3, 4}, 5, k, LayerId{1});
      unit->sample(e.fields, addresses, {out.data(), rows, e.cols, e.cols}, {mean.data(), rows, e.cols, e.cols});
      if (k == 0) CHECK(mean == expected);
      if (k == 1) {  // the same words: again, in place, one row alone, one unit alone
        UnitExample again(*unit);
        unit->sample(again.fields, addresses, again.fields.linear, {});
        CHECK(again.linear == out);
        std::vector<Real> part(e.cols);
        DrawBlock row = addresses;
        row.first_chain += 2;
        ConstFields last{e.fields.linear.slice(2, 3)};
        if (unit->has_curvature()) last.curvature = e.fields.curvature.slice(2, 3);
        last.bias = e.fields.bias;
        last.scale = e.fields.scale + 2;
        unit->sample(last, row, {part.data(), 1, e.cols, e.cols}, {});
        CHECK(std::equal(part.begin(), part.end(), &out[2 * e.cols]));
        row.first_site += 3;
        ConstFields single{last.linear.columns(3 * width, 4 * width)};
        if (unit->has_curvature()) single.curvature = last.curvature.columns(3 * width, 4 * width);
        single.bias = last.bias + 3 * width;
        single.scale = last.scale;
        unit->sample(single, row, {part.data(), 1, width, width}, {});
        CHECK(
            std::equal(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(width), &out[2 * e.cols + 3 * width]));
      }
      for (Index r = 0; r < rows; ++r) {
        for (Index u = 0; u < units; ++u) {
          const Real* x = &out[r * e.cols + u * width];
          Index cell = 0;
          if (unit->num_states()) {
            while (!std::equal(points[cell].value.begin(), points[cell].value.end(), x,
                               [](double a, Real b) { return a == static_cast<double>(b); }))
              ++cell;
          } else {
            const auto& edge = edges[r * units + u];
            while (cell < edge.size() && static_cast<double>(*x) > edge[cell]) ++cell;
          }
          ++counts[r * units + u][cell];
        }
      }
    }
    ChiSquare test;
    for (Index i = 0; i < counts.size(); ++i) test.add(counts[i], laws[i]);
    INFO(test.summary());
    CHECK_FALSE(test.rejected());
    // The power: a law whose temperature is off by a tenth would not pass.
    double noncentral = 0.0;
    for (const auto& law : laws) {
      std::vector<double> wrong = law;
      double z = 0.0;
      for (double& p : wrong) z += p = std::pow(p, 1.1);
      for (double& p : wrong) p /= z;
      noncentral += noncentrality(wrong, law, repeats);
    }
    if (unit->num_states()) CHECK(test.margin(noncentral) > 6.0);
  }
}

TEST_CASE("the field of a mean gives that mean back, but for what N rows cannot tell") {
  constexpr double many = 1e9;
  for (const auto& unit : kinds()) {
    CAPTURE(unit->name());
    const Index width = unit->width();
    std::vector<double> mean(width), linear(width);
    double rest = 1.0;
    for (Index k = 0; k < width; ++k) mean[k] = width == 1 ? 0.3 : (k + 1 == width ? rest : rest / 3), rest -= mean[k];
    unit->linear_of_mean(mean, 2.0, many, linear);
    std::vector<Real> field(linear.begin(), linear.end()), curvature(width, Real{2}), back(width);
    ConstFields fields{{field.data(), 1, width, width}};
    if (unit->has_curvature()) fields.curvature = {curvature.data(), 1, width, width};
    unit->moments(fields, {back.data(), 1, width, width}, {});
    for (Index k = 0; k < width; ++k) CHECK(std::abs(static_cast<double>(back[k]) - mean[k]) < 1e-8);
    // A value that never occurred.
    std::fill(mean.begin(), mean.end(), unit->num_states() ? unit->min() : 0.0);
    if (width > 1) mean[0] = 1.0;
    unit->linear_of_mean(mean, 2.0, 10.0, linear);
    for (const double v : linear) CHECK(std::isfinite(v));
  }
}

TEST_CASE("a uniform draw takes each state equally often, and of a Gaussian unit it is standard normal") {
  for (const auto& unit : kinds()) {
    CAPTURE(unit->name());
    const Index width = unit->width(), many = 5000, cols = units * width;
    std::vector<Real> out(many * cols);
    unit->sample_uniform(DrawBlock::of({1, 2}, 0, 3, LayerId{0}), {out.data(), many, cols, cols});
    if (!unit->num_states()) {
      double sum = 0.0, squares = 0.0;
      for (const Real x : out) sum += static_cast<double>(x), squares += static_cast<double>(x * x);
      const auto n = static_cast<double>(out.size());
      CHECK(std::abs(sum / n) < 6.2 / std::sqrt(n));  // one in 1e9
      CHECK(std::abs(squares / n - 1.0) < 6.2 * std::sqrt(2.0 / n));
      continue;
    }
    const std::vector<Point> points = domain(*unit);
    std::vector<std::uint64_t> counts(points.size());
    for (Index i = 0; i < many * units; ++i)
      for (Index s = 0; s < points.size(); ++s)
        counts[s] += std::equal(points[s].value.begin(), points[s].value.end(), &out[i * width],
                                [](double a, Real b) { return a == static_cast<double>(b); })
                         ? 1
                         : 0;
    ChiSquare test;
    test.add(counts, std::vector<double>(points.size(), 1.0 / static_cast<double>(points.size())));
    CHECK_FALSE(test.rejected());
  }
}

TEST_CASE("uniform draws of some units are by the sites of these, as among all") {
  for (const auto& unit : kinds()) {
    CAPTURE(unit->name());
    const Index width = unit->width(), cols = units * width, first = 1, few = cols - first * width;
    DrawBlock addresses = DrawBlock::of({1, 2}, 0, 3, LayerId{0});
    std::vector<Real> all(50 * cols), part(50 * few);
    unit->sample_uniform(addresses, {all.data(), 50, cols, cols});
    addresses.first_site = static_cast<std::uint32_t>(first);
    unit->sample_uniform(addresses, {part.data(), 50, few, few});
    for (Index r = 0; r < 50; ++r)
      CHECK(std::equal(&part[r * few], &part[r * few] + few, &all[r * cols + first * width]));
  }
}

}  // namespace kinds_test
