#include <harmonium/framework/training/low_rank_initializer.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <fmt/format.h>
#include <xtensor-blas/xlinalg.hpp>
#include <xtensor/xsort.hpp>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/core/products.hpp>
#include <harmonium/framework/training/low_rank_fit.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index most_rows = 10000;
constexpr Index widest = 5000;  // columns whose principal directions are found in a minute

/// The two layers of an RBM, and where their parameters are.
struct Places {
  LayerId seen{}, latent{};
  const ParameterBlock *weight = nullptr, *seen_bias = nullptr, *latent_bias = nullptr;
  std::array<double, 2> seen_values{}, latent_values{};
};

[[noreturn]] void no_place(const std::string& why) {
  throw ConfigError("initializer 'low_rank': " + why +
                    " It is for an RBM of one visible and one hidden layer, of binary units or spins. Take 'normal'.");
}

std::array<double, 2> values_of(const Layer& layer) {
  if (layer.unit->width() != 1 || layer.unit->num_states() != 2 || layer.unit->has_curvature() ||
      layer.unit->has_base())
    no_place(fmt::format("units of layer '{}' are {}.", layer.name, layer.unit->name()));
  std::array<Real, 2> values{};
  layer.unit->states({values.data(), 2, 1, 1});
  return {static_cast<double>(std::min(values[0], values[1])), static_cast<double>(std::max(values[0], values[1]))};
}

const ParameterBlock& biases_of(const EnergyModel& model, LayerId layer) {
  for (const ParameterBlock& b : model.parameter_layout().blocks())
    if (b.role == ParameterRole::bias && b.layers[0] == layer && !b.uniform && !b.mask) return b;
  no_place(fmt::format("layer '{}' has no bias for each unit.", model.layout()[layer].name));
}

Places places_in(const EnergyModel& model) {
  const Layout& layout = model.layout();
  Places found;
  Index observed = 0, latent = 0;
  for (Index l = 0; l < layout.size(); ++l) {
    const auto id = static_cast<LayerId>(l);
    const bool seen = layout[id].role == Role::observed;
    (seen ? found.seen : found.latent) = id;
    ++(seen ? observed : latent);
  }
  if (observed != 1 || latent != 1)
    no_place(fmt::format("the model has {} observed and {} latent layers.", observed, latent));
  for (const ParameterBlock& b : model.parameter_layout().blocks()) {
    if (b.role != ParameterRole::coupling && b.role != ParameterRole::bias)
      no_place(fmt::format("it knows no value of {}.", b.name));
    if (b.role != ParameterRole::coupling || b.layers.size() != 2 || b.layers[0] == b.layers[1]) continue;
    if (found.weight) no_place("the two layers are coupled twice.");
    found.weight = &b;
  }
  if (!found.weight) no_place("nothing couples the two layers.");
  if (found.weight->mask)
    no_place(fmt::format("{} has a mask, and all entries of such couplings differ from 0.", found.weight->name));
  found.seen_values = values_of(layout[found.seen]);
  found.latent_values = values_of(layout[found.latent]);
  found.seen_bias = &biases_of(model, found.seen);
  found.latent_bias = &biases_of(model, found.latent);
  return found;
}

/// Rows of the data, evenly spread, and their weights, whose sum is 1.
Matrix<double> rows_of(const Dataset& data, std::vector<double>& weights) {
  const Index number = std::min(data.rows(), most_rows);
  Matrix<double> rows = zeros<double>(number, data.cols());
  double total = 0.0;
  for (Index r = 0; r < number; ++r) {
    const Index row = r * data.rows() / number;
    data.fetch<double>(row, 0, as_matrix(rows).slice(r, r + 1));
    weights.push_back(data.weight(row));
    total += weights.back();
  }
  if (!(total > 0.0))
    throw ConfigError("initializer 'low_rank': the rows that it looks at have no weight. Take 'normal'.");
  for (double& w : weights) w /= total;
  return rows;
}

