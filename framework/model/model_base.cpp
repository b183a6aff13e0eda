#include <harmonium/framework/model/model_base.hpp>

#include <algorithm>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void ModelBase::update_parameters(FunctionRef<void(std::span<Real>)> write) {
  const std::vector<Real> before = theta_;
  try {
    write(theta_);
    refresh();
  } catch (...) {
    theta_ = before;
    refresh();
    throw;
  }
}

void ObservedModel::EnergyAlone::evaluate(LayerSet, double beta, ConstChainView x, std::span<double> out) const {
  of_.energy(x, out);
  for (double& e : out) e *= beta;
}

void ObservedModel::EnergyAlone::add_gradient(LayerSet, ConstChainView x, std::span<const double> weights,
                                              std::span<Real> gradient, const Executor& executor) const {
  of_.add_gradient(x, weights, gradient, executor);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
