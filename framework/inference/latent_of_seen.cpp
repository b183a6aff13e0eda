#include <harmonium/framework/inference/latent_of_seen.hpp>

#include <algorithm>
#include <limits>
#include <optional>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/filled_rows.hpp>
#include <harmonium/framework/inference/latent_law.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/framework/inference/rows_with_holes.hpp>
#include <harmonium/framework/inference/sums_of_rows.hpp>
#include <harmonium/framework/inference/weighted_mean.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Of a row that is complete: its free energy, and the means of its latent units.
double operations_of_way(const EnergyModel& model) {
  if (posterior_factorizes(model)) return 2.0 * free_energy_operations(model);
  return offers_enumerated_law(model) ? 3.0 * free_energy_operations(model) : std::numeric_limits<double>::infinity();
}

/// The mean over all ways to fill in the rows of `which`.
Matrix<double> means_of_ways(const EnergyModel& model, LayerId layer, const Chains& rows, const HeldMask& seen,
                             std::span<const Index> which, std::span<const double> ways, const Executor& executor) {
  const Index columns = model.layout()[layer].columns();
  std::vector<WeightedMean> sums(which.size(), WeightedMean(columns));
  for_each_way(model, rows, seen, which, ways, 1.0, executor, [&](const FilledRows& filled) {
    const Matrix<double> means = latent_means_of_complete(model, layer, filled.rows, executor);
    for (Index i = 0; i < filled.places.size(); ++i) {
      WeightedMean& of_row = sums[filled.places[i]];
      of_row.expect(filled.log_weights[i]);
      const double weight = of_row.weight(filled.log_weights[i]);
      of_row.add_weight(weight);
      for (Index c = 0; c < columns; ++c) of_row.sums()[c] += weight * means(i, c);
    }
  });
  Matrix<double> found = zeros<double>(which.size(), columns);
  for (Index i = 0; i < which.size(); ++i)
    for (Index c = 0; c < columns; ++c) found(i, c) = sums[i].mean(c);
  return found;
}

}  // namespace

Matrix<double> latent_means_of_complete(const EnergyModel& model, LayerId layer, const Chains& rows,
                                        const Executor& executor) {
  Matrix<double> found = zeros<double>(rows.size(), model.layout()[layer].columns());
  const auto put = [&](ConstMatrixRef means) {
    for (Index r = 0; r < means.rows; ++r)
      for (Index c = 0; c < means.cols; ++c) found(r, c) = static_cast<double>(means(r, c));
  };
  if (posterior_factorizes(model)) {
    Posterior posterior;
    put(posterior.moments(model, rows, executor).mean[layer]);
  } else {
    const Chains means = enumerated_means(model, rows, executor);
    put(means.read(layer));
  }
  return found;
}

Matrix<double> latent_means_of_seen(const EnergyModel& model, LayerId layer, const Chains& rows, const HeldMask& seen,
                                    const Executor& executor) {
  if (!offers_free_energy(model)) throw CapabilityError("the model has no free energy of a single row.");
  const std::vector<double> ways = completions(model.layout(), seen, rows.size());
  const std::optional<LatentMixture> mixture = LatentMixture::of(model);
  const RowsByWay by(cheapest_sums(ways, operations_of_way(model), mixture), ways);
  Matrix<double> found = zeros<double>(rows.size(), model.layout()[layer].columns());
  const auto put = [&](const std::vector<Index>& which, const Matrix<double>& means) {
    for (Index i = 0; i < which.size(); ++i) std::ranges::copy(row_of(means, i), row_of(found, which[i]).begin());
  };
  if (!by.filled_in.empty()) put(by.filled_in, means_of_ways(model, layer, rows, seen, by.filled_in, ways, executor));
  if (!by.over_latent.empty()) put(by.over_latent, mixture->latent_means(layer, rows, seen, by.over_latent, executor));
  return found;
}

std::vector<double> latent_operations_of_each(const EnergyModel& model, const HeldMask& seen, Index rows) {
  if (!offers_free_energy(model)) return std::vector<double>(rows, std::numeric_limits<double>::infinity());
  std::vector<double> operations;
  const std::vector<double> ways = completions(model.layout(), seen, rows);
  for (const SumOfRow& sum : cheapest_sums(ways, operations_of_way(model), LatentMixture::of(model)))
    operations.push_back(sum.operations);
  return operations;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
