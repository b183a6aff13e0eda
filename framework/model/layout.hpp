#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <harmonium/framework/model/per_layer.hpp>
#include <harmonium/framework/model/unit_type.hpp>

namespace harmonium {
inline namespace v1 {

enum class Role : std::uint8_t { observed, latent };

/// A set of layers of one Layout.
class LayerSet {
 public:
  bool contains(LayerId id) const { return (bits_ >> static_cast<unsigned>(id)) & 1u; }
  LayerSet& add(LayerId id) {
    bits_ |= std::uint64_t{1} << static_cast<unsigned>(id);
    return *this;
  }
  LayerSet& remove(LayerId id) {
    bits_ &= ~(std::uint64_t{1} << static_cast<unsigned>(id));
    return *this;
  }
  bool empty() const { return bits_ == 0; }
  LayerSet operator|(LayerSet other) const { return LayerSet(bits_ | other.bits_); }
  LayerSet operator&(LayerSet other) const { return LayerSet(bits_ & other.bits_); }
  /// Those of this one that are not in the other.
  LayerSet operator-(LayerSet other) const { return LayerSet(bits_ & ~other.bits_); }
  bool operator==(const LayerSet&) const = default;
  LayerSet() = default;

 private:
  explicit LayerSet(std::uint64_t bits) : bits_(bits) {}
  std::uint64_t bits_ = 0;
};

}  // namespace v1

inline namespace HARMONIUM_ABI {

/// `size` units of one kind.
struct Layer {
  std::string name;
  Index size = 0;
  std::shared_ptr<const UnitType> unit;
  Role role = Role::observed;

  Index columns() const { return size * unit->width(); }
};

/// The layers of a configuration, in order: which units there are, seen or hidden. Immutable; at most 64 layers.
class Layout {
 public:
  /// Throws ConfigError for no layer, more than 64, an empty layer, two of one name, or none observed.
  explicit Layout(std::vector<Layer> layers);

  Index size() const { return layers_.size(); }
  const Layer& operator[](LayerId id) const { return layers_[id]; }
  const PerLayer<Layer>& layers() const { return layers_; }
  LayerId id(Index position) const { return static_cast<LayerId>(position); }
  std::vector<LayerId> ids() const;
  /// Those of `set`, in order.
  std::vector<LayerId> ids(LayerSet set) const;
  /// The layer called `name`; throws ConfigError naming the layers there are.
  LayerId find(std::string_view name) const;

  LayerSet all() const;
  LayerSet observed() const;
  LayerSet latent() const;
  /// Columns of all layers of `set`.
  Index columns(LayerSet set) const;
  /// Where the columns of each layer of `set` begin when these stand side by side; 0 for the others.
  PerLayer<Index> first_columns(LayerSet set) const;
  /// log₂ of the number of joint states of `set`; infinity where a layer is continuous.
  double log2_states(LayerSet set) const;

 private:
  PerLayer<Layer> layers_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
