#include <harmonium/framework/inference/operations.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Of a product of a vector with a tensor. Within a layer a mask makes it as cheap as what exists; between two layers not.
double multiplications(const ParameterBlock& block) {
  if (block.edges) return 2.0 * static_cast<double>(block.edges->size());
  const bool sparse = block.mask && block.symmetry == Symmetry::symmetric_zero_diagonal;
  return sparse ? 2.0 * static_cast<double>(free_entries(block)) : static_cast<double>(block.size());
}

}  // namespace

double operations_per_product(const EnergyModel& model) {
  double in_a_product = 0.0;  // what is linear in single units costs next to nothing
  for (const ParameterBlock& b : model.parameter_layout().blocks())
    if (is_coupling(b) || b.role == ParameterRole::other) in_a_product += multiplications(b);
  return 2.0 * in_a_product;
}

double operations_per_epoch(const EnergyModel& model, const GradientEstimator& estimator, Index batch_size,
                            Index batches_per_epoch) {
  return operations_per_product(model) * estimator.products(model, batch_size) * static_cast<double>(batches_per_epoch);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
