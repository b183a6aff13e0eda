#include <harmonium/models/neighbor_gradient.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <xtensor/xmath.hpp>

#include <harmonium/models/layered.hpp>
#include <harmonium/models/terms/lattice.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

NeighborGradient::NeighborGradient(const LayeredModel& model, LayerSet kept, LayerId layer, const Executor& executor)
    : model_(model), kept_(kept), layer_(layer), executor_(executor), moves_(*model.layout()[layer].unit) {
  std::vector<Index> columns(model.layout()[layer].columns());
  std::iota(columns.begin(), columns.end(), Index{0});
  for (const LayerId l : model.layout().ids()) {
    if (kept.contains(l)) continue;
    Summed s{l, model.layout()[l].columns(), model.couplings_of<Real>(layer, columns, l), {}, {}, {}};
    if (model.layout()[l].unit->has_curvature()) s.gamma = model.precisions(l, 0, s.columns);
    s.slab_left.assign(s.couplings.size(), Real{0});
    s.left.assign(s.couplings.size(), 0.0);
    summed_.push_back(std::move(s));
  }
}

namespace {

/// The power of two below the largest size; 1 where all are 0.
double unit_of(MatrixView<const double> weights) {
  double largest = 0.0;
  for (Index r = 0; r < weights.rows; ++r)
    for (const double w : weights[r]) largest = std::max(largest, std::abs(w));
  return largest > 0.0 && std::isfinite(largest) ? std::ldexp(1.0, std::ilogb(largest)) : 1.0;
}

}  // namespace

NeighborGradient::Slab::Slab(ConstChainView rows, LayerId layer, MatrixView<const double> weights,
                             const UnitMoves& moves)
    : x(rows),
      own(rows[layer]),
      unit(unit_of(weights)),
      c(as_xtensor(weights) / unit),
      total(own.rows, 0.0),
      shift(own.rows * own.cols, Real{0}) {
  const Index width = moves.width(), states = moves.states();
  const std::vector<double> values = moves.values();
  for (Index r = 0; r < own.rows; ++r) {
    const double* of_unit = &c(r, 0);
    Real* to = &shift[r * own.cols];
    double all = 0.0;
    for (Index at = 0; at < own.cols; at += width, of_unit += states) {
      for (Index s = 0; s < states; ++s) all += of_unit[s];
      for (Index k = 0; k < width; ++k) {
        const auto before = static_cast<double>(own(r, at + k));
        Real sum = 0;
        for (Index s = 0; s < states; ++s) sum += static_cast<Real>(of_unit[s] * (values[s * width + k] - before));
        *to++ = sum;
      }
    }
    total[r] = all;
  }
}

void NeighborGradient::Slab::set_unmoved(const UnitMoves& moves) {
  unmoved.assign(own.rows, 0.0);
  for (Index r = 0; r < own.rows; ++r) {
    const double* of_neighbor = &c(r, 0);
    for (Index at = 0; at < own.cols; at += moves.width())
      for (Index s = 0; s < moves.states(); ++s, ++of_neighbor)
        if (!moves.moves(own.row(r), at, s)) unmoved[r] += *of_neighbor;
  }
}

void NeighborGradient::Slab::set_squares(const UnitMoves& moves) {
  square.assign(shift.size(), Real{0});
  for (Index r = 0; r < own.rows; ++r) {
    const double* of_neighbor = &c(r, 0);
    Real* const to = &square[r * own.cols];
    for (Index at = 0; at < own.cols; at += moves.width())
      for (Index s = 0; s < moves.states(); ++s, ++of_neighbor)
        for (Index k = 0; k < moves.width(); ++k) {
          const double before = static_cast<double>(own(r, at + k)), after = moves.value(s, k);
          to[at + k] += static_cast<Real>(*of_neighbor * (after * after - before * before));
        }
    for (Index k = 0; k < own.cols; ++k)
      to[k] += static_cast<Real>(total[r] * static_cast<double>(own(r, k) * own(r, k)));
  }
}

void NeighborGradient::moments(const Summed& s, std::vector<Real>& linear, Index rows,
                               std::vector<Real>& second) const {
  const UnitType& type = *model_.layout()[s.layer].unit;
  const MatrixRef mean{linear.data(), rows, s.columns, s.columns};
  ConstFields fields{mean};
  if (type.has_curvature()) {
    second.resize(rows * s.columns);
    fields.curvature = {s.gamma.data(), rows, s.columns, 0};
    type.moments(fields, {}, {second.data(), rows, s.columns, s.columns});
  }
  type.moments(fields, mean, {});
}

