#include <algorithm>

#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/model/capabilities.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void FreeEnergy::log_conditionals(const Layout& layout, LayerSet kept, double beta, ConstChainView x, LayerId layer,
                                  std::span<const Index> units, MatrixView<double> out) const {
  const UnitType& unit = *layout[layer].unit;
  const Index width = unit.width(), states = unit.num_states();
  std::vector<Real> values(states * width);
  unit.states({values.data(), states, width, width});
  Chains rows(layout, states + 1);  // the row as it is, and with each state of the unit
  std::vector<double> energies(states + 1);
  for (Index r = 0; r < x.rows(); ++r) {
    for (const LayerId l : layout.ids()) {
      const ConstMatrixRef from = x[l];
      const MatrixRef to = rows.write(l);
      for (Index s = 0; s <= states; ++s) std::copy(from.row(r), from.row(r) + from.cols, to.row(s));
    }
    const MatrixRef changed = rows.write(layer);
    for (Index i = 0; i < units.size(); ++i) {
      const Index at = units[i] * width;
      for (Index s = 0; s < states; ++s) std::copy_n(&values[s * width], width, changed.row(s + 1) + at);
      evaluate(kept, beta, rows, energies);
      for (double& e : energies) e = -e;
      out(r, i) = energies[0] - logsumexp(std::span(energies).subspan(1));
      for (Index s = 0; s < states; ++s) std::copy_n(changed.row(0) + at, width, changed.row(s + 1) + at);
    }
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
