// Energies and free energies of layered models, in double in both precisions: they are what log likelihoods, acceptances and
// log weights are made of.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <harmonium/models/layered.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

bool LayeredFreeEnergy::closed(LayerSet kept) const {
  const Layout& layout = model_.layout();
  return std::ranges::none_of(model_.terms(), [&](const auto& t) {
    const std::optional<EnergyTerm::Bilinear> c = t->bilinear();
    const bool jointly_normal = c && is_gaussian(layout[c->a]) && is_gaussian(layout[c->b]);
    return !jointly_normal && !gaussian_lattice(*t, layout) && couples_any(*t, layout.all() - kept, layout);
  });
}

double LayeredFreeEnergy::operations(LayerSet kept) const {
  const Layout& layout = model_.layout();
  double operations = 0.0;
  for (const auto& t : model_.terms())
    if (!(t->layers() & kept).empty()) operations += t->operations();
  constexpr double softplus = 20.0;  // a log partition is about this many additions and multiplications
  const auto joint = static_cast<double>(layout.columns(ContinuousLaw::coupled_gaussians(model_, layout.all() - kept)));
  return operations + joint * joint + softplus * static_cast<double>(layout.columns(layout.all()));
}

void LayeredFreeEnergy::evaluate(LayerSet kept, double beta, ConstChainView x, std::span<double> out) const {
  const LayerSet coupled = ContinuousLaw::coupled_gaussians(model_, model_.layout().all() - kept);
  constexpr Index in_cache = 32;  // rows whose fields stay there; a joint law is found once for all rows
  const Index rows = x.rows(), strips = coupled.empty() ? (rows + in_cache - 1) / in_cache : 1;
  std::vector<double> work;
  for (Index s = 0; s < strips; ++s) {  // cut evenly: of few rows a product is found in another way
    const Index begin = s * rows / strips, end = (s + 1) * rows / strips;
    evaluate_strip(kept, coupled, beta, x.slice(begin, end), work, out.subspan(begin, end - begin));
  }
}

void LayeredFreeEnergy::evaluate_strip(LayerSet kept, LayerSet coupled, double beta, ConstChainView x,
                                       std::vector<double>& work, std::span<double> out) const {
  const Layout& layout = model_.layout();
  const ExactRows exact(x);
  const Index rows = x.rows();
  const auto workspace = [&](Index cols) {
    work.resize(rows * cols);
    return MatrixView<double>{work.data(), rows, cols, cols};
  };

  // The kept layers: β E of their own terms.
  model_.unit_energies(kept, beta, x, out);
  for (const auto& t : model_.terms())
    if ((t->layers() - kept).empty()) t->add_energy(beta, exact, model_.theta_.data(), out);

  // The others: −Σ log partition at the field that the kept ones give them.
  std::vector<double> scale(rows, beta);
  for (const LayerId l : layout.ids()) {
    if (kept.contains(l) || coupled.contains(l)) continue;
    const Index columns = layout[l].columns();
    const MatrixView<double> linear = workspace(columns);
    model_.kept_fields(l, kept, exact, linear);
    std::vector<double> gamma;
    BasicFields<const double> fields{linear};
    fields.scale = beta == 1.0 ? nullptr : scale.data();
    if (layout[l].unit->has_curvature()) {
      gamma = model_.exact_precisions(l);
      fields.curvature = {gamma.data(), rows, columns, 0};
    }
    std::vector<double> sums(rows, 0.0);
    layout[l].unit->add_log_partition(fields, sums);
    for (Index r = 0; r < rows; ++r) out[r] -= sums[r];
  }
  if (coupled.empty()) return;

  // Jointly normal ones: log ∫ exp(β (fᵀx − ½ xᵀPx)) = ½ n log(2π/β) − ½ log det P + ½ β fᵀP⁻¹f.
  std::optional<JointGaussian> own;
  const JointGaussian& law = model_.law_.joint(model_, coupled, own);
  const MatrixView<double> fields = workspace(law.size());
  ContinuousLaw::fields(model_, coupled, kept, exact, fields);
  std::vector<double> forms(rows);
  law.quadratic_forms(fields, forms);
  const double constant =
      0.5 * static_cast<double>(law.size()) * std::log(2.0 * std::numbers::pi / beta) - 0.5 * law.log_determinant();
  for (Index r = 0; r < rows; ++r) out[r] -= constant + 0.5 * beta * forms[r];
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
