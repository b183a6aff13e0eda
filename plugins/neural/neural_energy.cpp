#include "neural_energy.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/kernels/normal.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr LayerId visible{0};

std::vector<Index> sizes_of(const NeuralEnergyOptions& options) {
  std::vector<Index> sizes{options.num_visible};
  for (const double n : options.hidden) sizes.push_back(static_cast<Index>(n));
  return sizes;
}

}  // namespace

void NeuralEnergyOptions::bind(OptionBinder& o) {
  o.option("num_visible", num_visible, "number of visible units; left out: as the data have columns", at_least(1));
  o.option("hidden", hidden, "units of each hidden layer of the network");
  o.option("deviation", deviation, "standard deviation of the visible units where the network says nothing",
           more_than(0));
  o.option("initial_seed", initial_seed, "seed of the weights that training starts from", at_least(0));
  o.component("visible_units", visible_units, "kind of the visible units, continuous", "gaussian");
}

void NeuralEnergyOptions::validate() const {
  if (num_visible == 0)
    throw ConfigError("'num_visible' must be given (at least 1) where there is no data to take it from.");
  if (hidden.empty()) throw ConfigError("'hidden' is empty, but a network has a hidden layer. Give its size.");
  for (const double n : hidden)
    if (!(n >= 1.0) || n != std::floor(n) || n > 1e6)
      throw ConfigError(fmt::format("'hidden' holds {}, but a layer has a whole number of units, at least 1.", n));
  if (visible_units && (visible_units->num_states() != 0 || visible_units->width() != 1))
    throw ConfigError("'visible_units' must be continuous: take \"gaussian\".");
}

NeuralEnergy::NeuralEnergy(Options options)
    : layout_({{"visible", options.num_visible, std::move(options.visible_units), Role::observed}}),
      network_(sizes_of(options)),
      precision_(1.0 / (options.deviation * options.deviation)) {
  const std::vector<Index> sizes = sizes_of(options);
  for (Index l = 0; l + 1 < sizes.size(); ++l) {
    parameter_layout_.add({.name = fmt::format("network.weight{}", l + 1), .rows = sizes[l + 1], .cols = sizes[l]});
    parameter_layout_.add({.name = fmt::format("network.bias{}", l + 1), .rows = sizes[l + 1]});
  }
  parameter_layout_.add({.name = "network.output", .rows = sizes.back()});
  check_fits(parameter_layout_);
  theta_.resize(parameter_layout_.size());
  const RandomSource source{options.initial_seed, 0};
  for (Index l = 0; l + 1 < sizes.size(); ++l) {
    NormalDraws draws(DrawBlock::of(source.child(fmt::format("weight{}", l + 1)), 0, 0, visible), sizes[l]);
    for (Index i = 0; i < sizes[l + 1]; ++i) {
      const std::span<const double> z = draws.row(i);
      for (Index j = 0; j < sizes[l]; ++j)
        theta_[network_.weights_at(l) + i * sizes[l] + j] =
            static_cast<Real>(z[j] / std::sqrt(static_cast<double>(sizes[l])));
    }
  }
  wide_.assign(theta_.begin(), theta_.end());
}

void NeuralEnergy::update_parameters(FunctionRef<void(std::span<Real>)> write) {
  try {
    write(theta_);
  } catch (...) {
    std::ranges::transform(wide_, theta_.begin(), [](double v) { return static_cast<Real>(v); });
    throw;
  }
  wide_.assign(theta_.begin(), theta_.end());
}

std::vector<double> NeuralEnergy::row_of(ConstChainView x, Index r) const {
  const ConstMatrixRef v = x[visible];
  return {v.row(r), v.row(r) + v.cols};
}

template <class Add>
void NeuralEnergy::sum_over_rows(Index rows, std::span<Real> gradient, const Executor& executor, const Add& add) const {
  // Pieces do not depend on the number of threads, nor does the order in which their sums are added up.
  constexpr Index piece = 32, together = 64;
  for (Index first = 0; first < rows; first += piece * together) {
    const Index last = std::min(rows, first + piece * together);
    std::vector<std::vector<double>> sums((last - first + piece - 1) / piece);
    executor.for_each_piece(last - first, piece, [&](Index begin, Index end) {
      std::vector<double>& sum = sums[begin / piece];
      sum.assign(theta_.size(), 0.0);
      for (Index r = begin; r < end; ++r) add(first + r, std::span(sum));
    });
    for (const std::vector<double>& sum : sums)
      for (Index i = 0; i < sum.size(); ++i) gradient[i] += static_cast<Real>(sum[i]);
  }
}

