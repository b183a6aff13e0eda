#include <harmonium/framework/training/initializer.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include <boost/random/normal_distribution.hpp>
#include <fmt/format.h>
#include <xtensor/xmath.hpp>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Fills every coupling with draws of `draw(stream)`: the entry (i, j) of a tensor at the address (row i, site j), its
/// name being the purpose. A symmetric tensor has its upper half drawn.
template <class Draw>
void fill_couplings(const EnergyModel& model, const Execution& execution, std::span<Real> theta, const Draw& draw) {
  const ParameterLayout& parameters = model.parameter_layout();
  for (Index k = 0; k < parameters.blocks().size(); ++k) {
    const ParameterBlock& block = parameters[k];
    if (!is_coupling(block)) continue;
    const DrawBlock addresses = DrawBlock::of(execution.random.child(block.name), 0, 0, LayerId{0});
    const MatrixRef w = parameters.view(k, theta.data());
    const bool symmetric = block.symmetry == Symmetry::symmetric_zero_diagonal;
    const Index width = symmetric ? model.layout()[block.layers[0]].unit->width() : 1;
    execution.executor.for_each_piece(w.rows, 64, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        for (Index j = 0; j < w.cols; ++j) {
          if (symmetric && i / width == j / width) {
            w(i, j) = 0;
            continue;
          }
          const Index row = symmetric ? std::min(i, j) : i, site = symmetric ? std::max(i, j) : j;
          RandomStream stream(addresses, row, static_cast<std::uint32_t>(site));
          w(i, j) = static_cast<Real>(draw(stream));
        }
      }
    });
  }
}

}  // namespace

Initializer::~Initializer() = default;

void NormalInitializer::Options::bind(OptionBinder& o) {
  o.option("std", std, "standard deviation of the couplings", at_least(0));
  std::optional<std::vector<double>> given = mean.empty() ? std::nullopt : std::optional(mean);
  o.option(
      "mean", given,
      "mean of the couplings, or a list with one for each coupling of a lattice with uniform = true; 0 unless given");
  mean = given.value_or(std::vector<double>());
  biases.bind(o);
}

/// Several means are those of lattices, which have that many parameters.
static void add_means(const EnergyModel& model, const std::vector<double>& means, std::span<Real> theta) {
  bool held = false;
  for (const ParameterBlock& block : model.parameter_layout().blocks()) {
    if (block.role != ParameterRole::edges) continue;
    held = true;
    if (block.size() != means.size())
      throw ConfigError(fmt::format(
          "initializer: 'mean' has {} numbers, and {} has {}. Give one number for all of these, or one for each; with "
          "uniform = true a lattice has one coupling for each of its offsets.",
          means.size(), block.name, block.size()));
    for (Index i = 0; i < means.size(); ++i) theta[block.offset + i] += static_cast<Real>(means[i]);
  }
  if (!held)
    throw ConfigError(fmt::format(
        "initializer: 'mean' has {} numbers, one for each offset of a term 'lattice', and the model has no such term. "
        "Give one number for all couplings.",
        means.size()));
}

void NormalInitializer::initialize(EnergyModel& model, const Dataset* data, const Execution& execution) const {
  const std::vector<double>& means = options_.mean;
  const double mean = means.size() == 1 ? means.front() : 0.0;
  model.update_parameters([&](std::span<Real> theta) {
    fill_couplings(model, execution, theta, [&](RandomStream& stream) {
      boost::random::normal_distribution<double> normal(0.0, 1.0);
      return mean + options_.std * normal(stream);
    });
    if (means.size() > 1) add_means(model, means, theta);
    options_.biases.set(model, data, theta);
  });
}

void UniformInitializer::Options::bind(OptionBinder& o) {
  o.option("limit", limit, "couplings lie between minus this and this", at_least(0));
  biases.bind(o);
}

void UniformInitializer::initialize(EnergyModel& model, const Dataset* data, const Execution& execution) const {
  model.update_parameters([&](std::span<Real> theta) {
    fill_couplings(model, execution, theta,
                   [&](RandomStream& stream) { return options_.limit * (2.0 * uniform<double>(stream()) - 1.0); });
    options_.biases.set(model, data, theta);
  });
}

void MomentMatchingInitializer::Options::bind(OptionBinder& o) {
  o.option("field_std", field_std, "standard deviation of a latent unit's field over the data", at_least(0));
  bind_precision(o, precision);
}

