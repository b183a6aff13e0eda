// Neighbours of a row, which differ from it in one unit, with other layers summed out: changing a unit moves the fields of
// the summed layers by rows of W, so that a neighbour costs as much as their log partition or means, and no matrix
// product.
#include <algorithm>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/models/layered.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The states of one kind of unit, one after the other.
struct UnitStates {
  explicit UnitStates(const UnitType& unit)
      : number(unit.num_states()), width(unit.width()), values(unit.num_states() * unit.width()) {
    unit.states({values.data(), number, width, width});
  }
  double value(Index state, Index column) const { return static_cast<double>(values[state * width + column]); }
  /// By how much a column moves when the unit that begins at `at` goes into `state`.
  double change(const Real* row, Index at, Index state, Index column) const {
    return value(state, column) - static_cast<double>(row[at + column]);
  }
  bool moves(const Real* row, Index at, Index state) const {
    for (Index c = 0; c < width; ++c)
      if (change(row, at, state, c) != 0.0) return true;
    return false;
  }

  Index number, width;
  std::vector<Real> values;
};

std::vector<Index> columns_of(std::span<const Index> units, Index width) {
  std::vector<Index> columns;
  for (const Index u : units)
    for (Index c = 0; c < width; ++c) columns.push_back(u * width + c);
  return columns;
}

/// to[j] = from[j] + Σ_c change_c W(first + c, j): a summed layer's field beside the neighbour.
template <class T>
void move_field(const UnitStates& unit, const Real* row, Index at, Index state, const T* from, const T* couplings,
                Index columns, T* to) {
  std::copy_n(from, columns, to);
  for (Index c = 0; c < unit.width; ++c) {
    const T change = static_cast<T>(unit.change(row, at, state, c));
    if (change == 0) continue;
    const T* w = couplings + c * columns;
    for (Index j = 0; j < columns; ++j) to[j] += change * w[j];
  }
}

/// Sums over the neighbours y of each row x, weighed by c: their number C; that of those which are the row itself;
/// Δ = Σ c (y − x); and Σ c y².
struct NeighbourSums {
  NeighbourSums(const UnitStates& unit, ConstMatrixRef own, MatrixView<const double> c)
      : total(own.rows, 0.0),
        unmoved(own.rows, 0.0),
        shift(own.rows * own.cols, Real{0}),
        square(own.rows * own.cols, Real{0}) {
    for (Index r = 0; r < own.rows; ++r) {
      for (Index i = 0; i < c.cols; ++i) {
        const Index at = i / unit.number * unit.width, state = i % unit.number;
        total[r] += c(r, i);
        if (!unit.moves(own.row(r), at, state)) unmoved[r] += c(r, i);
        for (Index k = 0; k < unit.width; ++k) {
          const double before = static_cast<double>(own(r, at + k)), after = unit.value(state, k);
          shift[r * own.cols + at + k] += static_cast<Real>(c(r, i) * (after - before));
          square[r * own.cols + at + k] += static_cast<Real>(c(r, i) * (after * after - before * before));
        }
      }
      for (Index k = 0; k < own.cols; ++k)
        square[r * own.cols + k] += static_cast<Real>(total[r] * static_cast<double>(own(r, k) * own(r, k)));
    }
  }
  std::vector<double> total, unmoved;
  std::vector<Real> shift, square;
};

}  // namespace

template <class T>
std::vector<T> LayeredModel::couplings_of(LayerId layer, std::span<const Index> columns, LayerId other) const {
  std::vector<T> joined;
  for (const EnergyTerm::Bilinear& c : couplings_) {
    if (c.lateral() || !((c.a == layer && c.b == other) || (c.b == layer && c.a == other))) continue;
    const ConstMatrixRef w = values(c);
    const bool first = c.a == layer;
    const Index width = first ? w.cols : w.rows;
    joined.resize(columns.size() * width);
    for (Index i = 0; i < columns.size(); ++i)
      for (Index j = 0; j < width; ++j)
        joined[i * width + j] = static_cast<T>(first ? w(columns[i], j) : w(j, columns[i]));
  }
  return joined;
}