/// The leading principal directions of the rows about their mean, columns × number.
Matrix<double> principal_directions(const Matrix<double>& rows, std::span<const double> weights, Index number) {
  const Index columns = rows.shape(1);
  const auto column_of_weights = xt::view(as_xtensor(weights), xt::all(), xt::newaxis());
  const Vector<double> mean = xt::sum(rows * column_of_weights, {0});
  const Matrix<double> scaled = (rows - xt::view(mean, xt::newaxis())) * xt::sqrt(column_of_weights);
  const BlasCall room;
  const auto eigen = xt::linalg::eigh(Matrix<double>(xt::linalg::dot(xt::transpose(scaled), scaled)));
  const auto& variances = std::get<0>(eigen);
  constexpr double rounding = 1e-12;  // of units whose values are some 1 apart
  const auto varied = [&](Index a) {
    return a < columns && variances(columns - 1 - a) > std::max(rounding, 1e-9 * variances(columns - 1));
  };
  Matrix<double> directions = zeros<double>(columns, number);
  for (Index a = 0; a < number; ++a) {
    if (!varied(a))
      throw ConfigError(
          fmt::format("initializer 'low_rank': rank is {}, and the data vary along {} direction{} alone. {}", number, a,
                      a == 1 ? "" : "s", a > 0 ? "Take that, or the initializer 'normal'." : "Take 'normal'."));
    const auto direction = xt::col(std::get<1>(eigen), static_cast<std::ptrdiff_t>(columns - 1 - a));
    // An eigenvector may have either sign, which libraries choose differently: the first of its large entries is above 0.
    const double large = 0.5 * xt::amax(xt::abs(direction))();
    const double first = *std::ranges::find_if(direction, [&](double u) { return std::abs(u) >= large; });
    const double sign = first > 0.0 ? 1.0 : -1.0;
    xt::col(directions, static_cast<std::ptrdiff_t>(a)) = sign * direction;
  }
  return directions;
}

/// Planes through rows of the data, in directions drawn at random, which bend the law little.
LowRankMachine first_guess(const OverlapRows& rows, Index hidden, const Execution& execution) {
  constexpr double slope = 0.3;
  const Index d = rows.at.shape(1);
  LowRankMachine start{zeros<double>(hidden, d + 1), std::vector<double>(d, 0.0)};
  const DrawBlock addresses = DrawBlock::of(execution.random.child("planes"), 0, 0, LayerId{0});
  boost::random::uniform_int_distribution<Index> any_row(0, rows.weights.size() - 1);
  for (Index j = 0; j < hidden; ++j) {
    RandomStream stream(addresses, 0, static_cast<std::uint32_t>(j));
    boost::random::normal_distribution<double> normal(0.0, 1.0);
    double square = 0.0;
    for (Index a = 0; a < d; ++a) square += std::pow(start.planes(j, a) = normal(stream), 2.0);
    const Index row = any_row(stream);
    for (Index a = 0; a < d; ++a) {
      start.planes(j, a) *= slope / std::sqrt(square);
      start.planes(j, d) -= start.planes(j, a) * rows.at(row, a);
    }
  }
  return start;
}

