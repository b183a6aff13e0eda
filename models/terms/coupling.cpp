#include <harmonium/models/terms/coupling.hpp>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/kernels/bit_products.hpp>
#include <harmonium/models/terms/outer_products.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void CouplingTerm::Options::validate() const {
  if (layers.size() != 2)
    throw ConfigError("'layers' must name the two layers that are coupled, such as [\"visible\", \"hidden\"].");
  if (layers[0] == layers[1])
    throw ConfigError("'layers' names '" + layers[0] +
                      "' twice. Couplings within a layer are a term of their own: take 'lateral'.");
}

void CouplingTerm::declare(const Layout& layout, ParameterLayout& parameters) {
  options_.validate();
  if (layout.find(options_.layers[1]) < layout.find(options_.layers[0]))
    std::swap(options_.layers[0], options_.layers[1]);
  a_ = layout.find(options_.layers[0]);
  b_ = layout.find(options_.layers[1]);
  tensor_ = add_tensor(parameters, {.name = "weight." + options_.layers[0] + "." + options_.layers[1],
                                    .rows = layout[a_].columns(),
                                    .cols = layout[b_].columns(),
                                    .role = ParameterRole::coupling,
                                    .layers = {a_, b_}});
}

// The field of b is x_a W, that of a is x_b Wᵀ.
void CouplingTerm::add_fields(LayerId layer, Index begin, Index end, ConstChainView x, const Real* theta, Real keep,
                              MatrixRef out) const {
  const ConstMatrixRef w = tensor_.of(theta);
  if (layer == b_) state_product(x[a_], Transpose::no, w.columns(begin, end), keep, out);
  else state_product(x[b_], Transpose::yes, w.slice(begin, end), keep, out);
}

void CouplingTerm::add_exact_fields(LayerId layer, const ExactRows& x, const Real* theta,
                                    MatrixView<double> out) const {
  if (layer == b_ && out.rows <= few_rows) return add_few_rows(x[a_], tensor_.of(theta), out);
  std::vector<double> own;
  const MatrixView<const double> w = exact_.of(tensor_.of(theta), own);
  state_product(x[layer == b_ ? a_ : b_], layer == b_ ? Transpose::no : Transpose::yes, w, 1.0, out);
}

void CouplingTerm::add_energy(double factor, const ExactRows& x, const Real* theta, std::span<double> out) const {
  std::vector<double> own;
  add_bilinear_forms(-factor, x[a_], exact_.of(tensor_.of(theta), own), x[b_], out);
}

void CouplingTerm::add_gradient(const Moments& q, std::span<const double> weights, const Real*,
                                std::span<Real> gradient, const Executor& executor) const {
  subtract_outer_products(q.mean[static_cast<Index>(a_)], q.mean[static_cast<Index>(b_)], weights,
                          tensor_.of(gradient.data()), executor);
}

bool CouplingTerm::set_mask(ParameterLayout& parameters, Index position, std::vector<std::uint8_t> mask) {
  if (position != tensor_.position) return false;
  parameters.set_mask(position, std::move(mask));
  return true;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
