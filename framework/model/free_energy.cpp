#include <algorithm>

#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/model/capabilities.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

void copy_row(const Layout& layout, LayerSet kept, ConstChainView x, Index row, Chains& to, Index at) {
  for (const LayerId l : layout.ids()) {
    if (!kept.contains(l)) continue;
    const ConstMatrixRef from = x[l];
    std::copy(from.row(row), from.row(row) + from.cols, to.write(l).row(at));
  }
}

}  // namespace

void FreeEnergy::log_ratios(const Layout& layout, LayerSet kept, double beta, ConstChainView x, LayerId layer,
                            std::span<const Index> units, MatrixView<double> out) const {
  const UnitType& unit = *layout[layer].unit;
  const Index width = unit.width(), states = unit.num_states();
  std::vector<Real> values(states * width);
  unit.states({values.data(), states, width, width});
  Chains rows(layout, states + 1);  // the row as it is, and with each state of the unit
  std::vector<double> energies(states + 1);
  for (Index r = 0; r < x.rows(); ++r) {
    for (Index s = 0; s <= states; ++s) copy_row(layout, kept, x, r, rows, s);
    const MatrixRef changed = rows.write(layer);
    for (Index i = 0; i < units.size(); ++i) {
      const Index at = units[i] * width;
      for (Index s = 0; s < states; ++s) std::copy_n(&values[s * width], width, changed.row(s + 1) + at);
      evaluate(kept, beta, rows, energies);
      for (Index s = 0; s < states; ++s) out(r, i * states + s) = energies[0] - energies[s + 1];
      for (Index s = 0; s < states; ++s) std::copy_n(changed.row(0) + at, width, changed.row(s + 1) + at);
    }
  }
}

void FreeEnergy::add_neighbour_gradient(const Layout& layout, LayerSet kept, ConstChainView x, LayerId layer,
                                        MatrixView<const double> weights, std::span<Real> gradient,
                                        const Executor& executor) const {
  constexpr Index together = 1024;
  const UnitType& unit = *layout[layer].unit;
  const Index width = unit.width(), states = unit.num_states();
  std::vector<Real> values(states * width);
  unit.states({values.data(), states, width, width});
  Chains rows(layout, together);
  std::vector<double> of_rows;
  const auto add = [&] {
    add_gradient(kept, {rows, 0, of_rows.size()}, of_rows, gradient, executor);
    of_rows.clear();
  };
  for (Index r = 0; r < x.rows(); ++r) {
    for (Index i = 0; i < weights.cols; ++i) {
      if (weights(r, i) == 0.0) continue;
      copy_row(layout, kept, x, r, rows, of_rows.size());
      std::copy_n(&values[i % states * width], width, rows.write(layer).row(of_rows.size()) + i / states * width);
      of_rows.push_back(weights(r, i));
      if (of_rows.size() == together) add();
    }
  }
  if (!of_rows.empty()) add();
}

void FreeEnergy::log_conditionals(const Layout& layout, LayerSet kept, double beta, ConstChainView x, LayerId layer,
                                  std::span<const Index> units, MatrixView<double> out) const {
  const Index states = layout[layer].unit->num_states(), columns = units.size() * states;
  std::vector<double> ratios(x.rows() * columns);
  log_ratios(layout, kept, beta, x, layer, units, {ratios.data(), x.rows(), columns, columns});
  for (Index r = 0; r < x.rows(); ++r)
    for (Index i = 0; i < units.size(); ++i)
      out(r, i) = -logsumexp(std::span(ratios).subspan(r * columns + i * states, states));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
