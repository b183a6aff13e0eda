// Energies and free energies of the pairwise model, in double in both precisions: they are what log likelihoods,
// acceptances and log weights are made of.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/models/pairwise.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// A matrix as double: itself, or a copy where it is float.
class AsDouble {
 public:
  template <class T>
  explicit AsDouble(MatrixView<const T> m) {
    if constexpr (std::is_same_v<T, double>) {
      view_ = m;
    } else {
      copy_.resize(m.rows * m.cols);
      for (Index r = 0; r < m.rows; ++r) std::copy(m.row(r), m.row(r) + m.cols, &copy_[r * m.cols]);
      view_ = {copy_.data(), m.rows, m.cols, m.cols};
    }
  }
  AsDouble(const AsDouble&) = delete;
  AsDouble& operator=(const AsDouble&) = delete;
  const MatrixView<const double>& operator*() const { return view_; }

 private:
  std::vector<double> copy_;
  MatrixView<const double> view_;
};

/// out[r] += factor · x_r · y_r
void add_dots(double factor, MatrixView<const double> x, MatrixView<const double> y, std::span<double> out) {
  for (Index r = 0; r < x.rows; ++r) {
    double sum = 0.0;
    for (Index c = 0; c < x.cols; ++c) sum += x(r, c) * y(r, c);
    out[r] += factor * sum;
  }
}

}  // namespace

void Pairwise::energy(ConstChainView x, std::span<double> out) const { evaluate(layout_.all(), 1.0, x, out); }

bool Pairwise::closed(LayerSet kept) const {
  const LayerSet rest = without(kept);
  return std::ranges::none_of(couplings_, [&](const Coupling& c) {
    return rest.contains(c.a) && rest.contains(c.b) && !(gaussian(c.a) && gaussian(c.b));
  });
}

double Pairwise::operations(LayerSet kept) const {
  double operations = 0.0;
  for (const Coupling& c : couplings_) {
    if (!kept.contains(c.a) && !kept.contains(c.b)) continue;
    const SparseLateral* few = c.lateral() ? sparse(c.a) : nullptr;
    operations += 2.0 * (few ? few->entries() : static_cast<double>(parameter_layout_[c.block].size()));
  }
  constexpr double softplus = 20.0;  // a log partition is about this many additions and multiplications
  const auto joint = static_cast<double>(layout_.columns(coupled_gaussians(without(kept))));
  return operations + joint * joint + softplus * static_cast<double>(layout_.columns(layout_.all()));
}

void Pairwise::evaluate(LayerSet kept, double beta, ConstChainView x, std::span<double> out) const {
  const Index rows = x.rows();
  std::fill(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(rows), 0.0);
  std::vector<double> work;
  const auto workspace = [&](Index cols) {
    work.resize(rows * cols);
    return MatrixView<double>{work.data(), rows, cols, cols};
  };

  // The kept layers: β E of their own terms.
  for (const LayerId l : layout_.ids()) {
    if (!kept.contains(l)) continue;
    const AsDouble values(x[l]);
    const Real* b = bias(l);
    const std::vector<double> gamma = exact_precisions(l);
    for (Index r = 0; r < rows; ++r) {
      double e = 0.0;
      for (Index c = 0; c < (*values).cols; ++c) e -= static_cast<double>(b[c]) * (*values)(r, c);
      for (Index c = 0; c < gamma.size(); ++c) e += 0.5 * gamma[c] * (*values)(r, c) * (*values)(r, c);
      out[r] += beta * e;
    }
  }
  for (const Coupling& c : couplings_) {
    if (!kept.contains(c.a) || !kept.contains(c.b)) continue;
    if (const SparseLateral* few = c.lateral() ? sparse(c.a) : nullptr) {
      few->add_quadratic_forms(-beta, x[c.a], out);
      continue;
    }
    const AsDouble a(x[c.a]), b(x[c.b]), w(tensor(c.block));
    const MatrixView<double> product = workspace((*w).cols);
    gemm(Transpose::no, Transpose::no, 1.0, *a, *w, 0.0, product);
    add_dots(beta * (c.lateral() ? -0.5 : -1.0), product, *b, out);
  }

  // The others: −Σ log partition at the field that the kept ones give them.
  const LayerSet rest = without(kept), coupled = coupled_gaussians(rest);
  std::vector<double> scale(rows, beta);
  for (const LayerId l : layout_.ids()) {
    if (kept.contains(l) || coupled.contains(l)) continue;
    const Index columns = layout_[l].columns();
    const MatrixView<double> linear = workspace(columns);
    kept_fields(l, kept, x, linear);
    std::vector<double> gamma;
    BasicFields<const double> fields{linear};
    fields.scale = beta == 1.0 ? nullptr : scale.data();
    if (layout_[l].unit->has_curvature()) {
      gamma = exact_precisions(l);
      fields.curvature = {gamma.data(), rows, columns, 0};
    }
    std::vector<double> sums(rows, 0.0);
    layout_[l].unit->add_log_partition(fields, sums);
    for (Index r = 0; r < rows; ++r) out[r] -= sums[r];
  }
  if (coupled.empty()) return;

  // Jointly normal ones: log ∫ exp(β (fᵀx − ½ xᵀPx)) = ½ n log(2π/β) − ½ log det P + ½ β fᵀP⁻¹f.
  std::optional<JointGaussian> own;
  const JointGaussian& law = joint_law(coupled, own);
  const MatrixView<double> fields = workspace(law.size());
  joint_fields(coupled, kept, x, fields);
  std::vector<double> forms(rows);
  law.quadratic_forms(fields, forms);
  const double constant =
      0.5 * static_cast<double>(law.size()) * std::log(2.0 * std::numbers::pi / beta) - 0.5 * law.log_determinant();
  for (Index r = 0; r < rows; ++r) out[r] -= constant + 0.5 * beta * forms[r];
}

