#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include <harmonium/framework/model/domain.hpp>
#include <harmonium/framework/model/layout.hpp>
#include <harmonium/framework/model/parameters.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What a tensor of the role `bias`, or one of a curvature, adds to the log weight of a unit at x: b x, or −½ γ x².
inline double log_weight_of_single(ParameterRole role, Real value, double x) {
  if (role == ParameterRole::bias) return static_cast<double>(value) * x;
  return -0.5 * static_cast<double>(curvature_of(role, value)) * x * x;
}

/// x_sᵀ x_t of all states s, t of two kinds of units of one width.
inline std::vector<double> products_of_states(const UnitStates& a, const UnitStates& b) {
  std::vector<double> table;
  for (Index s = 0; s < a.size(); ++s)
    for (Index t = 0; t < b.size(); ++t) {
      double sum = 0.0;
      for (Index c = 0; c < a.view().cols; ++c) sum += static_cast<double>(a[s][c]) * static_cast<double>(b[t][c]);
      table.push_back(sum);
    }
  return table;
}

/// x_sᵀ W x_t by the part of a matrix that begins at (row, column); false where that is 0.
inline bool fill_pair_table(ConstMatrixRef w, Index row, Index column, const UnitStates& a, const UnitStates& b,
                            std::vector<double>& table) {
  table.assign(a.size() * b.size(), 0.0);
  bool any = false;
  for (Index c = 0; c < a.view().cols; ++c)
    for (Index d = 0; d < b.view().cols; ++d) {
      const auto weight = static_cast<double>(w(row + c, column + d));
      if (weight == 0.0) continue;
      any = true;
      for (Index s = 0; s < a.size(); ++s)
        for (Index t = 0; t < b.size(); ++t)
          table[s * b.size() + t] += weight * static_cast<double>(a[s][c]) * static_cast<double>(b[t][d]);
    }
  return any;
}

/// States at which a sum over units and pairs is held against a model's energy: the first one is 0 of every unit, the others are drawn by
/// a generator of their own. Units without a finite list of states have 0.
inline std::vector<std::vector<std::uint32_t>> states_to_compare(const Layout& layout) {
  constexpr Index rows = 8;
  std::mt19937_64 words(1);
  std::vector<std::vector<std::uint32_t>> states(rows);
  for (const Layer& layer : layout.layers())
    for (Index r = 0; r < rows; ++r)
      for (Index u = 0; u < layer.size; ++u)
        states[r].push_back(static_cast<std::uint32_t>(
            r == 0 || layer.unit->num_states() == 0 ? 0 : words() % layer.unit->num_states()));
  return states;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
