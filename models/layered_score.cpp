// The score of the Gaussian layers of a pairwise model, other layers summed out. With f_i the fields of a summed unit, m_i
// and C_i its mean and covariance,
//   ψ = b − γx + Lx + Σ_i W_i m_i(f_i),   Σ_j ∂ψ_j/∂x_j = −Σ_j γ_j + Σ_i tr(C_i G_i),   G_i = W_iᵀW_i.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/models/layered.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index piece = 64;  // rows that a task evaluates

/// The law of one summed unit given its field: its mean m and covariance C, and what follows from moving its field.
class SummedUnit {
 public:
  explicit SummedUnit(const UnitType& type)
      : states_(type.num_states()),
        width_(type.width()),
        values_(states_ * width_),
        p_(states_),
        mean_(width_),
        covariance_(width_ * width_) {
    std::vector<Real> values(states_ * width_);
    if (states_ > 0) type.states({values.data(), states_, width_, width_});
    values_.assign(values.begin(), values.end());
  }
  Index width() const { return width_; }
  double mean(Index c) const { return mean_[c]; }
  double covariance(Index c, Index d) const { return covariance_[c * width_ + d]; }

  /// Field and precision (zeros for units that have none), `width` each.
  void set(const double* field, const double* gamma) {
    if (states_ == 0) {  // Gaussian
      mean_[0] = field[0] / gamma[0];
      covariance_[0] = 1.0 / gamma[0];
      return;
    }
    for (Index s = 0; s < states_; ++s) {
      p_[s] = 0.0;
      for (Index c = 0; c < width_; ++c) p_[s] += field[c] * value(s, c) - 0.5 * gamma[c] * value(s, c) * value(s, c);
    }
    const double total = logsumexp(p_);
    for (double& p : p_) p = std::exp(p - total);
    std::ranges::fill(mean_, 0.0);
    std::ranges::fill(covariance_, 0.0);
    for (Index s = 0; s < states_; ++s)
      for (Index c = 0; c < width_; ++c) mean_[c] += p_[s] * value(s, c);
    for (Index s = 0; s < states_; ++s)
      for (Index c = 0; c < width_; ++c)
        for (Index d = 0; d < width_; ++d)
          covariance_[c * width_ + d] += p_[s] * (value(s, c) - mean_[c]) * (value(s, d) - mean_[d]);
  }
  /// tr(C G)
  double trace(const double* gram) const {
    double sum = 0.0;
    for (Index i = 0; i < covariance_.size(); ++i) sum += covariance_[i] * gram[i];
    return sum;
  }
  /// Of J = uᵀm + w tr(C G): slope[c] = ∂J/∂f_c, and curvature[c] with ∂J/∂ log γ_c = −½ γ_c curvature[c].
  void derivatives(const double* u, double w, const double* gram, const double* gamma, double* slope,
                   double* curvature) const {
    if (states_ == 0) {  // m = f/γ, C = 1/γ
      slope[0] = u[0] * covariance_[0];
      curvature[0] = 2.0 * (u[0] * mean_[0] + w * gram[0] * covariance_[0]) / gamma[0];
      return;
    }
    // By the log weight of each state: ∂J/∂z_s = p_s [uᵀ(s − m) + w ((s − m)ᵀG(s − m) − tr(C G))].
    const double mean_form = trace(gram);
    std::fill_n(slope, width_, 0.0);
    std::fill_n(curvature, width_, 0.0);
    for (Index s = 0; s < states_; ++s) {
      double along = 0.0, form = 0.0;
      for (Index c = 0; c < width_; ++c) {
        along += u[c] * (value(s, c) - mean_[c]);
        for (Index d = 0; d < width_; ++d)
          form += (value(s, c) - mean_[c]) * gram[c * width_ + d] * (value(s, d) - mean_[d]);
      }
      const double by_weight = p_[s] * (along + w * (form - mean_form));
      for (Index c = 0; c < width_; ++c) {
        slope[c] += by_weight * value(s, c);
        curvature[c] += by_weight * value(s, c) * value(s, c);
      }
    }
  }

