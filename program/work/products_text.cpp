#include <harmonium/program/work/products_text.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/kernels/bit_products.hpp>
#include <harmonium/framework/kernels/kernels.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

bool of_bits(const UnitType& unit) {
  if (unit.num_states() != 2 || unit.width() != 1) return false;
  Real states[2];
  unit.states({states, 2, 1, 1});
  return std::min(states[0], states[1]) == Real{0} && std::max(states[0], states[1]) == Real{1};
}

/// Up to which share of ones.
std::string upto(double limit) {
  if (limit <= 0.0) return "BLAS";
  if (limit >= 0.5) return "sparse sums";
  return fmt::format("sparse sums up to {:.0f} % ones and from {:.0f} % on, else BLAS", 100.0 * limit,
                     100.0 * (1.0 - limit));
}

std::string said(const std::string& from, const std::string& to, double limit) {
  switch (product_way()) {
    case ProductWay::gemm: limit = 0.0; break;
    case ProductWay::sparse_sums: limit = 1.0; break;
    case ProductWay::automatic: break;
  }
  return fmt::format("fields of {} from bits of {}: {}\n", to, from, upto(limit));
}

}  // namespace

std::string products_text(const EnergyModel& model, Index rows) {
  if (sizeof(Real) != sizeof(float)) return "";
  const CostOfProducts cost = CostOfProducts::of(kernels().name, blas_name());
  const Layout& layout = model.layout();
  std::string text;
  for (const ParameterBlock& block : model.parameter_layout().blocks()) {
    if (block.role != ParameterRole::coupling || block.layers.size() != 2 || block.layers[0] == block.layers[1])
      continue;
    const Layer &a = layout[block.layers[0]], &b = layout[block.layers[1]];
    if (of_bits(*a.unit)) text += said(a.name, b.name, cost.limit(rows, block.rows, block.cols, Transpose::no));
    if (of_bits(*b.unit)) text += said(b.name, a.name, cost.limit(rows, block.cols, block.rows, Transpose::yes));
  }
  return text;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
