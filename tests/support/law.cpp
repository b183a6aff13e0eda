#include <harmonium/tests/support/law.hpp>

#include <stdexcept>

namespace harmonium::testing {

std::vector<double> energies(const EnergyModel& model, const StateSpace& space) {
  const ParameterLayout& layout = model.parameter_layout();
  const Real* theta = model.parameters().data();
  std::vector<double> energy(space.size(), 0.0);
  for (std::size_t state = 0; state < space.size(); ++state) {
    for (const ParameterBlock& block : layout.blocks()) {
      const std::vector<double> a = space.columns(block.layers.at(0), state);
      if (block.role == ParameterRole::bias) {
        for (Index i = 0; i < block.rows; ++i) energy[state] -= static_cast<double>(theta[block.offset + i]) * a[i];
      } else if (block.role == ParameterRole::coupling) {
        const std::vector<double> b = space.columns(block.layers.at(1), state);
        const double factor = block.symmetry == Symmetry::none ? 1.0 : 0.5;
        for (Index i = 0; i < block.rows; ++i)
          for (Index j = 0; j < block.cols; ++j)
            energy[state] -= factor * static_cast<double>(theta[block.offset + i * block.cols + j]) * a[i] * b[j];
      } else {
        throw std::invalid_argument("a tensor that this energy does not know");
      }
    }
  }
  return energy;
}

}  // namespace harmonium::testing
