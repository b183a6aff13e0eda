#include <harmonium/program/work/products_text.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/kernels/bit_products.hpp>
#include <harmonium/framework/kernels/coupled_sweep.hpp>
#include <harmonium/framework/kernels/integer_tiles.hpp>
#include <harmonium/framework/model/tiling.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr bool in_double = std::is_same_v<Real, double>;

bool of_bits(const UnitType& unit) {
  if (unit.num_states() == 0) return false;
  std::vector<Real> states(unit.num_states() * unit.width());
  unit.states({states.data(), unit.num_states(), unit.width(), unit.width()});
  return std::ranges::all_of(states, [](Real v) { return v == Real{0} || v == Real{1}; });
}

std::string in_words(ProductWay way) {
  switch (way) {
    case ProductWay::sparse_sums: return "sparse sums";
    case ProductWay::integer_tiles: return in_double ? "BLAS" : "sums of integers of 24 bits";
    case ProductWay::integer_tiles_16: return in_double ? "BLAS" : "sums of integers of 16 bits";
    case ProductWay::automatic:
    case ProductWay::gemm: break;
  }
  return "BLAS";
}

std::string by_share(const std::string& what, double limit, const std::string& otherwise) {
  const double percent = std::round(100.0 * limit);
  if (percent <= 0.0) return what + ": " + otherwise + "\n";
  if (percent >= 100.0) return what + ": sparse sums\n";
  return fmt::format("{}: sparse sums up to {:.0f} % ones, else {}\n", what, percent, otherwise);
}

std::string said(const std::string& product, const ProductShape& shape, const CostOfProducts& cost) {
  if (product_way() != ProductWay::automatic) return product + ": " + in_words(product_way()) + "\n";
  return by_share(product, cost.limit(shape), in_words(cost.dense_way(shape)));
}

/// Of units of two states that wait for each other.
std::string sweep_said(const Layer& layer, Index rows) {
  const Tiling tiling = Tiling::of(rows);
  const Index together = tiling.one_tile(rows) ? std::min(rows, Tiling::strip) : tiling.rows;
  const double limit = limit_of_sums(CostOfSweeps::here(in_double), product_way(), together, layer.size);
  const std::string what = fmt::format("draws of {}, one unit after the other in order, of {} chain{} together",
                                       layer.name, together, together == 1 ? "" : "s");
  return by_share(what, limit, "products");
}

}  // namespace

std::string products_text(const EnergyModel& model, Index rows) {
  const CostOfProducts cost = CostOfProducts::here(in_double);
  const Layout& layout = model.layout();
  const Tiling tiling = Tiling::of(rows);
  // A lone tile is cut into panels of units, more are not.
  const auto panel = [&](Index units) { return tiling.one_tile(rows) ? std::min(units, Tiling::panel(units)) : units; };
  const Index tile = std::min(rows, tiling.rows);
  std::string text;
  for (const ParameterBlock& block : model.parameter_layout().blocks()) {
    if (block.role != ParameterRole::coupling || block.layers.size() != 2) continue;
    const Layer &a = layout[block.layers[0]], &b = layout[block.layers[1]];
    if (block.layers[0] == block.layers[1]) {
      if (!block.mask && of_bits(*a.unit) && a.columns() == a.size) text += sweep_said(a, rows);
      continue;
    }
    if (of_bits(*a.unit)) {
      text += said(fmt::format("fields of {} from bits of {}", b.name, a.name),
                   {tile, block.rows, panel(block.cols), ProductShape::as_it_is}, cost);
      text += said(fmt::format("gradient of {} from bits of {}", block.name, a.name),
                   {std::min(block.rows, Tiling::panel(block.rows)), rows, block.cols, ProductShape::of_outer_product},
                   cost);
    }
    if (of_bits(*b.unit))
      text += said(fmt::format("fields of {} from bits of {}", a.name, b.name),
                   {tile, block.cols, panel(block.rows), ProductShape::transposed}, cost);
  }
  return text;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