void Pairwise::kept_fields(LayerId layer, LayerSet kept, ConstChainView x, MatrixView<double> out) const {
  const Real* b = bias(layer);
  for (Index r = 0; r < out.rows; ++r) std::copy(b, b + out.cols, out.row(r));
  for (const Coupling& c : couplings_) {
    if (c.lateral() || (c.a != layer && c.b != layer) || !kept.contains(c.a == layer ? c.b : c.a)) continue;
    const AsDouble w(tensor(c.block)), other(x[c.a == layer ? c.b : c.a]);
    gemm(Transpose::no, c.b == layer ? Transpose::no : Transpose::yes, 1.0, *other, *w, 1.0, out);
  }
}

void Pairwise::add_gradient(LayerSet kept, ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                            const Executor& executor) const {
  // Moments of the rest given the kept ones; of jointly normal units the covariances too, which are the same for all rows.
  const Index rows = x.rows();
  const LayerSet coupled = coupled_gaussians(without(kept));
  std::optional<JointGaussian> own;
  const JointGaussian* law = coupled.empty() ? nullptr : &joint_law(coupled, own);
  const std::vector<double> covariance = law ? law->covariance() : std::vector<double>();
  const std::vector<Index> at = joint_columns(coupled);
  const auto variance = [&](Index column) { return covariance[column * law->size() + column]; };

  Moments q;
  std::vector<std::vector<Real>> means(layout_.size()), seconds(layout_.size());
  for (const LayerId l : layout_.ids()) {
    const auto i = static_cast<Index>(l);
    const Index columns = layout_[l].columns();
    if (!kept.contains(l)) means[i].resize(rows * columns);
    q.mean.push_back(kept.contains(l) ? x[l] : ConstMatrixRef{means[i].data(), rows, columns, columns});
    if (layout_[l].unit->has_curvature()) seconds[i].resize(rows * columns);
    q.second.push_back(seconds[i].empty() ? ConstMatrixRef{}
                                          : ConstMatrixRef{seconds[i].data(), rows, columns, columns});
  }
  executor.for_each_piece(rows, 128, [&](Index begin, Index end) {
    const ConstChainView part(*x.chains, x.begin + begin, x.begin + end);
    std::vector<double> work;
    const auto workspace = [&](Index columns) {
      work.resize((end - begin) * columns);
      return MatrixView<double>{work.data(), end - begin, columns, columns};
    };
    for (const LayerId l : layout_.ids()) {
      const auto i = static_cast<Index>(l);
      const Index columns = layout_[l].columns(), first = begin * columns, count = (end - begin) * columns;
      if (kept.contains(l)) {
        for (Index r = begin; !seconds[i].empty() && r < end; ++r)
          for (Index c = 0; c < columns; ++c) seconds[i][r * columns + c] = q.mean[i](r, c) * q.mean[i](r, c);
      } else if (!coupled.contains(l)) {
        kept_fields(l, kept, part, workspace(columns));
        std::copy_n(work.begin(), count, means[i].begin() + static_cast<std::ptrdiff_t>(first));
        const MatrixRef mean{&means[i][first], end - begin, columns, columns};
        ConstFields fields{mean};
        std::vector<Real> gamma;
        MatrixRef second;
        if (layout_[l].unit->has_curvature()) {
          gamma = precisions(l, 0, columns);
          fields.curvature = {gamma.data(), end - begin, columns, 0};
          second = {&seconds[i][first], end - begin, columns, columns};
          layout_[l].unit->moments(fields, {}, second);
        }
        layout_[l].unit->moments(fields, mean, {});
      }
    }
    if (!law) return;
    const MatrixView<double> joint = workspace(law->size());
    joint_fields(coupled, kept, part, joint);
    law->means(joint);
    for (const LayerId l : layout_.ids()) {
      if (!coupled.contains(l)) continue;
      const auto i = static_cast<Index>(l);
      const Index columns = layout_[l].columns();
      for (Index r = 0; r < joint.rows; ++r) {
        for (Index c = 0; c < columns; ++c) {
          const double mean = joint(r, at[i] + c);
          means[i][(begin + r) * columns + c] = static_cast<Real>(mean);
          seconds[i][(begin + r) * columns + c] = static_cast<Real>(mean * mean + variance(at[i] + c));
        }
      }
    }
  });
  add_gradient(q, weights, gradient, executor);

  if (!law) return;
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (const Coupling& c : couplings_) {
    if (!coupled.contains(c.a) || !coupled.contains(c.b)) continue;
    const MatrixRef out = parameter_layout_.view(c.block, gradient.data());
    const Index first_row = at[static_cast<Index>(c.a)], first_column = at[static_cast<Index>(c.b)];
    for (Index i = 0; i < out.rows; ++i)
      for (Index j = 0; j < out.cols; ++j)
        if (!c.lateral() || i != j)
          out(i, j) -= static_cast<Real>(total * covariance[(first_row + i) * law->size() + first_column + j]);
  }
  finish_gradient(gradient);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
