#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/training/initializer.hpp>
#include <harmonium/models/terms/bias.hpp>
#include <harmonium/models/terms/coupling.hpp>
#include <harmonium/models/terms/lattice.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/levels.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace initializer_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

// A statistic passes a bound below by chance with a probability below 1e-9.
constexpr double tail = 1e-9;

/// How far a sum Σ a_i (ξ_i² − 1) of squared normal variables is from 0 at most: Laurent & Massart (2000), lemma 1, with
/// |a|² = Σ a_i² and the largest a_i.
double quadratic_bound(double norm, double largest) {
  const double x = -std::log(tail / 2.0);
  return 2.0 * norm * std::sqrt(x) + 2.0 * largest * x;
}

/// Rows of correlated bits: each copies its neighbor with a probability that depends on the column.
Dataset correlated(Index rows, Index cols) {
  std::mt19937 words(3);
  std::vector<std::uint8_t> values;
  for (Index r = 0; r < rows; ++r) {
    std::uint8_t last = 0;
    for (Index c = 0; c < cols; ++c) {
      if (words() % 4 >= c % 4) last = words() % 3 == 0 ? 1 : 0;
      values.push_back(last);
    }
  }
  return Dataset(Table{rows, cols, std::move(values), {rows, cols}}, "correlated");
}

std::vector<double> row_of(const Dataset& data, Index r) {
  std::vector<double> row(data.cols());
  data.fetch<double>(r, 0, {row.data(), 1, row.size(), row.size()});
  return row;
}

std::vector<double> tensor(const EnergyModel& model, const char* name) {
  const ParameterBlock& b = model.parameter_layout()[model.parameter_layout().find(name)];
  return {model.parameters().begin() + static_cast<std::ptrdiff_t>(b.offset),
          model.parameters().begin() + static_cast<std::ptrdiff_t>(b.offset + b.size())};
}

std::unique_ptr<LayeredModel> initialized(const LayerGraph& graph, const Initializer& initializer, const Dataset* data,
                                          std::uint64_t seed = 1, int threads = 2) {
  const Executor executor(threads);
  auto model = std::make_unique<LayeredModel>(graph);
  randomize(*model, 77);  // what was there before must not matter
  initializer.initialize(*model, data, {executor, RandomSource{seed, 0}});
  return model;
}

LayerGraph rbm(Index v, Index h) { return {{observed("v", v), latent("h", h)}, {{0, 1}}, {}}; }

/// Field of latent unit `j` in a row, from what it sees of the data.
struct LatentFields {
  std::vector<std::vector<double>> of_row;  ///< rows × latent units
  double mean(Index j) const {
    double sum = 0.0;
    for (const auto& row : of_row) sum += row[j] / static_cast<double>(of_row.size());
    return sum;
  }
  double variance(Index j) const {
    double sum = 0.0;
    for (const auto& row : of_row) sum += (row[j] - mean(j)) * (row[j] - mean(j)) / static_cast<double>(of_row.size());
    return sum;
  }
};

}  // namespace

TEST_CASE("normal couplings have mean 0 and the deviation that was asked for") {
  const Index v = 90, h = 110, n = v * h;
  const auto model = initialized(rbm(v, h), NormalInitializer({.std = 0.25}), nullptr);
  double sum = 0.0, squares = 0.0;
  for (const double w : tensor(*model, "weight.v.h")) {
    sum += w / 0.25;
    squares += w * w / (0.25 * 0.25) - 1.0;
  }
  CHECK(std::abs(sum) <= 6.2 * std::sqrt(static_cast<double>(n)));  // a normal variable exceeds 6.2 with 6e-10
  CHECK(std::abs(squares) <= quadratic_bound(std::sqrt(static_cast<double>(n)), 1.0));
}

TEST_CASE("uniform couplings fill their interval") {
  const auto model = initialized(rbm(90, 110), UniformInitializer({.limit = 0.5}), nullptr);
  const std::vector<double> w = tensor(*model, "weight.v.h");
  double sum = 0.0;
  for (const double x : w) {
    CHECK(std::abs(x) < 0.5);
    sum += x;
  }
  const double n = static_cast<double>(w.size());
  CHECK(std::abs(sum) <= std::sqrt(-n * std::log(tail / 2.0) / 2.0));  // Hoeffding, on an interval of length 1
  // The ends are missed by more than d with a probability of (1 − d)^n.
  const double d = 1.0 - std::pow(tail / 2.0, 1.0 / n);
  CHECK(std::ranges::max(w) > 0.5 - d);
  CHECK(std::ranges::min(w) < -0.5 + d);
}