 private:
  double value(Index state, Index column) const { return values_[state * width_ + column]; }

  Index states_, width_;
  std::vector<double> values_, p_, mean_, covariance_;
};

/// Σ_j W(c, j) W(d, j) within each unit of `width` rows: width × width numbers a unit.
void add_gram(MatrixView<const double> w, Index width, std::vector<double>& gram) {
  for (Index c = 0; c < w.rows; ++c)
    for (Index d = 0; d < width; ++d)
      gram[c * width + d] += std::inner_product(w.row(c), w.row(c) + w.cols, w.row(c / width * width + d), 0.0);
}

}  // namespace

/// What the score needs of a layer that is summed out.
struct LayeredScore::Neighbour {
  LayerId layer;
  Index columns;
  std::vector<double> gamma, gram;
  std::vector<std::vector<double>> couplings;  ///< with each layer, columns × its columns; empty where there are none
};

bool LayeredScore::offered(LayerSet kept) const {
  const LayerSet rest = model_.layout().all() - kept;
  for (const LayerId l : model_.layout().ids())
    if (!is_gaussian(model_.layout()[l]) && (kept.contains(l) || model_.layout()[l].unit->num_states() == 0))
      return false;
  if (!model_.bilinear_only(model_.layout().all())) return false;
  return std::ranges::none_of(model_.couplings_,
                              [&](const EnergyTerm::Bilinear& c) { return rest.contains(c.a) && rest.contains(c.b); });
}

std::vector<LayeredScore::Neighbour> LayeredScore::neighbours(LayerSet kept) const {
  std::vector<Neighbour> all;
  for (const LayerId l : model_.layout().ids()) {
    if (kept.contains(l)) continue;
    const Index columns = model_.layout()[l].columns(), width = model_.layout()[l].unit->width();
    std::vector<Index> every(columns);
    std::iota(every.begin(), every.end(), Index{0});
    Neighbour n{l, columns, model_.exact_precisions(l), std::vector<double>(columns * width, 0.0), {}};
    for (const LayerId k : model_.layout().ids()) {
      n.couplings.emplace_back();
      if (!kept.contains(k)) continue;
      n.couplings.back() = model_.couplings_of<double>(l, every, k);
      const Index across = model_.layout()[k].columns();
      if (!n.couplings.back().empty()) add_gram({n.couplings.back().data(), columns, across, across}, width, n.gram);
    }
    all.push_back(std::move(n));
  }
  return all;
}

