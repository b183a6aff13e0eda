#include <harmonium/samplers/marginal_energy.hpp>

#include <algorithm>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void MarginalEnergy::update_parameters(FunctionRef<void(std::span<Real>)>) {
  throw CapabilityError("the parameters are those of another model, which alone may change them.");
}

void MarginalEnergy::energy(ConstChainView x, std::span<double> out) const {
  model_.free_energy()->evaluate(layout().observed(), 1.0, x, out);
}

void MarginalEnergy::add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                                  const Executor& executor) const {
  model_.free_energy()->add_gradient(layout().observed(), x, weights, gradient, executor);
}

void MarginalEnergy::evaluate(ConstChainView x, std::span<const MatrixRef> out) const {
  std::vector<MatrixRef> score(layout().size());
  std::vector<std::vector<Real>> unwanted(layout().size());
  for (const LayerId l : layout().ids(layout().observed())) {
    const auto at = static_cast<Index>(l);
    score[at] = out[at];
    if (!out[at].empty()) continue;
    const Index columns = layout()[l].columns();
    unwanted[at].resize(x.rows() * columns);
    score[at] = {unwanted[at].data(), x.rows(), columns, columns};
  }
  model_.score()->evaluate(layout().observed(), x, score, {});
  for (const LayerId l : layout().ids(layout().observed())) {
    const MatrixRef slope = out[static_cast<Index>(l)];
    for (Index r = 0; r < slope.rows; ++r)
      std::transform(slope.row(r), slope.row(r) + slope.cols, slope.row(r), [](Real v) { return -v; });
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