TEST_CASE("couplings depend on the seed and on their tensor's name, not on the number of threads") {
  const NormalInitializer normal({.std = 1.0});
  LayerGraph graph{{observed("v", 70), latent("h", 70), latent("g", 70)}, {{0, 1}, {1, 2}}, {}};
  const auto one = initialized(graph, normal, nullptr, 1, 1), two = initialized(graph, normal, nullptr, 1, 3),
             other = initialized(graph, normal, nullptr, 2, 1);
  CHECK(std::ranges::equal(one->parameters(), two->parameters()));
  CHECK(tensor(*one, "weight.v.h") != tensor(*other, "weight.v.h"));
  CHECK(tensor(*one, "weight.v.h") != tensor(*one, "weight.h.g"));
  // A layer more leaves the others' numbers alone.
  const auto smaller = initialized(rbm(70, 70), normal, nullptr);
  CHECK(tensor(*smaller, "weight.v.h") == tensor(*one, "weight.v.h"));
}

TEST_CASE("symmetric couplings start symmetric, with nothing between a unit and itself") {
  const auto three = std::make_shared<ThreeWayUnit>();
  const LayerGraph graph{{observed("v", 4), latent("h", 2, three)}, {{0, 0}, {0, 1}, {1, 1}}, {}};
  const NormalInitializer normal({.std = 1.0});
  const UniformInitializer uniform({.limit = 1.0});
  for (const Initializer* initializer :
       {static_cast<const Initializer*>(&normal), static_cast<const Initializer*>(&uniform)}) {
    const auto model = initialized(graph, *initializer, nullptr);  // refused by the model unless it is symmetric
    const std::vector<double> v = tensor(*model, "weight.v.v"), h = tensor(*model, "weight.h.h");
    for (Index i = 0; i < 4; ++i)
      for (Index j = 0; j < 4; ++j) CHECK((v[i * 4 + j] == 0.0) == (i == j));
    for (Index i = 0; i < 6; ++i)
      for (Index j = 0; j < 6; ++j) CHECK((h[i * 6 + j] == 0.0) == (i / 3 == j / 3));
  }
}

TEST_CASE("visible biases give each unit alone the data's mean, hidden ones are as set") {
  const Dataset data(Table{4, 3, std::vector<std::uint8_t>{1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 0}, {4, 3}}, "data");
  const auto model = initialized(rbm(3, 2), NormalInitializer({.std = 0.0, .biases = {.hidden_bias = -4.0}}), &data);
  // (N mean + ½) / (N + 1), finite for a unit that never changes.
  const std::vector<double> v = tensor(*model, "bias.v");
  CHECK(std::abs(v[0] - std::log(4.5 / 0.5)) <= rounding(4.0));
  CHECK(std::abs(v[1] + std::log(4.5 / 0.5)) <= rounding(4.0));
  CHECK(std::abs(v[2] - std::log(1.5 / 3.5)) <= rounding(4.0));
  CHECK(tensor(*model, "bias.h") == std::vector<double>{-4, -4});
  CHECK(tensor(*model, "weight.v.h") == std::vector<double>(6, 0.0));
  const auto zero = initialized(rbm(3, 2), UniformInitializer({.biases = {.visible_bias = VisibleBias::zero}}), &data);
  CHECK(tensor(*zero, "bias.v") == std::vector<double>(3, 0.0));
  for (const Dataset* rows : {&data, static_cast<const Dataset*>(nullptr)}) {
    const auto field = initialized(rbm(3, 2), NormalInitializer({.biases = {.field = 0.25}}), rows);
    CHECK(tensor(*field, "bias.v") == std::vector<double>(3, 0.25));
    CHECK(tensor(*field, "bias.h") == std::vector<double>(2, 0.0));
  }
  const auto without = initialized(rbm(3, 2), NormalInitializer({}), nullptr);
  CHECK(tensor(*without, "bias.v") == std::vector<double>(3, 0.0));
}

