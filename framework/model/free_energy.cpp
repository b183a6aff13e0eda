#include <algorithm>

#include <harmonium/framework/core/copies.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/model/capabilities.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void FreeEnergy::log_ratios(const Layout& layout, LayerSet kept, double beta, ConstChainView x, LayerId layer,
                            std::span<const Index> units, MatrixView<double> out) const {
  const UnitStates values(*layout[layer].unit);
  const Index width = layout[layer].unit->width(), states = values.size();
  Chains rows(layout, states + 1);  // the row as it is, and with each state of the unit
  std::vector<double> energies(states + 1);
  for (Index r = 0; r < x.rows(); ++r) {
    rows.copy_to_all(kept, *x.chains, x.begin + r);
    const MatrixRef changed = rows.write(layer);
    for (Index i = 0; i < units.size(); ++i) {
      const MatrixRef of_unit = changed.columns(units[i] * width, (units[i] + 1) * width).slice(1, states + 1);
      copy(values.view(), of_unit);
      evaluate(kept, beta, rows, energies);
      std::transform(energies.begin() + 1, energies.end(), out[r].begin() + static_cast<std::ptrdiff_t>(i * states),
                     [&](double energy) { return energies[0] - energy; });
      copy_to_rows(changed[0].subspan(units[i] * width, width), of_unit);
    }
  }
}

void FreeEnergy::add_neighbor_gradient(const Layout& layout, LayerSet kept, ConstChainView x, LayerId layer,
                                       MatrixView<const double> weights, std::span<Real> gradient,
                                       const Executor& executor) const {
  constexpr Index together = 1024;
  const UnitStates values(*layout[layer].unit);
  const Index width = layout[layer].unit->width(), states = values.size();
  Chains rows(layout, together);
  std::vector<double> of_rows;
  const auto add = [&] {
    add_gradient(kept, {rows, 0, of_rows.size()}, of_rows, gradient, executor);
    of_rows.clear();
  };
  for (Index r = 0; r < x.rows(); ++r) {
    for (Index i = 0; i < weights.cols; ++i) {
      if (weights(r, i) == 0.0) continue;
      rows.copy_rows(kept, x.slice(r, r + 1), of_rows.size());
      std::ranges::copy(values[i % states], rows.write(layer).row(of_rows.size()) + i / states * width);
      of_rows.push_back(weights(r, i));
      if (of_rows.size() == together) add();
    }
  }
  if (!of_rows.empty()) add();
}

void FreeEnergy::log_conditionals(const Layout& layout, LayerSet kept, double beta, ConstChainView x, LayerId layer,
                                  std::span<const Index> units, MatrixView<double> out) const {
  const Index states = layout[layer].unit->num_states(), columns = units.size() * states;
  Matrix<double> ratios = zeros<double>(x.rows(), columns);
  log_ratios(layout, kept, beta, x, layer, units, as_matrix(ratios));
  for (Index r = 0; r < x.rows(); ++r)
    for (Index i = 0; i < units.size(); ++i) out(r, i) = -logsumexp(row_of(ratios, r).subspan(i * states, states));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
