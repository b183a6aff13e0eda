#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <harmonium/framework/model/chains.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// All joint states of some layers of discrete units, numbered: the first unit of the first layer changes fastest, so that
/// the number of binary units is Σ_j x_j 2^j.
class JointStates {
 public:
  JointStates() = default;
  /// There must be fewer than 2^64; throws CapabilityError for a layer of continuous units.
  JointStates(const Layout& layout, LayerSet layers);

  LayerSet layers() const { return set_; }
  std::uint64_t size() const { return size_; }
  /// Writes the states [begin, end) into the layers of rows 0… of `out`; other layers are left alone.
  void write(std::uint64_t begin, std::uint64_t end, Chains& out) const;
  /// The number of the state that a row is in. Throws CapabilityError where a value is no state of its unit.
  std::uint64_t number(const Chains& rows, Index row) const;
  /// How many states a unit of a layer has, and how far apart the numbers of two of them are that follow each other.
  struct Digit {
    std::uint64_t states, stride;
  };
  Digit digit(LayerId layer, Index unit) const;

 private:
  struct LayerStates {
    LayerId layer;
    Index states = 0, width = 0, units = 0;
    std::uint64_t stride = 1;  ///< of its first unit
    std::vector<Real> values;  ///< states × width
  };
  LayerSet set_;
  std::uint64_t size_ = 1;
  std::vector<LayerStates> layers_;
};

/// Of the subsets of `layers` that `serves` allows, the one of fewest joint states. Every subset is tried, so that nothing is found
/// among more than 16 layers; nothing either where none serves, or only ones of continuous units.
std::optional<LayerSet> set_of_fewest_states(const Layout& layout, LayerSet layers,
                                             const std::function<bool(LayerSet)>& serves);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