TEST_CASE(
    "one bias for all units is that under which one alone has the mean of all columns, and a matched one a mean") {
  const auto made = [](const std::vector<Layer>& layers, const char* layer) {
    EnergyTerms terms;
    terms.push_back(std::make_unique<BiasTerm>(BiasTerm::Options{.layer = layer, .uniform = true}));
    if (layers.size() > 1) terms.push_back(std::make_unique<CouplingTerm>(CouplingTerm::Options{.layers = {"v", "h"}}));
    return std::make_unique<LayeredModel>(layers, with_unit_terms(layers, std::move(terms), {}));
  };
  const Executor executor(1);
  const Dataset data(Table{4, 3, std::vector<std::uint8_t>{1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 0}, {4, 3}}, "data");
  const auto bits = made({observed("v", 3), latent("h", 2)}, "v");
  NormalInitializer({.std = 0.0}).initialize(*bits, &data, {executor, RandomSource{1, 0}});
  // 5 ones of 12 values, and half an observation at each end.
  CHECK(std::abs(tensor(*bits, "bias.v")[0] - std::log(5.5 / 7.5)) <= rounding(4.0));
  CHECK(tensor(*bits, "bias.v") == std::vector<double>(3, tensor(*bits, "bias.v")[0]));
  NormalInitializer({.biases = {.field = 0.25}}).initialize(*bits, &data, {executor, RandomSource{1, 0}});
  CHECK(tensor(*bits, "bias.v") == std::vector<double>(3, 0.25));
  const auto hidden = made({observed("v", 3), latent("h", 2)}, "h");
  MomentMatchingInitializer({}).initialize(*hidden, &data, {executor, RandomSource{1, 0}});
  const std::vector<double> w = tensor(*hidden, "weight.v.h"), means = data.column_means();
  double field = 0.0;
  for (Index i = 0; i < 3; ++i) field -= means[i] * (w[2 * i] + w[2 * i + 1]) / 2.0;
  CHECK(std::abs(tensor(*hidden, "bias.h")[0] - field) <= rounding(16.0));
  CHECK(tensor(*hidden, "bias.h")[1] == tensor(*hidden, "bias.h")[0]);
}

TEST_CASE("a mean is that of all couplings, and several are those of the offsets of a lattice alone") {
  const auto same = initialized(rbm(3, 2), NormalInitializer({.std = 0.0, .mean = {-0.75}}), nullptr);
  CHECK(tensor(*same, "weight.v.h") == std::vector<double>(6, -0.75));
  const std::vector<Layer> layers{observed("v", 9), latent("h", 2)};
  const Executor executor(1);
  const auto made = [&](std::vector<double> mean, double std) {
    EnergyTerms terms;
    terms.push_back(std::make_unique<LatticeTerm>(
        LatticeTerm::Options{.layer = "v", .shape = {3, 3}, .open_axes = {}, .offsets = {}, .uniform = true}));
    terms.push_back(std::make_unique<CouplingTerm>(CouplingTerm::Options{.layers = {"v", "h"}}));
    auto model = std::make_unique<LayeredModel>(layers, with_unit_terms(layers, std::move(terms), {}));
    NormalInitializer({.std = std, .mean = std::move(mean)})
        .initialize(*model, nullptr, {executor, RandomSource{1, 0}});
    return model;
  };
  const auto two = made({1.0, -0.5}, 0.0);
  CHECK(tensor(*two, "lattice.v") == std::vector<double>{1.0, -0.5});
  CHECK(tensor(*two, "weight.v.h") == std::vector<double>(18, 0.0));
  const auto around = made({1.0, -0.5}, 0.25), zero = made({}, 0.25);
  CHECK(tensor(*around, "weight.v.h") == tensor(*zero, "weight.v.h"));
  for (const Index i : {0, 1}) {
    const double moved = tensor(*around, "lattice.v")[i] - tensor(*zero, "lattice.v")[i];
    CHECK(std::abs(moved - (i == 0 ? 1.0 : -0.5)) <= rounding(4.0));
  }
}

TEST_CASE("a uniform field that nothing holds, or that changes nothing, is refused") {
  const NormalInitializer initializer({.biases = {.field = 0.25}});
  const Executor executor(1);
  const auto refusal = [&](EnergyModel& model) {
    return message_of<ConfigError>([&] { initializer.initialize(model, nullptr, {executor, RandomSource{1, 0}}); });
  };
  const std::vector<Layer> layers{observed("v", 3), latent("h", 2)};
  LayeredModel bare(layers, with_unit_terms(layers, {}, {.without_bias = {0}}));
  CHECK(refusal(bare) ==
        "initializer: 'field' is 0.25, and no observed layer has biases to hold it. Set bias = true of the layer.");
  const auto potts = small_potts();
  CHECK(refusal(*potts).starts_with("initializer: 'field' is 0.25, and all states of a unit of layer '"));
}