NeighborGradient::Means NeighborGradient::summed_means(Summed& s, const Slab& slab) const {
  const Index rows = slab.own.rows, size = rows * s.columns;
  Matrix<double> exact = zeros<double>(rows, s.columns);
  model_.kept_fields(s.layer, kept_, ExactRows(slab.x), as_matrix(exact));
  const std::vector<Real> field(exact.begin(), exact.end());
  Means sums{field, {}};
  moments(s, sums.mean, rows, sums.second);
  const std::vector<double>& by = s.couplings.empty() ? slab.total : slab.unmoved;
  for (std::vector<Real>* of : {&sums.mean, &sums.second})
    for (Index i = 0; i < of->size(); ++i) (*of)[i] *= static_cast<Real>(by[i / s.columns]);
  if (!s.couplings.empty()) {
    const Index panels = (model_.layout()[layer_].size + panel - 1) / panel;
    std::vector<Means> parts(panels, {std::vector<Real>(size), std::vector<Real>(sums.second.size())});
    executor_.for_each_piece(panels, 1, [&](Index p, Index) { sum_moved(s, slab, field, p, parts[p]); });
    for (const Means& part : parts) {
      std::ranges::transform(sums.mean, part.mean, sums.mean.begin(), std::plus());
      std::ranges::transform(sums.second, part.second, sums.second.begin(), std::plus());
    }
  }
  sums.mean.resize(4 * size, Real{0});
  if (!sums.second.empty()) sums.second.resize(4 * size, Real{0});
  return sums;
}

void NeighborGradient::sum_moved(Summed& s, const Slab& slab, const std::vector<Real>& field, Index p,
                                 Means& sums) const {
  const Index S = moves_.states(), first = p * panel * S;
  const Index last = std::min((p + 1) * panel, model_.layout()[layer_].size) * S;
  const auto column_of = [&](Index neighbor) { return neighbor / S * moves_.width(); };
  std::vector<Real> moved, squares;
  std::vector<Index> which;
  for (Index r = 0; r < slab.own.rows; ++r) {
    const Real* row = slab.own.row(r);
    which.clear();
    for (Index i = first; i < last; ++i)
      if (slab.c(r, i) != 0.0 && moves_.moves(row, column_of(i), i % S)) which.push_back(i);
    moved.resize(which.size() * s.columns);
    for (Index k = 0; k < which.size(); ++k) {
      const Index at = column_of(which[k]);
      moves_.move_field(row, at, which[k] % S, &field[r * s.columns], &s.couplings[at * s.columns], s.columns,
                        &moved[k * s.columns]);
    }
    moments(s, moved, which.size(), squares);
    for (Index k = 0; k < which.size(); ++k) {
      const Index at = column_of(which[k]);
      const Real weight = static_cast<Real>(slab.c(r, which[k])), *q = &moved[k * s.columns];
      const auto add = [&](Real factor, const Real* numbers, Real* to) {
        std::transform(to, to + s.columns, numbers, to, [factor](Real sum, Real x) { return sum + factor * x; });
      };
      add(weight, q, &sums.mean[r * s.columns]);
      if (!squares.empty()) add(weight, &squares[k * s.columns], &sums.second[r * s.columns]);
      for (Index d = 0; d < moves_.width(); ++d) {
        const Real by = weight * static_cast<Real>(moves_.change(row, at, which[k] % S, d));
        if (by != 0) add(-by, q, &s.slab_left[(at + d) * s.columns]);
      }
    }
  }
}

