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

std::vector<NormalColumn> free_columns(const Layout& layout, LayerSet counted, const HeldState* held) {
  std::vector<NormalColumn> columns;
  for (const LayerId l : layout.ids(layout.all() - counted))
    for (Index c = 0; c < layout[l].columns(); ++c)
      if (!held || !held->holds(l, c / layout[l].unit->width())) columns.push_back({l, c});
  return columns;
}

/// Writes what is held of the layers without states into every row, whose other units of these are 0.
void write_held(const Layout& layout, LayerSet counted, const HeldState* held, Chains& rows) {
  if (!held) return;
  for (const LayerId l : layout.ids(layout.all() - counted)) {
    const ConstMatrixRef state = held->state.read(l);
    for (Index c = 0; c < layout[l].columns(); ++c)
      if (held->holds(l, c / layout[l].unit->width()))
        for (Index r = 0; r < rows.size(); ++r) rows.write(l)(r, c) = state(0, c);
  }
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

/// P, by P_ij = E(e_i + e_j) − E(e_i) − E(e_j) + E(0), and P_ii = E(e_i) + E(−e_i) − 2 E(0), at the first of the states and what is held.
std::vector<double> precision_of(const EnergyModel& model, const JointStates& states,
                                 const std::vector<NormalColumn>& columns, const HeldState* held) {
  const Index k = columns.size();
  Chains first(model.layout(), 1), rows(model.layout(), k + 1);
  states.write(0, 1, first);
  rows.copy_to_all(states.layers(), first, 0);
  write_held(model.layout(), states.layers(), held, rows);
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
                             const Executor& executor, const HeldState* held)
    : num_units_(states.layers().contains(layer) ? 0 : model.layout()[layer].columns()) {
  const std::vector<NormalColumn> columns = free_columns(model.layout(), states.layers(), held);
  const Index k = columns.size(), n = num_units_;
  num_free_ = k;
  check_work(static_cast<double>(states.size()), static_cast<double>(k), static_cast<double>(n),
             static_cast<double>(model.parameters().size()));
  const std::vector<double> precision = precision_of(model, states, columns, held);
  const std::optional<JointGaussian> law = k > 0 ? JointGaussian::of({precision.data(), k, k, k}) : JointGaussian();
  if (!law)
    throw CapabilityError(
        "the Gaussian units have no law: their couplings are stronger than what holds them together.");
  std::vector<Index> place(n, k);  // of each unit of the layer among the free ones; k: it is held
  for (Index i = 0; i < k; ++i)
    if (columns[i].layer == layer) place[columns[i].column] = i;
  for (const Index p : place) held_.push_back(p == k ? 1 : 0);
  const std::vector<double> covariance = k > 0 ? law->covariance() : std::vector<double>();
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      covariance_.push_back(place[i] < k && place[j] < k ? covariance[place[i] * k + place[j]] : 0.0);
  centers_.resize(states.size() * n);
  least_.resize(states.size());
  executor.for_each_piece(states.size(), piece, [&](Index begin, Index end) {
    executor.check_stop();
    Chains rows(model.layout(), end - begin);
    states.write(begin, end, rows);
    write_held(model.layout(), states.layers(), held, rows);
    std::vector<double> base(end - begin), moved(end - begin), fields((end - begin) * k);
    model.energy({rows, 0, rows.size()}, base);
    for (Index i = 0; i < k; ++i) {
      set_column(rows, columns[i], 0, rows.size(), 1.0);
      model.energy({rows, 0, rows.size()}, moved);
      set_column(rows, columns[i], 0, rows.size(), 0.0);
      for (Index r = 0; r < rows.size(); ++r) fields[r * k + i] = 0.5 * precision[i * k + i] - moved[r] + base[r];
    }
    std::vector<double> means = fields;
    if (k > 0) law->means({means.data(), end - begin, k, k});
    for (Index r = 0; r < rows.size(); ++r) {
      least_[begin + r] = base[r];
      for (Index i = 0; i < k; ++i) least_[begin + r] -= 0.5 * fields[r * k + i] * means[r * k + i];
      for (Index i = 0; i < n; ++i)
        centers_[(begin + r) * n + i] =
            place[i] < k ? means[r * k + place[i]] : static_cast<double>(rows.read(layer)(r, i));
    }
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
      if (held_[i] == 0) continue;
      // Probabilities add up to 1 but for rounding, and what is held is what it is.
      found.means[i] = centers_[i];
      for (Index j = 0; j < n; ++j)
        if (held_[j] != 0) found.products[i * n + j] = centers_[i] * centers_[j];
    }
  });
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