TEST_CASE("a crystal field is that of all units that have one, under which biases still give the data's means") {
  const auto levels = std::make_shared<LevelsUnit>(LevelsUnit::Options{});
  const LayerGraph graph{{observed("v", 2, levels), latent("h", 2)}, {{0, 1}}, {}};
  const Dataset data(Table{4, 2, std::vector<float>{1, -1, 0, -1, 1, 0, 0, 1}, {4, 2}}, "data");
  const auto plain = initialized(graph, NormalInitializer({.std = 0.0}), &data);
  const auto split = initialized(graph, NormalInitializer({.std = 0.0, .biases = {.crystal_field = 1.5}}), &data);
  CHECK(tensor(*plain, "crystal_field.v") == std::vector<double>(2, 0.0));
  CHECK(tensor(*split, "crystal_field.v") == std::vector<double>(2, 1.5));
  for (const auto& [model, d] : {std::pair(plain.get(), 0.0), std::pair(split.get(), 1.5)}) {
    const double means[] = {0.5 * 4 / 5, -0.25 * 4 / 5};  // and half an observation at each end
    for (Index i = 0; i < 2; ++i) {
      const double b = tensor(*model, "bias.v")[i], weight = std::exp(-d);
      const double mean = 2.0 * weight * std::sinh(b) / (1.0 + 2.0 * weight * std::cosh(b));
      CHECK(std::abs(mean - means[i]) <= rounding(8.0));
    }
  }
  LayeredModel bits({observed("v", 3)}, with_unit_terms({observed("v", 3)}, {}, {}));
  const Executor executor(1);
  CHECK(
      message_of<ConfigError>([&] {
        NormalInitializer({.biases = {.crystal_field = 1.5}}).initialize(bits, nullptr, {executor, RandomSource{1, 0}});
      }) ==
      "initializer: 'crystal_field' is 1.5, and no layer is of units of several levels. Set its units to "
      "\"levels\".");
}

TEST_CASE("a starting precision is that of all units that have one, under which biases still give the data's means") {
  const auto gaussian = std::make_shared<GaussianUnit>();
  const LayerGraph graph{{observed("v", 2, gaussian), latent("h", 2)}, {{0, 1}}, {}};
  const Dataset data(Table{2, 2, std::vector<float>{1, -1, 2, -2}, {2, 2}}, "data");
  const auto plain = initialized(graph, NormalInitializer({.std = 0.0}), &data);
  CHECK(tensor(*plain, "bias.v") == std::vector<double>{1.5, -1.5});
  const NormalInitializer normal({.std = 0.0, .biases = {.precision = 4.5}});
  const UniformInitializer uniform({.limit = 0.0, .biases = {.precision = 4.5}});
  const MomentMatchingInitializer matching({.precision = 4.5});
  for (const Initializer* initializer :
       {static_cast<const Initializer*>(&normal), static_cast<const Initializer*>(&uniform),
        static_cast<const Initializer*>(&matching)}) {
    const auto model = initialized(graph, *initializer, &data);
    for (Index i = 0; i < 2; ++i) {
      CHECK(std::abs(std::exp(tensor(*model, "log_precision.v")[i]) - 4.5) <= rounding(32.0));
      CHECK(std::abs(tensor(*model, "bias.v")[i] - (i == 0 ? 6.75 : -6.75)) <= rounding(32.0));
    }
  }
  LayeredModel bits({observed("v", 3)}, with_unit_terms({observed("v", 3)}, {}, {}));
  const Executor executor(1);
  CHECK(message_of<ConfigError>([&] {
          normal.initialize(bits, nullptr, {executor, RandomSource{1, 0}});
        }) ==
        "initializer: 'precision' is 4.5, and no layer has units with a precision. Set its units to \"gaussian\".");
  CHECK(smaller_start(bits) == "Start smaller.");
  CHECK(smaller_start(*plain) == "Start smaller, or with a greater initializer.precision, which is 1 unless given.");
}

TEST_CASE("visible biases go to the layer whose columns they are") {
  const Dataset data(Table{4, 2, std::vector<std::uint8_t>{1, 0, 1, 0, 1, 1, 0, 0}, {4, 2}}, "data");
  const auto model = initialized({{observed("a", 1), latent("h", 1), observed("b", 1)}, {{0, 1}, {1, 2}}, {}},
                                 NormalInitializer({}), &data);
  CHECK(std::abs(tensor(*model, "bias.a")[0] - std::log(3.5 / 1.5)) <= rounding(4.0));
  CHECK(std::abs(tensor(*model, "bias.b")[0] - std::log(1.5 / 3.5)) <= rounding(4.0));
}

