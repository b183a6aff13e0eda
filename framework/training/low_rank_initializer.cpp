#include <harmonium/framework/training/low_rank_initializer.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <boost/random/discrete_distribution.hpp>
#include <boost/random/normal_distribution.hpp>
#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/core/products.hpp>
#include <harmonium/framework/training/low_rank_fit.hpp>
#include <harmonium/framework/training/principal_directions.hpp>
#include <harmonium/framework/training/two_layers.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Rows as bits from the given one on, as many as there is room for.
void fetch_bits(const Dataset& data, const TwoLayers& layers, Index first, Index last, Matrix<double>& bits) {
  const double low = layers.seen_values[0], width = layers.seen_values[1] - low;
  for (Index r = first; r < last; ++r) data.fetch<double>(r, 0, as_matrix(bits).slice(r - first, r - first + 1));
  bits = (bits - low) / width;
  const auto is_bit = [](double bit) { return bit == 0.0 || bit == 1.0; };
  if (!std::all_of(bits.begin(), bits.begin() + static_cast<std::ptrdiff_t>((last - first) * data.cols()), is_bit))
    throw ConfigError(fmt::format(
        "entries of the data have other values than {:g} and {:g}, between which it knows no likelihood. Set "
        "data.binarize, or take the initializer 'normal'.",
        layers.seen_values[0], layers.seen_values[1]));
}

/// Rows as bits along the directions, each of which is scaled so that rows vary by 1 along it. The last one has 1/2 in each column,
/// and the weight of one among n + 1: with it no mean is at an end, where fields have none.
PlacedRows placed(const Dataset& data, const PrincipalDirections& principal, const TwoLayers& layers,
                  const Executor& executor) {
  const double width = layers.seen_values[1] - layers.seen_values[0];
  const Index d = principal.deviation.size(), number = data.rows();
  PlacedRows rows{principal.directions, std::vector<double>(d), {}, zeros<double>(number + 1, d), {}, 0.0};
  for (Index a = 0; a < d; ++a)
    xt::col(rows.directions, static_cast<std::ptrdiff_t>(a)) *= width / principal.deviation[a];
  double sum = 0.0, squares = 0.0;
  for (Index r = 0; r < number; ++r) {
    const double w = rows.weights.emplace_back(data.weight(r));
    sum += w;
    squares += w * w;
  }
  rows.number = sum * sum / squares + 1.0;
  for (double& w : rows.weights) w *= (1.0 - 1.0 / rows.number) / sum;
  rows.weights.push_back(1.0 / rows.number);

  constexpr Index at_once = 1024;
  Matrix<double> bits = zeros<double>(std::min(at_once, number), data.cols());
  Vector<double> means = zeros<double>(data.cols());
  means += 0.5 / rows.number;
  for (Index begin = 0; begin < number; begin += at_once) {
    executor.check_stop();
    const Index end = std::min(number, begin + at_once);
    fetch_bits(data, layers, begin, end, bits);
    for (Index r = begin; r < end; ++r)
      means += rows.weights[r] * xt::row(bits, static_cast<std::ptrdiff_t>(r - begin));
    gemm(Transpose::no, Transpose::no, 1.0, as_matrix(std::as_const(bits)).slice(0, end - begin),
         as_matrix(std::as_const(rows.directions)), 0.0, as_matrix(rows.places).slice(begin, end));
  }
  rows.means.assign(means.begin(), means.end());
  for (Index a = 0; a < d; ++a) {
    const auto direction = xt::col(rows.directions, static_cast<std::ptrdiff_t>(a));
    rows.center[a] = xt::sum(direction * means)();
    rows.places(number, a) = 0.5 * xt::sum(direction)();
    xt::col(rows.places, static_cast<std::ptrdiff_t>(a)) -= rows.center[a];
  }
  return rows;
}

/// Planes through rows of the data, in directions drawn at random, which bend the law little.
LowRankMachine first_guess(const PlacedRows& rows, Index hidden, const RandomSource& random) {
  constexpr double slope = 1.0;
  const Index d = rows.places.shape(1);
  LowRankMachine start{zeros<double>(hidden, d + 1), {}};
  for (const double mean : rows.means) start.field.push_back(std::log(mean / (1.0 - mean)));
  const DrawBlock addresses = DrawBlock::of(random, 0, 0, LayerId{0});
  const boost::random::discrete_distribution<Index> any_row(rows.weights);
  for (Index j = 0; j < hidden; ++j) {
    RandomStream stream(addresses, 0, static_cast<std::uint32_t>(j));
    boost::random::normal_distribution<double> normal(0.0, 1.0);
    double square = 0.0;
    for (Index a = 0; a < d; ++a) square += std::pow(start.planes(j, a) = normal(stream), 2.0);
    const Index row = any_row(stream);
    for (Index a = 0; a < d; ++a) {
      start.planes(j, a) *= slope / std::sqrt(square);
      start.planes(j, d) -= start.planes(j, a) * rows.places(row, a);
    }
  }
  return start;
}

LowRankMachine likeliest(const PlacedRows& rows, Index hidden, Index starts, Index iterations,
                         const Execution& execution) {
  std::optional<FittedMachine> best;
  for (Index s = 0; s < starts; ++s) {
    const RandomSource random = execution.random.child(fmt::format("planes {}", s));
    FittedMachine found = fit_low_rank(rows, first_guess(rows, hidden, random), iterations, execution.executor);
    if (!best || found.log_likelihood > best->log_likelihood) best = std::move(found);
  }
  return std::move(best->machine);
}

