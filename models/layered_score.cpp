// The score of the Gaussian layers of a layered model, other layers summed out. With f_i the fields of a summed unit, m_i
// and C_i its mean and covariance,
//   ψ = b − γx + Lx + Σ_i W_i m_i(f_i),   Σ_j ∂ψ_j/∂x_j = −Σ_j γ_j + Σ_i tr(C_i G_i),   G_i = W_iᵀW_i.
#include <algorithm>
#include <numeric>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/core/copies.hpp>
#include <harmonium/models/layered.hpp>
#include <harmonium/models/score_parts.hpp>
#include <harmonium/models/unit_law.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Σ_j W(c, j) W(d, j) within each unit of `width` rows: width × width numbers a unit.
void add_gram(MatrixView<const double> w, Index width, std::vector<double>& gram) {
  for (Index c = 0; c < w.rows; ++c)
    for (Index d = 0; d < width; ++d)
      gram[c * width + d] += std::inner_product(w.row(c), w.row(c) + w.cols, w.row(c / width * width + d), 0.0);
}

/// Fields of a summed layer become means; divergence[r] += Σ_i tr(C_i G_i).
void to_means(const SummedLayer& n, const UnitType& type, Matrix<double>& fields, std::span<double> divergence) {
  UnitLaw unit(type);
  const Index width = unit.width();
  for (Index r = 0; r < fields.shape(0); ++r) {
    for (Index c = 0; c < n.columns; c += width) {
      unit.set(&fields(r, c), &n.gamma[c]);
      for (Index d = 0; d < width; ++d) fields(r, c + d) = unit.mean(d);
      if (!divergence.empty()) divergence[r] += unit.trace(&n.gram[c * width]);
    }
  }
}

}  // namespace

std::vector<SummedLayer> summed_layers(const LayeredModel& model, LayerSet kept) {
  const Layout& layout = model.layout();
  std::vector<SummedLayer> all;
  for (const LayerId l : layout.ids(layout.all() - kept)) {
    const Index columns = layout[l].columns(), width = layout[l].unit->width();
    std::vector<Index> every(columns);
    std::iota(every.begin(), every.end(), Index{0});
    SummedLayer n{l, columns, model.exact_precisions(l), std::vector<double>(columns * width, 0.0), {}};
    n.couplings.resize(layout.size());
    for (const LayerId k : layout.ids(kept)) {
      const std::vector<double> w = model.couplings_of<double>(l, every, k);
      if (w.empty()) continue;
      n.couplings[k] = zeros<double>(columns, layout[k].columns());
      std::ranges::copy(w, n.couplings[k].begin());
      add_gram(as_matrix(n.couplings[k]), width, n.gram);
    }
    all.push_back(std::move(n));
  }
  return all;
}

bool LayeredScore::offered(LayerSet kept) const {
  const LayerSet rest = model_.layout().all() - kept;
  for (const LayerId l : model_.layout().ids())
    if (!is_gaussian(model_.layout()[l]) && (kept.contains(l) || model_.layout()[l].unit->num_states() == 0))
      return false;
  if (!model_.bilinear_only(model_.layout().all())) return false;
  return std::ranges::none_of(model_.couplings_,
                              [&](const EnergyTerm::Bilinear& c) { return rest.contains(c.a) && rest.contains(c.b); });
}

void LayeredScore::evaluate(LayerSet kept, ConstChainView x, std::span<const MatrixRef> score,
                            std::span<double> divergence) const {
  const Layout& layout = model_.layout();
  const Index rows = x.rows();
  const ExactRows exact(x);
  PerLayer<Matrix<double>> psi(layout.size());
  std::ranges::fill(divergence, 0.0);
  for (const LayerId l : layout.ids(kept)) {
    const ConstMatrixRef values = x[l];
    psi[l] = zeros<double>(rows, values.cols);
    model_.own_fields(l, kept, exact, as_matrix(psi[l]));
    const std::vector<double> gamma = model_.exact_precisions(l);
    in_place(as_matrix(psi[l])) -= as_xtensor(std::span(gamma)) * xt::cast<double>(as_xtensor(values));
    for (double& d : divergence) d -= std::accumulate(gamma.begin(), gamma.end(), 0.0);
  }
  for (const SummedLayer& n : summed_layers(model_, kept)) {
    Matrix<double> means = zeros<double>(rows, n.columns);
    model_.kept_fields(n.layer, kept, exact, as_matrix(means));
    to_means(n, *layout[n.layer].unit, means, divergence);
    for (const LayerId l : layout.ids(kept))
      if (n.couplings[l].size() > 0)
        gemm(Transpose::no, Transpose::no, 1.0, as_matrix(std::as_const(means)), as_matrix(n.couplings[l]), 1.0,
             as_matrix(psi[l]));
  }
  for (const LayerId l : layout.ids(kept)) copy(as_matrix(psi[l]), score[static_cast<Index>(l)]);
}

void LayeredScore::add_gradient(LayerSet kept, ConstChainView x, std::span<const ConstMatrixRef> directions,
                                std::span<const double> weights, double divergence_weight, std::span<Real> gradient,
                                const Executor& executor) const {
  ScoreGradient(model_, kept, x, directions, weights, divergence_weight, executor).add(gradient);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
