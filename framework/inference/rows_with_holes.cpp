#include <harmonium/framework/inference/rows_with_holes.hpp>

#include <algorithm>
#include <limits>
#include <optional>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/filled_rows.hpp>
#include <harmonium/framework/inference/latent_mixture.hpp>
#include <harmonium/framework/inference/sums_of_rows.hpp>
#include <harmonium/framework/inference/weighted_mean.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// −log Σ over all ways to fill in the rows of `which`.
std::vector<double> energies_of_filled(const EnergyModel& model, const Chains& rows, const HeldMask& seen,
                                       std::span<const Index> which, std::span<const double> ways, double beta,
                                       const Executor& executor) {
  std::vector<LogSumExp> sums(which.size());
  for_each_way(model, rows, seen, which, ways, beta, executor, [&](const FilledRows& filled) {
    for (Index i = 0; i < filled.places.size(); ++i) sums[filled.places[i]].add(filled.log_weights[i]);
  });
  std::vector<double> found(which.size());
  std::ranges::transform(sums, found.begin(), [](const LogSumExp& sum) { return -sum.value(); });
  return found;
}

/// The mean over these ways of the observed columns, and their variances where these are asked for.
Matrix<double> means_of_filled(const EnergyModel& model, const Chains& rows, const HeldMask& seen,
                               std::span<const Index> which, std::span<const double> ways, const Executor& executor,
                               Matrix<double>* variances) {
  const Layout& layout = model.layout();
  const Index columns = layout.columns(layout.observed());
  std::vector<WeightedMean> sums(which.size(), WeightedMean(variances ? 2 * columns : columns));
  for_each_way(model, rows, seen, which, ways, 1.0, executor, [&](const FilledRows& filled) {
    for (Index i = 0; i < filled.places.size(); ++i) {
      WeightedMean& of_row = sums[filled.places[i]];
      of_row.expect(filled.log_weights[i]);
      const double weight = of_row.weight(filled.log_weights[i]);
      of_row.add_weight(weight);
      double* sum = of_row.sums().data();
      for (const LayerId l : layout.ids(layout.observed()))
        for (const Real x : filled.rows.read(l)[i]) {
          const auto value = static_cast<double>(x);
          if (variances) sum[columns] += weight * value * value;
          *sum++ += weight * value;
        }
    }
  });
  Matrix<double> found = zeros<double>(which.size(), columns);
  for (Index i = 0; i < which.size(); ++i)
    for (Index c = 0; c < columns; ++c) found(i, c) = sums[i].mean(c);
  if (!variances) return found;
  *variances = zeros<double>(which.size(), columns);
  for (Index i = 0; i < which.size(); ++i)
    for (Index c = 0; c < columns; ++c)
      (*variances)(i, c) = std::max(0.0, sums[i].mean(columns + c) - found(i, c) * found(i, c));
  return found;
}

/// What `rows` holds in the observed columns.
Matrix<double> observed_values(const Layout& layout, const Chains& rows) {
  const PerLayer<Index> first = layout.first_columns(layout.observed());
  Matrix<double> values = zeros<double>(rows.size(), layout.columns(layout.observed()));
  for (const LayerId l : layout.ids(layout.observed())) {
    const ConstMatrixRef x = rows.read(l);
    for (Index r = 0; r < x.rows; ++r)
      for (Index c = 0; c < x.cols; ++c) values(r, first[l] + c) = static_cast<double>(x(r, c));
  }
  return values;
}

/// Puts the means of row which[i], or their variances, where units were not seen.
void put_means(const Layout& layout, const HeldMask& seen, const std::vector<Index>& which, const Matrix<double>& means,
               Matrix<double>& values) {
  const PerLayer<Index> first = layout.first_columns(layout.observed());
  const HeldMask held = seen.of_rows(which);
  for (const LayerId l : layout.ids(layout.observed())) {
    const Index width = layout[l].unit->width();
    for_each_hole(held, l, layout[l].size, which.size(), [&](Index i, Index u) {
      for (Index c = first[l] + u * width; c < first[l] + (u + 1) * width; ++c) values(which[i], c) = means(i, c);
    });
  }
}

}  // namespace