template std::vector<double> LayeredModel::couplings_of(LayerId, std::span<const Index>, LayerId) const;
template std::vector<float> LayeredModel::couplings_of(LayerId, std::span<const Index>, LayerId) const;

bool LayeredFreeEnergy::from_differences(LayerSet kept) const {
  const LayerSet rest = model_.layout().all() - kept;
  return model_.bilinear_only(rest) && ContinuousLaw::coupled_gaussians(model_, rest).empty();
}

void LayeredFreeEnergy::log_ratios(const Layout&, LayerSet kept, double beta, ConstChainView x, LayerId layer,
                                   std::span<const Index> units, MatrixView<double> out) const {
  if (!from_differences(kept)) {
    FreeEnergy::log_ratios(model_.layout(), kept, beta, x, layer, units, out);
    return;
  }
  const UnitStates unit(*model_.layout()[layer].unit);
  const ConstMatrixRef own = x[layer];
  const Index rows = x.rows(), S = unit.number;

  // The kept layers' part: β Σ_c [f_c Δx_c − ½ γ_c Δ(x_c²)].
  std::vector<double> work(rows * own.cols);
  const MatrixView<double> field{work.data(), rows, own.cols, own.cols};
  model_.own_fields(layer, kept, ExactRows(x), field);
  const std::vector<double> curvature = model_.exact_precisions(layer);
  for (Index r = 0; r < rows; ++r) {
    for (Index i = 0; i < units.size() * S; ++i) {
      const Index at = units[i / S] * unit.width;
      double sum = 0.0;
      for (Index c = 0; c < unit.width; ++c) {
        const auto before = static_cast<double>(own(r, at + c));
        const double after = unit.value(i % S, c);
        sum += field(r, at + c) * (after - before) - 0.5 * curvature[at + c] * (after * after - before * before);
      }
      out(r, i) = beta * sum;
    }
  }

  // Each summed layer's log partition beside the neighbour less that beside the row.
  constexpr Index together = 64;
  const std::vector<Index> own_columns = columns_of(units, unit.width);
  const std::vector<double> scale(std::max(rows, together), beta);
  for (const LayerId l : model_.layout().ids()) {
    if (kept.contains(l)) continue;
    const std::vector<double> w = model_.couplings_of<double>(layer, own_columns, l);
    if (w.empty()) continue;
    const UnitType& type = *model_.layout()[l].unit;
    const Index columns = model_.layout()[l].columns();
    const std::vector<double> gamma = model_.exact_precisions(l);
    const auto log_partitions = [&](MatrixView<double> linear, std::span<double> sums) {
      BasicFields<const double> fields{linear};
      fields.scale = scale.data();
      if (type.has_curvature()) fields.curvature = {gamma.data(), linear.rows, columns, 0};
      std::ranges::fill(sums, 0.0);
      type.add_log_partition(fields, sums);
    };
    std::vector<double> fields(rows * columns), as_it_is(rows), moved(together * columns), beside(together);
    model_.kept_fields(l, kept, ExactRows(x), {fields.data(), rows, columns, columns});
    log_partitions({fields.data(), rows, columns, columns}, as_it_is);
    std::vector<Index> which;
    for (Index r = 0; r < rows; ++r) {
      const auto flush = [&] {
        log_partitions({moved.data(), which.size(), columns, columns}, std::span(beside).first(which.size()));
        for (Index k = 0; k < which.size(); ++k) out(r, which[k]) += beside[k] - as_it_is[r];
        which.clear();
      };
      for (Index i = 0; i < units.size() * S; ++i) {
        const Index at = units[i / S] * unit.width;
        if (!unit.moves(own.row(r), at, i % S)) continue;
        move_field(unit, own.row(r), at, i % S, &fields[r * columns], &w[i / S * unit.width * columns], columns,
                   &moved[which.size() * columns]);
        which.push_back(i);
        if (which.size() == together) flush();
      }
      if (!which.empty()) flush();
    }
  }
}

