#include <harmonium/framework/inference/normal_moments.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/layer_sums.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index piece = 256;  // of states

/// A column of a normal unit.
struct NormalColumn {
  LayerId layer;
  Index column;
};

std::vector<NormalColumn> normal_columns(const Layout& layout, LayerSet counted) {
  std::vector<NormalColumn> columns;
  for (const LayerId l : layout.ids(layout.all() - counted))
    for (Index c = 0; c < layout[l].columns(); ++c) columns.push_back({l, c});
  return columns;
}

void set_column(Chains& rows, const NormalColumn& which, Index begin, Index end, double value) {
  const MatrixRef x = rows.write(which.layer);
  for (Index r = begin; r < end; ++r) x(r, which.column) = static_cast<Real>(value);
}

void check_work(double states, double normal, double units, double parameters) {
  constexpr double most_energies = 0x1p24, most_products = 0x1p32, most_operations = 0x1p36;
  const double energies = states * (normal + 1.0) + normal * normal;
  if (energies <= most_energies && states * units * units <= most_products && energies * parameters <= most_operations)
    return;
  throw CapabilityError(
      "the moments of so many Gaussian units, over so many states of the others, take long. Run chains.");
}

/// P, by P_ij = E(e_i + e_j) − E(e_i) − E(e_j) + E(0), and P_ii = E(e_i) + E(−e_i) − 2 E(0), at the first of the states.
std::vector<double> precision_of(const EnergyModel& model, const JointStates& states,
                                 const std::vector<NormalColumn>& columns) {
  const Index k = columns.size();
  Chains first(model.layout(), 1), rows(model.layout(), k + 1);
  states.write(0, 1, first);
  rows.copy_to_all(states.layers(), first, 0);
  std::vector<double> single(k + 1), pair(k + 1), precision(k * k);
  for (Index i = 0; i < k; ++i) set_column(rows, columns[i], i, i + 1, 1.0);
  model.energy({rows, 0, k + 1}, single);  // the last row has none
  for (Index i = 0; i < k; ++i) {
    set_column(rows, columns[i], 0, k, 1.0);
    set_column(rows, columns[i], i, i + 1, -1.0);
    model.energy({rows, 0, k + 1}, pair);
    for (Index j = 0; j < k; ++j)
      precision[i * k + j] =
          i == j ? single[i] + pair[i] - 2.0 * single[k] : pair[j] - single[i] - single[j] + single[k];
    set_column(rows, columns[i], 0, k, 0.0);
    set_column(rows, columns[i], i, i + 1, 1.0);
  }
  for (Index i = 0; i < k; ++i)
    for (Index j = 0; j < i; ++j)
      precision[i * k + j] = precision[j * k + i] = 0.5 * (precision[i * k + j] + precision[j * k + i]);
  return precision;
}

}  // namespace

NormalMoments::NormalMoments(const EnergyModel& model, const JointStates& states, LayerId layer,
                             const Executor& executor)
    : num_units_(model.layout()[layer].columns()) {
  const std::vector<NormalColumn> columns = normal_columns(model.layout(), states.layers());
  const Index k = columns.size(), n = num_units_;
  check_work(static_cast<double>(states.size()), static_cast<double>(k), static_cast<double>(n),
             static_cast<double>(model.parameters().size()));
  const auto own = static_cast<Index>(std::ranges::find(columns, layer, &NormalColumn::layer) - columns.begin());
  const std::vector<double> precision = precision_of(model, states, columns);
  const std::optional<JointGaussian> law = JointGaussian::of({precision.data(), k, k, k});
  if (!law)
    throw CapabilityError(
        "the Gaussian units have no law: their couplings are stronger than what holds them together.");
  const std::vector<double> covariance = law->covariance();
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) covariance_.push_back(covariance[(own + i) * k + own + j]);
  centers_.resize(states.size() * n);
  executor.for_each_piece(states.size(), piece, [&](Index begin, Index end) {
    executor.check_stop();
    Chains rows(model.layout(), end - begin);
    states.write(begin, end, rows);
    std::vector<double> base(end - begin), moved(end - begin), fields((end - begin) * k);
    model.energy({rows, 0, rows.size()}, base);
    for (Index i = 0; i < k; ++i) {
      set_column(rows, columns[i], 0, rows.size(), 1.0);
      model.energy({rows, 0, rows.size()}, moved);
      set_column(rows, columns[i], 0, rows.size(), 0.0);
      for (Index r = 0; r < rows.size(); ++r) fields[r * k + i] = 0.5 * precision[i * k + i] - moved[r] + base[r];
    }
    law->means({fields.data(), end - begin, k, k});
    for (Index r = 0; r < rows.size(); ++r)
      for (Index i = 0; i < n; ++i) centers_[(begin + r) * n + i] = fields[r * k + own + i];
  });
}

NormalMoments::At NormalMoments::at(double beta, const std::vector<double>& law, const Executor& executor) const {
  const Index n = num_units_;
  At found{std::vector<double>(n), std::vector<double>(n * n)};
  executor.for_each_piece(n, 1, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      double sum = 0.0, size = 0.0;
      for (Index s = 0; s < law.size(); ++s) {
        const double term = law[s] * centers_[s * n + i];
        sum += term;
        size += std::abs(term);
        for (Index j = 0; j < n; ++j) found.products[i * n + j] += term * centers_[s * n + j];
      }
      found.means[i] = beyond_rounding(sum, size);
      for (Index j = 0; j < n; ++j) found.products[i * n + j] += covariance_[i * n + j] / beta;
    }
  });
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