/// θ of the machine. Hidden units of values l and l + w have slopes and offsets divided by w; what their lower values add to the
/// fields of observed units is taken away from these.
void write(const Places& places, const LowRankMachine& machine, const Matrix<double>& directions,
           const IndependentUnits& base, const std::vector<double>& means, std::span<Real> theta) {
  const Index d = directions.shape(1);
  const double low = places.latent_values[0], width = places.latent_values[1] - low;
  const Matrix<double> planes = machine.planes / width;
  const Matrix<double> slopes = xt::view(planes, xt::all(), xt::range(Index{0}, d));
  const Matrix<double> couplings = product(directions, Matrix<double>(xt::transpose(slopes)));  // columns × hidden
  const Vector<double> field = as_xtensor(std::span(machine.field)) - low * xt::sum(slopes, {0});
  const auto entries = [&](const ParameterBlock& block) { return in_place(theta.subspan(block.offset, block.size())); };
  entries(*places.seen_bias) =
      xt::cast<Real>(as_xtensor(std::span(base.field)) + xt::sum(directions * xt::view(field, xt::newaxis()), {1}));
  const auto column_of_means = xt::view(as_xtensor(std::span(means)), xt::all(), xt::newaxis());
  entries(*places.latent_bias) = xt::cast<Real>(xt::view(planes, xt::all(), static_cast<std::ptrdiff_t>(d)) -
                                                xt::sum(couplings * column_of_means, {0}));
  const ParameterBlock& weight = *places.weight;
  const MatrixRef w{theta.data() + weight.offset, weight.rows, weight.cols, weight.cols};
  if (weight.layers[0] == places.latent) in_place(w) = xt::cast<Real>(xt::transpose(couplings));
  else in_place(w) = xt::cast<Real>(couplings);
}

}  // namespace

void LowRankInitializer::Options::bind(OptionBinder& o) {
  o.option("rank", rank, "principal directions of the data that hidden units see", within(1, most_overlaps));
  o.option("iterations", iterations, "evaluations of the likelihood along them at most", at_least(1));
}

namespace {

/// The units of the observed layer by themselves, each with the data's mean; and these means, which are never at an end.
IndependentUnits base_of(const Layer& layer, const Places& places, const Dataset& data, std::vector<double>& means) {
  IndependentUnits base{std::vector<double>(data.cols()), places.seen_values[0], places.seen_values[1]};
  means = data.column_means();
  const double width = base.high - base.low;
  for (Index i = 0; i < means.size(); ++i) {
    layer.unit->linear_of_mean({&means[i], 1}, 0.0, static_cast<double>(data.rows()), {&base.field[i], 1});
    means[i] = base.low + width * logistic(width * base.field[i]);
  }
  return base;
}

OverlapLaw law_along(const IndependentUnits& base, const Matrix<double>& directions, const Executor& executor) {
  OverlapLaw law = overlap_law(base, directions, executor);
  constexpr double most = 0.05;  // nats
  if (const double off = law.log_total(); !(std::abs(off) < most))
    throw ConfigError(
        fmt::format("initializer 'low_rank': log Z along the data's leading directions is off by {:.2g} nats, as few "
                    "columns make these up. Take another 'rank', or the initializer 'normal'.",
                    off));
  return law;
}

}  // namespace

void LowRankInitializer::initialize(EnergyModel& model, const Dataset* data, const Execution& execution) const {
  if (!data) throw ConfigError("initializer 'low_rank': it needs data to fit. Give a [data] table, or take 'normal'.");
  if (data->has_missing())
    throw ConfigError(
        "initializer 'low_rank': entries of the data are missing, and rows have no place along its directions. Take "
        "'normal'.");
  const Places places = places_in(model);
  if (data->cols() > widest)
    no_place(fmt::format("the data have {} columns, and principal directions of more than {} take too long.",
                         data->cols(), widest));
  std::vector<double> means;
  const IndependentUnits base = base_of(model.layout()[places.seen], places, *data, means);
  OverlapRows rows;
  const Matrix<double> looked_at = rows_of(*data, rows.weights);
  const Matrix<double> directions = principal_directions(looked_at, rows.weights, options_.rank);
  rows.at = product(Matrix<double>(looked_at - xt::view(as_xtensor(std::span(std::as_const(means))), xt::newaxis())),
                    directions);
  const OverlapLaw law = law_along(base, directions, execution.executor);
  const LowRankMachine start = first_guess(rows, model.layout()[places.latent].size, execution);
  const LowRankMachine machine = fit_low_rank(law, rows, start, options_.iterations, execution.executor);
  model.update_parameters([&](std::span<Real> theta) {
    std::ranges::fill(theta, Real{0});
    write(places, machine, directions, base, means, theta);
  });
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