void NeuralEnergy::energy(ConstChainView x, std::span<double> out) const {
  for (Index r = 0; r < x.rows(); ++r) {
    const std::vector<double> row = row_of(x, r);
    out[r] = -network_.evaluate(wide_, row, {}, {}, {})[0];
    for (const double v : row) out[r] += 0.5 * precision_ * v * v;
  }
}

void NeuralEnergy::add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                                const Executor& executor) const {
  sum_over_rows(x.rows(), gradient, executor, [&](Index r, std::span<double> sum) {
    std::vector<double> slope(theta_.size(), 0.0);
    network_.evaluate(wide_, row_of(x, r), {}, {}, Coefficients{slope, {}, {}});
    for (Index i = 0; i < slope.size(); ++i) sum[i] -= weights[r] * slope[i];
  });
}

void NeuralEnergy::evaluate(LayerSet, double beta, ConstChainView x, std::span<double> out) const {
  energy(x, out);
  for (Index r = 0; r < x.rows(); ++r) out[r] *= beta;
}

void NeuralEnergy::add_gradient(LayerSet, ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                                const Executor& executor) const {
  add_gradient(x, weights, gradient, executor);
}

double NeuralEnergy::operations(LayerSet) const { return 2.0 * static_cast<double>(theta_.size()); }

void NeuralEnergy::evaluate(ConstChainView x, std::span<const MatrixRef> out) const {
  evaluate(layout_.all(), x, out, {});
  const MatrixRef slope = out[0];
  for (Index r = 0; r < slope.rows; ++r)
    for (Index c = 0; c < slope.cols; ++c) slope(r, c) = -slope(r, c);
}

void NeuralEnergy::evaluate(LayerSet, ConstChainView x, std::span<const MatrixRef> score,
                            std::span<double> divergence) const {
  const MatrixRef out = score[0];
  const Index columns = layout_.columns(layout_.all());
  for (Index r = 0; r < x.rows(); ++r) {
    const std::vector<double> row = row_of(x, r);
    if (!out.empty()) {
      std::vector<Jet> input(columns, Jet{});
      network_.evaluate(wide_, row, {}, input, {});
      for (Index c = 0; c < columns; ++c) out(r, c) = static_cast<Real>(input[c][0] - precision_ * row[c]);
    }
    if (divergence.empty()) continue;
    divergence[r] = -precision_ * static_cast<double>(columns);
    for (Index c = 0; c < columns; ++c) {
      std::vector<double> along(columns, 0.0);
      along[c] = 1.0;
      divergence[r] += 2.0 * network_.evaluate(wide_, row, along, {}, {})[2];
    }
  }
}

void NeuralEnergy::add_gradient(LayerSet, ConstChainView x, std::span<const ConstMatrixRef> directions,
                                std::span<const double> weights, double divergence_weight, std::span<Real> gradient,
                                const Executor& executor) const {
  const ConstMatrixRef v = directions[0];
  sum_over_rows(x.rows(), gradient, executor, [&](Index r, std::span<double> sum) {
    const std::vector<double> row = row_of(x, r);
    std::vector<double> along(v.row(r), v.row(r) + v.cols), slope(theta_.size(), 0.0), bend(theta_.size(), 0.0);
    network_.evaluate(wide_, row, along, {}, Coefficients{std::span<double>(), slope, {}});
    for (Index c = 0; divergence_weight != 0.0 && c < row.size(); ++c) {
      along.assign(row.size(), 0.0);
      along[c] = 1.0;
      network_.evaluate(wide_, row, along, {}, Coefficients{std::span<double>(), {}, bend});
    }
    for (Index i = 0; i < slope.size(); ++i) sum[i] += weights[r] * (slope[i] + 2.0 * divergence_weight * bend[i]);
  });
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
