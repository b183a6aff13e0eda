// Energies and free energies of the pairwise model, in double in both precisions: they are what log likelihoods,
// acceptances and log weights are made of.
#include <cmath>

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
  LayerSet rest = layout_.all();
  for (const LayerId l : layout_.ids())
    if (kept.contains(l)) rest.remove(l);
  return independent(rest, kept);
}

double Pairwise::operations(LayerSet kept) const {
  double operations = 0.0;
  for (const Coupling& c : couplings_) {
    if (!kept.contains(c.a) && !kept.contains(c.b)) continue;
    operations += 2.0 * static_cast<double>(parameter_layout_[c.block].size());
  }
  constexpr double softplus = 20.0;  // a log partition is about this many additions and multiplications
  return operations + softplus * static_cast<double>(layout_.columns(layout_.all()));
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
    const bool curved = layout_[l].unit->has_curvature();
    const std::vector<Real> gamma = curved ? precisions(l, 0, (*values).cols) : std::vector<Real>{};
    for (Index r = 0; r < rows; ++r) {
      double e = 0.0;
      for (Index c = 0; c < (*values).cols; ++c) e -= static_cast<double>(b[c]) * (*values)(r, c);
      for (Index c = 0; c < gamma.size(); ++c)
        e += 0.5 * static_cast<double>(gamma[c]) * (*values)(r, c) * (*values)(r, c);
      out[r] += beta * e;
    }
  }
  for (const Coupling& c : couplings_) {
    if (!kept.contains(c.a) || !kept.contains(c.b)) continue;
    const AsDouble a(x[c.a]), b(x[c.b]), w(tensor(c.block));
    const MatrixView<double> product = workspace((*w).cols);
    gemm(Transpose::no, Transpose::no, 1.0, *a, *w, 0.0, product);
    add_dots(beta * (c.lateral() ? -0.5 : -1.0), product, *b, out);
  }

  // The others: −Σ log partition at the field that the kept ones give them.
  std::vector<double> scale(rows, beta);
  for (const LayerId l : layout_.ids()) {
    if (kept.contains(l)) continue;
    const Index columns = layout_[l].columns();
    const MatrixView<double> linear = workspace(columns);
    double keep = 0.0;
    for (const Coupling& c : couplings_) {
      if (c.a != l && c.b != l) continue;
      const AsDouble w(tensor(c.block));
      if (c.b == l) {
        const AsDouble a(x[c.a]);
        gemm(Transpose::no, Transpose::no, 1.0, *a, *w, keep, linear);
      } else {
        const AsDouble b(x[c.b]);
        gemm(Transpose::no, Transpose::yes, 1.0, *b, *w, keep, linear);
      }
      keep = 1.0;
    }
    if (keep == 0.0) std::fill(work.begin(), work.end(), 0.0);
    std::vector<double> biases(bias(l), bias(l) + columns), gamma;
    BasicFields<const double> fields{linear};
    fields.bias = biases.data();
    fields.scale = beta == 1.0 ? nullptr : scale.data();
    if (layout_[l].unit->has_curvature()) {
      const std::vector<Real> g = precisions(l, 0, columns);
      gamma.assign(g.begin(), g.end());
      fields.curvature = {gamma.data(), rows, columns, 0};
    }
    std::vector<double> sums(rows, 0.0);
    layout_[l].unit->add_log_partition(fields, sums);
    for (Index r = 0; r < rows; ++r) out[r] -= sums[r];
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