namespace {

/// Σ var x over rows of the data, at most 10,000, of each column; and of how many rows.
std::pair<Vector<double>, Index> sums_of_squares(const Dataset& data, const std::vector<double>& means) {
  const Index rows = std::min<Index>(data.rows(), 10000);
  Vector<double> sums = zeros<double>(means.size());
  std::vector<double> row(means.size());
  for (Index r = 0; r < rows; ++r) {
    data.fetch<double>(r * data.rows() / rows, 0, {row.data(), 1, row.size(), row.size()});
    xt::noalias(sums) += xt::square(as_xtensor(std::span(row)) - as_xtensor(std::span(means)));
  }
  return {std::move(sums), rows};
}

/// Two layers that a coupling joins, one of them observed; `latent_first`: its rows are the latent one's columns.
struct DataCoupling {
  LayerId seen, latent;
  bool latent_first;
};
std::optional<DataCoupling> joins_data(const Layout& layout, const ParameterBlock& block) {
  if (block.role != ParameterRole::coupling || layout[block.layers[0]].role == layout[block.layers[1]].role) return {};
  const bool latent_first = layout[block.layers[0]].role == Role::latent;
  return DataCoupling{block.layers[latent_first ? 1 : 0], block.layers[latent_first ? 0 : 1], latent_first};
}

/// One number for all: their mean.
void take_mean(std::span<Real> values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  std::ranges::fill(values, static_cast<Real>(sum / static_cast<double>(values.size())));
}

/// bias −= the field that the observed layer gives each latent unit at its means.
void subtract_mean_fields(MatrixRef w, const DataCoupling& between, std::span<const double> means,
                          std::span<Real> bias) {
  for (Index j = 0; j < bias.size(); ++j) {
    double field = 0.0;
    for (Index i = 0; i < means.size(); ++i)
      field += means[i] * static_cast<double>(between.latent_first ? w(j, i) : w(i, j));
    bias[j] -= static_cast<Real>(field);
  }
}

}  // namespace

void MomentMatchingInitializer::initialize(EnergyModel& model, const Dataset* data, const Execution& execution) const {
  if (!data)
    throw ConfigError("initializer 'moment_matching': it needs data to match. Give a [data] table, or take 'normal'.");
  const Layout& layout = model.layout();
  const ParameterLayout& parameters = model.parameter_layout();
  const PerLayer<Index> first = layout.first_columns(layout.observed());
  const std::vector<double> means = data->column_means();
  const auto [sums, rows] = sums_of_squares(*data, means);
  // The variance that unit couplings would give a field of each latent layer, from all the layers that it sees.
  PerLayer<double> total(layout.size(), 0.0);
  for (const ParameterBlock& block : parameters.blocks())
    if (const auto between = joins_data(layout, block))
      for (Index c = 0; c < layout[between->seen].columns(); ++c)
        total[between->latent] += sums(first[between->seen] + c) / static_cast<double>(rows);

  model.update_parameters([&](std::span<Real> theta) {
    fill_couplings(model, execution, theta, [&](RandomStream& stream) {
      boost::random::normal_distribution<double> normal(0.0, 1.0);
      return normal(stream);
    });
    BiasOptions{.precision = options_.precision}.set(model, data, theta);
    for (const ParameterBlock& block : parameters.blocks()) {
      if (!is_coupling(block)) continue;
      const std::span<Real> entries = theta.subspan(block.offset, block.size());
      const auto between = joins_data(layout, block);
      if (!between) {
        std::ranges::fill(entries, Real{0});
        continue;
      }
      const double sum = total[between->latent];
      in_place(entries) *= static_cast<Real>(sum > 0.0 ? options_.field_std / std::sqrt(sum) : 0.0);
      const MatrixRef w{entries.data(), block.rows, block.cols, block.cols};
      for (const ParameterBlock& bias : parameters.blocks())
        if (bias.role == ParameterRole::bias && bias.layers[0] == between->latent)
          subtract_mean_fields(w, *between,
                               std::span(means).subspan(first[between->seen], layout[between->seen].columns()),
                               theta.subspan(bias.offset, bias.size()));
    }
    for (const ParameterBlock& block : parameters.blocks())
      if (block.role == ParameterRole::bias && block.uniform) take_mean(theta.subspan(block.offset, block.size()));
  });
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