void LayeredScore::evaluate(LayerSet kept, ConstChainView x, std::span<const MatrixRef> score,
                            std::span<double> divergence) const {
  const Index rows = x.rows();
  const ExactRows exact(x);
  std::vector<std::vector<double>> psi(model_.layout().size());
  std::ranges::fill(divergence, 0.0);
  for (const LayerId l : model_.layout().ids()) {
    if (!kept.contains(l)) continue;
    const ConstMatrixRef values = x[l];
    std::vector<double>& of_layer = psi[static_cast<Index>(l)];
    of_layer.resize(rows * values.cols);
    model_.own_fields(l, kept, exact, {of_layer.data(), rows, values.cols, values.cols});
    const std::vector<double> gamma = model_.exact_precisions(l);
    for (Index r = 0; r < rows; ++r)
      for (Index c = 0; c < values.cols; ++c)
        of_layer[r * values.cols + c] -= gamma[c] * static_cast<double>(values(r, c));
    for (double& d : divergence) d -= std::accumulate(gamma.begin(), gamma.end(), 0.0);
  }
  for (const Neighbour& n : neighbours(kept)) {
    std::vector<double> means(rows * n.columns);
    model_.kept_fields(n.layer, kept, exact, {means.data(), rows, n.columns, n.columns});
    SummedUnit unit(*model_.layout()[n.layer].unit);
    const Index width = unit.width();
    for (Index r = 0; r < rows; ++r) {
      for (Index c = 0; c < n.columns; c += width) {
        unit.set(&means[r * n.columns + c], &n.gamma[c]);
        for (Index d = 0; d < width; ++d) means[r * n.columns + c + d] = unit.mean(d);
        if (!divergence.empty()) divergence[r] += unit.trace(&n.gram[c * width]);
      }
    }
    for (const LayerId l : model_.layout().ids()) {
      const std::vector<double>& w = n.couplings[static_cast<Index>(l)];
      if (w.empty()) continue;
      const Index columns = model_.layout()[l].columns();
      gemm(Transpose::no, Transpose::no, 1.0, MatrixView<const double>{means.data(), rows, n.columns, n.columns},
           MatrixView<const double>{w.data(), n.columns, columns, columns}, 1.0,
           {psi[static_cast<Index>(l)].data(), rows, columns, columns});
    }
  }
  for (const LayerId l : model_.layout().ids()) {
    if (!kept.contains(l)) continue;
    const MatrixRef out = score[static_cast<Index>(l)];
    for (Index r = 0; r < rows; ++r)
      for (Index c = 0; c < out.cols; ++c) out(r, c) = static_cast<Real>(psi[static_cast<Index>(l)][r * out.cols + c]);
  }
}

