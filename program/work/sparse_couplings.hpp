#pragma once

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/run/tensor_names.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Pairs of units that a tensor may couple, and those of them that it does.
struct CoupledPairs {
  Index all = 0, coupled = 0;
};

inline CoupledPairs coupled_pairs(const EnergyModel& model, Index position) {
  const ParameterBlock& block = model.parameter_layout()[position];
  const Layer &a = model.layout()[block.layers.front()], &b = model.layout()[block.layers.back()];
  const Index rows = a.unit->width(), cols = b.unit->width();
  const ConstMatrixRef w = model.parameter_layout().view(position, model.parameters().data());
  const auto any = [&](Index i, Index j) {
    for (Index r = i * rows; r < (i + 1) * rows; ++r)
      if (std::any_of(w.row(r) + j * cols, w.row(r) + (j + 1) * cols, [](Real v) { return v != Real(0); })) return true;
    return false;
  };
  CoupledPairs pairs;
  for (Index i = 0; i < a.size; ++i)
    for (Index j = block.symmetry == Symmetry::none ? 0 : i + 1; j < b.size; ++j, ++pairs.all)
      pairs.coupled += any(i, j) ? 1 : 0;
  return pairs;
}

/// A line for each tensor of couplings without a mask that most pairs of many units have none in: samplers and elimination go by all of
/// them.
inline std::string sparse_couplings_text(const EnergyModel& model) {
  constexpr Index many_pairs = 120;  // of 16 units
  std::string text;
  for (Index k = 0; k < model.parameter_layout().blocks().size(); ++k) {
    const ParameterBlock& block = model.parameter_layout()[k];
    if (block.role != ParameterRole::coupling || block.mask) continue;
    const CoupledPairs pairs = coupled_pairs(model, k);
    if (pairs.all < many_pairs || 2 * pairs.coupled >= pairs.all) continue;
    const std::string layers =
        model.layout()[block.layers.front()].name + "." + model.layout()[block.layers.back()].name;
    text += fmt::format(
        "{}: {} of {} pairs of units are coupled. A mask leaves the others out, and what goes from unit to unit is as "
        "much "
        "faster: masks = [{{ coupling = \"{}\", edges = \"PAIRS.txt\" }}] of [model], or "
        "beside couplings in an archive an array '{}', J != 0\n",
        block.name, pairs.coupled, pairs.all, layers, mask_of(block));
  }
  return text;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