NeighborGradient::Means NeighborGradient::kept_means(LayerId layer, const Slab& slab) const {
  const ConstMatrixRef values = slab.x[layer];
  const Index size = values.rows * values.cols;
  Means sums{std::vector<Real>(4 * size), {}};
  for (Index copy = 0; copy < 4; ++copy)
    for (Index r = 0; r < values.rows; ++r)
      std::copy_n(values.row(r), values.cols, &sums.mean[copy * size + r * values.cols]);
  const bool own = layer == layer_;
  if (own) {
    Real* const mean = sums.mean.data();
    std::transform(mean + 2 * size, mean + 3 * size, slab.shift.data(), mean + 2 * size, std::plus());
    std::transform(mean + 3 * size, mean + 4 * size, slab.shift.data(), mean + 3 * size, std::minus());
  }
  if (model_.layout()[layer].unit->has_curvature()) {
    sums.second.assign(4 * size, Real{0});
    for (Index i = 0; i < size; ++i)
      sums.second[i] =
          own ? slab.square[i] : static_cast<Real>(slab.total[i / values.cols]) * sums.mean[i] * sums.mean[i];
  }
  return sums;
}

void NeighborGradient::add(ConstChainView x, MatrixView<const double> weights, std::span<Real> gradient) {
  Slab slab(x, layer_, weights, moves_);
  if (!summed_.empty()) slab.set_unmoved(moves_);
  if (model_.layout()[layer_].unit->has_curvature()) slab.set_squares(moves_);
  const Index rows = slab.own.rows;
  PerLayer<Means> means(model_.layout().size());
  for (Summed& s : summed_) {
    means[s.layer] = summed_means(s, slab);
    in_place(std::span(s.left)) += slab.unit * xt::cast<double>(as_xtensor(std::span<const Real>(s.slab_left)));
    std::ranges::fill(s.slab_left, Real{0});
  }
  for (const LayerId l : model_.layout().ids(kept_)) means[l] = kept_means(l, slab);

  std::vector<double> of_rows(4 * rows, slab.unit);
  for (Index r = 0; r < rows; ++r) of_rows[rows + r] = (slab.total[r] - 1.0) * slab.unit;
  std::fill_n(&of_rows[2 * rows], rows, 0.5 * slab.unit);
  std::fill_n(&of_rows[3 * rows], rows, -0.5 * slab.unit);
  Moments q;
  for (const LayerId l : model_.layout().ids()) {
    const Index columns = model_.layout()[l].columns();
    const Means& own = means[l];
    q.mean.push_back({own.mean.data(), 4 * rows, columns, columns});
    q.second.push_back(own.second.empty() ? ConstMatrixRef{}
                                          : ConstMatrixRef{own.second.data(), 4 * rows, columns, columns});
  }
  model_.factorized_expectation()->add_gradient(q, of_rows, gradient, executor_);
}

void NeighborGradient::add_left(std::span<Real> gradient) const {
  for (const EnergyTerm::Bilinear& c : model_.couplings_) {
    for (const Summed& s : summed_) {
      const bool first = c.a == layer_ && c.b == s.layer;
      if (s.left.empty() || (!first && !(c.b == layer_ && c.a == s.layer))) continue;
      const MatrixRef out = c.w.of(gradient.data());
      for (Index i = 0; i < s.left.size() / s.columns; ++i)
        for (Index j = 0; j < s.columns; ++j)
          (first ? out(i, j) : out(j, i)) += static_cast<Real>(s.left[i * s.columns + j]);
    }
  }
  model_.parameter_layout_.clear_absent(gradient);
}

namespace {

/// Whether ∂E/∂θ has products of the values of two units at most, so that it is bilinear in the means.
bool products_only(const LayeredModel& model) {
  return std::ranges::all_of(model.terms(), [&](const auto& t) {
    return t->bilinear() || dynamic_cast<const LatticeTerm*>(t.get()) || !couples_any(*t, t->layers(), model.layout());
  });
}

}  // namespace

void LayeredFreeEnergy::add_neighbor_gradient(const Layout&, LayerSet kept, ConstChainView x, LayerId layer,
                                              MatrixView<const double> weights, std::span<Real> gradient,
                                              const Executor& executor) const {
  if (!from_differences(kept) || !products_only(model_)) {
    FreeEnergy::add_neighbor_gradient(model_.layout(), kept, x, layer, weights, gradient, executor);
    return;
  }
  constexpr Index slab = 64;
  NeighborGradient neighbors(model_, kept, layer, executor);
  for (Index first = 0; first < x.rows(); first += slab) {
    const Index last = std::min(first + slab, x.rows());
    neighbors.add({*x.chains, x.begin + first, x.begin + last}, weights.slice(first, last), gradient);
  }
  neighbors.add_left(gradient);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
