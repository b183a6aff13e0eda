#include <harmonium/framework/testing/law.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

StateSpace::StateSpace(const Layout& layout) : layout_(&layout) {
  for (const LayerId l : layout.ids()) {
    const UnitType& type = *layout[l].unit;
    const Index states = type.num_states(), width = type.width();
    if (states == 0) throw std::invalid_argument("a continuous unit has no states to number");
    std::vector<Real> values(states * width);
    type.states({values.data(), states, width, width});
    for (Index i = 0; i < layout[l].size; ++i) {
      units_.push_back({l, i, width, states, size_, values});
      size_ *= states;
    }
  }
}

void StateSpace::put(std::span<const std::size_t> states, Chains& chains) const {
  for (std::size_t u = 0; u < units_.size(); ++u) {
    const Unit& unit = units_[u];
    const MatrixRef x = chains.write(unit.layer);
    for (Index r = 0; r < states.size(); ++r)
      std::copy_n(unit.values.data() + digit(states[r], u) * unit.width, unit.width,
                  x.row(r) + unit.place * unit.width);
  }
}

std::vector<std::size_t> StateSpace::read(const Chains& chains) const {
  std::vector<std::size_t> states(chains.size(), 0);
  for (const Unit& unit : units_) {
    const ConstMatrixRef x = chains.read(unit.layer);
    for (Index r = 0; r < chains.size(); ++r) {
      std::size_t found = unit.states;
      for (std::size_t s = 0; s < unit.states; ++s)
        if (std::equal(unit.values.data() + s * unit.width, unit.values.data() + (s + 1) * unit.width,
                       x.row(r) + unit.place * unit.width))
          found = s;
      if (found == unit.states) throw std::logic_error("a unit holds a value outside its domain");
      states[r] += found * unit.stride;
    }
  }
  return states;
}

std::vector<double> StateSpace::columns(LayerId layer, std::size_t state) const {
  std::vector<double> x((*layout_)[layer].columns());
  for (std::size_t u = 0; u < units_.size(); ++u) {
    const Unit& unit = units_[u];
    if (unit.layer != layer) continue;
    for (Index c = 0; c < unit.width; ++c)
      x[unit.place * unit.width + c] = static_cast<double>(unit.values[digit(state, u) * unit.width + c]);
  }
  return x;
}

Chains StateSpace::rows() const {
  Chains all(*layout_, size_);
  std::vector<std::size_t> numbers(size_);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  put(numbers, all);
  return all;
}

std::vector<double> model_energies(const EnergyModel& model, const StateSpace& space) {
  constexpr std::size_t piece = 4096;
  std::vector<double> energy(space.size());
  std::vector<std::size_t> states;
  for (std::size_t first = 0; first < space.size(); first += piece) {
    states.resize(std::min(piece, space.size() - first));
    std::iota(states.begin(), states.end(), first);
    Chains chains(model.layout(), states.size());
    space.put(states, chains);
    model.energy(chains, std::span(energy).subspan(first, states.size()));
  }
  return energy;
}

Law law_of(std::span<const double> energy) {
  const double min = *std::min_element(energy.begin(), energy.end());
  Law law(energy.size());
  std::transform(energy.begin(), energy.end(), law.begin(), [&](double e) { return std::exp(min - e); });
  const double z = std::accumulate(law.begin(), law.end(), 0.0);
  for (double& p : law) p /= z;
  return law;
}

Law with_uniform_held(const Law& law, const StateSpace& space, std::span<const std::uint8_t> held) {
  std::size_t patterns = 1;
  for (std::size_t u = 0; u < space.num_units(); ++u)
    if (held[u]) patterns *= space.states_of(u);
  const auto pattern_of = [&](std::size_t state) {
    std::size_t pattern = 0;
    for (std::size_t u = 0; u < space.num_units(); ++u)
      if (held[u]) pattern = pattern * space.states_of(u) + space.digit(state, u);
    return pattern;
  };
  std::vector<double> mass(patterns, 0.0);
  for (std::size_t s = 0; s < law.size(); ++s) mass[pattern_of(s)] += law[s];
  Law result(law.size());
  for (std::size_t s = 0; s < law.size(); ++s) result[s] = law[s] / mass[pattern_of(s)] / static_cast<double>(patterns);
  return result;
}

void redraw_unit(Law& law, std::span<const double> energy, const StateSpace& space, std::size_t unit) {
  const std::size_t stride = space.stride(unit), states = space.states_of(unit);
  for (std::size_t first = 0; first < law.size(); ++first) {
    if (space.digit(first, unit) != 0) continue;
    double mass = 0.0, z = 0.0, min = energy[first];
    for (std::size_t k = 0; k < states; ++k) min = std::min(min, energy[first + k * stride]);
    for (std::size_t k = 0; k < states; ++k) {
      mass += law[first + k * stride];
      z += std::exp(min - energy[first + k * stride]);
    }
    for (std::size_t k = 0; k < states; ++k)
      law[first + k * stride] = mass * std::exp(min - energy[first + k * stride]) / z;
  }
}

void sweep(Law& law, std::span<const double> energy, const StateSpace& space) {
  for (std::size_t u = 0; u < space.num_units(); ++u) redraw_unit(law, energy, space, u);
}

Drawing::Drawing(const Law& law) : cumulative_(law) { std::partial_sum(law.begin(), law.end(), cumulative_.begin()); }

std::size_t Drawing::operator()(std::mt19937_64& random) const {
  const double u = static_cast<double>(random() >> 11) * 0x1p-53 * cumulative_.back();
  const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), u);
  return std::min<std::size_t>(static_cast<std::size_t>(found - cumulative_.begin()), cumulative_.size() - 1);
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