// The neighbour of unit u in state s is y = x + d, d within the unit's columns, with means q(y) of the summed layers. Where
// ∂E/∂θ is bilinear in the means, Σ c ∂F(y)/∂θ of a row is that of four rows of means,
//   (x, Σ c q)   (x, 0) (C − 1)   ½ (x + Δ, 0)   −½ (x − Δ, 0),   C = Σ c, Δ = Σ c d,
// and of what is left, −Σ c d qᵀ in the couplings with the summed layers.
void LayeredFreeEnergy::add_neighbour_gradient(const Layout&, LayerSet kept, ConstChainView x, LayerId layer,
                                               MatrixView<const double> weights, std::span<Real> gradient,
                                               const Executor& executor) const {
  if (!from_differences(kept) || !model_.bilinear_only(model_.layout().all())) {
    FreeEnergy::add_neighbour_gradient(model_.layout(), kept, x, layer, weights, gradient, executor);
    return;
  }
  constexpr Index slab = 64, panel = 16;  // rows; units that share a task
  const UnitStates unit(*model_.layout()[layer].unit);
  const Index S = unit.number, units = model_.layout()[layer].size, panels = (units + panel - 1) / panel;
  std::vector<Index> all_columns(model_.layout()[layer].columns());
  for (Index c = 0; c < all_columns.size(); ++c) all_columns[c] = c;
  struct Summed {
    LayerId layer;
    Index columns;
    std::vector<Real> couplings, gamma, left;  ///< left: −Σ c d qᵀ
  };
  std::vector<Summed> summed;
  for (const LayerId l : model_.layout().ids()) {
    if (kept.contains(l)) continue;
    Summed s{l, model_.layout()[l].columns(), model_.couplings_of<Real>(layer, all_columns, l), {}, {}};
    if (model_.layout()[l].unit->has_curvature()) s.gamma = model_.precisions(l, 0, s.columns);
    s.left.assign(s.couplings.size(), Real{0});
    summed.push_back(std::move(s));
  }

  for (Index first = 0; first < x.rows(); first += slab) {
    const ConstChainView part(*x.chains, x.begin + first, x.begin + std::min(first + slab, x.rows()));
    const ConstMatrixRef own = part[layer];
    const Index rows = own.rows;
    const MatrixView<const double> c = weights.slice(first, first + rows);

    const NeighbourSums sums(unit, own, c);

    // Σ c q and Σ c E_q[h²] of each summed layer: four rows of means, the last three 0.
    std::vector<std::vector<Real>> means(model_.layout().size()), seconds(model_.layout().size());
    for (Summed& s : summed) {
      const UnitType& type = *model_.layout()[s.layer].unit;
      const Index columns = s.columns, size = rows * columns;
      const bool curved = type.has_curvature();
      std::vector<double> work(size);
      model_.kept_fields(s.layer, kept, ExactRows(part), {work.data(), rows, columns, columns});
      const std::vector<Real> field(work.begin(), work.end());
      const auto moments = [&](std::vector<Real>& linear, Index n, std::vector<Real>& second) {
        const MatrixRef mean{linear.data(), n, columns, columns};
        ConstFields fields{mean};
        if (curved) {
          second.resize(n * columns);
          fields.curvature = {s.gamma.data(), n, columns, 0};
          type.moments(fields, {}, {second.data(), n, columns, columns});
        }
        type.moments(fields, mean, {});
      };
      std::vector<Real>&mean = means[static_cast<Index>(s.layer)], &second = seconds[static_cast<Index>(s.layer)];
      mean = field;
      moments(mean, rows, second);
      for (Index r = 0; r < rows; ++r) {
        const Real by = static_cast<Real>(s.couplings.empty() ? sums.total[r] : sums.unmoved[r]);
        for (Index j = 0; j < columns; ++j) mean[r * columns + j] *= by;
        for (Index j = 0; curved && j < columns; ++j) second[r * columns + j] *= by;
      }
      if (!s.couplings.empty()) {
        std::vector<std::vector<Real>> mean_of(panels), second_of(panels);
        executor.for_each_piece(panels, 1, [&](Index p, Index) {
          mean_of[p].assign(size, Real{0});
          if (curved) second_of[p].assign(size, Real{0});
          std::vector<Real> moved, squares;
          std::vector<Index> which;
          for (Index r = 0; r < rows; ++r) {
            which.clear();
            for (Index i = p * panel * S; i < std::min((p + 1) * panel, units) * S; ++i)
              if (c(r, i) != 0.0 && unit.moves(own.row(r), i / S * unit.width, i % S)) which.push_back(i);
            moved.resize(which.size() * columns);
            for (Index k = 0; k < which.size(); ++k) {
              const Index at = which[k] / S * unit.width;
              move_field(unit, own.row(r), at, which[k] % S, &field[r * columns], &s.couplings[at * columns], columns,
                         &moved[k * columns]);
            }
            moments(moved, which.size(), squares);
            for (Index k = 0; k < which.size(); ++k) {
              const Index at = which[k] / S * unit.width;
              const Real weight = static_cast<Real>(c(r, which[k])), *q = &moved[k * columns];
              Real* sum = &mean_of[p][r * columns];
              for (Index j = 0; j < columns; ++j) sum[j] += weight * q[j];
              for (Index j = 0; curved && j < columns; ++j)
                second_of[p][r * columns + j] += weight * squares[k * columns + j];
              for (Index d = 0; d < unit.width; ++d) {
                const Real by = weight * static_cast<Real>(unit.change(own.row(r), at, which[k] % S, d));
                if (by == 0) continue;
                Real* left = &s.left[(at + d) * columns];
                for (Index j = 0; j < columns; ++j) left[j] -= by * q[j];
              }
            }
          }
        });
        for (Index p = 0; p < panels; ++p) {
          for (Index i = 0; i < size; ++i) mean[i] += mean_of[p][i];
          for (Index i = 0; curved && i < size; ++i) second[i] += second_of[p][i];
        }
      }
      mean.resize(4 * size, Real{0});
      if (curved) second.resize(4 * size, Real{0});
    }

    Moments q;
    std::vector<double> of_rows(4 * rows);
    for (Index r = 0; r < rows; ++r) {
      of_rows[r] = 1.0;
      of_rows[rows + r] = sums.total[r] - 1.0;
      of_rows[2 * rows + r] = 0.5;
      of_rows[3 * rows + r] = -0.5;
    }
    for (const LayerId l : model_.layout().ids()) {
      const Index columns = model_.layout()[l].columns(), size = rows * columns;
      std::vector<Real>&mean = means[static_cast<Index>(l)], &second = seconds[static_cast<Index>(l)];
      if (kept.contains(l)) {
        const ConstMatrixRef values = part[l];
        mean.resize(4 * size);
        for (Index copy = 0; copy < 4; ++copy)
          for (Index r = 0; r < rows; ++r) std::copy_n(values.row(r), columns, &mean[copy * size + r * columns]);
        if (l == layer) {
          for (Index i = 0; i < size; ++i) mean[2 * size + i] += sums.shift[i];
          for (Index i = 0; i < size; ++i) mean[3 * size + i] -= sums.shift[i];
        }
        if (model_.layout()[l].unit->has_curvature()) {
          second.assign(4 * size, Real{0});
          for (Index i = 0; i < size; ++i)
            second[i] = l == layer ? sums.square[i] : static_cast<Real>(sums.total[i / columns]) * mean[i] * mean[i];
        }
      }
      q.mean.push_back({mean.data(), 4 * rows, columns, columns});
      q.second.push_back(second.empty() ? ConstMatrixRef{} : ConstMatrixRef{second.data(), 4 * rows, columns, columns});
    }
    model_.add_gradient(q, of_rows, gradient, executor);
  }

  for (const EnergyTerm::Bilinear& c : model_.couplings_) {
    for (const Summed& s : summed) {
      if (s.left.empty() || !((c.a == layer && c.b == s.layer) || (c.b == layer && c.a == s.layer))) continue;
      const MatrixRef out = c.w.of(gradient.data());
      for (Index i = 0; i < all_columns.size(); ++i)
        for (Index j = 0; j < s.columns; ++j) (c.a == layer ? out(i, j) : out(j, i)) += s.left[i * s.columns + j];
    }
  }
  model_.parameter_layout_.clear_absent(gradient);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