std::vector<double> completions(const Layout& layout, const HeldMask& seen, Index rows) {
  std::vector<double> ways(rows, 1.0);
  for (const LayerId l : layout.ids(layout.observed())) {
    const Index states = layout[l].unit->num_states();
    for_each_hole(seen, l, layout[l].size, rows, [&](Index r, Index) {
      ways[r] *= states > 0 ? static_cast<double>(states) : std::numeric_limits<double>::infinity();
    });
  }
  return ways;
}

std::vector<double> free_energies_of_seen(const EnergyModel& model, const Chains& rows, const HeldMask& seen,
                                          double beta, const Executor& executor) {
  const std::vector<double> ways = completions(model.layout(), seen, rows.size());
  if (!offers_free_energy(model) || std::ranges::all_of(ways, [](double w) { return w == 1.0; }))
    return free_energies(model, rows, beta, executor);
  const std::optional<LatentMixture> mixture = LatentMixture::of(model);
  const RowsByWay by(cheapest_sums(ways, free_energy_operations(model), mixture), ways);
  std::vector<double> energies(rows.size());
  const auto put = [&](const std::vector<Index>& which, const std::vector<double>& found) {
    for (Index i = 0; i < which.size(); ++i) energies[which[i]] = found[i];
  };
  put(by.filled_in, energies_of_filled(model, rows, seen, by.filled_in, ways, beta, executor));
  if (!by.over_latent.empty()) put(by.over_latent, mixture->free_energies(rows, seen, by.over_latent, beta, executor));
  return energies;
}

Matrix<double> means_of_seen(const EnergyModel& model, const Chains& rows, const HeldMask& seen,
                             const Executor& executor, Matrix<double>* variances) {
  const Layout& layout = model.layout();
  const std::vector<double> ways = completions(layout, seen, rows.size());
  Matrix<double> values = observed_values(layout, rows);
  if (variances) *variances = zeros<double>(values.shape(0), values.shape(1));
  if (std::ranges::all_of(ways, [](double w) { return w == 1.0; })) return values;
  if (!offers_free_energy(model)) throw CapabilityError("the model has no free energy of a single row.");
  const std::optional<LatentMixture> mixture = LatentMixture::of(model);
  RowsByWay by(cheapest_sums(ways, free_energy_operations(model), mixture), ways);
  std::erase_if(by.filled_in, [&](Index r) { return ways[r] == 1.0; });
  Matrix<double> found;
  Matrix<double>* const asked = variances ? &found : nullptr;
  put_means(layout, seen, by.filled_in, means_of_filled(model, rows, seen, by.filled_in, ways, executor, asked),
            values);
  if (variances) put_means(layout, seen, by.filled_in, found, *variances);
  if (by.over_latent.empty()) return values;
  put_means(layout, seen, by.over_latent, mixture->means(rows, seen, by.over_latent, executor, asked), values);
  if (variances) put_means(layout, seen, by.over_latent, found, *variances);
  return values;
}

std::vector<double> operations_of_each_seen(const EnergyModel& model, const HeldMask& seen, Index rows) {
  std::vector<double> operations;
  const std::vector<double> ways = completions(model.layout(), seen, rows);
  for (const SumOfRow& sum : cheapest_sums(ways, free_energy_operations(model), LatentMixture::of(model)))
    operations.push_back(sum.operations);
  return operations;
}

double operations_of_seen(const EnergyModel& model, const HeldMask& seen, Index rows) {
  const std::optional<LatentMixture> mixture = LatentMixture::of(model);
  const std::vector<SumOfRow> sums =
      cheapest_sums(completions(model.layout(), seen, rows), free_energy_operations(model), mixture);
  double operations = std::ranges::any_of(sums, &SumOfRow::over_latent) ? mixture->operations_of_states() : 0.0;
  for (const SumOfRow& sum : sums) operations += sum.operations;
  return operations;
}

double bytes_of_seen(const EnergyModel& model) {
  const std::optional<LatentMixture> mixture = LatentMixture::of(model);
  return std::max(2.0 * static_cast<double>(filled_at_once) *
                      static_cast<double>(model.layout().columns(model.layout().all())) * sizeof(Real),
                  mixture ? mixture->bytes() : 0.0);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