// With g_i = ∂(vᵀψ + w Σ ∂ψ/∂x)/∂f_i, the gradient is that of −E along (v, g) at (x, m), a bilinear form and thus half
// the difference of −∂E/∂θ at (x + v, m + g) and (x − v, m − g); and 2 w W_i C_i for the couplings W_i themselves.
void LayeredScore::add_gradient(LayerSet kept, ConstChainView x, std::span<const ConstMatrixRef> directions,
                                std::span<const double> weights, double divergence_weight, std::span<Real> gradient,
                                const Executor& executor) const {
  const Index rows = x.rows();
  std::vector<std::vector<Real>> means(model_.layout().size()), seconds(model_.layout().size());
  for (const LayerId l : model_.layout().ids()) {
    const auto i = static_cast<Index>(l);
    const Index columns = model_.layout()[l].columns(), size = rows * columns;
    means[i].resize(2 * size);
    if (model_.layout()[l].unit->has_curvature()) seconds[i].assign(2 * size, Real{0});
    if (!kept.contains(l)) continue;
    const ConstMatrixRef values = x[l], along = directions[i];
    for (Index r = 0; r < rows; ++r) {
      for (Index c = 0; c < columns; ++c) {
        means[i][r * columns + c] = values(r, c) + along(r, c);
        means[i][size + r * columns + c] = values(r, c) - along(r, c);
      }
    }
    for (Index k = 0; k < 2 * size && !seconds[i].empty(); ++k) seconds[i][k] = means[i][k] * means[i][k];
  }

  for (const Neighbour& n : neighbours(kept)) {
    const auto at = static_cast<Index>(n.layer);
    const Index width = model_.layout()[n.layer].unit->width(), size = rows * n.columns;
    // Σ_r weights[r] C_i, summed over the pieces in their order.
    std::vector<std::vector<double>> covariances((rows + piece - 1) / piece);
    executor.for_each_piece(rows, piece, [&](Index begin, Index end) {
      const Index count = end - begin;
      const ConstChainView part(*x.chains, x.begin + begin, x.begin + end);
      std::vector<double> fields(count * n.columns), along(count * n.columns, 0.0), v;
      model_.kept_fields(n.layer, kept, ExactRows(part), {fields.data(), count, n.columns, n.columns});
      for (const LayerId l : model_.layout().ids()) {
        const std::vector<double>& w = n.couplings[static_cast<Index>(l)];
        if (w.empty()) continue;
        const Index columns = model_.layout()[l].columns();
        v.resize(count * columns);
        for (Index r = 0; r < count; ++r)
          std::copy_n(directions[static_cast<Index>(l)].row(begin + r), columns, &v[r * columns]);
        gemm(Transpose::no, Transpose::yes, 1.0, MatrixView<const double>{v.data(), count, columns, columns},
             MatrixView<const double>{w.data(), n.columns, columns, columns}, 1.0,
             {along.data(), count, n.columns, n.columns});
      }
      std::vector<double>& covariance = covariances[begin / piece];
      covariance.assign(n.columns * width, 0.0);
      SummedUnit unit(*model_.layout()[n.layer].unit);
      std::vector<double> slope(width), curvature(width);
      for (Index r = 0; r < count; ++r) {
        for (Index c = 0; c < n.columns; c += width) {
          unit.set(&fields[r * n.columns + c], &n.gamma[c]);
          unit.derivatives(&along[r * n.columns + c], divergence_weight, &n.gram[c * width], &n.gamma[c], slope.data(),
                           curvature.data());
          for (Index d = 0; d < width; ++d) {
            const Index to = (begin + r) * n.columns + c + d;
            means[at][to] = static_cast<Real>(unit.mean(d) + slope[d]);
            means[at][size + to] = static_cast<Real>(unit.mean(d) - slope[d]);
            if (!seconds[at].empty()) seconds[at][to] = static_cast<Real>(2.0 * curvature[d]);
            for (Index e = 0; e < width; ++e)
              covariance[(c + d) * width + e] += weights[begin + r] * unit.covariance(d, e);
          }
        }
      }
    });
    if (divergence_weight == 0.0) continue;
    std::vector<double> covariance(n.columns * width, 0.0);
    for (const std::vector<double>& part : covariances)
      for (Index i = 0; i < part.size(); ++i) covariance[i] += part[i];
    for (const EnergyTerm::Bilinear& c : model_.couplings_) {
      const bool first = c.a == n.layer;
      if (!(first || c.b == n.layer) || !kept.contains(first ? c.b : c.a)) continue;
      const ConstMatrixRef w = model_.values(c);
      const MatrixRef out = c.w.of(gradient.data());
      for (Index j = 0; j < (first ? w.cols : w.rows); ++j) {
        for (Index d = 0; d < n.columns; ++d) {
          double sum = 0.0;
          for (Index e = 0; e < width; ++e) {
            const Index other = d / width * width + e;
            sum += covariance[d * width + e] * static_cast<double>(first ? w(other, j) : w(j, other));
          }
          (first ? out(d, j) : out(j, d)) += static_cast<Real>(2.0 * divergence_weight * sum);
        }
      }
    }
  }

  // −Σγ of the divergence.
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (const LayerId l : model_.layout().ids()) {
    const std::optional<Index> offset = model_.learned_precision(l);
    if (!kept.contains(l) || !offset) continue;
    const std::vector<double> gamma = model_.exact_precisions(l);
    Real* out = gradient.data() + *offset;
    for (Index c = 0; c < gamma.size(); ++c) out[c] -= static_cast<Real>(divergence_weight * total * gamma[c]);
  }

  Moments q;
  std::vector<double> of_rows(2 * rows);
  for (Index r = 0; r < rows; ++r) {
    of_rows[r] = -0.5 * weights[r];
    of_rows[rows + r] = 0.5 * weights[r];
  }
  for (const LayerId l : model_.layout().ids()) {
    const auto i = static_cast<Index>(l);
    const Index columns = model_.layout()[l].columns();
    q.mean.push_back({means[i].data(), 2 * rows, columns, columns});
    q.second.push_back(seconds[i].empty() ? ConstMatrixRef{}
                                          : ConstMatrixRef{seconds[i].data(), 2 * rows, columns, columns});
  }
  model_.add_gradient(q, of_rows, gradient, executor);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
