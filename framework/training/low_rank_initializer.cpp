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

/// Means of the columns as bits, which are never at an end.
std::vector<double> means_of(const Dataset& data, const UnitType& unit, const TwoLayers& layers) {
  const double low = layers.seen_values[0], width = layers.seen_values[1] - low;
  std::vector<double> means = data.column_means();
  for (double& mean : means) {
    double field = 0.0;
    unit.linear_of_mean({&mean, 1}, 0.0, static_cast<double>(data.rows()), {&field, 1});
    mean = logistic(width * field);
  }
  return means;
}

/// Rows as bits along the directions, each of which is scaled so that rows vary by 1 along it.
PlacedRows placed(const Dataset& data, const PrincipalDirections& principal, const UnitType& unit,
                  const TwoLayers& layers) {
  const double low = layers.seen_values[0], width = layers.seen_values[1] - low;
  const Index d = principal.deviation.size(), number = data.rows();
  PlacedRows rows{principal.directions, {}, means_of(data, unit, layers), zeros<double>(number, d), {}};
  for (Index a = 0; a < d; ++a)
    xt::col(rows.directions, static_cast<std::ptrdiff_t>(a)) *= width / principal.deviation[a];
  const Vector<double> center = xt::sum(
      rows.directions * xt::view(as_xtensor(std::span(std::as_const(rows.means))), xt::all(), xt::newaxis()), {0});
  rows.center.assign(center.begin(), center.end());

  constexpr Index at_once = 1024;
  Matrix<double> values = zeros<double>(std::min(at_once, number), data.cols());
  for (Index begin = 0; begin < number; begin += at_once) {
    const Index end = std::min(number, begin + at_once);
    for (Index r = begin; r < end; ++r) data.fetch<double>(r, 0, as_matrix(values).slice(r - begin, r - begin + 1));
    values = (values - low) / width;
    gemm(Transpose::no, Transpose::no, 1.0, as_matrix(std::as_const(values)).slice(0, end - begin),
         as_matrix(std::as_const(rows.directions)), 0.0, as_matrix(rows.places).slice(begin, end));
  }
  rows.places -= xt::view(center, xt::newaxis());

  double total = 0.0;
  for (Index r = 0; r < number; ++r) rows.weights.push_back(data.weight(r));
  for (const double w : rows.weights) total += w;
  for (double& w : rows.weights) w /= total;
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

/// θ of the machine, whose bits are units of values l and l + w in both layers; the hidden units that it has not keep their couplings.
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

void fit(EnergyModel& model, const Dataset& data, const LowRankInitializer::Options& options,
         const Execution& execution) {
  const TwoLayers layers = two_layers_of(model);
  const Layout& layout = model.layout();
  const PlacedRows rows = placed(data, principal_directions(data, options.rank), *layout[layers.seen].unit, layers);
  const Index units = std::min(options.units, layout[layers.latent].size);
  const LowRankMachine machine = likeliest(rows, units, options.starts, options.iterations, execution);
  NormalInitializer({.std = options.std}).initialize(model, nullptr, execution);
  model.update_parameters([&](std::span<Real> theta) { write(layers, machine, rows, theta); });
}

}  // namespace

void LowRankInitializer::Options::bind(OptionBinder& o) {
  o.option("rank", rank, "principal directions of the data that hidden units see; k clusters ask for k - 1",
           within(1, 64));
  o.option("units", units, "hidden units that see them, whose states are added up", within(1, most_fitted_units));
  o.option("starts", starts, "random starts of the search for the likeliest machine, of which the best is taken",
           at_least(1));
  o.option("iterations", iterations, "evaluations of the likelihood from each start at most", at_least(1));
  o.option("std", std, "deviation of the couplings of all other hidden units", at_least(0.0));
}

void LowRankInitializer::initialize(EnergyModel& model, const Dataset* data, const Execution& execution) const {
  try {
    if (!data) throw ConfigError("it needs data to fit.");
    if (data->has_missing())
      throw ConfigError("entries of the data are missing, and rows have no place along its directions.");
    fit(model, *data, options_, execution);
  } catch (const ConfigError& error) {
    throw ConfigError(
        fmt::format("initializer 'low_rank': {} It is for data of one table and an RBM of one visible "
                    "and one hidden layer, of binary units or spins; 'normal' is for all.",
                    error.what()));
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