TEST_CASE("matched moments: latent fields have mean 0 and the deviation that was asked for over the data") {
  // The variance of a field w·x is wᵀ C w, C the data's covariance and w normal with variance s² = f² / tr C: f² in the
  // mean over w, and a weighted sum of squared normal variables with the weights s² λ(C).
  constexpr double field_std = 0.3;
  constexpr Index cols = 12, latents = 400;
  const Dataset data = correlated(300, cols);
  const Index rows = data.rows();
  std::vector<std::vector<double>> x;
  std::vector<double> means(cols, 0.0);
  for (Index r = 0; r < rows; ++r) {
    x.push_back(row_of(data, r));
    for (Index c = 0; c < cols; ++c) means[c] += x[r][c] / static_cast<double>(rows);
  }
  double trace = 0.0, squares = 0.0;
  for (Index i = 0; i < cols; ++i) {
    for (Index j = 0; j < cols; ++j) {
      double c = 0.0;
      for (Index r = 0; r < rows; ++r) c += (x[r][i] - means[i]) * (x[r][j] - means[j]) / static_cast<double>(rows);
      if (i == j) trace += c;
      squares += c * c;
    }
  }

  // One observed layer, before or after the latent one, and two of them.
  const std::vector<LayerGraph> graphs{
      {{observed("a", cols), latent("h", latents)}, {{0, 1}}, {}},
      {{latent("h", latents), observed("a", cols)}, {{0, 1}}, {}},
      {{observed("a", 5), latent("h", latents), observed("b", cols - 5)}, {{0, 1}, {1, 2}, {0, 2}, {1, 1}}, {}},
  };
  for (const LayerGraph& graph : graphs) {
    const auto model = initialized(graph, MomentMatchingInitializer({.field_std = field_std}), &data);
    const Layout& layout = model->layout();
    LatentFields fields;
    const std::vector<double> bias = tensor(*model, "bias.h");
    for (Index r = 0; r < rows; ++r) {
      std::vector<double> field = bias;
      Index at = 0;
      for (const Layer& layer : layout.layers()) {
        if (layer.role == Role::latent) continue;
        const bool turned = layout.find("h") < layout.find(layer.name);
        const std::vector<double> w =
            tensor(*model, (turned ? "weight.h." + layer.name : "weight." + layer.name + ".h").c_str());
        for (Index c = 0; c < layer.size; ++c, ++at)
          for (Index j = 0; j < latents; ++j)
            field[j] += x[r][at] * (turned ? w[j * layer.size + c] : w[c * latents + j]);
      }
      fields.of_row.push_back(field);
    }
    double sum = 0.0;
    for (Index j = 0; j < latents; ++j) {
      CHECK(std::abs(fields.mean(j)) <= rounding(100.0));
      sum += fields.variance(j) / (field_std * field_std) - 1.0;
    }
    const double norm = std::sqrt(static_cast<double>(latents) * squares) / trace;
    CHECK(std::abs(sum) <= quadratic_bound(norm, std::sqrt(squares) / trace));
    // Observed units have the data's means, and what joins no data to no latent unit is 0.
    CHECK(std::abs(tensor(*model, "bias.a")[0] - std::log((means[0] * 300.0 + 0.5) / (300.5 - means[0] * 300.0))) <=
          1e-14);
    if (graph.couplings.size() < 2) continue;
    CHECK(tensor(*model, "weight.a.b") == std::vector<double>(5 * (cols - 5), 0.0));
    CHECK(tensor(*model, "weight.h.h") == std::vector<double>(latents * latents, 0.0));
  }
}

TEST_CASE("matched moments of data that never changes leave the couplings at 0") {
  const Dataset constant(Table{2, 3, std::vector<std::uint8_t>{1, 0, 1, 1, 0, 1}, {2, 3}}, "constant");
  const auto model = initialized(rbm(3, 4), MomentMatchingInitializer({.field_std = 0.3}), &constant);
  CHECK(tensor(*model, "weight.v.h") == std::vector<double>(12, 0.0));
  CHECK(tensor(*model, "bias.h") == std::vector<double>(4, 0.0));
}

TEST_CASE("matching moments needs data") {
  CHECK(message_of<ConfigError>([] { initialized(rbm(3, 4), MomentMatchingInitializer({}), nullptr); }) ==
        "initializer 'moment_matching': it needs data to match. Give a [data] table, or take 'normal'.");
}

}  // namespace initializer_test
