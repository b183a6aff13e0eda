#include <harmonium/framework/inference/finite_chains.hpp>

#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void check_finite(const Chains& chains, const Layout& layout) {
  for (const LayerId l : layout.ids()) {
    if (layout[l].unit->num_states() > 0) continue;
    const ConstMatrixRef x = chains.read(l);
    for (Index r = 0; r < x.rows; ++r)
      for (const Real value : std::span(x.row(r), x.cols)) {
        const auto v = static_cast<double>(value);
        if (std::abs(v) <= farthest_sample) continue;
        throw NumericalError(fmt::format(
            "after {} transitions layer '{}' of chain {} is {}: the chain has run away. The model has no "
            "density, or the sampler's steps are too long for it. Take shorter steps (of 'langevin': step_size), "
            "or look at the parameters.",
            chains.step(), layout[l].name, chains.first_chain() + r,
            std::isfinite(v) ? fmt::format("at {:.3g}, and no sample lies beyond {:g}", v, farthest_sample)
                             : "not finite"));
      }
  }
}

void check_energies(std::span<const double> energies, ConstChainView x) {
  for (Index r = 0; r < x.rows(); ++r)
    if (std::isnan(energies[r]))
      throw NumericalError(
          fmt::format("the energy of chain {} is not a number: a state or a parameter is not finite, or beyond what a "
                      "number holds. "
                      "Take shorter steps (of 'langevin': step_size), or look at the parameters.",
                      x.chains->first_chain() + x.begin + r));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