/// Hidden units that the machine has not keep their small couplings w, and fields are such that they do not lean to any row to first
/// order: the field of a hidden unit is −w·m at the mean row m, and its mean times w is taken from the fields of the others.
void center_others(const TwoLayers& layers, const PlacedRows& rows, Index first, std::span<Real> theta) {
  const double seen_low = layers.seen_values[0], seen_width = layers.seen_values[1] - seen_low;
  const double middle = 0.5 * (layers.latent_values[0] + layers.latent_values[1]);
  const ParameterBlock& weight = *layers.weight;
  const MatrixRef w{theta.data() + weight.offset, weight.rows, weight.cols, weight.cols};
  const bool turned = weight.layers[0] == layers.latent;
  for (Index j = first; j < (turned ? weight.rows : weight.cols); ++j) {
    double field = 0.0;
    for (Index i = 0; i < rows.means.size(); ++i) {
      const double coupling = turned ? w(j, i) : w(i, j);
      field -= coupling * (seen_low + seen_width * rows.means[i]);
      theta[layers.seen_bias->offset + i] -= static_cast<Real>(middle * coupling);
    }
    theta[layers.latent_bias->offset + j] = static_cast<Real>(field);
  }
}

/// θ of the machine, whose bits are units of values l and l + w in both layers.
void write(const TwoLayers& layers, const LowRankMachine& machine, const PlacedRows& rows, std::span<Real> theta) {
  const Index d = rows.directions.shape(1), units = machine.planes.shape(0);
  const double seen_low = layers.seen_values[0], seen_width = layers.seen_values[1] - seen_low;
  const double low = layers.latent_values[0], width = layers.latent_values[1] - low;
  const Matrix<double> slopes = xt::view(machine.planes, xt::all(), xt::range(Index{0}, d));
  const Matrix<double> bits = product(rows.directions, Matrix<double>(xt::transpose(slopes)));  // columns × units
  const Matrix<double> couplings = bits / (seen_width * width);
  const ParameterBlock& weight = *layers.weight;
  const MatrixRef w{theta.data() + weight.offset, weight.rows, weight.cols, weight.cols};
  const bool turned = weight.layers[0] == layers.latent;
  for (Index i = 0; i < couplings.shape(0); ++i) {
    double lower = 0.0;  // what the lower values of hidden units add to the field
    for (Index j = 0; j < units; ++j) {
      (turned ? w(j, i) : w(i, j)) = static_cast<Real>(couplings(i, j));
      lower += low * couplings(i, j);
    }
    theta[layers.seen_bias->offset + i] = static_cast<Real>(machine.field[i] / seen_width - lower);
  }
  for (Index j = 0; j < units; ++j) {
    double field = machine.planes(j, d) / width;
    for (Index a = 0; a < d; ++a) field -= machine.planes(j, a) * rows.center[a] / width;
    for (Index i = 0; i < couplings.shape(0); ++i) field -= seen_low * couplings(i, j);
    theta[layers.latent_bias->offset + j] = static_cast<Real>(field);
  }
}

TwoLayers layers_of(const EnergyModel& model) {
  try {
    return two_layers_of(model);
  } catch (const ConfigError& error) {
    throw ConfigError(
        fmt::format("{} It is for an RBM of one visible and one hidden layer, of binary units or spins. "
                    "Take the initializer 'normal'.",
                    error.what()));
  }
}

void fit(EnergyModel& model, const Dataset& data, const LowRankInitializer::Options& options,
         const Execution& execution) {
  const TwoLayers layers = layers_of(model);
  const Layout& layout = model.layout();
  const PlacedRows rows =
      placed(data, principal_directions(data, options.rank, execution.executor), layers, execution.executor);
  const Index units = std::min(options.units, layout[layers.latent].size);
  const LowRankMachine machine = likeliest(rows, units, options.starts, options.iterations, execution);
  NormalInitializer({.std = options.std}).initialize(model, nullptr, execution);
  model.update_parameters([&](std::span<Real> theta) {
    write(layers, machine, rows, theta);
    center_others(layers, rows, units, theta);
  });
}

}  // namespace

void LowRankInitializer::Options::bind(OptionBinder& o) {
  o.option("rank", rank, "principal directions of the data that hidden units see; k clusters ask for k - 1",
           within(1, most_principal_directions));
  o.option("units", units, "hidden units that see them, whose states are added up", within(1, most_fitted_units));
  o.option("starts", starts, "random starts of the search for the likeliest machine, of which the best is taken",
           at_least(1));
  o.option("iterations", iterations, "evaluations of the likelihood from each start at most", at_least(1));
  o.option("std", std, "deviation of the couplings of all other hidden units", at_least(0.0));
}

void LowRankInitializer::initialize(EnergyModel& model, const Dataset* data, const Execution& execution) const {
  try {
    if (!data) throw ConfigError("it needs data to fit. Give a [data] table, or take the initializer 'normal'.");
    if (data->has_missing())
      throw ConfigError(
          "entries of the data are missing, and rows have no place along its directions. Take the initializer "
          "'normal'.");
    fit(model, *data, options_, execution);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("initializer 'low_rank': {}", error.what()));
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
