#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// Probability of each joint state of a small model of discrete units, by number.
using Law = std::vector<double>;

/// The joint states of a layout of discrete units, numbered: the first unit of the first layer changes fastest. Written
/// for checks alone, so that nothing here leans on what is under test.
class StateSpace {
 public:
  explicit StateSpace(const Layout& layout);

  std::size_t size() const { return size_; }
  /// Units of all layers, in layout order.
  std::size_t num_units() const { return units_.size(); }
  LayerId layer_of(std::size_t unit) const { return units_[unit].layer; }
  std::size_t states_of(std::size_t unit) const { return units_[unit].states; }
  /// Position of the unit within its layer.
  Index place_of(std::size_t unit) const { return units_[unit].place; }
  std::size_t stride(std::size_t unit) const { return units_[unit].stride; }
  std::size_t digit(std::size_t state, std::size_t unit) const {
    return state / units_[unit].stride % units_[unit].states;
  }

  /// Row r of `chains` becomes states[r].
  void put(std::span<const std::size_t> states, Chains& chains) const;
  /// One row a state.
  Chains rows() const;
  std::vector<std::size_t> read(const Chains& chains) const;
  /// All states, as rows of double columns, layer by layer.
  std::vector<double> columns(LayerId layer, std::size_t state) const;

 private:
  struct Unit {
    LayerId layer;
    Index place, width;
    std::size_t states, stride;
    std::vector<Real> values;  ///< states × width
  };
  const Layout* layout_;
  std::vector<Unit> units_;
  std::size_t size_ = 1;
};

/// Energies of all states, as the model says them.
std::vector<double> model_energies(const EnergyModel& model, const StateSpace& space);

/// p ∝ exp(−energy).
Law law_of(std::span<const double> energy);

/// The law in which the units of `held` (a byte each) are uniform, and the others follow `law` given them.
Law with_uniform_held(const Law& law, const StateSpace& space, std::span<const std::uint8_t> held);

/// What becomes of `law` when one unit is drawn anew from exp(−energy), all others staying: the exact heat bath.
void redraw_unit(Law& law, std::span<const double> energy, const StateSpace& space, std::size_t unit);
/// One sweep over all units in their order.
void sweep(Law& law, std::span<const double> energy, const StateSpace& space);

/// Independent draws from a law by inversion, with the standard library's generator: none of the words under test.
class Drawing {
 public:
  explicit Drawing(const Law& law);
  std::size_t operator()(std::mt19937_64& random) const;

 private:
  std::vector<double> cumulative_;
};

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
