#include <harmonium/estimators/gradients/doubled_conditionals.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/posterior.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void DoubledConditionals::check(const EnergyModel& model) {
  const LayerSet observed = model.layout().observed(), latent = model.layout().latent();
  const BlockConditionals* conditionals = model.block_conditionals();
  if (latent.empty() || !conditionals || !conditionals->independent(latent, observed) ||
      !conditionals->independent(observed, latent) || !model.factorized_expectation())
    throw CapabilityError(
        "estimator 'doubled': it is for restricted machines, whose latent units are independent given the observed "
        "ones and the reverse. Try the model 'rbm', or the estimator 'pcd'.");
  // Twice the couplings of a normal law are those of none where its precision is then no more positive definite.
  const auto gaussian = [&](LayerSet layers) {
    return std::ranges::any_of(model.layout().ids(layers),
                               [&](LayerId l) { return has_precision(*model.layout()[l].unit); });
  };
  if (gaussian(latent) && gaussian(observed))
    throw CapabilityError(
        "estimator 'doubled': observed and latent units are both Gaussian, and with twice the couplings there may be "
        "no law of both. Take latent units of another kind, or the estimator 'pcd' (in a stack: leave out [joint]).");
  for (const Layer& layer : model.layout().layers())
    if (std::isfinite(layer.unit->linear_limit()))
      throw CapabilityError(
          fmt::format("estimator 'doubled': with twice the couplings the {} units of layer '{}' may have no law. Take "
                      "units of another kind, or the estimator 'pcd' (in a stack: leave out [joint]).",
                      layer.unit->name(), layer.name));
  if (!model.copy())
    throw CapabilityError(
        "estimator 'doubled': the model cannot be copied, and a machine with twice its couplings is needed. Try "
        "'pcd'.");
}

DoubledConditionals::DoubledConditionals(const EnergyModel& model, Doubled doubled) {
  check(model);
  once_ = model.copy();
  twice_ = model.copy();
  see_double_ = doubled == Doubled::observed ? model.layout().latent() : model.layout().observed();
  follow(model);
}

void DoubledConditionals::follow(const EnergyModel& model) {
  update_parameters([&](std::span<Real> theta) { std::ranges::copy(model.parameters(), theta.begin()); });
}

void DoubledConditionals::update_parameters(FunctionRef<void(std::span<Real>)> write) {
  once_->update_parameters(write);
  twice_->update_parameters([&](std::span<Real> theta) {
    std::ranges::copy(once_->parameters(), theta.begin());
    for (const ParameterBlock& b : parameter_layout().blocks())
      if (is_coupling(b))
        for (Real& w : theta.subspan(b.offset, b.size())) w *= Real{2};
  });
}

void DoubledConditionals::energy(ConstChainView, std::span<double>) const {
  throw CapabilityError(
      "estimator 'doubled': conditionals of which one side counts twice have no energy, and the sampler asks for it. "
      "Take 'gibbs'.");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
